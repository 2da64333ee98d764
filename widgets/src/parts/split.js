/** A matrix, its part of rank 1 and what is left: squares as large as the numbers, filled above zero, hollow below. */

import { percent, readable } from "../run/format.js";
import { Frame, keep, keepTexts, textSize, set, widthOf } from "../draw/svg.js";

const HEAD = 38; // pixels: names of the three, and of their columns
const FOOT = 40; // for their shares of the squared norm
const BETWEEN = 24; // for "=" and "+"
const LARGEST = 18; // of a cell
const NAMES = ["gradient", "column × row", "what is left"];
const SMALLEST = 0.6; // pixels: squares of less are not drawn

export class Split extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("sheets", "squares", "groups", "names", "says", "norms", "weights");
    this.legend([{ label: "rises", colour: panel.rises, sign: "■" }, { label: "falls", colour: panel.falls, sign: "□" }]);
  }

  /** @param {{matrices: number[][], shares: number[], text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { rows, columns } = this.panel;
    const [down, across] = [rows, columns].map((groups) => before(groups, groups.length));
    const width = this.measure();
    const left = Math.max(...rows.map(([name]) => widthOf(name))) + 8;
    const cell = Math.min(LARGEST, (width - left - 2 * BETWEEN) / NAMES.length / across);
    const wide = cell * across;
    this.place = { left, cell, wide, tall: cell * down, across, start: (k) => left + k * (wide + BETWEEN) };
    this.size(HEAD + cell * down + FOOT, drawing.text);
    this.#fill(drawing.matrices);
    this.#name();
    this.#weigh(drawing.shares);
  }

  #fill(matrices) {
    const { cell, wide, tall, across, start } = this.place;
    const { rises, falls } = this.panel;
    const most = Math.max(1e-300, ...matrices.flat().map(Math.abs));
    const squares = matrices.flatMap((matrix, k) => matrix.map((value, i) => ({
      value, side: (cell - 1) * Math.sqrt(Math.abs(value) / most), x: start(k) + cell * ((i % across) + 0.5), y: HEAD + cell * (Math.floor(i / across) + 0.5),
    }))).filter(({ side }) => side > SMALLEST);
    keep(this.layer.sheets, "rect", NAMES, (node, _, k) => set(node, { x: start(k), y: HEAD, width: wide, height: tall }));
    keep(this.layer.squares, "rect", squares, (node, { value, side, x, y }) => set(node, {
      x: x - side / 2, y: y - side / 2, width: side, height: side, class: value < 0 ? "fim-falls" : null, style: `--colour: var(--fim-${value < 0 ? falls : rises})`,
    }));
  }

  /** What the rows and the columns are, and the three matrices. */
  #name() {
    const { left, cell, wide, tall, start } = this.place;
    const { rows, columns } = this.panel;
    const each = NAMES.map((_, k) => start(k));
    keep(this.layer.groups, "path", each.flatMap((x) => [
      ...rows.slice(1).map((_, i) => `M${x},${HEAD + cell * before(rows, i + 1)}h${wide}`),
      ...columns.slice(1).map((_, i) => `M${x + cell * before(columns, i + 1)},${HEAD}v${tall}`),
    ]), (node, d) => set(node, { d }));
    const middle = (groups, i) => cell * (before(groups, i) + groups[i][1] / 2);
    keepTexts(this.layer.names, [
      ...rows.map(([text], i) => ({ text, x: left - 6, y: HEAD + middle(rows, i) + 4, anchor: "end" })),
      ...each.flatMap((x) => columns.map(([text], i) => ({ text, x: x + middle(columns, i), y: HEAD - 5 }))),
    ]);
    keepTexts(this.layer.says, [
      ...["=", "+"].map((text, k) => ({ text, x: start(k) + wide + BETWEEN / 2, y: HEAD + tall / 2 + 5 })),
      ...NAMES.map((text, k) => ({ text, x: start(k) + wide / 2, y: HEAD - 8 - textSize() })),
    ]);
  }

  #weigh(shares) {
    const { wide, tall, start } = this.place;
    keep(this.layer.norms, "rect", shares, (node, share, k) => set(node, { x: start(k), y: HEAD + tall + 8, width: wide * share, height: 10, "data-value": share }));
    keepTexts(this.layer.weights, shares.map((share, k) => ({ text: percent(share), x: start(k) + wide / 2, y: HEAD + tall + 33 })));
  }
}

/** How many rows or columns the groups before one have. */
const before = (groups, i) => groups.slice(0, i).reduce((sum, [, count]) => sum + count, 0);

export function drawSplit({ title, rows, columns, whole, first, share }, _, watched) {
  const [all, part, [much]] = [[...watched[whole]], [...watched[first]], watched[share]];
  const rest = all.map((value, i) => value - part[i]);
  const groups = `${rows.map(([name]) => name).join(", ")} by ${columns.map(([name]) => name).join(", ")}`;
  const largest = Math.max(...all.map(Math.abs));
  const shares = largest ? [1, much, 1 - much] : [0, 0, 0]; // nothing is all of nothing
  const text = `${title}, ${groups}. The part of rank 1 has ${percent(shares[1])} of the squared norm, what is left ${percent(shares[2])}. The largest number shown is ${readable(largest, 3)}.`;
  return { matrices: [all, part, rest], shares, text };
}
