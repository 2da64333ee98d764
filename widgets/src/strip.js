/** A prompt's tokens in a row, and arcs from one of them as wide as its attention to each. */

import { percent } from "./format.js";
import { Frame, keep, keepTexts, textSize, set } from "./svg.js";

const BOX = 44; // pixels: the height of a token
const GAP = 6;
const BELOW = 20; // for the weights
const WIDEST = 16; // of an arc
const SEEN = 0.004; // arcs of less are not drawn
const LOOP = 11; // half the width of the arc from a token to itself

export class Strip extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("arcs", "tokens", "words", "symbols", "weights");
  }

  /** @param {{weights: number[], text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { tokens, origin } = this.panel;
    const width = this.measure();
    const pitch = (width + GAP) / tokens.length;
    const top = Math.round(Math.min(104, Math.max(64, 0.22 * width)));
    const middle = (i) => i * pitch + (pitch - GAP) / 2;
    this.size(top + BOX + BELOW, drawing.text);
    const arcs = drawing.weights.map((weight, i) => ({ weight, i })).filter(({ weight }) => weight > SEEN);
    keep(this.layer.arcs, "path", arcs, (node, { weight, i }) => set(node, {
      d: arc(middle(origin), middle(i), top - 3, top - 12),
      style: `stroke: var(--fim-${tokens[i].colour})`, "stroke-width": 0.5 + WIDEST * weight, "data-weight": weight,
    }));
    keep(this.layer.tokens, "rect", tokens, (node, { colour }, i) => set(node, {
      x: middle(i) - (pitch - GAP) / 2 + 1, y: top, width: pitch - GAP - 2, height: BOX, rx: 7, style: `stroke: var(--fim-${colour})`,
    }));
    const longest = Math.max(...tokens.map(({ word }) => word.length));
    const size = Math.min(textSize(), (1.5 * (pitch - GAP - 4)) / longest);
    set(this.layer.words, { "font-size": size.toFixed(1) });
    keepTexts(this.layer.words, tokens.map(({ word }, i) => ({ text: word, x: middle(i), y: top + 19 })));
    keepTexts(this.layer.symbols, tokens.map(({ symbol, colour }, i) => ({ text: symbol, colour, x: middle(i), y: top + 36 })));
    keepTexts(this.layer.weights, drawing.weights.map((weight, i) => ({ text: percent(weight), x: middle(i), y: top + BOX + 15 })));
  }
}

/** From one place to another, over the top; from a place to itself a small loop. */
function arc(from, to, y, room) {
  const loop = from === to ? LOOP : 0;
  const rise = (loop ? 0.45 : 0.5 + 0.5 * Math.min(1, Math.abs(from - to) / 400)) * room * 1.33;
  return `M${from - loop},${y}C${from - 1.6 * loop},${y - rise} ${to + 1.6 * loop},${y - rise} ${to + loop},${y}`;
}

export function drawStrip({ title, tokens, field }, _, watched) {
  const weights = [...watched[field]];
  return { weights, text: `${title}. ${tokens.map(({ word }, i) => `${word} ${percent(weights[i])}`).join(", ")}.` };
}
