/** Bars: a row for each label, or thin upright bars where there are many. */

import { max, min } from "d3-array";

import { readable } from "./format.js";
import { scale, ticksOf } from "./scales.js";
import { apart, fitting, Frame, keep, keepTexts, set, widthOf } from "./svg.js";

const MOST_ROWS = 24;
const THICK = 15; // pixels of a bar
const GAP = 9; // between rows
const LOOSEST = 1.6; // how far rows move apart when others are left out
const BELOW = 37;
const TICK = 17; // pixels below the axis
const ABOVE = 6;
const NAMED = 12; // more above, for the names of levels
const LABEL_SHARE = 0.42; // of the width, for the labels of rows
const FAINTEST = 0.3;
const SAYABLE = 8; // bars that the description lists one by one

export class Bars extends Frame {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, labels: string[], bars: object[], stacked: boolean, domain?: [number, number], x: string}} panel
   */
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("grid", "ticks", "bars", "levels", "names", "values", "level-labels", "axis");
    if (panel.bars.some(({ label }) => label)) this.legend(panel.bars.map(({ label, colour }) => ({ label, colour, sign: "■" })));
  }

  /**
   * @param {{rows: Array<{label: string, values: number[], weight: number}>,
   *   levels: Array<{value: number, label: string}>, text: string}} drawing
   */
  draw(drawing) {
    this.drawing = drawing;
    this.measure();
    const rows = drawing.rows.map((row) => ({ ...row, pieces: this.#pieces(row.values) }));
    const ends = [...rows.flatMap(({ pieces }) => pieces.flatMap(({ from, to }) => [from, to])), ...drawing.levels.map(({ value }) => value)];
    const domain = [min([0, ...ends, ...(this.panel.domain ?? [])]), max([0, ...ends, ...(this.panel.domain ?? [])])];
    if (this.panel.labels.length > MOST_ROWS) this.#upright(rows, domain);
    else this.#level(rows, domain);
  }

  /** Where each bar of a row begins and ends. */
  #pieces(values) {
    let [above, below] = [0, 0];
    return values.map((value) => {
      if (!this.panel.stacked) return { from: 0, to: value };
      const from = value < 0 ? below : above;
      if (value < 0) below += value;
      else if (value > 0) above += value;
      return { from, to: from + value };
    });
  }

  get #lanes() {
    return this.panel.stacked ? 1 : this.panel.bars.length;
  }

  /** Rows from the top. */
  #level(rows, domain) {
    const { panel, width } = this;
    const pitch = this.#lanes * THICK + GAP;
    const room = pitch * panel.labels.length;
    const step = Math.min(rows.length ? room / rows.length : room, LOOSEST * pitch);
    const names = Math.min(LABEL_SHARE * width, 12 + Math.max(...panel.labels.map(widthOf)));
    const said = panel.stacked ? 12 : 46;
    const x = scale("linear", domain, [names, width - said]);
    if (!panel.domain) x.nice(4);
    const roof = ABOVE + (panel.levels.length ? NAMED : 0);
    const bottom = roof + room;
    const middle = (i) => roof + (i + 0.5) * step;
    this.size(bottom + BELOW, this.drawing.text);
    const few = Math.max(2, Math.round((width - names) / 80));
    const place = ({ value, text }) => ({ at: x(value), x: x(value), y: bottom + TICK, text });
    const ticks = apart(ticksOf(x, "linear", few).map(place), width);
    keep(this.layer.grid, "line", ticks, (node, tick) => set(node, { x1: tick.at, x2: tick.at, y1: roof, y2: bottom }));
    keepTexts(this.layer.ticks, ticks);
    keepTexts(this.layer.axis, [{ text: panel.x, x: (names + width - said) / 2, y: bottom + BELOW - 4 }]);
    const top = (i, k) => middle(i) - (this.#lanes * THICK) / 2 + (panel.stacked ? 0 : k * THICK);
    this.#bars(rows, ({ from, to }, i, k) => ({
      x: Math.min(x(from), x(to)), y: top(i, k) + 1, width: Math.abs(x(to) - x(from)), height: THICK - 2,
    }));
    keepTexts(this.layer.names, rows.map(({ label, weight }, i) => ({
      text: fitting(label, names - 10), x: names - 8, y: middle(i) + 4, anchor: "end", bold: weight > 0.5,
    })));
    this.#values(rows, x, (i, k) => top(i, k) + THICK / 2 + 4);
    this.#levels((value) => ({ x1: x(value), x2: x(value), y1: roof - 2, y2: bottom }), (value) => {
      const flip = x(value) > (names + width) / 2;
      return { x: x(value) + (flip ? -4 : 4), y: roof - 3, anchor: flip ? "end" : "start" };
    });
  }

  #upright(rows, domain) {
    const { panel } = this;
    const width = this.width - 12;
    const height = Math.max(190, Math.min(260, Math.round(width * 0.5)));
    const bottom = height - BELOW;
    const y = scale("linear", domain, [bottom, ABOVE + 8]);
    if (!panel.domain) y.nice(4);
    const ticks = ticksOf(y, "linear", 5);
    const left = Math.max(36, 10 + Math.max(...ticks.map(({ text }) => widthOf(text))));
    const step = (width - left) / Math.max(rows.length, 1);
    const lane = Math.max(0.5, (step * 0.86) / this.#lanes);
    this.size(height, this.drawing.text);
    keep(this.layer.grid, "line", ticks, (node, { value }) => set(node, { x1: left, x2: width, y1: y(value), y2: y(value) }));
    const middle = (i) => left + (i + 0.5) * step;
    keepTexts(this.layer.ticks, ticks.map(({ value, text }) => ({ x: left - 6, y: y(value) + 4, text, anchor: "end" })));
    keepTexts(this.layer.names, apart(rows.map(({ label }, i) => ({ text: label, x: middle(i), y: bottom + TICK })), this.width));
    keepTexts(this.layer.axis, [{ text: panel.x, x: (left + width) / 2, y: height - 4 }]);
    const side = (i, k) => middle(i) - (this.#lanes * lane) / 2 + (panel.stacked ? 0 : k * lane);
    this.#bars(rows, ({ from, to }, i, k) => ({ x: side(i, k), y: Math.min(y(from), y(to)), width: lane, height: Math.abs(y(to) - y(from)) }));
    keepTexts(this.layer.values, []);
    this.#levels((value) => ({ x1: left, x2: width, y1: y(value), y2: y(value) }), (value) => ({ x: left + 4, y: y(value) - 4, anchor: "start" }));
  }

  #bars(rows, place) {
    const { bars } = this.panel;
    const all = rows.flatMap(({ pieces, weight }, i) => pieces.map((piece, k) => ({ piece, weight, i, k })))
      .filter(({ piece }) => Number.isFinite(piece.to));
    keep(this.layer.bars, "rect", all, (node, { piece, weight, i, k }) => set(node, {
      ...place(piece, i, k),
      style: `fill: var(--fim-${bars[k].colour})`,
      "fill-opacity": Number.isFinite(weight) ? FAINTEST + (1 - FAINTEST) * Math.min(Math.max(weight, 0), 1) : null,
    }));
  }

  /** The number at the end of each bar, or inside each piece of a stack that is long enough. */
  #values(rows, x, height) {
    const { stacked } = this.panel;
    const texts = rows.flatMap(({ pieces, values }, i) => pieces.map(({ from, to }, k) => {
      const text = readable(values[k], 3);
      if (!stacked) return { text, x: x(Math.max(from, to)) + 5, y: height(i, k), anchor: "start", shown: Number.isFinite(to) };
      return { text, x: (x(from) + x(to)) / 2, y: height(i, 0), colour: "paper", shown: Math.abs(x(to) - x(from)) > widthOf(text) + 8 };
    }));
    keepTexts(this.layer.values, texts.filter(({ shown }) => shown));
  }

  #levels(ends, label) {
    const { levels } = this.drawing;
    keep(this.layer.levels, "line", levels, (node, { value }) => set(node, ends(value)));
    keepTexts(this.layer["level-labels"], levels.map(({ value, label: text }) => ({ text, ...label(value) })));
  }
}

/** From a report to what is drawn: labels without a bar are left out. */
export function drawBars(panel, report, levels) {
  const { labels, bars, emphasis, order } = panel;
  const rows = labels
    .map((label, i) => ({
      label,
      values: bars.map(({ field }) => report[field][i]),
      weight: emphasis ? report[emphasis][i] : NaN,
      rank: order ? report[order][i] : -i,
    }))
    .filter(({ values }) => values.some(Number.isFinite))
    .sort((a, b) => (Number.isNaN(a.rank) - Number.isNaN(b.rank)) || b.rank - a.rank);
  return { rows, levels, text: `${panel.title}. ${said(rows, bars, emphasis)}.` };
}

function said(rows, bars, emphasis) {
  const one = ({ label, values, weight }) => {
    const numbers = values.map((value, k) => (bars[k].label && bars.length > 1 ? `${bars[k].label} ${readable(value, 3)}` : readable(value, 3)));
    return `${label}: ${numbers.join(", ")}${emphasis && weight > 0.5 ? ", highlighted" : ""}`;
  };
  if (rows.length <= SAYABLE) return rows.map(one).join("; ") || "nothing to show";
  const largest = [...rows].sort((a, b) => (b.values[0] || 0) - (a.values[0] || 0)).slice(0, 3);
  return `${rows.length} bars, the largest ${largest.map(one).join("; ")}`;
}
