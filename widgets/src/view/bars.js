/** Bars: a row for each label, or thin upright bars where there are many. */

import { extent } from "d3-array";

import { readable } from "../run/format.js";
import { scale, ticksOf } from "../draw/scales.js";
import { apart, beside, fitting, Frame, keep, keepTexts, textSize, set, widthOf } from "../draw/svg.js";

const MOST_ROWS = 24;
const THICK = 15; // pixels of a bar
const GAP = 9; // between rows
const LOOSEST = 1.6; // how far rows move apart when others are left out
const BELOW = 40;
const TICK = () => textSize() + 6; // pixels below the axis
const ABOVE = 6;
const NAMED = 12; // more above, for the names of levels
const LABEL_SHARE = 0.42; // of the width, for the labels of rows
const SAID = 46; // pixels to the right, for the numbers
const SAYABLE = 8; // bars that the description lists one by one

export class Bars extends Frame {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, labels: string[], bars: object[], domain?: [number, number], x: string}} panel
   */
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("grid", "ticks", "bars", "levels", "names", "values", "level-labels", "axis");
    if (panel.bars.some(({ label }) => label)) this.legend(panel.bars.map(({ label, colour }) => ({ label, colour, sign: "■" })));
  }

  /**
   * @param {{rows: Array<{label: string, values: number[]}>,
   *   levels: Array<{value: number, label: string}>, text: string}} drawing
   */
  draw(drawing) {
    this.drawing = drawing;
    this.measure();
    const { rows } = drawing;
    const ends = [...rows.flatMap(({ values }) => values), ...drawing.levels.map(({ value }) => value)];
    const domain = extent([0, ...ends, ...(this.panel.domain ?? [])]);
    if (this.panel.labels.length > MOST_ROWS) this.#upright(rows, domain);
    else this.#level(rows, domain);
  }

  get #lanes() {
    return this.panel.bars.length;
  }

  /** Rows from the top. */
  #level(rows, domain) {
    const { panel, width } = this;
    const pitch = this.#lanes * THICK + GAP;
    const room = pitch * panel.labels.length;
    const step = Math.min(rows.length ? room / rows.length : room, LOOSEST * pitch);
    const names = Math.min(LABEL_SHARE * width, 12 + Math.max(...panel.labels.map((text) => widthOf(text))));
    const x = scale("linear", domain, [names, width - SAID]);
    if (!panel.domain) x.nice(4);
    const roof = ABOVE + (panel.levels.length ? NAMED : 0);
    const bottom = roof + room;
    const middle = (i) => roof + (i + 0.5) * step;
    this.size(bottom + BELOW, this.drawing.text);
    const few = Math.max(2, Math.round((width - names) / 80));
    const place = ({ value, text }) => ({ at: x(value), x: x(value), y: bottom + TICK(), text });
    const ticks = apart(ticksOf(x, "linear", few).map(place), width);
    keep(this.layer.grid, "line", ticks, (node, tick) => set(node, { x1: tick.at, x2: tick.at, y1: roof, y2: bottom }));
    keepTexts(this.layer.ticks, ticks);
    keepTexts(this.layer.axis, [{ text: panel.x, x: (names + width - SAID) / 2, y: bottom + BELOW - 4 }]);
    const top = (i, k) => middle(i) + (k - this.#lanes / 2) * THICK;
    this.#bars(rows, (value, i, k) => ({ ...along("x", "width", x(0), x(value)), y: top(i, k) + 1, height: THICK - 2 }));
    keepTexts(this.layer.names, rows.map(({ label }, i) => ({ text: fitting(label, names - 10), x: names - 8, y: middle(i) + 4, anchor: "end" })));
    keepTexts(this.layer.values, rows.flatMap(({ values }, i) => values.map((value, k) => (
      { value, text: readable(value, 3), x: x(Math.max(0, value)) + 5, y: top(i, k) + THICK / 2 + 4, anchor: "start" }
    ))).filter(({ value }) => Number.isFinite(value)));
    this.#levels((value) => ({ x1: x(value), x2: x(value), y1: roof - 2, y2: bottom }),
      (value) => ({ y: roof - 3, ...beside(x(value), 4, x(value) > (names + width) / 2) }));
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
    keepTexts(this.layer.names, apart(rows.map(({ label }, i) => ({ text: label, x: middle(i), y: bottom + TICK() })), this.width));
    keepTexts(this.layer.axis, [{ text: panel.x, x: (left + width) / 2, y: height - 4 }]);
    this.#bars(rows, (value, i, k) => ({ ...along("y", "height", y(0), y(value)), x: middle(i) + (k - this.#lanes / 2) * lane, width: lane }));
    this.#levels((value) => ({ x1: left, x2: width, y1: y(value), y2: y(value) }), (value) => ({ x: left + 4, y: y(value) - 4, anchor: "start" }));
  }

  #bars(rows, place) {
    const all = rows.flatMap(({ values }, i) => values.map((value, k) => ({ value, i, k }))).filter(({ value }) => Number.isFinite(value));
    keep(this.layer.bars, "rect", all, (node, { value, i, k }) =>
      set(node, { ...place(value, i, k), style: `fill: var(--fim-${this.panel.bars[k].colour})` }));
  }

  #levels(ends, label) {
    const { levels } = this.drawing;
    keep(this.layer.levels, "line", levels, (node, { value }) => set(node, ends(value)));
    keepTexts(this.layer["level-labels"], levels.map(({ value, label: text }) => ({ text, ...label(value) })));
  }
}

/** Where a bar begins on an axis, and how far it goes. */
const along = (start, length, from, to) => ({ [start]: Math.min(from, to), [length]: Math.abs(to - from) });

/** From a report to what is drawn: labels without a bar are left out. */
export function drawBars(panel, report, levels) {
  const { labels, bars } = panel;
  const rows = labels
    .map((label, i) => ({ label, values: bars.map(({ field }) => report[field][i]) }))
    .filter(({ values }) => values.some(Number.isFinite));
  return { rows, levels, text: `${panel.title}. ${said(rows, bars)}.` };
}

function said(rows, bars) {
  const one = ({ label, values }) => {
    const numbers = values.map((value, k) => (bars[k].label && bars.length > 1 ? `${bars[k].label} ${readable(value, 3)}` : readable(value, 3)));
    return `${label}: ${numbers.join(", ")}`;
  };
  if (rows.length <= SAYABLE) return rows.map(one).join("; ") || "nothing to show";
  const largest = [...rows].sort((a, b) => (b.values[0] || 0) - (a.values[0] || 0)).slice(0, 3);
  return `${rows.length} bars, the largest ${largest.map(one).join("; ")}`;
}
