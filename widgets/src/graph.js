/** Facts beside the phrases they are stated with: fine-tuned facts light phrases, unseen ones wait behind theirs. */

import { Hand } from "./hand.js";
import { Frame, keep, keepTexts, letters, set, widthOf } from "./svg.js";

const HEAD = 42; // pixels, for what the three groups are
const SQUARE = "m-5,-5h10v10h-10z";
const CIRCLE = "m-5.6,0a5.6,5.6 0 1,0 11.2,0a5.6,5.6 0 1,0 -11.2,0";

export class Graph extends Frame {
  constructor(parent, panel, hands) {
    super(parent, panel);
    this.hands = hands;
    this.hint("Tap a fact: ● is right, ○ has the colour of what it says.");
    this.layer = this.layers("threads", "lamps", "words", "facts", "heads");
    this.hand = new Hand(this.svg, "the fact asked about", {
      to: (x, y) => hands.ask(this.#nearest(x, y)),
      step: (right, up) => hands.ask(this.order.at((this.order.indexOf(this.fact) + right - up) % this.order.length)),
    });
  }

  get fact() {
    return this.hands.fact ?? this.panel.asked.first;
  }

  #nearest(x, y) {
    const far = (j) => Math.hypot(this.places[j].x - x, this.places[j].y - y);
    return this.order.reduce((best, j) => (far(j) < far(best) ? j : best));
  }

  /** @param {{taught: boolean[], uses: boolean[][], lit: number[], said: number[], used: number[], text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { taught, uses, lit, said, used } = drawing;
    const { facts, phrases, kinds, first } = this.panel.asked;
    const width = this.measure();
    const [row, step] = letters().size > 13 ? [24, 17] : [16, 15];
    const tall = row * phrases.length;
    this.size(HEAD + tall, drawing.text);
    const half = Math.max(...used.map((i) => widthOf(phrases[i]))) / 2 + 7;
    const lamps = used.map((i, place) => ({ i, y: HEAD + ((place + 0.5) * tall) / used.length }));
    const rows = Math.floor(tall / step);
    const sides = [true, false].map((side) => facts.map((_, k) => (first + k) % facts.length).filter((j) => taught[j] === side));
    const [inLeft, inRight] = sides.map((side) => step * Math.ceil(side.length / rows));
    this.order = sides.flat();
    this.places = [];
    sides.forEach((side, on) => side.forEach((j, k) => {
      this.places[j] = { x: (on ? width - inRight : 0) + step * (0.5 + Math.floor(k / rows)), y: HEAD + (0.5 + (k % rows)) * step };
    }));
    const middle = (inLeft + width - inRight) / 2;
    const threads = this.order.filter((j) => j !== this.fact).concat(this.fact)
      .flatMap((j) => lamps.filter(({ i }) => uses[j][i]).map((lamp) => ({ j, ...lamp })));
    keep(this.layer.threads, "path", threads, (node, { j, i, y }) => {
      const from = this.places[j];
      const [out, to] = taught[j] ? [from.x + 7, middle - half] : [from.x - 7, middle + half];
      const bend = (out + to) / 2;
      set(node, { d: `M${out},${from.y}C${bend},${from.y} ${bend},${y} ${to},${y}`, class: `${lit[i] ? "fim-lit" : ""} ${j === this.fact ? "fim-asked" : ""}` });
    });
    const most = Math.max(1, ...lit);
    keep(this.layer.lamps, "rect", lamps, (node, { i, y }) => set(node, {
      x: middle - half, y: y - row / 2 + 2, width: 2 * half, height: row - 4, rx: row / 2 - 2,
      class: lit[i] ? "fim-lit" : null, "fill-opacity": lit[i] ? 0.15 + (0.4 * lit[i]) / most : 0, "data-value": lit[i],
    }));
    keepTexts(this.layer.words, lamps.map(({ i, y }) => ({ text: phrases[i], x: middle, y: y + 4.5 })));
    keep(this.layer.facts, "path", this.order, (node, j) => set(node, {
      d: `M${this.places[j].x},${this.places[j].y}${taught[j] ? SQUARE : CIRCLE}`, class: said[j] === kinds.length - 1 ? "fim-right" : null,
      style: `--colour: var(--fim-${kinds[said[j]].colour})`, "data-said": said[j],
    }));
    const right = (side) => `${side.filter((j) => said[j] === kinds.length - 1).length} of ${side.length} right`;
    const head = (texts, x, anchor) => texts.map((text, i) => ({ text, x, y: 13 + 17 * i, anchor }));
    keepTexts(this.layer.heads, [
      ...head(["■ fine-tuned", right(sides[0])], 0, "start"),
      ...head(["phrases", `${used.filter((i) => lit[i]).length} of ${used.length} lit`], middle),
      ...head(["● unseen", right(sides[1])], width, "end"),
    ]);
    const { x, y } = this.places[this.fact];
    const now = this.order.indexOf(this.fact);
    this.hand.place(x, y, [0, HEAD, width, HEAD + tall], { now, min: 0, max: facts.length - 1, text: facts[this.fact] });
  }
}

/** The kind of word that is said: of the largest logits the first, and none where there is no number. */
export const saidOf = (logits) => logits.reduce((best, value, i) => (value > logits[best] || Number.isNaN(logits[best]) ? i : best), 0);

/** The numbers of a table, row by row. */
export const rowsOf = (numbers, count) => Array.from({ length: numbers.length / count }, (_, i) => [...numbers.slice(i * count, (i + 1) * count)]);

/** For each fact whether it is fine-tuned, and whether it is stated with each of the phrases. */
export function statedOf({ phrases, uses, taught }, watched) {
  const bit = (number, i) => Math.floor(number / 2 ** i) % 2 === 1;
  return { taught: [...watched[taught]].map((value) => value > 0.5), uses: [...watched[uses]].map((bits) => phrases.map((_, i) => bit(bits, i))) };
}

export function drawGraph({ title, asked }, _, watched) {
  const { uses, taught } = statedOf(asked, watched);
  const said = rowsOf(watched[asked.logits], asked.kinds.length).map(saidOf);
  const lit = asked.phrases.map((_, i) => uses.filter((row, j) => taught[j] && row[i]).length);
  const used = [...asked.phrases.keys()].filter((i) => uses.some((row) => row[i]));
  const counts = asked.kinds.map(({ word }, k) => `${word}: ${said.filter((kind, j) => kind === k && !taught[j]).length}`);
  const covered = used.filter((i) => lit[i]).length;
  const text = `${title} ${taught.filter(Boolean).length} of ${taught.length} facts are fine-tuned and light ${covered} of ${used.length} phrases. Answers to the unseen: ${counts.reverse().join(", ")}.`;
  return { uses, taught, said, lit, used, text };
}
