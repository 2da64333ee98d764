/** A matrix, its part of rank 1 and what is left: squares as large as the numbers, filled above zero, hollow below. */

import { percent, readable } from "./format.js";
import { Frame, keep, keepTexts, letters, set, widthOf } from "./svg.js";

const HEAD = 38; // pixels: names of the three, and of their columns
const FOOT = 40; // for their shares of the squared norm
const BETWEEN = 24; // for "=" and "+"
const LARGEST = 18; // of a cell
const NAMES = ["gradient", "column × row", "what is left"];
const SMALLEST = 0.6; // pixels: squares of less are not drawn

export class Split extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("sheets", "squares", "groups", "names", "says", "norms");
    this.legend([{ label: "rises", colour: panel.rises, sign: "■" }, { label: "falls", colour: panel.falls, sign: "□" }]);
  }

  /** @param {{matrices: number[][], shares: number[], text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { rows, columns, rises, falls } = this.panel;
    const [down, across] = [rows, columns].map((groups) => groups.reduce((sum, [, count]) => sum + count, 0));
    const width = this.measure();
    const left = Math.max(...rows.map(([name]) => widthOf(name))) + 8;
    const cell = Math.min(LARGEST, (width - left - 2 * BETWEEN) / 3 / across);
    const wide = cell * across;
    const start = (k) => left + k * (wide + BETWEEN);
    const bottom = HEAD + cell * down;
    this.size(bottom + FOOT, drawing.text);
    const most = Math.max(1e-300, ...drawing.matrices.flat().map(Math.abs));
    const squares = drawing.matrices.flatMap((matrix, k) => matrix.map((value, i) => ({
      value, side: (cell - 1) * Math.sqrt(Math.abs(value) / most), x: start(k) + cell * ((i % across) + 0.5), y: HEAD + cell * (Math.floor(i / across) + 0.5),
    }))).filter(({ side }) => side > SMALLEST);
    keep(this.layer.sheets, "rect", NAMES, (node, _, k) => set(node, { x: start(k), y: HEAD, width: wide, height: cell * down }));
    keep(this.layer.squares, "rect", squares, (node, { value, side, x, y }) => set(node, {
      x: x - side / 2, y: y - side / 2, width: side, height: side, class: value < 0 ? "fim-falls" : null, style: `--colour: var(--fim-${value < 0 ? falls : rises})`,
    }));
    const from = (groups, i) => groups.slice(0, i).reduce((sum, [, count]) => sum + count, 0);
    const lines = [
      ...rows.slice(1).map((_, i) => (k) => `M${start(k)},${HEAD + cell * from(rows, i + 1)}h${wide}`),
      ...columns.slice(1).map((_, i) => (k) => `M${start(k) + cell * from(columns, i + 1)},${HEAD}v${cell * down}`),
    ];
    keep(this.layer.groups, "path", [0, 1, 2].flatMap((k) => lines.map((line) => line(k))), (node, d) => set(node, { d }));
    keepTexts(this.layer.names, [
      ...rows.map(([name, count], i) => ({ text: name, x: left - 6, y: HEAD + cell * (from(rows, i) + count / 2) + 4, anchor: "end" })),
      ...[0, 1, 2].flatMap((k) => columns.map(([name, count], i) => ({ text: name, x: start(k) + cell * (from(columns, i) + count / 2), y: HEAD - 5 }))),
    ]);
    const signs = ["=", "+"].map((text, k) => ({ text, x: start(k) + wide + BETWEEN / 2, y: HEAD + (cell * down) / 2 + 5 }));
    keepTexts(this.layer.says, [...signs, ...NAMES.map((text, k) => ({ text, x: start(k) + wide / 2, y: HEAD - 8 - letters().size }))]);
    keep(this.layer.norms, "rect", drawing.shares, (node, share, k) => set(node, { x: start(k), y: bottom + 8, width: Math.max(1, wide * share), height: 10, "data-value": share }));
    keepTexts(this.layer.shares ??= this.layers("weights").weights, drawing.shares.map((share, k) => ({ text: percent(share), x: start(k) + wide / 2, y: bottom + 33 })));
  }
}

export function drawSplit({ title, rows, columns, whole, first, share }, _, watched) {
  const [all, part, [much]] = [[...watched[whole]], [...watched[first]], watched[share]];
  const rest = all.map((value, i) => value - part[i]);
  const groups = `${rows.map(([name]) => name).join(", ")} by ${columns.map(([name]) => name).join(", ")}`;
  const text = `${title}, ${groups}. The part of rank 1 has ${percent(much)} of the squared norm, what is left ${percent(1 - much)}. The largest number shown is ${readable(Math.max(...all.map(Math.abs)), 3)}.`;
  return { matrices: [all, part, rest], shares: [1, much, 1 - much], text };
}
