/** A table of numbers as shades of one colour. */

import { Frame, NO_TIME } from "../draw/frame.js";
import { shareOf } from "../draw/ranges.js";
import { addHatching, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { LINE, textSize, textWidth, truncate } from "../draw/text_layout.js";
import { readable } from "../run/format.js";

/** @import { Label } from "../draw/svg.js" */
/** @import { HeatMap, Leaves, Pair } from "../types.js" */

const TALLEST = 34; // pixels of a cell
const WITH_SUMS = 216; // pixels of a phone for all rows, so that what adds up to a sum is seen at once
const LOWEST = 5;
const LEGIBLE = 12; // pixels of a cell that can have a label
const NARROW = 44; // pixels of a cell in which a number has two digits only
const FAINTEST = 0.05;
const LABEL_SHARE = 0.34; // of the width, for the labels of rows
const MOST_SLANTED = 16; // columns; of more, only some are named
const SLANT = Math.SQRT1_2;
const SHADE_BAR = 90; // pixels of the scale below
const FOOT = 24; // for that
const HEAD = 20; // for what rows and columns are, and as much for the columns' names
const SHADES = 9;
const DARK = 0.55; // from here on a number is written in the colour of the paper
const MOST_LISTED = 12; // cells that the description lists one by one
const APART = 10; // pixels between the table and its sums
const LEAST_SUM = 22; // the least height of a sum below, so that its number is read

/**
 * @typedef {{ rows: number[], columns: number[] }} Along numbers for rows and for columns, if any
 * @typedef {{ values: number[], framed: number[], domain: Pair, given: Along, sums: Along, text: string }} HeatDrawing
 *   `framed` are numbers of cells; of what is `given` the name stands out
 */
/**
 * @typedef {{ left: number, top: number, cellWidth: number, cellHeight: number, slanted: boolean, sumsBelow: number }}
 *   Geometry
 */
/** @typedef {{ value: number, x: number, y: number, width: number, height: number }} Sum */

/** @extends {Frame<HeatMap, HeatDrawing>} */
export class Heat extends Frame {
  /** @type {Geometry} */
  #geometry = { left: 0, top: 0, cellWidth: 1, cellHeight: 1, slanted: false, sumsBelow: 0 };
  /** @type {Label[]} the numbers of the scale below */
  #scaleLabels = [];

  /** @param {HTMLElement} parent @param {HeatMap} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("cells", "sums", "frames", "cell-numbers", "sum-numbers", "names", "axis", "shades", "ticks");
    this.hatching = addHatching(this.svg);
    if (panel.framed) this.showLegend([{ label: panel.framed, colour: "ink", sign: "□" }]);
    this.svg.addEventListener("pointermove", (event) => this.#readOut(event));
    this.svg.addEventListener("click", (event) => this.#readOut(event));
    this.svg.addEventListener("pointerleave", () => this.#write(""));
  }

  /** @param {HeatDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const { rows, x, y } = this.panel;
    const geometry = this.#arrange(width, drawing);
    this.#geometry = geometry;
    const { left, top, cellHeight, sumsBelow } = geometry;
    const bottom = top + cellHeight * rows.length + sumsBelow;
    this.resize(bottom + FOOT, drawing.text);
    this.#drawCells(drawing);
    this.#drawNumbers(drawing);
    this.#drawSums(drawing);
    this.#drawNames(drawing);
    updateTexts(
      this.layers.axis,
      [
        { text: y && `${y} ↓`, x: 2, y: 13, anchor: "start" },
        { text: x && `${x} →`, x: Math.max(left, 12 + textWidth(`${y} ↓`)), y: 13, anchor: "start" },
      ].filter(({ text }) => text),
    );
    this.#drawScale(drawing.domain, bottom + 17, width);
  }

  /**
   * Names of columns that are wider than a cell are slanted.
   * @param {number} width
   * @param {HeatDrawing} drawing
   * @returns {Geometry}
   */
  #arrange(width, { sums: { rows: right, columns: below } }) {
    const { rows, columns, x, y } = this.panel;
    const longest = Math.max(...columns.map((text) => textWidth(text)));
    const left = Math.min(LABEL_SHARE * width, 10 + Math.max(...rows.map((text) => textWidth(text))));
    const room = width - left - (right.length ? APART : 0);
    const across = columns.length + (right.length ? 1 : 0);
    const slanted = columns.length <= MOST_SLANTED && longest + 4 > room / across;
    const overhang = slanted ? Math.max(0, SLANT * (longest + 8) - room / across / 2) : 0;
    const cellWidth = (room - 2 - overhang) / across;
    const top = (y || x ? HEAD : 2) + (slanted ? SLANT * longest + 12 : HEAD);
    const usual = rows.length > 24 ? 420 : this.panel.below ? WITH_SUMS : 640;
    const height = this.isLarge ? this.mainHeight + NO_TIME - top - FOOT : usual; // nothing here moves with a run
    const down = rows.length + (below.length ? 1 : 0);
    const cellHeight = Math.max(
      LOWEST,
      Math.min(TALLEST, cellWidth, (height - (below.length ? APART : 0)) / down),
    );
    const sumsBelow = below.length ? APART + Math.max(LEAST_SUM, cellHeight) : 0;
    return { left, top, cellWidth, cellHeight, slanted, sumsBelow };
  }

  /** Where a cell is. @param {number} i */
  #placeOf(i) {
    const { left, top, cellWidth, cellHeight } = this.#geometry;
    const columns = this.panel.columns.length;
    return { x: left + (i % columns) * cellWidth, y: top + Math.floor(i / columns) * cellHeight };
  }

  /** The pixels between cells. */
  get #gap() {
    return Math.min(this.#geometry.cellWidth, this.#geometry.cellHeight) > 8 ? 1 : 0;
  }

  /** @param {HeatDrawing} drawing */
  #drawCells({ values, framed, domain }) {
    const size = { width: this.#geometry.cellWidth - this.#gap, height: this.#geometry.cellHeight - this.#gap };
    updateChildren(this.layers.cells, "rect", values, (node, value, i) => {
      const isNumber = Number.isFinite(value);
      setAttributes(node, {
        ...this.#placeOf(i),
        ...size,
        style: isNumber ? `fill: var(--fim-${this.panel.colour})` : `fill: ${this.hatching}`,
        "fill-opacity": isNumber ? FAINTEST + (1 - FAINTEST) * shareOf(value, domain) : null,
      });
    });
    updateChildren(this.layers.frames, "rect", framed, (node, i) =>
      setAttributes(node, { ...this.#placeOf(i), ...size }),
    );
  }

  /** @param {HeatDrawing} drawing */
  #drawNumbers({ values, domain }) {
    const { cellWidth, cellHeight } = this.#geometry;
    const numbers = this.panel.numbers && cellHeight >= LEGIBLE ? values : [];
    const texts = numbers.map((value, i) => {
      const { x, y } = this.#placeOf(i);
      const colour = shareOf(value, domain) > DARK ? "paper" : "ink";
      return {
        value,
        text: readable(value, cellWidth < NARROW ? 2 : 3),
        x: x + (cellWidth - this.#gap) / 2,
        y: y + cellHeight / 2 + 4,
        colour,
      };
    });
    updateTexts(
      this.layers["cell-numbers"],
      texts.filter(({ value, text }) => {
        const isShaded = !this.panel.domain || value > domain[0]; // else its colour says it: none
        return Number.isFinite(value) && isShaded && textWidth(text) <= cellWidth;
      }),
    );
  }

  /** The sums of columns below the table, and those of rows at its right. @param {HeatDrawing} drawing */
  #drawSums({ sums: { rows: right, columns: below } }) {
    const { left, top, cellWidth, cellHeight, sumsBelow } = this.#geometry;
    const { rows, columns, total } = this.panel;
    const y = top + rows.length * cellHeight + APART;
    const x = left + columns.length * cellWidth + APART;
    const height = sumsBelow - APART;
    const sums = [
      ...below.map((value, i) => ({ value, x: left + i * cellWidth, y, width: cellWidth, height })),
      ...right.map((value, i) => ({ value, x, y: top + i * cellHeight, width: cellWidth, height: cellHeight })),
    ].filter(({ value }) => Number.isFinite(value));
    const most = Math.max(0, ...sums.map(({ value }) => value));
    /** @param {number} value */
    const strength = (value) => shareOf(value, [0, most]) ** 2; // the largest stands out
    updateChildren(this.layers.sums, "rect", sums, (node, sum) =>
      setAttributes(node, {
        ...{ x: sum.x, y: sum.y, width: sum.width - this.#gap, height: sum.height - this.#gap },
        style: `fill: var(--fim-${this.panel.colour})`,
        "fill-opacity": FAINTEST + (1 - FAINTEST) * strength(sum.value),
      }),
    );
    updateTexts(this.layers["sum-numbers"], [
      ...sums.map((sum) => ({
        text: readable(sum.value, 2),
        x: sum.x + (sum.width - this.#gap) / 2,
        y: sum.y + sum.height / 2 + 5,
        colour: strength(sum.value) > DARK ? "paper" : "ink",
      })),
      ...(below.length ? [{ text: total, x: left - 6, y: y + height / 2 + 5, anchor: "end" }] : []),
      ...(right.length ? [{ text: total, x: x + cellWidth / 2, y: top - 5 }] : []),
    ]);
  }

  /** Labels of rows and columns; where cells are small, only every nth. @param {HeatDrawing} drawing */
  #drawNames({ given }) {
    const { rows, columns, colour } = this.panel;
    const { left, top, cellWidth, cellHeight, slanted } = this.#geometry;
    /** @param {number} size @param {number} room */
    const stride = (size, room) => Math.max(1, Math.ceil(room / size));
    const down = stride(cellHeight, LEGIBLE);
    const room = slanted ? textSize() * LINE / SLANT : Math.max(...columns.map((text) => textWidth(text))) + 4;
    const across = stride(cellWidth, room);
    const slope = slanted ? { anchor: "start", rotate: -45 } : {};
    updateTexts(this.layers.names, [
      ...rows
        .map((label, i) => ({
          text: truncate(label, left - 8),
          x: left - 6,
          y: top + (i + 0.5) * cellHeight + 4,
          anchor: "end",
          colour: given.rows[i] > 0.5 ? colour : undefined,
        }))
        .filter((_, i) => i % down === 0),
      ...columns
        .map((text, i) => ({
          text,
          x: left + (i + 0.5) * cellWidth + (slanted ? -3 : 0),
          y: top - 5,
          colour: given.columns[i] > 0.5 ? colour : undefined,
          ...slope,
        }))
        .filter((_, i) => i % across === 0),
    ]);
  }

  /**
   * Which shade is which number.
   * @param {Pair} domain
   * @param {number} y
   * @param {number} width
   */
  #drawScale(domain, y, width) {
    const [low, high] = domain.map((value) => readable(value, 3));
    const right = width - 4 - textWidth(high);
    const shares = Array.from({ length: SHADES }, (_, i) => i / (SHADES - 1));
    updateChildren(this.layers.shades, "rect", shares, (node, share, i) =>
      setAttributes(node, {
        x: right - 6 - SHADE_BAR + (i * SHADE_BAR) / SHADES,
        y: y - 9,
        width: SHADE_BAR / SHADES,
        height: 10,
        style: `fill: var(--fim-${this.panel.colour})`,
        "fill-opacity": FAINTEST + (1 - FAINTEST) * share,
      }),
    );
    this.#scaleLabels = [
      { text: low, x: right - 12 - SHADE_BAR, y, anchor: "end" },
      { text: high, x: right, y, anchor: "start" },
    ];
    this.#write("");
  }

  /** Write the number under the pointer. @param {MouseEvent} event */
  #readOut({ offsetX, offsetY }) {
    if (!this.drawing) return;
    const { left, top, cellWidth, cellHeight } = this.#geometry;
    const { rows, columns } = this.panel;
    const column = Math.floor((offsetX - left) / cellWidth);
    const row = Math.floor((offsetY - top) / cellHeight);
    const inside = column >= 0 && column < columns.length && row >= 0 && row < rows.length;
    this.#write(
      inside
        ? `${rows[row]}, ${columns[column]}: ${readable(this.drawing.values[row * columns.length + column], 4)}`
        : "",
    );
  }

  /** Write a text beside the scale below. @param {string} text */
  #write(text) {
    if (!this.#scaleLabels.length) return;
    const label = { text, x: 2, y: this.#scaleLabels[0].y, anchor: "start", colour: "ink" };
    updateTexts(this.layers.ticks, text ? [...this.#scaleLabels, label] : this.#scaleLabels);
  }
}

/**
 * @param {HeatMap} panel
 * @param {Leaves} report
 * @returns {HeatDrawing}
 */
export function heatDrawing(panel, report) {
  const values = [...report[panel.field]];
  const finite = values.filter(Number.isFinite);
  const largest = finite.length ? Math.max(...finite) : 1;
  const domain = panel.domain ?? /** @type {Pair} */ ([Math.min(0, ...finite), largest]);
  const framed = panel.emphasis
    ? [...report[panel.emphasis].keys()].filter((i) => report[panel.emphasis][i] > 0.5)
    : [];
  /** @param {string} field */
  const read = (field) => (field && report[field].some(Number.isFinite) ? [...report[field]] : []);
  const given = { rows: read(panel.given_rows), columns: read(panel.given_columns) };
  const sums = { rows: read(panel.right), columns: read(panel.below) };
  const named = /** @type {const} */ (["rows", "columns"]).flatMap((side) =>
    sums[side].map((sum, i) => ({ sum, name: panel[side][i] })),
  );
  const said = named.filter(({ sum }) => Number.isFinite(sum)).map(({ sum, name }) => `${name} ${readable(sum, 3)}`);
  const text = [describe(panel, values, finite, framed), ...(said.length ? [`${panel.total}: ${said.join(", ")}`] : [])];
  return { values, domain, framed, given, sums, text: `${panel.title}. ${text.join(". ")}.` };
}

/**
 * @param {HeatMap} panel
 * @param {number[]} values
 * @param {number[]} finite
 * @param {number[]} framed
 */
function describe({ rows, columns }, values, finite, framed) {
  /** @param {number} i */
  const name = (i) => `${rows[Math.floor(i / columns.length)]}, ${columns[i % columns.length]}`;
  if (values.length <= MOST_LISTED) {
    return values
      .map((value, i) => `${name(i)}: ${readable(value, 3)}${framed.includes(i) ? ", framed" : ""}`)
      .join("; ");
  }
  if (!finite.length) return "nothing to show";
  const [least, largest] = [Math.min(...finite), Math.max(...finite)];
  const where = name(values.indexOf(largest));
  return `${rows.length} rows, ${columns.length} columns, from ${readable(least, 3)} to ${readable(largest, 3)}, the largest at ${where}`;
}
