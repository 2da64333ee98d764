/** Lanes over the run's own time, right above the play bar: what grows, what is right by now, and what hardly moves. */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { makeScale } from "../../../widgets/src/draw/scales.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize, textWidth, withoutOverlaps } from "../../../widgets/src/draw/text_layout.js";
import { readable } from "../../../widgets/src/run/format.js";
import { recordOf } from "../../../widgets/src/run/parameters.js";
import { sharesOf } from "../../../widgets/src/run/timeline.js";
import { always } from "../../../widgets/src/view/kinds.js";

/** @import { Label } from "../../../widgets/src/draw/svg.js" */
/** @import { Run } from "../../../widgets/src/run/program.js" */
/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Lane, Lanes as LanesPanel, Leaves, Spec } from "../../../widgets/src/types.js" */

const GAP = 8; // pixels between two lanes
/** Of a line: how thick a track is, beside its name and below it. */
const [TRACK, LOW_TRACK] = [0.55, 0.28];
/** Lines of an amount's lane where its names stand in it and above it. */
const [BAND, LOW_BAND] = [3.2, 2.1];
const NAMES = 160; // pixels of their column, at least
const WIDE = 1.8; // of a line
const SNUG = 0.9; // of the usual estimate: how wide a lane's name is, which has no digits
const FAR = 10; // pixels from the column of names to the lanes
const STILL = 0.1; // of its whole way: what moves by less hardly moves
const TIP = 0.008; // of the run: as wide is what has only just become right or wrong
const ROUNDING = 1e-9; // of a share of the run

/** @typedef {{ share: number, numbers: number[] }} Place of the run, with the lane's numbers there */
/**
 * A lane as far as the run has come; `reach` is the most that its numbers come to in the whole run, with their signs,
 * `still` the stages that are over in which it has hardly moved, and `now` the numbers in words.
 * @typedef {{ places: Place[], reach: [number, number], still: number[], now: string[] }} DrawnLane
 */
/**
 * @typedef {{ lanes: DrawnLane[], share: number, stages: { name: string, from: number, to: number }[],
 *   ticks: { share: number, text: string }[], text: string }} LanesDrawing
 */
/**
 * @typedef {{ x: (share: number) => number, left: number, right: number, head: number, foot: number, line: number
 *   }} Ground of all lanes
 */
/** @typedef {{ left: number, top: number, height: number, x: (share: number) => number }} Room of a lane */

/** @extends {Frame<LanesPanel, LanesDrawing>} */
class Lanes extends Frame {
  /** @param {HTMLElement} parent @param {LanesPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers(
      ...["bases", "borders", "areas", "ways", "spans", "now", "still", "lane-notes", "lane-names", "heads", "axis"],
    );
  }

  /** @param {LanesDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const line = LINE * textSize();
    const [left, right] = this.isLarge ? [Math.max(NAMES, this.bar.left), this.bar.right] : [0, width];
    /** @param {number} share */
    const x = (share) => left + share * (right - left);
    const head = this.isMain ? line : 0;
    const heights = this.#heights(line, head);
    const tops = heights.map((_, i) => head + heights.slice(0, i).reduce((sum, one) => sum + one + GAP, 0));
    const foot = tops[tops.length - 1] + heights[heights.length - 1];
    this.resize(foot + line + 4, drawing.text);
    const rooms = drawing.lanes.map((_, i) => {
      const above = this.panel.lanes[i].answers ? 0 : this.#above * line;
      return { left, top: tops[i] + above, height: heights[i] - above, x };
    });
    this.#drawGround(drawing, { x, left, right, head, foot, line });
    this.#drawAmounts(drawing, rooms);
    this.#drawAnswers(drawing, rooms, line);
    updateTexts(
      this.layers["lane-names"],
      drawing.lanes.flatMap((lane, i) => this.#names(this.panel.lanes[i], lane, rooms[i], line)),
    );
    const said = drawing.lanes.flatMap((lane, i) => stillness(drawing, lane, this.panel.lanes[i], rooms[i]));
    updateTexts(this.layers.still, this.isMain ? said : []);
    const notes = drawing.lanes.flatMap((lane, i) => this.#notes(this.panel.lanes[i], lane, rooms[i], line));
    updateTexts(this.layers["lane-notes"], this.isMain && !drawing.share ? notes : []);
  }

  /** Lines above an amount's lane for its names: in a column or in the lane there are none. */
  get #above() {
    return this.isMain && !this.isLarge ? 1 : 0;
  }

  /**
   * Of the lanes: on a laptop as many lines as have names, else what their names and bands need.
   * @param {number} line
   * @param {number} head
   */
  #heights(line, head) {
    const { lanes } = this.panel;
    const lines = lanes.map(({ tokens, answers }) => tokens.length + (answers ? 0 : 1));
    if (this.isLarge) {
      const room = this.mainHeight - head - line - 4 - GAP * (lanes.length - 1);
      const all = lines.reduce((sum, one) => sum + one, 0);
      return lines.map((one) => (room * one) / all);
    }
    const band = this.isMain ? LOW_BAND : BAND;
    return lanes.map(({ answers, tokens }) => line * (answers ? tokens.length * (1 + LOW_TRACK) : band + this.#above));
  }

  /**
   * The stages' borders, the moment that is drawn, and the time along the foot; the stages' names above, or there.
   * @param {LanesDrawing} drawing
   * @param {Ground} ground
   */
  #drawGround({ stages, share, ticks }, { x, left, right, head, foot, line }) {
    const borders = stages.slice(0, -1).map(({ to }) => x(to)).filter(Number.isFinite);
    updateChildren(this.layers.borders, "path", borders, (node, at) => setAttributes(node, { d: `M${at},0V${foot}` }));
    updateChildren(this.layers.now, "path", [share], (node) => setAttributes(node, { d: `M${x(share)},${head}V${foot}` }));
    const y = foot + 0.95 * line;
    const named = stages.filter(({ from }, i) => !i || share >= from);
    updateTexts(
      this.layers.heads,
      named.map(({ name, from, to }) => ({ text: name, x: (x(from) + x(to)) / 2, y: head ? 0.8 * line : y })),
    );
    const room = right - textWidth(this.panel.x) - FAR;
    const numbers = ticks
      .map(({ share: at, text }) => ({ text, x: Math.max(x(at), left + textWidth(text) / 2) }))
      .filter(({ text, x: at }) => at + textWidth(text) / 2 <= room);
    const axis = [...withoutOverlaps(numbers, room), { text: this.panel.x, x: right, anchor: "end" }];
    updateTexts(this.layers.axis, head ? axis.map((label) => ({ ...label, y })) : []);
  }

  /** @param {LanesDrawing} drawing @param {Room[]} rooms */
  #drawAmounts({ lanes }, rooms) {
    const scales = lanes.map(({ reach }, i) =>
      makeScale("linear", reach, [rooms[i].top + rooms[i].height, rooms[i].top]),
    );
    const bases = this.panel.lanes.flatMap(({ answers, base }, i) => (answers ? [] : [scales[i](base)]));
    updateChildren(this.layers.bases, "path", bases, (node, y) =>
      setAttributes(node, { d: `M${rooms[0].x(0)},${y}H${rooms[0].x(1)}` }),
    );
    const drawn = lanes.flatMap(({ places }, i) => {
      const { tokens, answers, base } = this.panel.lanes[i];
      if (answers) return [];
      const [y, { x }] = [scales[i], rooms[i]];
      return tokens.map(({ colour }, k) => {
        const points = places.map(({ share, numbers }) => `${x(share)},${y(numbers[k])}`).join("L");
        const [first, last] = [places[0], places[places.length - 1]].map((place) => (place ? x(place.share) : 0));
        return { points, colour, line: y(base), first, last };
      });
    });
    updateChildren(this.layers.areas, "path", drawn, (node, { points, colour, line, first, last }) =>
      setAttributes(node, {
        d: points ? `M${first},${line}L${points}L${last},${line}Z` : null,
        style: `fill: var(--fim-${colour})`,
      }),
    );
    updateChildren(this.layers.ways, "path", drawn, (node, { points, colour }) =>
      setAttributes(node, {
        ...{ d: points ? `M${points}` : null, "stroke-width": WIDE },
        style: `stroke: var(--fim-${colour})`,
      }),
    );
  }

  /**
   * Each token's track, filled while it is right and hollow while it is wrong.
   * @param {LanesDrawing} drawing
   * @param {Room[]} rooms
   * @param {number} line
   */
  #drawAnswers({ lanes, share }, rooms, line) {
    const thick = (this.isLarge ? TRACK : LOW_TRACK) * line;
    const spans = lanes.flatMap(({ places }, i) => {
      const { tokens, answers } = this.panel.lanes[i];
      const { top, height, x } = rooms[i];
      const pitch = height / tokens.length;
      return answers
        ? tokens.flatMap((_, k) =>
            spansOf(places, k, share).map(({ from, to, right }) => ({
              ...{ x: x(from), width: x(to) - x(from), right },
              y: top + (k + 1) * pitch - (this.isLarge ? (pitch + thick) / 2 : thick),
            })),
          )
        : [];
    });
    updateChildren(this.layers.spans, "rect", spans, (node, { right, ...span }) =>
      setAttributes(node, { ...span, height: thick, class: right ? "fim-right" : null }),
    );
  }

  /**
   * The names of a lane and of its tokens with their numbers: in a column at the left, else above the lane, or in it.
   * @param {Lane} lane
   * @param {DrawnLane} drawn
   * @param {Room} room
   * @param {number} line
   * @returns {Label[]}
   */
  #names({ name, tokens, answers }, { now }, { left, top, height }, line) {
    const said = tokens.map(({ word, colour }, k) => ({ text: answers ? `${now[k]} ${word}` : `${word} ${now[k]}`, colour }));
    if (this.isLarge) {
      const entries = answers ? said : [{ text: name, colour: "ink" }, ...said];
      const place = { x: left - FAR, anchor: "end" };
      const pitch = height / entries.length;
      return entries.map((entry, k) => ({ ...entry, ...place, y: top + (k + 0.5) * pitch + 0.35 * textSize() }));
    }
    if (answers) {
      const pitch = height / tokens.length;
      return said.map((entry, k) => ({ ...entry, x: 0, y: top + k * pitch + 0.8 * line, anchor: "start" }));
    }
    if (!this.isMain)
      return said.map((entry, k) => ({ ...entry, x: 0, y: k ? top + height - 3 : top + 0.8 * line, anchor: "start" }));
    let x = SNUG * textWidth(`${name} `);
    const row = said.map((entry) => {
      const at = x;
      x += textWidth(`${entry.text} `);
      return { ...entry, x: at };
    });
    return [{ text: name, colour: "ink", x: 0 }, ...row].map((entry) => ({ ...entry, y: top - 0.3 * line, anchor: "start" }));
  }

  /**
   * What a lane will show, before there is a run: of an answer beside its track, else above and below the line.
   * @param {Lane} lane
   * @param {DrawnLane} drawn
   * @param {Room} room
   * @param {number} line
   * @returns {Label[]}
   */
  #notes({ tokens, answers, base }, { reach }, { left, top, height, x }, line) {
    const place = this.isLarge ? { x: left + FAR, anchor: "start" } : { x: x(1), anchor: "end" };
    const pitch = height / tokens.length;
    const middle = makeScale("linear", reach, [top + height, top])(base);
    return tokens.flatMap(({ symbol, colour }, k) => {
      let y = middle + (k ? 1.05 : -0.3) * line;
      if (answers) y = top + k * pitch + (this.isLarge ? pitch / 2 + 0.35 * textSize() : 0.8 * line);
      return symbol ? [{ ...place, text: symbol, y, colour: answers ? colour : "faint" }] : [];
    });
  }
}

/**
 * Over each stage in which a lane has hardly moved, that it has.
 * @param {LanesDrawing} drawing
 * @param {DrawnLane} drawn
 * @param {Lane} lane
 * @param {Room} room
 */
function stillness({ stages }, { still, reach }, { still: says, base }, { top, height, x }) {
  const y = makeScale("linear", reach, [top + height, top])(base);
  return still.map((i) => ({ text: `${says} in ${stages[i].name}`, x: (x(stages[i].from) + x(stages[i].to)) / 2, y: y - 6 }));
}

/**
 * From where to where a token has been right, and wrong; what it has only just become has a tip.
 * @param {Place[]} places
 * @param {number} k its number
 * @param {number} end of what is drawn
 */
export function spansOf(places, k, end) {
  /** @type {{ from: number, to: number, right: boolean }[]} */
  const spans = [];
  for (const { share, numbers } of places) {
    const right = numbers[k] > 0;
    const last = spans[spans.length - 1];
    if (last) last.to = share;
    if (last?.right !== right) spans.push({ from: share, to: share, right });
  }
  const [before, last] = [spans[spans.length - 2], spans[spans.length - 1]];
  if (last) Object.assign(last, { to: end, from: Math.min(last.from, Math.max(0, end - TIP)) });
  if (before) before.to = last.from;
  return spans.filter(({ from, to }) => to > from);
}

/**
 * Where the run passes powers of ten of its clock, between two places by the clock's logarithm.
 * @param {{ share: number, time: number }[]} places
 */
export function ticksOf(places) {
  const logs = places.map(({ time }) => Math.log10(time));
  return places.slice(1).flatMap(({ share }, i) => {
    const [before, after] = [logs[i], logs[i + 1]];
    const first = Math.floor(before) + 1;
    const count = Number.isFinite(before) ? Math.max(0, Math.floor(after) - first + 1) : 0;
    return Array.from({ length: count }, (_, k) => {
      const part = (first + k - before) / (after - before);
      return { share: places[i].share + part * (share - places[i].share), text: readable(10 ** (first + k)) };
    });
  });
}

/**
 * The numbers of a lane at the moment that is drawn, with as many decimals as its largest one needs.
 * @param {Lane} lane
 * @param {number[]} numbers
 * @param {[number, number]} reach
 */
function inWords({ answers, base, unit }, numbers, [low, high]) {
  if (answers) return numbers.map((number) => (number > 0 ? "✓" : "✕"));
  const power = Math.floor(Math.log10(Math.max(high, -low)));
  const decimals = Number.isFinite(power) ? clamp(1 - power, 0, 99) : 0;
  return numbers.map((number) => {
    const text = number.toFixed(decimals).replace("-", "−");
    const isNone = !Number(number.toFixed(decimals));
    return `${base ? "" : isNone ? "±" : number > 0 ? "+" : ""}${isNone ? "0" : text}${unit}`;
  });
}

/**
 * @param {LanesPanel} panel
 * @param {Leaves | null} _
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 * @returns {LanesDrawing}
 */
function lanesDrawing({ title, lanes, clock, x }, _, spec, run, share) {
  const shares = sharesOf(run);
  const every = run.histories.flatMap(({ rows }, stage) =>
    rows.map((row, i) => ({ stage, share: shares[stage][i], watched: recordOf(spec.watch, row) })),
  );
  const all = every.filter(({ stage, watched }, i) => {
    const before = every[i - 1];
    return !i || stage > before.stage || watched[clock][0] > before.watched[clock][0];
  });
  const passed = all.filter((place) => place.share <= share + ROUNDING);
  const here = passed[passed.length - 1] ?? all[0];
  const now = here.watched;
  const stages = shares.map((places, i) => ({
    ...{ name: spec.stages[i].name, from: places[0] ?? NaN, to: places[places.length - 1] ?? NaN },
  }));
  const drawn = lanes.map((lane) => {
    const numbers = all.map(({ watched }) => [...watched[lane.field]]);
    const flat = numbers.flat().filter(Number.isFinite);
    const reach = /** @type {[number, number]} */ ([Math.min(lane.base, ...flat), Math.max(lane.base, ...flat)]);
    const whole = moved(numbers);
    const over = stages.flatMap(({ to }, i) => (to <= share + ROUNDING && run.report ? [i] : []));
    const still = over.filter((i) => moved(numbers.filter((__, at) => all[at].stage === i)) <= STILL * whole);
    return {
      places: [...passed, { ...here, share }].map((place) => ({
        ...{ share: place.share, numbers: [...place.watched[lane.field]] },
      })),
      reach,
      still: lane.still ? still : [],
      now: inWords(lane, [...now[lane.field]], reach),
    };
  });
  const told = lanes.map(({ name, tokens }, i) => {
    const each = tokens.map(({ word }, k) => `${word} ${drawn[i].now[k]}`);
    return `${name}: ${each.join(", ")}`;
  });
  const quiet = lanes.flatMap(({ name, still }, i) => drawn[i].still.map((k) => `${stages[k].name}: ${name}, ${still}`));
  return {
    ...{ lanes: drawn, share, stages },
    ticks: ticksOf(all.map((place) => ({ share: place.share, time: place.watched[clock][0] }))),
    text: `${title}. ${[`${x} ${readable(now[clock][0], 2)}`, ...told, ...quiet].join(". ")}.`,
  };
}

/** The farthest that a number has come from where it was at first. @param {number[][]} numbers */
const moved = (numbers) =>
  Math.max(0, ...numbers.flatMap((each) => each.map((number, k) => Math.abs(number - numbers[0][k]))));

/** @type {Record<string, Kind>} */
export const kinds = { lanes: { Panel: Lanes, drawing: lanesDrawing, moves: always } };
