/**
 * A matrix, its strongest part of a given rank and the remainder: squares as large as the numbers, filled
 * above zero, hollow below. A part of rank 1 has at its edges the column and the row whose product it is.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent, readable } from "../../../widgets/src/run/format.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Moment, Split as SplitPanel } from "../../../widgets/src/types.js" */

const NAMED = 38; // pixels: names of the three matrices, and of their columns
const FOOT = 38; // for their shares of the squared norm
const BETWEEN = 26; // for "=" and "+"
const LARGEST = 19; // of a cell
const WIDEST = 44; // of a cell of the main drawing of a scene, where cells are wider than high
const EDGE = 1.5; // cells: room for the column and the row of a product
const NAMES = ["whole step", "strongest part", "what is left"];
const KEY = ["A column: a word it reads.", "A row: what it may say next.", "“?” ends every question."]; // beside the first
const ALIKE = 1e-6; // of the largest number: a matrix this near to a column times a row is one
const SMALLEST = 0.6; // pixels: smaller squares are not drawn
const SEEN = { share: 0.22, pixels: 3 }; // and none is drawn smaller than this share of its cell, nor than this

/** @typedef {[string, number]} Group the name of some rows or columns, and how many they are */
/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ column: number[], row: number[] }} Product */
/** @typedef {{ matrices: number[][], product?: Product, shares: number[], text: string }} SplitDrawing */

/**
 * Where the matrices stand: the first one's left edge, their upper edge, the size of a cell, and of a matrix in pixels
 * and in columns; `edge` is the room for the column and the row of a product.
 * @typedef {{ left: number, top: number, cell: number, across: number, edge: number, columns: number } & Size} Geometry
 */

/** @extends {Frame<SplitPanel, SplitDrawing>} */
class Split extends Frame {
  /** @param {HTMLElement} parent @param {SplitPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("sheets", "squares", "groups", "names", "says", "norms", "weights");
    this.showLegend([
      { label: "rises", colour: panel.rises, sign: "■" },
      { label: "falls", colour: panel.falls, sign: "□" },
    ]);
  }

  /** @param {SplitDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const geometry = this.#geometry();
    this.resize(geometry.top + geometry.height + FOOT, drawing.text);
    this.#drawSquares(drawing, geometry);
    this.#drawNames(drawing.matrices.length, geometry);
    this.#drawShares(drawing.shares, geometry);
  }

  /** @returns {Geometry} */
  #geometry() {
    const [rows, columns] = [this.panel.rows, this.panel.columns].map((groups) => countBefore(groups, groups.length));
    const width = this.measure();
    const left = Math.max(...this.panel.rows.map(([name]) => textWidth(name))) + 8;
    const highest = this.isLarge ? (this.mainHeight - NAMED - FOOT) / (rows + EDGE) : Infinity;
    const cell = Math.min(LARGEST, highest, (width - left - 2 * BETWEEN) / (NAMES.length * columns + EDGE));
    const edge = EDGE * cell;
    const room = (width - left - 2 * BETWEEN - edge) / (NAMES.length * columns);
    const across = this.isLarge ? Math.min(WIDEST, room) : cell;
    return { left, top: NAMED + edge, cell, across, edge, width: across * columns, height: cell * rows, columns };
  }

  /** @param {SplitDrawing} drawing @param {Geometry} geometry */
  #drawSquares({ matrices, product }, geometry) {
    const { cell, across, edge, top, width, height, columns } = geometry;
    const { rises, falls } = this.panel;
    const largest = Math.max(1e-300, ...matrices.flat().map(Math.abs));
    const stretch = (across - 1) / (cell - 1);
    /** @param {number} value @param {number} most @param {number} x @param {number} y the middle of its cell */
    const square = (value, most, x, y, wide = stretch) => {
      const side = (cell - 1) * Math.sqrt(Math.abs(value) / most);
      return { value, side, x, y, wide };
    };
    /** @param {number} i @param {number} size */
    const middle = (i, size) => size * (i + 0.5);
    const [left, out] = [leftOf(1, geometry), edge - cell / 2];
    const squares = [
      ...matrices.flatMap((matrix, k) =>
        matrix.map((value, i) =>
          square(
            value,
            largest,
            leftOf(k, geometry) + middle(i % columns, across),
            top + middle(Math.floor(i / columns), cell),
          ),
        ),
      ),
      ...(product?.column ?? []).map((value, i, all) => square(value, most(all), left - out, top + middle(i, cell), 1)),
      ...(product?.row ?? []).map((value, i, all) => square(value, most(all), left + middle(i, across), top - out)),
    ]
      .filter(({ side }) => side > SMALLEST)
      .map((drawn) => ({ ...drawn, side: Math.max(SEEN.share * cell, SEEN.pixels, drawn.side) }));
    const sheets = [
      ...matrices.map((_, k) => ({ x: leftOf(k, geometry), y: top, width, height })),
      ...(product
        ? [
            { x: left - edge, y: top, width: cell, height },
            { x: left, y: top - edge, width, height: cell },
          ]
        : []),
    ];
    updateChildren(this.layers.sheets, "rect", sheets, setAttributes);
    updateChildren(this.layers.squares, "rect", squares, (node, { value, side, x, y, wide }) =>
      setAttributes(node, {
        x: x - (side * wide) / 2,
        y: y - side / 2,
        width: side * wide,
        height: side,
        class: value < 0 ? "fim-falls" : null,
        style: `--colour: var(--fim-${value < 0 ? falls : rises})`,
      }),
    );
  }

  /**
   * Names of the rows, the columns and the matrices, and lines between groups.
   * @param {number} many matrices
   * @param {Geometry} geometry
   */
  #drawNames(many, geometry) {
    const { left, cell, across, edge, top, width, height } = geometry;
    const { rows, columns } = this.panel;
    const names = NAMES.slice(0, many);
    const starts = names.map((_, k) => leftOf(k, geometry));
    updateChildren(
      this.layers.groups,
      "path",
      starts.flatMap((x) => [
        ...rows.slice(1).map((_, i) => `M${x},${top + cell * countBefore(rows, i + 1)}h${width}`),
        ...columns.slice(1).map((_, i) => `M${x + across * countBefore(columns, i + 1)},${top}v${height}`),
      ]),
      (node, d) => setAttributes(node, { d }),
    );
    /** @param {Group[]} groups @param {number} i @param {number} size */
    const middle = (groups, i, size) => size * (countBefore(groups, i) + groups[i][1] / 2);
    updateTexts(this.layers.names, [
      ...rows.map(([text], i) => ({ text, x: left - 6, y: top + middle(rows, i, cell) + 5, anchor: "end" })),
      ...starts.flatMap((x, k) =>
        columns.map(([text], i) => ({ text, x: x + middle(columns, i, across), y: top - (k === 1 ? edge : 0) - 5 })),
      ),
      ...(many > 1
        ? []
        : KEY.map((text, i) => ({ text, x: left + width + 16, y: top + (i + 1) * 1.8 * textSize(), anchor: "start" }))),
    ]);
    updateTexts(this.layers.says, [
      ...names.slice(1).map((_, k) => ({
        text: "=+"[k],
        x: starts[k] + width + BETWEEN / 2,
        y: top + height / 2 + 5,
      })),
      ...names.map((text, k) => ({ text, x: starts[k] + width / 2, y: NAMED - 8 - textSize() })),
    ]);
  }

  /** @param {number[]} shares @param {Geometry} geometry */
  #drawShares(shares, geometry) {
    const { left, top, width, height } = geometry;
    updateChildren(this.layers.norms, "rect", shares, (node, share, k) =>
      setAttributes(node, {
        x: leftOf(k, geometry),
        y: top + height + 8,
        width: width * share,
        height: 8,
        "data-value": share,
      }),
    );
    updateTexts(this.layers.weights, [
      ...shares.map((share, k) => ({
        text: percent(share),
        x: leftOf(k, geometry) + width / 2,
        y: top + height + 31,
      })),
      ...(shares.length ? [{ text: "squared", x: left - 6, y: top + height + 31, anchor: "end" }] : []),
    ]);
  }
}

/**
 * The left edge of a matrix.
 * @param {number} number
 * @param {Geometry} geometry
 */
const leftOf = (number, { left, edge, width }) => left + number * (width + BETWEEN) + (number ? edge : 0);

/** @param {number[]} values */
const most = (values) => Math.max(1e-300, ...values.map(Math.abs));

/**
 * The column and the row whose product a matrix is, if it has rank 1: those of its largest number.
 * @param {number[]} matrix row by row
 * @param {number} columns
 * @returns {Product | undefined}
 */
export function asProduct(matrix, columns) {
  const largest = most(matrix);
  const place = matrix.findIndex((value) => Math.abs(value) === largest);
  if (place < 0) return undefined;
  const [at, from] = [place % columns, columns * Math.floor(place / columns)];
  const column = matrix.filter((_, i) => i % columns === at);
  const row = matrix.slice(from, from + columns).map((value) => value / matrix[place]);
  const isProduct = matrix.every(
    (value, i) => Math.abs(value - column[Math.floor(i / columns)] * row[i % columns]) <= ALIKE * largest,
  );
  return isProduct ? { column, row } : undefined;
}

/**
 * How many rows or columns the groups before one have.
 * @param {Group[]} groups
 * @param {number} i
 */
const countBefore = (groups, i) => groups.slice(0, i).reduce((sum, [, count]) => sum + count, 0);

/**
 * @param {SplitPanel} panel
 * @param {Moment} moment
 * @returns {SplitDrawing}
 */
function splitDrawing({ title, rows, columns, whole, first, share }, { watched }) {
  const [matrix, part, [partShare]] = [[...watched[whole]], [...watched[first]], watched[share]];
  const remainder = matrix.map((value, i) => value - part[i]);
  const groups = `${rows.map(([name]) => name).join(", ")} by ${columns.map(([name]) => name).join(", ")}`;
  const size = `The largest number shown is ${readable(Math.max(...matrix.map(Math.abs)), 3)}.`;
  if (!partShare) return { matrices: [matrix], shares: [], text: `${title}, ${groups}. ${size}` };
  const shares = [1, partShare, 1 - partShare];
  const text = `${title}, ${groups}. The strongest part has ${percent(partShare)} of the squared norm, what is left ${percent(1 - partShare)}. ${size}`;
  const product = asProduct(part, countBefore(columns, columns.length));
  return { matrices: [matrix, part, remainder], product, shares, text };
}

/** @type {Record<string, Kind>} */
export const kinds = { split: { Panel: Split, drawing: ofMoment(splitDrawing), moves: always } };
