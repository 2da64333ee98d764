/** Facts beside the phrases they are stated with: fine-tuned facts light phrases, unseen ones wait behind theirs. */

import { least } from "d3-array";

import { Hand } from "../draw/draggable_point.js";
import { factOf, rowsOf, saidOf, statedOf } from "./facts.js";
import { Frame, keep, keepTexts, textSize, set, widthOf } from "../draw/svg.js";

const HEAD = 42; // pixels, for what the three groups are
const SQUARE = "m-5,-5h10v10h-10z";
const CIRCLE = "m-5.6,0a5.6,5.6 0 1,0 11.2,0a5.6,5.6 0 1,0 -11.2,0";

export class Graph extends Frame {
  constructor(parent, panel, hands) {
    super(parent, panel);
    this.hands = hands;
    this.legend([{ label: "correct", colour: panel.asked.kinds.at(-1).colour, sign: "●" }, { label: "the colour of what is said instead", colour: "faint", sign: "○" }]);
    this.layer = this.layers("threads", "lamps", "words", "facts", "heads");
    this.hand = new Hand(this.svg, "the fact asked about", {
      to: (x, y) => hands.ask(least(this.order, (j) => Math.hypot(this.places[j].x - x, this.places[j].y - y))),
      step: (right, up) => hands.ask(this.order.at((this.order.indexOf(this.fact) + right - up) % this.order.length)),
    });
  }

  get fact() {
    return factOf(this.hands, this.panel);
  }

  /** @param {{taught: boolean[], uses: boolean[][], lit: number[], said: number[], used: number[], text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { taught, said } = drawing;
    const { facts, kinds } = this.panel.asked;
    const right = kinds.length - 1;
    this.#arrange(drawing);
    this.#join(drawing);
    keep(this.layer.facts, "path", this.order, (node, j) => set(node, {
      d: `M${this.places[j].x},${this.places[j].y}${taught[j] ? SQUARE : CIRCLE}`, class: said[j] === right ? "fim-right" : null,
      style: `--colour: var(--fim-${kinds[said[j]].colour})`, "data-said": said[j],
    }));
    const correct = (side) => `${side.filter((j) => said[j] === right).length} of ${side.length} correct`;
    const head = (texts, x, anchor) => texts.map((text, i) => ({ text, x, y: 13 + 17 * i, anchor }));
    keepTexts(this.layer.heads, [
      ...head(["□ fine-tuned", correct(this.sides[0])], 0, "start"),
      ...head(["phrases", `${drawing.used.filter((i) => drawing.lit[i]).length} of ${drawing.used.length} lit`], this.middle),
      ...head(["○ unseen", correct(this.sides[1])], this.width, "end"),
    ]);
    const { x, y } = this.places[this.fact];
    const now = this.order.indexOf(this.fact);
    this.hand.place(x, y, [0, HEAD, this.width, HEAD + this.tall], { now, min: 0, max: facts.length - 1, text: facts[this.fact] });
  }

  /** Places for facts, fine-tuned ones on the left, and for phrases between them. */
  #arrange({ taught, used, text }) {
    const { facts, phrases, first } = this.panel.asked;
    const width = this.measure();
    const [row, step] = textSize() > 13 ? [24, 17] : [16, 15];
    this.tall = row * phrases.length;
    this.size(HEAD + this.tall, text);
    const rows = Math.floor(this.tall / step);
    this.sides = [true, false].map((side) => facts.map((_, k) => (first + k) % facts.length).filter((j) => taught[j] === side));
    this.order = this.sides.flat();
    const [inLeft, inRight] = this.sides.map((side) => step * Math.ceil(side.length / rows));
    this.middle = (inLeft + width - inRight) / 2;
    this.half = Math.max(...used.map((i) => widthOf(phrases[i]))) / 2 + 7;
    this.places = [];
    this.sides.forEach((side, on) => side.forEach((j, k) => {
      this.places[j] = { x: (on ? width - inRight : 0) + step * (0.5 + Math.floor(k / rows)), y: HEAD + (0.5 + (k % rows)) * step };
    }));
  }

  /** Phrases as lamps, and threads from facts to those that state them. */
  #join({ taught, uses, lit, used }) {
    const { tall, middle, half } = this;
    const row = tall / this.panel.asked.phrases.length;
    const lamps = used.map((i, place) => ({ i, y: HEAD + ((place + 0.5) * tall) / used.length }));
    const inFront = [...this.order.filter((j) => j !== this.fact), this.fact];
    keep(this.layer.threads, "path", inFront.flatMap((j) => lamps.filter(({ i }) => uses[j][i]).map((lamp) => ({ j, ...lamp }))), (node, { j, i, y }) => {
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
    keepTexts(this.layer.words, lamps.map(({ i, y }) => ({ text: this.panel.asked.phrases[i], x: middle, y: y + 4.5 })));
  }
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
