/** Words on the left, words on the right, and links between them as wide as a number says. */

import { percent, readable } from "../run/format.js";
import { clamp, Frame, keep, keepTexts, set, widthOf } from "../draw/svg.js";

const ROW = 27; // pixels from one word to the next
const BELOW = 22;
const WIDEST = 12; // of a link
const GAP = 11; // between a word and its links

export class Net extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("links", "words", "says");
  }

  /** @param {{values: number[], words: string[], says: string, text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { left, right, links, full, shares } = this.panel;
    const width = this.measure();
    const height = Math.max(left.length, right.length) * ROW;
    const y = (i) => (i + 0.5) * ROW;
    const room = right.map(({ word }) => inWidth(shares ? `${word} > 99 %` : word)); // whatever the share is
    const [from, to] = [Math.max(...left.map(({ word }) => inWidth(word))) + GAP, width - Math.max(...room) - GAP];
    this.size(height + (drawing.says ? BELOW : 0), drawing.text);
    keep(this.layer.links, "path", links, (node, link, i) => {
      const [a, b] = [y(link.left), y(link.right)];
      set(node, {
        d: `M${from},${a}C${(from + to) / 2},${a} ${(from + to) / 2},${b} ${to},${b}`,
        style: `stroke: var(--fim-${link.colour})`, "stroke-width": 1 + WIDEST * clamp(drawing.values[i] / full, 0, 1), "data-value": drawing.values[i],
      });
    });
    keepTexts(this.layer.words, [
      ...left.map(({ word, colour }, i) => ({ text: word, colour, x: from - GAP, y: y(i) + 5, anchor: "end" })),
      ...right.map(({ colour }, i) => ({ text: drawing.words[i], colour, x: to + GAP, y: y(i) + 5, anchor: "start" })),
    ]);
    keepTexts(this.layer.says, [{ text: drawing.says, x: width / 2, y: height + 15 }]);
  }
}

const inWidth = (text) => widthOf(text, true);

export function drawNet({ title, left, right, links, field, share, says, shares }, _, watched) {
  const values = [...watched[field]];
  const said = links.map((link, i) => `${left[link.left].word} – ${right[link.right].word} ${readable(values[i], 3)}`);
  const words = right.map(({ word }, i) => (shares ? `${word} ${percent(watched[shares][i])}` : word));
  const below = share ? `${says} ${percent(watched[share[0]][share[1]])}` : "";
  const heard = [said.join(", "), below, ...(shares ? [words.join(", ")] : [])].filter(Boolean).join("; ");
  return { values, words, says: below, text: `${title}. ${heard}.` };
}
