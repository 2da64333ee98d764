/**
 * A matrix, its strongest part of a given rank and the remainder: squares as large as the numbers, filled
 * above zero, hollow below.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent, readable } from "../../../widgets/src/run/format.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Moment, Split as SplitPanel } from "../../../widgets/src/types.js" */

const HEAD = 38; // pixels: names of the three matrices, and of their columns
const FOOT = 40; // for their shares of the squared norm
const BETWEEN = 24; // for "=" and "+"
const LARGEST = 24; // of a cell
const NAMES = ["whole step", "strongest part", "what is left"];
const SMALLEST = 0.6; // pixels: smaller squares are not drawn
const SEEN = { share: 0.22, pixels: 3 }; // and none is drawn smaller than this share of its cell, nor than this

/** @typedef {[string, number]} Group the name of some rows or columns, and how many they are */
/** @typedef {{ matrices: number[][], shares: number[], text: string }} SplitDrawing */

/**
 * Where the matrices stand: the first one's left edge, the size of a cell, and of a matrix in pixels and in columns.
 * @typedef {{ left: number, cell: number, width: number, height: number, columns: number }} Geometry
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
    this.resize(HEAD + geometry.height + FOOT, drawing.text);
    this.#drawSquares(drawing.matrices, geometry);
    this.#drawNames(geometry);
    this.#drawShares(drawing.shares, geometry);
  }

  /** @returns {Geometry} */
  #geometry() {
    const [rows, columns] = [this.panel.rows, this.panel.columns].map((groups) => countBefore(groups, groups.length));
    const width = this.measure();
    const left = Math.max(...this.panel.rows.map(([name]) => textWidth(name))) + 8;
    const cell = Math.min(LARGEST, (width - left - 2 * BETWEEN) / NAMES.length / columns);
    return { left, cell, width: cell * columns, height: cell * rows, columns };
  }

  /** @param {number[][]} matrices @param {Geometry} geometry */
  #drawSquares(matrices, geometry) {
    const { cell, width, height, columns } = geometry;
    const { rises, falls } = this.panel;
    const largest = Math.max(1e-300, ...matrices.flat().map(Math.abs));
    const squares = matrices
      .flatMap((matrix, k) =>
        matrix.map((value, i) => ({
          value,
          side: (cell - 1) * Math.sqrt(Math.abs(value) / largest),
          x: leftOf(k, geometry) + cell * ((i % columns) + 0.5),
          y: HEAD + cell * (Math.floor(i / columns) + 0.5),
        })),
      )
      .filter(({ side }) => side > SMALLEST)
      .map((square) => ({ ...square, side: Math.max(SEEN.share * cell, SEEN.pixels, square.side) }));
    updateChildren(this.layers.sheets, "rect", NAMES, (node, _, k) =>
      setAttributes(node, { x: leftOf(k, geometry), y: HEAD, width, height }),
    );
    updateChildren(this.layers.squares, "rect", squares, (node, { value, side, x, y }) =>
      setAttributes(node, {
        x: x - side / 2,
        y: y - side / 2,
        width: side,
        height: side,
        class: value < 0 ? "fim-falls" : null,
        style: `--colour: var(--fim-${value < 0 ? falls : rises})`,
      }),
    );
  }

  /**
   * Names of the rows, the columns and the three matrices, and lines between groups.
   * @param {Geometry} geometry
   */
  #drawNames(geometry) {
    const { left, cell, width, height } = geometry;
    const { rows, columns } = this.panel;
    const starts = NAMES.map((_, k) => leftOf(k, geometry));
    updateChildren(
      this.layers.groups,
      "path",
      starts.flatMap((x) => [
        ...rows.slice(1).map((_, i) => `M${x},${HEAD + cell * countBefore(rows, i + 1)}h${width}`),
        ...columns.slice(1).map((_, i) => `M${x + cell * countBefore(columns, i + 1)},${HEAD}v${height}`),
      ]),
      (node, d) => setAttributes(node, { d }),
    );
    /** @param {Group[]} groups @param {number} i */
    const middle = (groups, i) => cell * (countBefore(groups, i) + groups[i][1] / 2);
    updateTexts(this.layers.names, [
      ...rows.map(([text], i) => ({ text, x: left - 6, y: HEAD + middle(rows, i) + 4, anchor: "end" })),
      ...starts.flatMap((x) => columns.map(([text], i) => ({ text, x: x + middle(columns, i), y: HEAD - 5 }))),
    ]);
    updateTexts(this.layers.says, [
      ...["=", "+"].map((text, k) => ({ text, x: starts[k] + width + BETWEEN / 2, y: HEAD + height / 2 + 5 })),
      ...NAMES.map((text, k) => ({ text, x: starts[k] + width / 2, y: HEAD - 8 - textSize() })),
    ]);
  }

  /** @param {number[]} shares @param {Geometry} geometry */
  #drawShares(shares, geometry) {
    const { width, height } = geometry;
    updateChildren(this.layers.norms, "rect", shares, (node, share, k) =>
      setAttributes(node, {
        x: leftOf(k, geometry),
        y: HEAD + height + 8,
        width: width * share,
        height: 10,
        "data-value": share,
      }),
    );
    updateTexts(
      this.layers.weights,
      shares.map((share, k) => ({ text: percent(share), x: leftOf(k, geometry) + width / 2, y: HEAD + height + 33 })),
    );
  }
}

/**
 * The left edge of a matrix.
 * @param {number} number
 * @param {Geometry} geometry
 */
const leftOf = (number, { left, width }) => left + number * (width + BETWEEN);

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
  const [matrix, rankOne, [rankOneShare]] = [[...watched[whole]], [...watched[first]], watched[share]];
  const remainder = matrix.map((value, i) => value - rankOne[i]);
  const groups = `${rows.map(([name]) => name).join(", ")} by ${columns.map(([name]) => name).join(", ")}`;
  const largest = Math.max(...matrix.map(Math.abs));
  // of a zero matrix there is nothing to share
  const shares = largest ? [1, rankOneShare, 1 - rankOneShare] : [0, 0, 0];
  const text = `${title}, ${groups}. The strongest part has ${percent(shares[1])} of the squared norm, what is left ${percent(shares[2])}. The largest number shown is ${readable(largest, 3)}.`;
  return { matrices: [matrix, rankOne, remainder], shares, text };
}

/** @type {Record<string, Kind>} */
export const kinds = { split: { Panel: Split, drawing: ofMoment(splitDrawing), moves: always } };
