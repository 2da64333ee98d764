/**
 * The loss as a landscape with the run's ball on it. Beside it, close up, the landscape's edge in each range of the
 * temperature, with bars for what is true up to each border, and a ring on an axis that sets the temperature.
 */

import { uniqueId } from "../../../widgets/src/draw/dom.js";
import { DraggablePoint } from "../../../widgets/src/draw/draggable_point.js";
import { Frame } from "../../../widgets/src/draw/frame.js";
import { LabelPlacer } from "../../../widgets/src/draw/label_placement.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { makeScale } from "../../../widgets/src/draw/scales.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize } from "../../../widgets/src/draw/text_layout.js";
import { BallMark, HEADROOM, heightAt, RADIUS } from "../../../widgets/src/parts/ball.js";
import { readable } from "../../../widgets/src/run/format.js";
import { controlRange } from "../../../widgets/src/run/parameters.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { DrawnLevel, Landscape as LandscapePanel, Moment } from "../../../widgets/src/types.js" */
/** @import { ParameterActions } from "../../../widgets/src/types.js" */

/** @typedef {[number, number]} Point */
/** @typedef {{ at: number, y: number[], rest: number }} CloseUp `rest` is NaN where no ball comes to rest */
/**
 * @typedef {{ x: number[], y: number[], at: number, height: number, levels: DrawnLevel[], near: number[],
 *   edge: number, closeUps: CloseUp[], text: string }} LandscapeDrawing
 */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Area */

const NARROW = 560; // pixels, where the close-ups stand below the landscape
const SHARE = 0.4; // of the width, for the landscape
const BETWEEN = 28; // pixels from it to the close-ups
const PHONE = { landscape: 100, closeUp: 48, size: 13 }; // pixels; the close-ups have no heads there
const RESTING = 7; // pixels: the radius of a ball in a close-up
const LARGER = 1.4; // letters of the parameter, as a multiple of the usual size
const COLDEST = { wide: 0.34, narrow: 0.4 }; // of the width of all ranges, for the first
const GAP = 8; // between two close-ups
const BAR = 1.5; // the height of a bar, as a multiple of the letters' size
const AXIS = 24; // pixels from the bars to the axis
const SHOWN = { top: 0.9, floor: 0.35, below: 0.15 }; // heights: the least top, the highest floor, and below the ground
const FRAME = 12; // pixels: the least height of the frame around what is shown close up
const CLOSE_UP = "this edge at four T →";
const SUBSCRIPTS = "₁₂₃₄₅₆₇₈₉";

/**
 * Where everything stands: the landscape, the cells of the close-ups, the ends of their ranges, and the room above
 * them; the bars of the borders, and the axis.
 * @typedef {{ size: number, land: Area, cells: Area[], ends: number[], heads: number, bars: number[], rail: number,
 *   height: number }} Layout
 */

/** @extends {Frame<LandscapePanel, LandscapeDrawing>} */
class Landscape extends Frame {
  /** @type {Layout | undefined} */
  layout;
  /** Around what is shown close up. */
  frame = { x: 0, y: 0, width: 0, height: 0 };

  /** @param {HTMLElement} parent @param {LandscapePanel} panel @param {ParameterActions} actions */
  constructor(parent, panel, actions) {
    super(parent, panel);
    this.actions = actions;
    this.placer = new LabelPlacer();
    this.layers = {
      ...this.addLayers("sheets", "ground", "guides", "held", "rails", "frames", "rests", "ball"),
      ...this.addLayers("axis", "heights", "ticks", "depths", "says", "sum-numbers", "claims", "now"),
    };
    const id = uniqueId();
    this.window = addSvg(addSvg(addSvg(this.svg, "defs"), "clipPath", { id }), "path");
    this.near = addSvg(this.layers.ground, "g", { "clip-path": `url(#${id})` });
    this.far = addSvg(this.layers.ground, "g");
    this.mark = new BallMark(this.layers.ball);
    this.point = new DraggablePoint(this.svg, panel.parameter, {
      to: (x) => this.#moveTo(x),
      step: (right, up) => this.actions.moveBy({ [panel.parameter]: right + up }),
    });
  }

  /** The ranges of the parameter on their axis, where each is as wide as its close-up. */
  get #ranges() {
    const { panel, actions, layout } = this;
    const [low, high] = controlRange(actions.parameter(panel.parameter));
    const borders = [low, ...panel.borders.map(([border]) => border), high];
    const ends = layout?.ends ?? [];
    return ends.slice(1).map((end, i) => linear([borders[i], borders[i + 1]], [ends[i], end]));
  }

  /** Set the parameter to what is at a place on its axis. @param {number} x */
  #moveTo(x) {
    const range = this.#ranges.find((scale) => x <= scale.range()[1]) ?? this.#ranges[this.#ranges.length - 1];
    this.actions.moveTo({ [this.panel.parameter]: range.invert(x) });
  }

  /** The number of the range in which the parameter is. */
  get #here() {
    const now = this.actions.value(this.panel.parameter);
    return this.panel.borders.filter(([border]) => now >= border).length;
  }

  /** Follow the parameter before the run is finished: the ring, and what is true there. */
  aim() {
    const { panel, actions, layout, layers } = this;
    if (!layout) return;
    const { size, ends, cells, bars, rail, land } = layout;
    const now = actions.value(panel.parameter);
    const [min, max] = controlRange(actions.parameter(panel.parameter));
    const text = `${panel.symbol} = ${readable(now, 4)}`;
    const area = /** @type {[number, number, number, number]} */ ([ends[0], cells[0].top, ends[ends.length - 1], rail]);
    this.point.place(this.#ranges[this.#here](now), rail, area, { now, min, max, text });
    const { left, right, top, bottom } = cells[this.#here];
    const cell = { x: left, y: top, width: right - left, height: bottom - top };
    const isDrawn = this.drawing?.closeUps[this.#here].at === now; // a close-up may be of another temperature
    updateChildren(layers.frames, "rect", isDrawn ? [this.frame, cell] : [this.frame], setAttributes);
    updateTexts(layers.now, [{ text, x: land.left, y: LARGER * size, anchor: "start" }]);
    const held = panel.borders.map(([border, name], i) => ({
      text: `${now < border ? "✓" : "✕"} ${name}`,
      colour: now < border ? "good" : "faint",
      ...{ x: ends[0], y: bars[i], width: ends[i + 1] - ends[0], height: BAR * size },
    }));
    updateChildren(layers.held, "rect", held, (node, { x, y, width, height, colour }) =>
      setAttributes(node, { x, y, width, height, rx: 4, style: `--colour: var(--fim-${colour})` }),
    );
    updateTexts(
      layers.claims,
      held.map((bar) => ({ text: bar.text, x: bar.x + 8, y: bar.y + 0.5 * bar.height + 0.35 * size, anchor: "start" })),
    );
  }

  /** @param {LandscapeDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const layout = (this.layout = this.#arrange(this.measure()));
    const { size, land, cells, ends, heads, bars, rail } = layout;
    this.resize(layout.height, drawing.text);
    for (const layer of Object.values(this.layers)) setAttributes(layer, { "font-size": size });
    setAttributes(this.layers.now, { "font-size": LARGER * size });
    const lines = [...this.#drawLand(drawing, land, size), ...this.#drawCells(drawing, cells, size)];
    updateChildren(this.layers.guides, "path", lines, (node, d) => setAttributes(node, { d }));
    const { panel } = this;
    const [start, end] = [ends[0], ends[ends.length - 1]];
    const [min, max] = controlRange(this.actions.parameter(panel.parameter)).map((value) => readable(value, 3));
    const now = this.actions.value(panel.parameter);
    updateTexts(this.layers.ticks, [
      ...drawing.closeUps.slice(0, heads ? ends.length : 0).map(({ at }, i) => ({
        text: `${at === now ? "here, " : ""}${panel.symbol} = ${readable(at, 3)}`,
        x: (cells[i].left + cells[i].right) / 2,
        y: size,
      })),
      { text: `cold, ${min}`, x: start, y: layout.height, anchor: "start" },
      { text: heads ? "temperature, not to scale" : "temperature", x: (start + end) / 2, y: layout.height },
      { text: `hot, ${max}`, x: end, y: layout.height, anchor: "end" },
    ]);
    updateTexts(
      this.layers["sum-numbers"],
      panel.borders.map(([border], i) => ({
        text: `${panel.symbol}${SUBSCRIPTS[i]}${heads ? " = " : "="}${readable(border, 3)}`,
        ...{ x: ends[i + 1] + (heads ? GAP : GAP / 2), y: bars[i] + 0.5 * BAR * size + 0.35 * size, anchor: "start" },
      })),
    );
    const borders = ends.slice(1, -1).map((x) => `M${x},${rail - 5}v10`);
    const rails = `M${start},${rail}H${end}${borders.join("")}`;
    updateChildren(this.layers.rails, "path", [rails], (node, d) => setAttributes(node, { d }));
    this.aim();
  }

  /**
   * @param {number} width
   * @returns {Layout}
   */
  #arrange(width) {
    const isNarrow = width < NARROW;
    const size = isNarrow ? Math.max(PHONE.size, textSize()) : textSize();
    const words = LINE * size;
    const ranges = this.panel.borders.length + 1;
    const below = this.panel.borders.length * pitch(size) + AXIS + words; // the close-ups
    const heads = isNarrow ? 0 : words + 4;
    const whole = this.isLarge ? this.mainHeight : heads + PHONE.closeUp + GAP + below;
    const bottom = isNarrow ? PHONE.landscape : whole - words;
    const land = { left: 0, right: isNarrow ? width : SHARE * width, top: 0, bottom };
    const [left, top] = isNarrow ? [0, bottom + words + GAP] : [land.right + BETWEEN, 0];
    const first = (isNarrow ? COLDEST.narrow : COLDEST.wide) * (width - left);
    const other = (width - left - first) / (ranges - 1);
    const ends = Array.from({ length: ranges + 1 }, (_, i) => left + (i && first + (i - 1) * other));
    const bars = this.panel.borders.map((_, i) => top + whole - below + i * pitch(size)).reverse();
    return {
      ...{ size, land, ends, bars, heads, height: top + whole, rail: top + whole - words - RADIUS },
      cells: ends.slice(1).map((right, i) => ({
        ...{ left: ends[i] + (i ? GAP / 2 : 0), right: right - (i + 1 < ranges ? GAP / 2 : 0) },
        ...{ top: top + heads, bottom: top + whole - below - GAP },
      })),
    };
  }

  /**
   * The landscape with the ball, and a frame around what is shown close up; returns the lines of its levels.
   * @param {LandscapeDrawing} drawing
   * @param {Area} land
   * @param {number} size of letters
   */
  #drawLand({ x: places, y: heights, at, height, levels, edge }, land, size) {
    const { panel, layers } = this;
    const ends = /** @type {[number, number]} */ ([places[0], places[places.length - 1]]);
    const x = linear(ends, [land.left + RADIUS, land.right - RADIUS]);
    const y = makeScale("linear", shownHeights(heights), [land.bottom, land.top + HEADROOM]);
    const points = places.map((place, i) => /** @type {Point} */ ([x(place), y(heights[i])]));
    drawGround(this.far, [points], land.bottom);
    const foot = y(height);
    this.mark.place(x(at), y(heightAt({ x: places, y: heights }, at)), foot, { at, height });
    const [start, end] = x.range();
    const [low, high] = panel.domain.map(y);
    const tall = Math.max(FRAME, low - high);
    const isLeft = at < (ends[0] + ends[1]) / 2;
    const wide = x(ends[0] + edge) - start;
    this.frame = { x: isLeft ? start : end - wide, y: (low + high - tall) / 2, width: wide, height: tall };
    const side = isLeft ? { x: start, anchor: "start" } : { x: end, anchor: "end" };
    const [above, below] = [this.frame.y - 6, this.frame.y + tall + size];
    const ball = [-1, 0, 1].map((k) => /** @type {Point} */ ([x(at) + k * RADIUS, foot - (k % 2 ? RADIUS : 0)]));
    this.placer.begin(() => [points, ball], [land.left, land.top, land.right, land.bottom]);
    updateTexts(layers.heights, [
      ...levels.map(({ value, label }) => this.placer.place(label, placesAlong(start, end, y(value), size))),
      this.placer.place(CLOSE_UP, [above, below].map((line) => ({ ...side, y: line }))),
    ]);
    updateTexts(layers.says, [{ text: `loss ${readable(height, 3)}`, x: land.right, y: LARGER * size, anchor: "end" }]);
    updateTexts(layers.axis, [
      { text: panel.left, x: land.left, y: land.bottom + size, anchor: "start" },
      { text: panel.right, x: land.right, y: land.bottom + size, anchor: "end" },
    ]);
    return levels.map(({ value }) => `M${start},${y(value)}H${end}`);
  }

  /**
   * The close-ups, and where a ball comes to rest in them; returns the lines of their levels.
   * @param {LandscapeDrawing} drawing
   * @param {Area[]} cells
   * @param {number} size of letters
   */
  #drawCells({ near, closeUps, edge, x, at, height, levels }, cells, size) {
    const { domain } = this.panel;
    const [{ top, bottom }] = cells;
    const y = makeScale("linear", domain, [bottom, top]);
    const away = Math.min(at - x[0], x[x.length - 1] - at);
    const isInside = away <= edge && height >= domain[0] && height <= domain[1];
    const rests = closeUps.map(({ y: heights, rest }, i) => {
      const place = Number.isFinite(rest) ? rest : near[0];
      return { cell: cells[i], place, on: heightAt({ x: near, y: heights }, place), isBall: false };
    });
    const ball = { cell: cells[this.#here], place: away, on: height, isBall: true };
    const across = cells.map(({ left, right }) => linear([near[0], edge], [right, left]));
    const grounds = closeUps.map(({ y: heights }, i) =>
      near.map((place, k) => /** @type {Point} */ ([across[i](place), y(heights[k])])),
    );
    const sheets = cells.map(({ left, right }) => ({ x: left, y: top, width: right - left, height: bottom - top }));
    setAttributes(this.window, {
      d: sheets.map((sheet) => `M${sheet.x},${sheet.y}h${sheet.width}v${sheet.height}h${-sheet.width}z`).join(""),
    });
    drawGround(this.near, grounds, bottom);
    updateChildren(this.layers.sheets, "rect", sheets, setAttributes);
    updateChildren(
      this.layers.rests,
      "circle",
      [...rests, ...(isInside ? [ball] : [])].filter(({ on }) => on >= domain[0]),
      (node, { cell, place, on, isBall }) =>
        setAttributes(node, {
          cx: Math.min(linear([near[0], edge], [cell.right, cell.left])(place), cell.right - RESTING),
          ...{ cy: y(on) - RESTING, r: RESTING, class: isBall ? "fim-lit" : null },
        }),
    );
    const last = cells[cells.length - 1];
    const lines = levels.filter(({ value }) => bottom - y(value) > LINE * size); // with room for their names below
    updateTexts(
      this.layers.depths,
      lines.map(({ value, label }) => ({ text: label, x: last.right - 6, y: y(value) + 1.1 * size, anchor: "end" })),
    );
    return levels.flatMap(({ value }) => cells.map(({ left, right }) => `M${left},${y(value)}H${right}`));
  }
}

/**
 * A scale that stays between its ends.
 * @param {[number, number]} domain
 * @param {[number, number]} range
 */
const linear = (domain, range) => makeScale("linear", domain, range).clamp(true);

/**
 * From which height to which the landscape is drawn: it sinks as it gets colder, and stays large enough.
 * @param {number[]} heights
 * @returns {[number, number]}
 */
const shownHeights = (heights) => [
  clamp(Math.min(...heights) - SHOWN.below, 0, SHOWN.floor),
  Math.max(SHOWN.top, ...heights),
];

/** From one bar to the next. @param {number} size of letters */
const pitch = (size) => BAR * size + 4;

/**
 * Earth and its surface, for each ground one after the other.
 * @param {Element} layer
 * @param {Point[][]} grounds
 * @param {number} bottom
 */
function drawGround(layer, grounds, bottom) {
  const paths = grounds.flatMap((points) => {
    const d = `M${points.map((point) => point.join()).join("L")}`;
    const [[first], [last]] = [points[0], points[points.length - 1]];
    return [
      { d: `${d}L${last},${bottom}L${first},${bottom}Z`, class: "fim-earth" },
      { d, class: "fim-surface" },
    ];
  });
  updateChildren(layer, "path", paths, setAttributes);
}

/**
 * Where the label of a level may stand: below or above its line, in the middle or on one of the sides.
 * @param {number} start
 * @param {number} end
 * @param {number} y
 * @param {number} size of letters
 */
const placesAlong = (start, end, y, size) =>
  [0.5, 0.26, 0.74].flatMap((share) => {
    const x = start + share * (end - start);
    return [
      { x, y: y + 1.1 * size },
      { x, y: y - 5 },
    ];
  });

/**
 * Nothing before the run's end: the ground is in the report.
 * @param {LandscapePanel} panel
 * @param {Moment} moment
 * @returns {LandscapeDrawing | null}
 */
function landscapeDrawing(panel, { watched, report, levels }) {
  if (!report) return null;
  const { title, symbol, borders, left, right } = panel;
  const [at, height] = [watched[panel.at][0], watched[panel.height][0]];
  const near = [...report[panel.near_x]];
  const many = near.length;
  const closeUps = [...report[panel.near]].map((value, i) => ({
    at: value,
    y: [...report[panel.near_y]].slice(i * many, (i + 1) * many),
    rest: report[panel.rests][i],
  }));
  const said = borders.map(([border, name]) => `${name} up to ${symbol} = ${readable(border, 3)}`).join("; ");
  const text = `${title}. The ball is at ${readable(at, 3)}, between ${left} and ${right}; loss ${readable(height, 3)}. From cold to hot: ${said}.`;
  const [x, y] = [[...report[panel.x]], [...report[panel.y]]];
  return { x, y, at, height, levels, near, edge: near[many - 1] - near[0], closeUps, text };
}

/** @type {Record<string, Kind>} */
export const kinds = { landscape: { Panel: Landscape, drawing: ofMoment(landscapeDrawing), moves: always } };
