/** Facts beside the phrases they are stated with: fine-tuned facts light phrases, unseen ones wait behind theirs. */

import { least, mean } from "d3-array";

import { DraggablePoint } from "../draw/draggable_point.js";
import { Frame } from "../draw/frame.js";
import { setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { textSize, textWidth } from "../draw/text_layout.js";
import { answerOf, chosenFact, factsIn, rowsOf } from "./facts.js";

/** @import { Graph as GraphPanel, Moment, ParameterActions } from "../types.js" */

const HEAD = 42; // pixels, for the names of the three groups
const LETTERS = 16; // pixels: the least height in which a name stands
const SQUARE = { often: "m-5,-5h10v10h-10z", once: "m-3,-3h6v6h-6z" };
const CIRCLE = {
  often: "m-5.6,0a5.6,5.6 0 1,0 11.2,0a5.6,5.6 0 1,0 -11.2,0",
  once: "m-3.6,0a3.6,3.6 0 1,0 7.2,0a3.6,3.6 0 1,0 -7.2,0",
};
const PALE = 0.15; // of the colour of what is still said: that of what is said no more
const ROOMY = 560; // pixels, where the name of the phrases says what their colour and their numbers mean

/**
 * For each fact whether it is fine-tuned, the phrases that state it, the kind of its answer, and how probable its
 * phrases are beside that answer; for each phrase how many fine-tuned facts use it, and the mean of that probability
 * over all facts that do; and the phrases that any fact uses.
 * @typedef {{
 *   taught: boolean[], uses: boolean[][], answers: number[], said: number[], coverage: number[], heard: number[],
 *   used: number[], text: string
 * }}
 *   GraphDrawing
 */

/** @extends {Frame<GraphPanel, GraphDrawing>} */
export class Graph extends Frame {
  /** @type {{ x: number, y: number }[]} of the facts, by their numbers */
  places = [];
  /** @type {number[][]} the fine-tuned facts, and the others */
  sides = [];
  /** @type {number[]} the facts, side by side */
  order = [];
  height = 0;
  /** The middle of the phrases, and half of the widest one. */
  middle = 0;
  halfWidth = 0;

  /**
   * @param {HTMLElement} parent
   * @param {GraphPanel} panel
   * @param {ParameterActions} actions
   */
  constructor(parent, panel, actions) {
    super(parent, panel);
    this.actions = actions;
    this.right = panel.questions.kinds.length - 1;
    this.showLegend([
      ...panel.questions.kinds.map(({ word, colour }, k) => ({ label: word, colour, sign: k < this.right ? "○" : "●" })).reverse(),
      { label: "told with one phrase only", colour: "faint", sign: "∘" },
    ]);
    this.layers = this.addLayers("threads", "lamps", "words", "facts", "heads");
    this.point = new DraggablePoint(this.svg, "the fact asked about", {
      to: (x, y) =>
        this.#ask(least(this.order, (fact) => Math.hypot(this.places[fact].x - x, this.places[fact].y - y))),
      step: (right, up) => this.#ask(this.order.at((this.order.indexOf(this.fact) + right - up) % this.order.length)),
    });
  }

  get fact() {
    return chosenFact(this.actions, this.panel.questions);
  }

  /** @param {number | undefined} fact */
  #ask(fact) {
    if (fact !== undefined) this.actions.ask?.(fact);
  }

  /** @param {GraphDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    this.#arrange(drawing);
    this.#drawPhrases(drawing);
    this.#drawFacts(drawing);
    this.#drawHeads(drawing);
    const { facts } = this.panel.questions;
    const { x, y } = this.places[this.fact];
    this.point.place(x, y, [0, HEAD, this.width, HEAD + this.height], {
      now: this.order.indexOf(this.fact),
      min: 0,
      max: facts.length - 1,
      text: facts[this.fact],
    });
  }

  /**
   * Find places for facts, fine-tuned ones on the left, and for phrases between them.
   * @param {GraphDrawing} drawing
   */
  #arrange({ taught, used, coverage, text }) {
    const { facts, phrases, first } = this.panel.questions;
    const width = this.measure();
    const [rowHeight, step] = textSize() > 13 ? [24, 17] : [16, 15];
    this.height = this.isLarge ? this.mainHeight - HEAD : rowHeight * phrases.length;
    this.resize(HEAD + this.height, text);
    const rows = Math.floor(this.height / step);
    this.sides = [true, false].map((side) =>
      facts.map((_, k) => (first + k) % facts.length).filter((fact) => taught[fact] === side),
    );
    this.order = this.sides.flat();
    const [leftWidth, rightWidth] = this.sides.map((side) => step * Math.ceil(side.length / rows));
    this.middle = (leftWidth + width - rightWidth) / 2;
    this.halfWidth = Math.max(...used.map((i) => textWidth(named(phrases[i], coverage[i])))) / 2 + 7;
    this.places = [];
    this.sides.forEach((side, number) =>
      side.forEach((fact, k) => {
        const left = number ? width - rightWidth : 0;
        this.places[fact] = { x: left + step * (0.5 + Math.floor(k / rows)), y: HEAD + (0.5 + (k % rows)) * step };
      }),
    );
  }

  /**
   * Phrases as lamps, and threads from facts to those that state them; the threads of the chosen fact lie on top, and
   * those to its phrases stand out.
   * @param {GraphDrawing} drawing
   */
  #drawPhrases({ taught, uses, coverage, used, said, heard }) {
    const { height, middle, halfWidth, layers } = this;
    const { phrases } = this.panel.questions;
    const lampHeight = Math.max(LETTERS, height / phrases.length - 4);
    const lamps = used.map((phrase, place) => ({ phrase, y: HEAD + ((place + 0.5) * height) / used.length }));
    const facts = [...this.order.filter((fact) => fact !== this.fact), this.fact];
    const threads = facts.flatMap((fact) =>
      lamps.filter(({ phrase }) => uses[fact][phrase]).map((lamp) => ({ fact, ...lamp })),
    );
    updateChildren(layers.threads, "path", threads, (node, { fact, phrase, y }) => {
      const place = this.places[fact];
      const [from, to] = taught[fact] ? [place.x + 7, middle - halfWidth] : [place.x - 7, middle + halfWidth];
      const bend = (from + to) / 2;
      setAttributes(node, {
        d: `M${from},${place.y}C${bend},${place.y} ${bend},${y} ${to},${y}`,
        class: `${coverage[phrase] ? "fim-covered" : ""} ${fact === this.fact ? "fim-question" : ""}`,
        opacity: shade(said[fact]) * (fact === this.fact ? 1 : uses[this.fact][phrase] ? 0.5 : 0.2),
      });
    });
    updateChildren(layers.lamps, "rect", lamps, (node, { phrase, y }) =>
      setAttributes(node, {
        x: middle - halfWidth,
        y: y - lampHeight / 2,
        width: 2 * halfWidth,
        height: lampHeight,
        rx: lampHeight / 2,
        class: coverage[phrase] ? "fim-covered" : null,
        "fill-opacity": coverage[phrase] ? 0.55 * shade(heard[phrase]) : 0,
      }),
    );
    updateTexts(
      layers.words,
      lamps.map(({ phrase, y }) => ({ text: named(phrases[phrase], coverage[phrase]), x: middle, y: y + 4.5 })),
    );
  }

  /** @param {GraphDrawing} drawing */
  #drawFacts({ taught, uses, answers }) {
    const { kinds } = this.panel.questions;
    updateChildren(this.layers.facts, "path", this.order, (node, fact) => {
      const sizes = taught[fact] ? SQUARE : CIRCLE;
      const size = uses[fact].filter(Boolean).length > 1 ? sizes.often : sizes.once;
      setAttributes(node, {
        d: `M${this.places[fact].x},${this.places[fact].y}${size}`,
        class: answers[fact] === this.right ? "fim-right" : null,
        style: `--colour: var(--fim-${kinds[answers[fact]].colour})`,
      });
    });
  }

  /** @param {GraphDrawing} drawing */
  #drawHeads({ answers, used, coverage }) {
    /** @param {number[]} side */
    const correct = (side) => `${side.filter((fact) => answers[fact] === this.right).length} of ${side.length} correct`;
    /**
     * @param {string[]} texts
     * @param {number} x
     * @param {string} [anchor]
     */
    const head = (texts, x, anchor) => texts.map((text, i) => ({ text, x, y: 13 + 17 * i, anchor }));
    const [fineTuned, unseen] = this.sides;
    const practised = `${used.filter((phrase) => coverage[phrase]).length} of ${used.length} practised`;
    const phrases =
      this.width > ROOMY
        ? ["phrases, paler when said less", `${practised} (number: by so many)`]
        : ["phrases", practised];
    updateTexts(this.layers.heads, [
      ...head(["□ practised", correct(fineTuned)], 0, "start"),
      ...head(phrases, this.middle),
      ...head(["○ unseen", correct(unseen)], this.width, "end"),
    ]);
  }
}

/** How much of its colour a phrase keeps that is said with a probability. @param {number} said */
const shade = (said) => PALE + (1 - PALE) * said;

/** A phrase, and how many facts practise it. @param {string} phrase @param {number} count */
const named = (phrase, count) => `${phrase} · ${count}`;

/**
 * @param {GraphPanel} panel
 * @param {Moment} moment
 * @returns {GraphDrawing}
 */
export function graphDrawing({ title, questions }, { watched }) {
  const { uses, taught } = factsIn(questions, watched);
  const logits = rowsOf(watched[questions.logits], questions.kinds.length);
  const answers = logits.map(answerOf);
  const said = logits.map((row) => 1 / (1 + Math.exp(row[row.length - 1] - row[row.length - 2])));
  const heard = questions.phrases.map((_, phrase) => mean(said.filter((_, fact) => uses[fact][phrase])) ?? 0);
  const coverage = questions.phrases.map((_, phrase) => uses.filter((row, fact) => taught[fact] && row[phrase]).length);
  const used = [...questions.phrases.keys()].filter((phrase) => uses.some((row) => row[phrase]));
  const counts = questions.kinds.map(
    ({ word }, k) => `${word}: ${answers.filter((kind, fact) => kind === k && !taught[fact]).length}`,
  );
  const covered = used.filter((phrase) => coverage[phrase]).length;
  const text = `${title} ${taught.filter(Boolean).length} of ${taught.length} facts are fine-tuned and light ${covered} of ${used.length} phrases. To the unseen: ${counts.reverse().join(", ")}.`;
  return { uses, taught, answers, said, coverage, heard, used, text };
}
