/** A prompt's tokens in a row, and arcs from one of them as wide as its attention to each; a second one's hang below. */

import { percent } from "../run/format.js";
import { clamp, Frame, keep, keepTexts, textSize, set } from "../draw/svg.js";

const BOX = 44; // pixels: the height of a token
const LOW = 26; // of a token without its symbol
const GAP = 6;
const BELOW = 20; // for the weights
const SAID = 22;
const WIDEST = 16; // of an arc
const SEEN = 0.004; // arcs of less are not drawn
const EDGE = 9; // between the highest arc's middle and the edge
const LOOP = 11; // half the width of the arc from a token to itself

export class Strip extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("arcs", "tokens", "words", "symbols", "weights", "says");
  }

  /** @param {{weights: number[], below?: number[], says: string, text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { tokens, origin, below } = this.panel;
    const width = this.measure();
    const pitch = (width + GAP) / tokens.length;
    const middle = (i) => i * pitch + (pitch - GAP) / 2;
    const [box, room] = below ? [LOW, clamp(0.13 * width, 36, 64)] : [BOX, clamp(0.22 * width, 64, 104)];
    const top = Math.round(room + (below ? BELOW : 0));
    const foot = top + box + BELOW;
    const end = below ? foot + room : foot;
    this.size(end + (drawing.says ? SAID : 0), drawing.text);
    const gazes = below // who looks, from which height, with which room, and where the shares stand
      ? [[drawing.weights, origin, top - BELOW, EDGE - room, top - 6], [drawing.below, below[1], foot, room - EDGE, foot - 5]]
      : [[drawing.weights, origin, top - 3, 12 - top, foot - 5]];
    const arcs = gazes.flatMap(([weights, from, y, rise]) => weights.map((weight, i) => ({ weight, i, d: arc(middle(from), middle(i), y, rise) })))
      .filter(({ weight }) => weight > SEEN);
    keep(this.layer.arcs, "path", arcs, (node, { weight, i, d }) => set(node, {
      d, style: `stroke: var(--fim-${tokens[i].colour})`, "stroke-width": 0.5 + WIDEST * weight, "data-weight": weight,
    }));
    keep(this.layer.tokens, "rect", tokens, (node, { colour }, i) => set(node, {
      x: middle(i) - (pitch - GAP) / 2 + 1, y: top, width: pitch - GAP - 2, height: box, rx: 7, style: `stroke: var(--fim-${colour})`,
    }));
    const longest = Math.max(...tokens.map(({ word }) => word.length));
    const size = Math.min(textSize(), (1.5 * (pitch - GAP - 4)) / longest);
    set(this.layer.words, { "font-size": size.toFixed(1) });
    keepTexts(this.layer.words, tokens.map(({ word }, i) => ({ text: word, x: middle(i), y: top + (below ? 18 : 19) })));
    keepTexts(this.layer.symbols, below ? [] : tokens.map(({ symbol, colour }, i) => ({ text: symbol, colour, x: middle(i), y: top + 36 })));
    keepTexts(this.layer.weights, gazes.flatMap(([weights, from, , , y]) =>
      weights.map((weight, i) => ({ text: percent(weight), x: middle(i), y, colour: below && tokens[from].colour }))));
    keepTexts(this.layer.says, [{ text: drawing.says, x: width / 2, y: end + 15 }]);
  }
}

/** From one place to another, by way of `rise` above (below zero) or below; from a place to itself a small loop. */
function arc(from, to, y, rise) {
  const loop = from === to ? LOOP : 0;
  const bend = y + (loop ? 0.45 : 0.5 + 0.5 * Math.min(1, Math.abs(from - to) / 400)) * rise * 1.33;
  return `M${from - loop},${y}C${from - 1.6 * loop},${bend} ${to + 1.6 * loop},${bend} ${to + loop},${y}`;
}

export function drawStrip({ title, tokens, field, origin, below, says, share }, _, watched) {
  const shares = (weights) => tokens.map(({ word }, i) => `${word} ${percent(weights[i])}`).join(", ");
  const weights = [...watched[field]];
  const others = below && [...watched[below[0]]];
  const seen = below ? `From ${tokens[origin].word}: ${shares(weights)}. From ${tokens[below[1]].word}: ${shares(others)}` : shares(weights);
  const said = share ? `${says} ${percent(watched[share[0]][share[1]])}` : "";
  return { weights, below: others, says: said, text: `${[title, seen, said].filter(Boolean).join(". ")}.` };
}
