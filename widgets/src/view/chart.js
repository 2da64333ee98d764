/** A chart in SVG: axes, areas, lines labelled at their ends, levels, points, and a cross-hair to drag. Redrawn in place. */

import { extent } from "d3-array";
import { area, curveLinear, curveMonotoneX, line } from "d3-shape";

import { CrossHair } from "./crosshair.js";
import { unique } from "../draw/dom.js";
import { around, Labels } from "../draw/labels.js";
import { roomiest } from "../draw/band_labels.js";
import { scale, shows, ticksOf } from "../draw/scales.js";
import { apart, beside, clamp, element, Frame, keep, keepTexts, textSize, set, spread, widthOf } from "../draw/svg.js";

const MARGIN = { top: 22, bottom: 40, left: 42 };
const TICK = () => textSize() + 6; // pixels below the axis
const NARROW = 300; // pixels: a chart that shares a phone's width
const LABEL_SHARE = 0.32; // of the width: labels that take more stand above the chart
const SIGNS = { dot: "●", ring: "○", cross: "×" };

export class Chart extends Frame {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, x: string, y?: string, domain?: [number, number], x_domain?: [number, number],
   *   x_scale?: string, y_scale?: string, pick?: object}} panel `domain` is the least shown of the y-axis
   * @param {object} hands see figure.js
   */
  constructor(parent, panel, hands) {
    super(parent, panel);
    const clip = unique();
    this.window = element(element(element(this.svg, "defs"), "clipPath", { id: clip }), "rect");
    this.layer = this.layers(
      ...["areas", "grid", "bands", "ticks", "levels", "lines", "whiskers", "points", "level-labels"],
      ...["labels", "area-labels", "marks", "mark-labels", "axis", "band-labels"],
    );
    for (const name of ["areas", "lines", "whiskers"]) set(this.layer[name], { "clip-path": `url(#${clip})` });
    this.labels = new Labels();
    this.crossHair = panel.pick ? new CrossHair(this, panel.pick, hands) : null;
  }

  /** Follow the parameters before the run is through. */
  aim() {
    if (this.drawing) this.crossHair?.place(this.x, this.y);
  }

  /**
   * @param {{
   *   series: Array<{x: number[], y: number[], label: string, colour: string, dash?: string, smooth?: boolean}>,
   *   areas?: Array<{x: number[], low: number[], high: number[], label: string, colour: string}>,
   *   points?: Array<{x: number[], y: number[], low?: number[], high?: number[], label: string, colour: string, shape: string}>,
   *   levels: Array<{value: number, label: string, axis?: "x" | "y"}>,
   *   marks?: Array<{x: number, y: number, label?: string, colour: string}>,
   *   bands?: Array<{from: number, to: number, label: string}>,
   *   xDomain?: [number, number], xTicks?: Array<{at: number, text: string}>, text: string }} drawing
   */
  draw(drawing) {
    this.drawing = drawing = { areas: [], points: [], marks: [], bands: [], ...drawing };
    const width = this.measure();
    const height = Math.max(width < NARROW ? 150 : 190, Math.min(280, Math.round(width * 0.58)));
    const named = this.#named(drawing);
    const room = Math.max(0, ...named.map(({ text }) => 12 + widthOf(text, true)));
    const inside = room <= LABEL_SHARE * width;
    this.legend(inside ? [] : named);
    this.right = inside && room ? room : 14;
    this.#scales(drawing, height);
    this.size(height, drawing.text);
    this.#drawAxes(drawing.xTicks);
    this.#drawBands(drawing.bands);
    const [[left, wide], [bottom, top]] = [this.x.range(), this.y.range()];
    const curves = () => drawing.series.map((s) => s.x.map((at, i) => (this.defined(at, s.y[i]) ? [this.x(at), this.#up(s.y[i])] : [NaN, NaN])));
    this.labels.begin(curves, [left, top - 8, wide, bottom]);
    this.#drawLevels(drawing.levels);
    this.#drawAreas(drawing.areas);
    this.#drawLines(drawing.series);
    this.#drawPoints(drawing.points);
    this.#drawMarks([...drawing.marks, ...alone(drawing.points)]);
    this.#drawLabels(inside ? named : []);
    this.crossHair?.place(this.x, this.y);
  }

  /** What is named at the right edge: lines, and clouds of points. */
  #named({ series, points }) {
    const lines = series.filter((s) => s.label && s.y.length)
      .map((s) => ({ ...s, text: s.label, end: s.y.findLast(Number.isFinite), sign: s.dash ? "╌" : "▬" }));
    const clouds = points.filter((p) => p.label && p.x.length > 1).map((p) => {
      const last = p.y.findLastIndex(Number.isFinite);
      return { ...p, text: `${SIGNS[p.shape]} ${p.label}`, end: p.y[last], sign: SIGNS[p.shape] };
    });
    return [...lines, ...clouds];
  }

  #scales({ series, areas, points, levels, xDomain }, height) {
    const { x_scale: across = "linear", y_scale: up = "linear", domain, x_domain: given } = this.panel;
    const [fitsX, fitsY] = [shows(across), shows(up)];
    const parts = [...series, ...areas, ...points];
    const xs = xDomain ?? given ?? extent(parts.flatMap((part) => extent(part.x.filter(fitsX))));
    const ys = extent([
      ...parts.flatMap((part) => [part.y, part.low, part.high].flatMap((values) => (values ? extent(values.filter(fitsY)) : []))),
      ...levels.filter((l) => l.axis !== "x" && fitsY(l.value)).map((l) => l.value),
      ...(domain ?? []),
    ]);
    this.y = scale(up, ys, [height - MARGIN.bottom, MARGIN.top]);
    if (!domain) this.y.nice(4);
    this.yTicks = ticksOf(this.y, up, 5);
    const left = Math.max(MARGIN.left, 10 + Math.max(...this.yTicks.map(({ text }) => widthOf(text))));
    this.x = scale(across, xs, [left, this.width - this.right]);
    this.defined = (a, b) => fitsX(a) && !Number.isNaN(b) && (fitsY(b) || !Number.isFinite(b));
    const wide = Math.max(0, this.width - this.right - left);
    set(this.window, { x: left, y: MARGIN.top - 2, width: wide, height: height - MARGIN.top - MARGIN.bottom + 4 });
  }

  /** A height inside the drawing; what lies beyond stands at the edge. */
  #up(value) {
    const [low, high] = this.y.domain();
    return this.y(clamp(value, low, high));
  }

  #drawAxes(given) {
    const { x, y, yTicks, panel } = this;
    const [x0, x1] = x.range();
    const bottom = y.range()[0];
    const across = given?.map(({ at, text }) => ({ value: at, text: String(text) }))
      ?? ticksOf(x, panel.x_scale, Math.max(3, Math.round(this.width / 90)));
    keep(this.layer.grid, "line", yTicks, (node, { value }) => set(node, { x1: x0, x2: x1, y1: y(value), y2: y(value) }));
    keepTexts(this.layer.ticks, [
      ...apart(across.map(({ value, text }) => ({ x: x(value), y: bottom + TICK(), text })), this.width),
      ...yTicks.map(({ value, text }) => ({ x: x0 - 6, y: y(value) + 4, text, anchor: "end" })),
    ]);
    keepTexts(this.layer.axis, [
      { text: panel.x, x: (x0 + x1) / 2, y: bottom + MARGIN.bottom - 4 },
      ...(panel.y ? [{ text: panel.y, x: 2, y: 10, anchor: "start" }] : []),
    ]);
  }

  #drawBands(bands) {
    const { x } = this;
    const [bottom, top] = this.y.range();
    const starts = bands.filter((band) => band.from > x.domain()[0]);
    keep(this.layer.bands, "line", starts, (node, band) => set(node, { x1: x(band.from), x2: x(band.from), y1: top, y2: bottom }));
    const wide = bands.filter((band) => x(band.to) - x(band.from) > 6 * band.label.length);
    keepTexts(this.layer["band-labels"], wide.map(({ label, from, to }) => ({ text: label, x: (x(from) + x(to)) / 2, y: top - 8 })));
  }

  #drawAreas(areas) {
    const { x } = this;
    const fits = (a, i) => this.defined(a.x[i], a.low[i]) && this.defined(a.x[i], a.high[i]);
    const shape = (a) => area()
      .defined((_, i) => fits(a, i))
      .x((_, i) => x(a.x[i]))
      .y0((_, i) => this.#up(a.low[i]))
      .y1((_, i) => this.#up(a.high[i]))(a.x);
    keep(this.layer.areas, "path", areas, (node, a) => set(node, { d: shape(a) ?? "", style: `fill: var(--fim-${a.colour})` }));
    const labels = areas.filter((a) => a.label).flatMap((a) => {
      const run = a.x.map((at, i) => (fits(a, i) ? [x(at), this.#up(a.high[i]), this.#up(a.low[i])] : null));
      const places = roomiest(run, widthOf(a.label, true) + 8, x.range()).flatMap(({ x: at, y, room }) => {
        const free = Math.max(0, (room - textSize()) / 2); // the label may leave the middle of its band
        return [0, -0.5, 0.5, -1, 1].map((share) => ({ x: at, y: y + share * free }));
      });
      return places.length ? [{ colour: a.colour, ...this.labels.place(a.label, places, true) }] : [];
    });
    keepTexts(this.layer["area-labels"], labels);
  }

  #drawLevels(levels) {
    const { x, y } = this;
    const [bottom, top] = y.range();
    const inside = levels.filter(({ value, axis }) => {
      const [low, high] = (axis === "x" ? x : y).domain();
      return value >= low && value <= high;
    });
    keep(this.layer.levels, "line", inside, (node, { value, axis }) => set(node, axis === "x"
      ? { x1: x(value), x2: x(value), y1: top, y2: bottom }
      : { x1: x.range()[0], x2: x.range()[1], y1: y(value), y2: y(value) }));
    const [left, right] = x.range();
    keepTexts(this.layer["level-labels"], inside.filter(({ label }) => label).map(({ value, label, axis }) => {
      const lines = axis === "x"
        ? [top + 10, bottom - 8, (top + bottom) / 2].flatMap((up) => [false, true].map((before) => ({ y: up, ...beside(x(value), 5, before) })))
        : [-4, textSize() + 1].flatMap((below) => [0, 1, 0.5].map((share) => (
          { y: y(value) + below, x: left + 5 + share * (right - left - 10), anchor: ["start", "middle", "end"][2 * share] })));
      return this.labels.place(label, lines);
    }));
  }

  #drawLines(series) {
    const path = line()
      .defined(([position, value]) => Number.isFinite(value) && this.defined(position, value))
      .x(([position]) => this.x(position))
      .y(([, value]) => this.#up(value));
    keep(this.layer.lines, "path", series, (node, s) => set(node, {
      d: path.curve(s.smooth ? curveMonotoneX : curveLinear)(s.x.map((position, i) => [position, s.y[i]])) ?? "",
      style: `stroke: var(--fim-${s.colour})`,
      "stroke-dasharray": s.dash || null,
    }));
  }

  #drawPoints(groups) {
    const { x } = this;
    const [low, high] = x.domain();
    const each = (group) => group.x.map((at, i) => ({ ...group, x: at, y: group.y[i], low: group.low?.[i], high: group.high?.[i] }));
    const all = groups.flatMap(each)
      .filter((p) => Number.isFinite(p.y) && this.defined(p.x, p.y) && p.x >= low && p.x <= high);
    keep(this.layer.whiskers, "path", all.filter((p) => Number.isFinite(p.low) && Number.isFinite(p.high)), (node, p) => set(node, {
      d: `M${x(p.x)},${this.#up(p.low)}V${this.#up(p.high)}`, style: `stroke: var(--fim-${p.colour})`,
    }));
    keep(this.layer.points, "path", all, (node, p) => set(node, {
      d: outline(p.shape, x(p.x), this.#up(p.y)), class: `fim-${p.shape}`, style: `--colour: var(--fim-${p.colour})`,
    }));
  }

  #drawMarks(marks) {
    const { x } = this;
    const [low, high] = x.domain();
    const inside = marks.filter((m) => m.x >= low && m.x <= high && Number.isFinite(m.y) && this.defined(m.x, m.y));
    keep(this.layer.marks, "circle", inside.filter((m) => !m.drawn), (node, m) =>
      set(node, { cx: x(m.x), cy: this.#up(m.y), r: 5, style: `fill: var(--fim-${m.colour})` }));
    keepTexts(this.layer["mark-labels"], inside.filter((m) => m.label).map((m) =>
      ({ colour: m.colour, ...this.labels.place(m.label, around(x(m.x), this.#up(m.y)), true) })));
  }

  #drawLabels(named) {
    const bottom = this.y.range()[0];
    const places = spread(named.map(({ end }) => (Number.isFinite(end) ? this.#up(end) : bottom)), MARGIN.top + 4, bottom);
    keepTexts(this.layer.labels, named.map(({ text, colour }, i) =>
      ({ text, colour, x: this.width - this.right + 6, y: places[i] + 4, anchor: "start" })));
  }
}

/** A single point is named where it stands. */
const alone = (points) => points.filter((p) => p.label && p.x.length === 1)
  .map(({ x, y, label, colour }) => ({ x: x[0], y: y[0], label, colour, drawn: true }));

/** A point's shape about its place. */
function outline(shape, x, y) {
  return shape === "cross"
    ? `M${x - 4},${y - 4}l8,8m0,-8l-8,8`
    : `M${x - 4},${y}a4,4 0 1,0 8,0a4,4 0 1,0 -8,0`;
}
