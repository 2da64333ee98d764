/** One line chart in SVG: axes, lines labelled at their ends, levels, marks. Redrawn in place. */

import { bisector, extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";

const NAMESPACE = "http://www.w3.org/2000/svg";
const LABEL_HEIGHT = 13;
const MARGIN = { top: 22, bottom: 34, left: 42 };

function element(parent, name, attributes = {}) {
  const node = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}

/** Children of `parent` kept as a list that grows and shrinks with the data, each updated in place. */
function keep(parent, name, items, update) {
  while (parent.children.length > items.length) parent.lastChild.remove();
  while (parent.children.length < items.length) element(parent, name);
  items.forEach((item, i) => update(parent.children[i], item));
}

function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) node.removeAttribute(key);
    else node.setAttribute(key, value);
  }
}

/** Push labels apart so that none overlap, keeping their order and staying inside [low, high]. */
export function spread(wanted, low, high, gap = LABEL_HEIGHT) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [];
  let floor = low;
  for (const i of order) {
    placed[i] = Math.max(wanted[i], floor);
    floor = placed[i] + gap;
  }
  let ceiling = high;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i], ceiling);
    ceiling = placed[i] - gap;
  }
  return placed;
}

export class Chart {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, x: string, domain?: [number, number]}} panel `domain` is the least shown of the y-axis
   */
  constructor(parent, panel) {
    this.panel = panel;
    const box = parent.appendChild(document.createElement("div"));
    box.className = "fim-panel";
    const heading = box.appendChild(document.createElement("p"));
    heading.className = "fim-title";
    heading.textContent = panel.title;
    this.svg = element(box, "svg", { role: "img" });
    this.grid = element(this.svg, "g", { class: "fim-grid" });
    this.bands = element(this.svg, "g", { class: "fim-bands" });
    this.ticks = element(this.svg, "g", { class: "fim-ticks" });
    this.levels = element(this.svg, "g", { class: "fim-levels" });
    this.levelLabels = element(this.svg, "g", { class: "fim-level-labels" });
    this.lines = element(this.svg, "g", { class: "fim-lines" });
    this.labels = element(this.svg, "g", { class: "fim-labels" });
    this.marks = element(this.svg, "g", { class: "fim-marks" });
    this.markLabels = element(this.svg, "g", { class: "fim-mark-labels" });
    this.axis = element(this.svg, "text", { class: "fim-axis" });
    this.bandLabels = element(this.svg, "g", { class: "fim-band-labels" });
    this.width = 0;
    new ResizeObserver(() => {
      if (Math.round(box.clientWidth) !== this.width && this.drawing) this.draw(this.drawing);
    }).observe(box);
    this.box = box;
  }

  /**
   * @param {{
   *   series: Array<{x: number[], y: number[], label: string, colour: string, dash?: string}>,
   *   levels?: Array<{value: number, label: string, axis?: "x" | "y"}>,
   *   marks?: Array<{x: number, y: number, label?: string, colour: string}>,
   *   bands?: Array<{from: number, to: number, label: string}>,
   *   xDomain?: [number, number], xTicks?: Array<{at: number, text: string}>, text: string }} drawing
   */
  draw(drawing) {
    this.drawing = drawing;
    this.width = Math.round(this.box.clientWidth) || 360;
    const height = Math.max(190, Math.min(280, Math.round(this.width * 0.58)));
    const right = drawing.series.some((s) => s.label) ? this.#labelRoom(drawing.series) : 14;
    const finite = (values) => values.filter(Number.isFinite);
    const xs = drawing.xDomain ?? extent(drawing.series.flatMap((s) => extent(finite(s.x))));
    const ys = extent([
      ...drawing.series.flatMap((s) => extent(finite(s.y))),
      ...(drawing.levels ?? []).filter((l) => l.axis !== "x").map((l) => l.value),
      ...(this.panel.domain ?? []), // the least that is shown
    ]);
    const x = scaleLinear(widen(xs), [MARGIN.left, this.width - right]);
    const y = scaleLinear(widen(ys), [height - MARGIN.bottom, MARGIN.top]);
    if (!this.panel.domain) y.nice(4);
    set(this.svg, { viewBox: `0 0 ${this.width} ${height}`, width: this.width, height, "aria-label": drawing.text });
    this.#axes(x, y, height, drawing.xTicks);
    this.#drawBands(drawing.bands ?? [], x, height);
    this.#drawLevels(drawing.levels ?? [], x, y, height, right);
    this.#drawLines(drawing.series, x, y, right);
    this.#drawMarks(drawing.marks ?? [], x, y);
  }

  #labelRoom(series) {
    return 12 + 7 * Math.max(...series.map((s) => s.label.length));
  }

  #axes(x, y, height, given) {
    const xText = x.tickFormat(5);
    const xTicks = given ?? x.ticks(Math.max(3, Math.round(this.width / 90))).map((t) => ({ at: t, text: xText(t) }));
    const yTicks = y.ticks(5);
    const [x0, x1] = x.range();
    keep(this.grid, "line", yTicks, (node, t) => set(node, { x1: x0, x2: x1, y1: y(t), y2: y(t) }));
    const yText = y.tickFormat(5);
    const ticks = [
      ...xTicks.map(({ at, text }) => ({ x: x(at), y: height - MARGIN.bottom + 15, text, anchor: "middle" })),
      ...yTicks.map((t) => ({ x: x0 - 6, y: y(t) + 4, text: yText(t), anchor: "end" })),
    ];
    keep(this.ticks, "text", ticks, (node, tick) => {
      set(node, { x: tick.x, y: tick.y, "text-anchor": tick.anchor });
      node.textContent = tick.text;
    });
    set(this.axis, { x: (x0 + x1) / 2, y: height - 4, "text-anchor": "middle" });
    this.axis.textContent = this.panel.x;
  }

  #drawBands(bands, x, height) {
    const starts = bands.filter((band) => band.from > x.domain()[0]);
    keep(this.bands, "line", starts, (node, band) =>
      set(node, { x1: x(band.from), x2: x(band.from), y1: MARGIN.top, y2: height - MARGIN.bottom }));
    const wide = bands.filter((band) => x(band.to) - x(band.from) > 6 * band.label.length);
    keep(this.bandLabels, "text", wide, (node, band) => {
      set(node, { x: (x(band.from) + x(band.to)) / 2, y: MARGIN.top - 8, "text-anchor": "middle" });
      node.textContent = band.label;
    });
  }

  #drawLevels(levels, x, y, height, right) {
    const inside = levels.filter(({ value, axis }) => {
      const [low, high] = (axis === "x" ? x : y).domain();
      return value >= low && value <= high;
    });
    keep(this.levels, "line", inside, (node, { value, axis }) => set(node, axis === "x"
      ? { x1: x(value), x2: x(value), y1: MARGIN.top, y2: height - MARGIN.bottom }
      : { x1: x.range()[0], x2: x.range()[1], y1: y(value), y2: y(value) }));
    keep(this.levelLabels, "text", inside, (node, { value, label, axis }) => {
      const flip = axis === "x" && x(value) > this.width - right - 90;
      set(node, axis === "x"
        ? { x: x(value) + (flip ? -5 : 5), y: MARGIN.top + 10, "text-anchor": flip ? "end" : "start" }
        : { x: x.range()[0] + 5, y: y(value) - 4, "text-anchor": "start" });
      node.textContent = label;
    });
  }

  #drawLines(series, x, y, right) {
    const [low, high] = y.domain();
    const path = line()
      .defined(([, value]) => Number.isFinite(value))
      .x(([position]) => x(position))
      .y(([, value]) => y(Math.min(Math.max(value, low), high)));
    keep(this.lines, "path", series, (node, s) => set(node, {
      d: path(s.x.map((position, i) => [position, s.y[i]])) ?? "",
      style: `stroke: var(--fim-${s.colour})`,
      "stroke-dasharray": s.dash || null,
    }));
    const labelled = series.filter((s) => s.label && s.y.length);
    const ends = labelled.map((s) => y(Math.min(Math.max(s.y[s.y.length - 1], low), high)));
    const places = spread(ends.map((end) => (Number.isFinite(end) ? end : y(low))), MARGIN.top + 4, y.range()[0]);
    keep(this.labels, "text", labelled, (node, s) => {
      const i = labelled.indexOf(s);
      set(node, { x: this.width - right + 6, y: places[i] + 4, style: `fill: var(--fim-${s.colour})` });
      node.textContent = s.label;
    });
  }

  #drawMarks(marks, x, y) {
    const inside = marks.filter((m) => Number.isFinite(m.x) && Number.isFinite(m.y));
    const [low, high] = y.domain();
    const height = (m) => y(Math.min(Math.max(m.y, low), high));
    keep(this.marks, "circle", inside, (node, m) =>
      set(node, { cx: x(m.x), cy: height(m), r: 5, style: `fill: var(--fim-${m.colour})` }));
    const named = inside.filter((m) => m.label);
    keep(this.markLabels, "text", named, (node, m) => {
      const flip = x(m.x) > (x.range()[0] + x.range()[1]) / 2;
      set(node, {
        x: x(m.x) + (flip ? -6 : 6), y: height(m) - 8, "text-anchor": flip ? "end" : "start",
        style: `fill: var(--fim-${m.colour})`,
      });
      node.textContent = m.label;
    });
  }
}

/** A domain that has a width. */
function widen([low, high]) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** The index of the last of the ascending `steps` that is at most `step`. */
export const lastAtMost = (steps, step) => bisector((s) => s).right(steps, step) - 1;
