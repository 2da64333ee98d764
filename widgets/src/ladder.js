/** The logits of one question as rungs of a ladder, the top one of which is said; below, what is said at every step. */

import { add } from "./dom.js";
import { readable } from "./format.js";
import { rowsOf, saidOf, statedOf } from "./graph.js";
import { element, Frame, keep, keepTexts, letters, set, spread } from "./svg.js";

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
    return this.hands.fact ?? this.panel.asked.first;
  }

  /** @param {{steps: number[], logits: number[][][], at: number, last: number, taught: boolean[], uses: boolean[][]}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { facts, phrases, kinds } = this.panel.asked;
    const { fact } = this;
    const title = this.panel.title.replace("{fact}", facts[fact]);
    this.box.firstChild.textContent = title;
    const { steps, at, last } = drawing;
    const logits = drawing.logits.map((row) => row[fact]);
    const values = logits[at];
    const own = [...phrases.keys()].filter((i) => drawing.uses[fact][i]);
    const words = kinds.map(({ word }, k) => (k === kinds.length - 2 && own.length === 1 ? `“${phrases[own[0]]}”` : word));
    const width = this.measure();
    const tall = letters().size > 13 ? 190 : 92;
    const high = Math.max(1e-9, ...logits.flat().filter(Number.isFinite));
    const y = (value) => 8 + (1 - value / high) * (tall - 16);
    const said = saidOf(values);
    const right = said === kinds.length - 1;
    const spoken = stretches(logits.map(saidOf));
    this.size(tall + FOOT, `${title} ${drawing.taught[fact] ? "Fine-tuned" : "Unseen"}, at step ${steps[at]}: ${kinds.map((_, k) => `${words[k]} ${readable(values[k], 3)}`).join(", ")}; says ${words[said]}.`);
    const rungs = [...kinds.keys()].filter((k) => Number.isFinite(values[k]));
    set(this.rails, { d: `M5,0v${tall}M${RAILS - 5},0v${tall}` });
    keep(this.layer.rungs, "path", rungs, (node, k) => set(node, {
      d: `M0,${y(values[k])}h${RAILS}`, style: `stroke: var(--fim-${kinds[k].colour})`, "stroke-width": k === said ? 7 : 3, "data-value": values[k],
    }));
    const heights = spread(rungs.map((k) => y(values[k]) + 5), 12, tall, letters().size + 3);
    keepTexts(this.layer.labels, rungs.map((k, i) => ({ text: words[k], x: RAILS + 7, y: heights[i], anchor: "start", colour: kinds[k].colour })));
    const place = (step) => (width * step) / Math.max(last, 1);
    keepTexts(this.layer.says, [{ text: `${right ? "✓" : "✕"} ${words[said]}`, x: 0, y: tall + 18, anchor: "start", colour: right ? "good" : "bad" }]);
    keep(this.layer.spoken, "rect", spoken, (node, { kind, from, to }) => set(node, {
      x: place(steps[from]), y: tall + 28, width: place(steps[to] ?? last) - place(steps[from]), height: 12,
      style: `fill: var(--fim-${kinds[kind].colour})`, "fill-opacity": kind === kinds.length - 1 ? 1 : 0.3,
    }));
    set(this.now, { d: `M${place(steps[at])},${tall + 24}v20` });
    keepTexts(this.layer.axis, [{ text: `step ${steps[at]} of ${last}`, x: 0, y: tall + 54, anchor: "start" }]);
    if (this.button) this.#offer(facts[fact], drawing.taught[fact]);
  }

  #offer(name, taught) {
    this.button.disabled = 2 ** this.fact > this.hands.parameter(this.panel.toggles).high;
    this.button.textContent = this.button.disabled ? `${name} is rare: never fine-tuned` : `${taught ? "do not fine-tune" : "fine-tune"} ${name}`;
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
  const logits = rows.map((row) => rowsOf(row, asked.kinds.length));
  return { steps, logits, at: Math.max(0, steps.indexOf(step)), last: steps.at(-1), ...statedOf(asked, watched) };
}
