/**
 * The logits of one question as rungs of a ladder, the top one of which is said; below, what was said at each step.
 */

import { add } from "../draw/dom.js";
import { Frame } from "../draw/frame.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { spreadApart, textSize, textWidth } from "../draw/text_layout.js";
import { readable } from "../run/format.js";
import { answerOf, chosenFact, factsIn, hasBit } from "./facts.js";

/** @import { Ladder as LadderPanel, Leaves, ParameterActions } from "../types.js" */

const RAILS = 52; // pixels between the rails
const LEADER = 14; // pixels from a rung to its name
const HEAD = 20; // for what the height means
const FOOT = 46; // for the answers of all steps
const BAR = 18; // pixels: the height of the answers of all steps
const NARROW = 0.85; // of an estimated width: that of names of people and places, whose letters are small
const SOMEBODY = "somebody else"; // in the word for answers of fine-tuned facts, where a name takes its place

/**
 * The logits at each of the recorded steps, the place of the present one and the last step; for each fact whether it is
 * fine-tuned and the phrases that state it; and whose answer is the loudest of the fine-tuned ones.
 * @typedef {{ steps: number[], rows: Float64Array[], at: number, last: number, taught: boolean[], uses: boolean[][],
 *   rivals: Float64Array }} LadderDrawing
 */

/** @extends {Frame<LadderPanel, LadderDrawing>} */
export class Ladder extends Frame {
  /** @type {HTMLButtonElement | undefined} which fine-tunes the fact, or not */
  button;

  /**
   * @param {HTMLElement} parent
   * @param {LadderPanel} panel
   * @param {ParameterActions} actions
   */
  constructor(parent, panel, actions) {
    super(parent, panel);
    this.actions = actions;
    this.layers = this.addLayers("rails", "rungs", "labels", "spoken", "words", "now");
    for (const layer of Object.values(this.layers)) setAttributes(layer, { transform: `translate(0,${HEAD})` });
    const { heads } = this.addLayers("heads");
    updateTexts(heads, [{ text: "the higher, the likelier", x: 0, y: HEAD - 7, anchor: "start" }]);
    this.rails = addSvg(this.layers.rails, "path");
    this.now = addSvg(this.layers.now, "path");
    this.#title();
    if (!panel.toggles) return;
    this.button = add(this.box, "button", { type: "button" });
    this.button.addEventListener("click", () =>
      actions.set({ [panel.toggles]: flipBit(actions.value(panel.toggles), this.fact) }),
    );
  }

  get fact() {
    return chosenFact(this.actions, this.panel.questions);
  }

  /** Writes, and returns, the title with the name of the fact that is asked about. */
  #title() {
    const title = this.panel.title.replace("{fact}", this.panel.questions.facts[this.fact]);
    if (this.heading) this.heading.textContent = title;
    return title;
  }

  /** @param {LadderDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { facts, kinds } = this.panel.questions;
    const { fact } = this;
    const { at, taught } = drawing;
    const logits = drawing.rows.map((row) => [...row.slice(fact * kinds.length, (fact + 1) * kinds.length)]);
    const answers = logits.map(answerOf);
    this.measure();
    const words = this.#wordsFor(drawing);
    const title = this.#title();
    const height = textSize() > 13 ? 170 : 84;
    const values = words.map((word, k) => `${word} ${readable(logits[at][k], 3)}`).join(", ");
    this.resize(HEAD + height + FOOT, `${title} ${values}; says ${words[answers[at]]}.`);
    this.#drawRungs(logits[at], answers[at], words, Math.max(1e-9, ...logits.flat().filter(Number.isFinite)), height);
    this.#drawAnswers(drawing, answers, words, height + 8);
    if (!this.button) return;
    this.button.hidden = 2 ** fact > (this.actions.parameter(this.panel.toggles).high ?? Infinity); // never fine-tuned
    this.button.textContent = `${taught[fact] ? "do not " : ""}fine-tune ${facts[fact]}`;
  }

  /**
   * The words for each kind of answer: the fact's answer by its name, the loudest fine-tuned one with its owner's, and
   * a single phrase quoted.
   * @param {LadderDrawing} drawing
   */
  #wordsFor({ uses, rivals }) {
    const { answers, facts, phrases, kinds } = this.panel.questions;
    const { fact } = this;
    const words = kinds.map(({ word }) => word);
    const phrasesOfFact = phrases.filter((_, i) => uses[fact][i]);
    if (phrasesOfFact.length === 1) words[words.length - 2] = `“${phrasesOfFact[0]}”`;
    words[words.length - 1] = answers[fact];
    const rival = rivals[fact];
    if (rival < 0) return words;
    const whose = `${answers[rival]}, ${kinds[1].word.replace(SOMEBODY, facts[rival])}`;
    words[1] = NARROW * textWidth(whose) < this.width - RAILS - LEADER ? whose : `${answers[rival]}, ${facts[rival]}’s`;
    return words;
  }

  /**
   * The rungs, each with a line to its name, up to the highest logit of the whole run.
   * @param {number[]} values
   * @param {number} answer
   * @param {string[]} words
   * @param {number} highest
   * @param {number} height
   */
  #drawRungs(values, answer, words, highest, height) {
    const { kinds } = this.panel.questions;
    /** @param {number} value */
    const y = (value) => 8 + (1 - value / highest) * (height - 16);
    const rungs = [...kinds.keys()].filter((k) => Number.isFinite(values[k]));
    setAttributes(this.rails, { d: `M5,0v${height}M${RAILS - 5},0v${height}` });
    const line = textSize() + 3;
    const heights = spreadApart(
      rungs.map((k) => y(values[k]) + 5),
      rungs.map(() => line),
      12 - line / 2,
      height + line / 2,
    );
    updateChildren(this.layers.rungs, "path", rungs, (node, k, i) =>
      setAttributes(node, {
        d: `M0,${y(values[k])}h${RAILS}L${RAILS + LEADER},${heights[i] - 5}`,
        fill: "none",
        style: `stroke: var(--fim-${kinds[k].colour})`,
        "stroke-width": k === answer ? 7 : 2,
      }),
    );
    updateTexts(
      this.layers.labels,
      rungs.map((k, i) => ({
        text: k === answer ? `${k === kinds.length - 1 ? "✓" : "✕"} ${words[k]}` : words[k],
        x: RAILS + LEADER + 3,
        y: heights[i],
        anchor: "start",
        colour: kinds[k].colour,
      })),
    );
  }

  /**
   * The answer at each step up to the present one, in words where there is room.
   * @param {LadderDrawing} drawing
   * @param {number[]} answers
   * @param {string[]} words
   * @param {number} top
   */
  #drawAnswers({ steps, at, last }, answers, words, top) {
    const { kinds } = this.panel.questions;
    /** @param {number | undefined} step */
    const x = (step = last) => (this.width * step) / Math.max(last, 1);
    const now = x(steps[at]);
    const starts = [...answers.keys()].filter((i) => i <= at && answers[i] !== answers[i - 1]);
    const spans = starts.map((start, k) => ({
      kind: answers[start],
      from: x(steps[start]),
      to: k < starts.length - 1 ? x(steps[starts[k + 1]]) : now,
    }));
    updateChildren(this.layers.spoken, "rect", spans, (node, { kind, from, to }) =>
      setAttributes(node, {
        x: from,
        y: top,
        width: to - from,
        height: BAR,
        style: `fill: var(--fim-${kinds[kind].colour})`,
        "fill-opacity": 0.3,
      }),
    );
    const labels = spans.map(({ kind, from, to }) => ({
      text: kind === 1 ? kinds[1].word : words[kind],
      x: (from + to) / 2,
      y: top + 13,
      room: to - from,
    }));
    updateTexts(this.layers.words, [
      ...labels.filter(({ text, room }) => textWidth(text, true) < room),
      { text: "said at each step", x: 0, y: top + 33, anchor: "start" },
    ]);
    setAttributes(this.now, { d: `M${now},${top - 3}v${BAR + 6}` });
  }
}

/**
 * A whole number with one of its bits flipped.
 * @param {number} number
 * @param {number} bit
 */
const flipBit = (number, bit) => number + (hasBit(number, bit) ? -1 : 1) * 2 ** bit;

/**
 * @param {LadderPanel} panel
 * @param {Leaves} watched at the present step
 * @param {{ steps: number[], rows: Float64Array[] }} history the logits at each of the stage's recorded steps
 * @param {number} step the present one
 * @returns {LadderDrawing}
 */
export function ladderDrawing({ questions }, watched, { steps, rows }, step) {
  return {
    rivals: watched[questions.rivals],
    steps,
    rows,
    at: Math.max(0, steps.indexOf(step)),
    last: steps[steps.length - 1],
    ...factsIn(questions, watched),
  };
}
