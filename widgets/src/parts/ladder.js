/**
 * The logits of one question as rungs of a ladder, the top one of which is the answer; below, the answer at every
 * step.
 */

import { add } from "../draw/dom.js";
import { Frame } from "../draw/frame.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { spreadApart, textSize } from "../draw/text_layout.js";
import { readable } from "../run/format.js";
import { answerOf, chosenFact, factsIn, hasBit } from "./facts.js";

/** @import { Ladder as LadderPanel, Leaves, ParameterActions } from "../types.js" */

const RAILS = 52; // pixels between the rails
const FOOT = 58; // for the answer, and the answers of all steps

/**
 * The logits at each of the recorded steps, the place of the present one and the last step; for each fact whether it is
 * fine-tuned and the phrases that state it.
 * @typedef {{ steps: number[], rows: Float64Array[], at: number, last: number, taught: boolean[], uses: boolean[][]
 *   }} LadderDrawing
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
    this.layers = this.addLayers("rails", "rungs", "labels", "says", "spoken", "now", "axis");
    this.rails = addSvg(this.layers.rails, "path");
    this.now = addSvg(this.layers.now, "path");
    if (!panel.toggles) return;
    this.button = add(this.box, "button", { type: "button" });
    this.button.addEventListener("click", () =>
      actions.set({ [panel.toggles]: flipBit(actions.value(panel.toggles), this.fact) }),
    );
  }

  get fact() {
    return chosenFact(this.actions, this.panel.questions);
  }

  /** @param {LadderDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { facts, kinds } = this.panel.questions;
    const { fact } = this;
    const { at, steps, taught } = drawing;
    const logits = drawing.rows.map((row) => [...row.slice(fact * kinds.length, (fact + 1) * kinds.length)]);
    const answers = logits.map(answerOf);
    const words = this.#wordsFor(drawing.uses[fact]);
    const title = this.panel.title.replace("{fact}", facts[fact]);
    const height = textSize() > 13 ? 190 : 92;
    if (this.heading) this.heading.textContent = title;
    this.measure();
    const values = words.map((word, k) => `${word} ${readable(logits[at][k], 3)}`).join(", ");
    this.resize(
      height + FOOT,
      `${title} ${taught[fact] ? "Fine-tuned" : "Unseen"}, at step ${steps[at]}: ${values}; says ${words[answers[at]]}.`,
    );
    this.#drawRungs(logits[at], answers[at], words, Math.max(1e-9, ...logits.flat().filter(Number.isFinite)), height);
    const right = answers[at] === kinds.length - 1;
    updateTexts(this.layers.says, [
      {
        text: `${right ? "✓" : "✕"} ${words[answers[at]]}`,
        x: 0,
        y: height + 18,
        anchor: "start",
        colour: right ? "good" : "bad",
      },
    ]);
    this.#drawAnswers(drawing, intervalsOfEqual(answers), height + 28);
    this.#labelButton(facts[fact], taught[fact]);
  }

  /**
   * The words for each kind of answer; a single phrase of the fact is quoted.
   * @param {boolean[]} uses the phrases that state the fact
   */
  #wordsFor(uses) {
    const { phrases, kinds } = this.panel.questions;
    const phrasesOfFact = phrases.filter((_, i) => uses[i]);
    return kinds.map(({ word }, k) =>
      k === kinds.length - 2 && phrasesOfFact.length === 1 ? `“${phrasesOfFact[0]}”` : word,
    );
  }

  /**
   * The rungs and their names, up to the highest logit of the whole run.
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
    updateChildren(this.layers.rungs, "path", rungs, (node, k) =>
      setAttributes(node, {
        d: `M0,${y(values[k])}h${RAILS}`,
        style: `stroke: var(--fim-${kinds[k].colour})`,
        "stroke-width": k === answer ? 7 : 3,
        "data-value": values[k],
      }),
    );
    const heights = spreadApart(
      rungs.map((k) => y(values[k]) + 5),
      12,
      height,
      textSize() + 3,
    );
    updateTexts(
      this.layers.labels,
      rungs.map((k, i) => ({ text: words[k], x: RAILS + 7, y: heights[i], anchor: "start", colour: kinds[k].colour })),
    );
  }

  /**
   * The answer at every step, and where the run stands.
   * @param {LadderDrawing} drawing
   * @param {Interval[]} intervals
   * @param {number} top
   */
  #drawAnswers({ steps, at, last }, intervals, top) {
    const { kinds } = this.panel.questions;
    /** @param {number} step */
    const x = (step) => (this.width * step) / Math.max(last, 1);
    updateChildren(this.layers.spoken, "rect", intervals, (node, { kind, from, to }) =>
      setAttributes(node, {
        x: x(steps[from]),
        y: top,
        width: x(steps[to] ?? last) - x(steps[from]),
        height: 12,
        style: `fill: var(--fim-${kinds[kind].colour})`,
        "fill-opacity": kind === kinds.length - 1 ? 1 : 0.3,
      }),
    );
    setAttributes(this.now, { d: `M${x(steps[at])},${top - 4}v20` });
    updateTexts(this.layers.axis, [{ text: `step ${steps[at]}`, x: 0, y: top + 26, anchor: "start" }]);
  }

  /** @param {string} name @param {boolean} taught */
  #labelButton(name, taught) {
    if (!this.button) return;
    const high = this.actions.parameter(this.panel.toggles).high ?? Infinity;
    this.button.disabled = 2 ** this.fact > high;
    this.button.textContent = this.button.disabled
      ? "a rare fact: only frequent ones are fine-tuned"
      : `${taught ? "do not fine-tune" : "fine-tune"} ${name}`;
  }
}

/**
 * A whole number with one of its bits flipped.
 * @param {number} number
 * @param {number} bit
 */
const flipBit = (number, bit) => number + (hasBit(number, bit) ? -1 : 1) * 2 ** bit;

/**
 * @typedef {{ kind: number, from: number, to: number }} Interval of equal kinds: its first place, and the first of
 *   the next; beyond the end for the last
 */

/** @param {number[]} kinds @returns {Interval[]} */
function intervalsOfEqual(kinds) {
  const starts = [...kinds.keys()].filter((i) => kinds[i] !== kinds[i - 1]);
  return starts.map((from, k) => ({ kind: kinds[from], from, to: starts[k + 1] ?? kinds.length }));
}

/**
 * @param {LadderPanel} panel
 * @param {Leaves} watched at the present step
 * @param {{ steps: number[], rows: Float64Array[] }} history the logits at each of the stage's recorded steps
 * @param {number} step the present one
 * @returns {LadderDrawing}
 */
export function ladderDrawing({ questions }, watched, { steps, rows }, step) {
  return {
    steps,
    rows,
    at: Math.max(0, steps.indexOf(step)),
    last: steps[steps.length - 1],
    ...factsIn(questions, watched),
  };
}
