/** Words on the left, words on the right, and links between them as wide as a number says. */

import { percent, readable } from "./format.js";
import { Frame, keep, keepTexts, set, widthOf } from "./svg.js";

const ROW = 27; // pixels from one word to the next
const BELOW = 22;
const WIDEST = 12; // of a link
const GAP = 7; // between a word and its links

export class Net extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("links", "words", "says");
  }

  /** @param {{values: number[], share: number, text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { left, right, links, full, says } = this.panel;
    const width = this.measure();
    const height = Math.max(left.length, right.length) * ROW;
    const y = (i, side) => (i + 0.5 + (Math.max(left.length, right.length) - side.length) / 2) * ROW;
    const [from, to] = [Math.max(...left.map(inWidth)) + GAP, width - Math.max(...right.map(inWidth)) - GAP];
    this.size(height + BELOW, drawing.text);
    keep(this.layer.links, "path", links, (node, link, i) => {
      const [a, b] = [y(link.left, left), y(link.right, right)];
      set(node, {
        d: `M${from},${a}C${(from + to) / 2},${a} ${(from + to) / 2},${b} ${to},${b}`,
        style: `stroke: var(--fim-${link.colour})`, "stroke-width": 1 + WIDEST * Math.min(1, drawing.values[i] / full), "data-value": drawing.values[i],
      });
    });
    keepTexts(this.layer.words, [
      ...left.map(({ word, colour }, i) => ({ text: word, colour, x: from - GAP, y: y(i, left) + 5, anchor: "end" })),
      ...right.map(({ word, colour }, i) => ({ text: word, colour, x: to + GAP, y: y(i, right) + 5, anchor: "start" })),
    ]);
    keepTexts(this.layer.says, [{ text: `${says} ${percent(drawing.share)}`, x: width / 2, y: height + 15 }]);
  }
}

const inWidth = ({ word }) => widthOf(word, true);

export function drawNet({ title, left, right, links, field, share, says }, _, watched) {
  const values = [...watched[field]];
  const said = links.map((link, i) => `${left[link.left].word} – ${right[link.right].word} ${readable(values[i], 3)}`);
  const value = watched[share[0]][share[1]];
  return { values, share: value, text: `${title}. ${said.join(", ")}; ${says} ${percent(value)}.` };
}
