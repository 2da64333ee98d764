/** The logits of one question as rungs of a ladder, the top one of which is said; below, what is said at every step. */

import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { factOf, saidOf, statedOf } from "./facts.js";
import { element, Frame, keep, keepTexts, textSize, set, spread } from "../draw/svg.js";

const RAILS = 52; // between the rails
const FOOT = 58; // for what is said, and when

export class Ladder extends Frame {
  constructor(parent, panel, hands) {
    super(parent, panel);
    this.hands = hands;
    this.layer = this.layers("rails", "rungs", "labels", "says", "spoken", "now", "axis");
    this.rails = element(this.layer.rails, "path");
    this.now = element(this.layer.now, "path");
    if (!panel.toggles) return;
    this.button = add(this.box, "button", { type: "button" });
    this.button.addEventListener("click", () => hands.set({ [panel.toggles]: turned(hands.value(panel.toggles), this.fact) }));
  }

  get fact() {
    return factOf(this.hands, this.panel);
  }

  /** @param {{steps: number[], rows: Float64Array[], at: number, last: number, taught: boolean[], uses: boolean[][]}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { facts, phrases, kinds } = this.panel.asked;
    const { fact } = this;
    const { at } = drawing;
    const logits = drawing.rows.map((row) => [...row.slice(fact * kinds.length, (fact + 1) * kinds.length)]);
    const own = phrases.filter((_, i) => drawing.uses[fact][i]);
    const words = kinds.map(({ word }, k) => (k === kinds.length - 2 && own.length === 1 ? `“${own[0]}”` : word));
    const title = this.panel.title.replace("{fact}", facts[fact]);
    const values = kinds.map((_, k) => `${words[k]} ${readable(logits[at][k], 3)}`).join(", ");
    const said = logits.map(saidOf);
    const tall = textSize() > 13 ? 190 : 92;
    this.box.firstChild.textContent = title;
    this.measure();
    this.size(tall + FOOT, `${title} ${drawing.taught[fact] ? "Fine-tuned" : "Unseen"}, at step ${drawing.steps[at]}: ${values}; says ${words[said[at]]}.`);
    this.#climb(logits[at], said[at], words, Math.max(1e-9, ...logits.flat().filter(Number.isFinite)), tall);
    const right = said[at] === kinds.length - 1;
    keepTexts(this.layer.says, [{ text: `${right ? "✓" : "✕"} ${words[said[at]]}`, x: 0, y: tall + 18, anchor: "start", colour: right ? "good" : "bad" }]);
    this.#speak(drawing, stretches(said), tall + 28);
    if (this.button) this.#offer(facts[fact], drawing.taught[fact]);
  }

  /** The rungs, up to the highest of the whole run, and their names. */
  #climb(values, said, words, high, tall) {
    const { kinds } = this.panel.asked;
    const y = (value) => 8 + (1 - value / high) * (tall - 16);
    const rungs = [...kinds.keys()].filter((k) => Number.isFinite(values[k]));
    set(this.rails, { d: `M5,0v${tall}M${RAILS - 5},0v${tall}` });
    keep(this.layer.rungs, "path", rungs, (node, k) => set(node, {
      d: `M0,${y(values[k])}h${RAILS}`, style: `stroke: var(--fim-${kinds[k].colour})`, "stroke-width": k === said ? 7 : 3, "data-value": values[k],
    }));
    const heights = spread(rungs.map((k) => y(values[k]) + 5), 12, tall, textSize() + 3);
    keepTexts(this.layer.labels, rungs.map((k, i) => ({ text: words[k], x: RAILS + 7, y: heights[i], anchor: "start", colour: kinds[k].colour })));
  }

  /** What is said at every step, and where the run stands. */
  #speak({ steps, at, last }, spoken, top) {
    const { kinds } = this.panel.asked;
    const place = (step) => (this.width * step) / Math.max(last, 1);
    keep(this.layer.spoken, "rect", spoken, (node, { kind, from, to }) => set(node, {
      x: place(steps[from]), y: top, width: place(steps[to] ?? last) - place(steps[from]), height: 12,
      style: `fill: var(--fim-${kinds[kind].colour})`, "fill-opacity": kind === kinds.length - 1 ? 1 : 0.3,
    }));
    set(this.now, { d: `M${place(steps[at])},${top - 4}v20` });
    keepTexts(this.layer.axis, [{ text: `step ${steps[at]} of ${last}`, x: 0, y: top + 26, anchor: "start" }]);
  }

  #offer(name, taught) {
    this.button.disabled = 2 ** this.fact > this.hands.parameter(this.panel.toggles).high;
    this.button.textContent = this.button.disabled ? "rare: never fine-tuned" : `${taught ? "do not fine-tune" : "fine-tune"} ${name}`;
  }
}

/** A whole number with one of its bits turned over. */
const turned = (number, bit) => number + (Math.floor(number / 2 ** bit) % 2 ? -1 : 1) * 2 ** bit;

/** Stretches of equal kinds, from a place to where the next begins. */
function stretches(kinds) {
  const starts = [...kinds.keys()].filter((i) => kinds[i] !== kinds[i - 1]);
  return starts.map((from, k) => ({ kind: kinds[from], from, to: starts[k + 1] }));
}

/** @param {{steps: number[], rows: Float64Array[]}} history the logits at each of a stage's kept steps */
export function drawLadder({ asked }, watched, { steps, rows }, step) {
  return { steps, rows, at: Math.max(0, steps.indexOf(step)), last: steps.at(-1), ...statedOf(asked, watched) };
}
