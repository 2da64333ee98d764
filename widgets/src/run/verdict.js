/** What a statement's verdict on a run comes to: pure, as widgets/figure/verdict.py hands the numbers over. */

import { readable } from "./format.js";

/** @import { Leaves, Outcome } from "../types.js" */

/**
 * Numbers by the keys of `Judge.judge` in widgets/figure/verdict.py.
 * @typedef {Record<string, ArrayLike<number>>} Verdict
 */
/** @typedef {"good" | "warn" | "bad" | ""} Tone "" is neutral */
/**
 * The words of what decided, or what they are about: the first hypothesis, bound and condition that decide.
 * @typedef {"hypothesis" | "bound" | "condition"} Decider
 */

const MOST_DIGITS = 15;
const DECIDER = /\{(hypothesis|bound|condition)\}/g; // in a sentence: the words of what decided
const END = /\{(low|high|middle|half)\}/g; // in an interval's wording
const SIGN = /^([=≤<≥>]) /;
const NO_BREAK = "\u00a0"; // between a sign and its number

/**
 * Which outcome a verdict is, and so which sentence to say.
 * @param {Verdict} verdict
 * @param {Outcome[]} outcomes of the sheet
 */
export const outcome = (verdict, outcomes) => outcomes[verdict.outcome[0]];

/**
 * The verdict in a report, by the fields that hold it.
 * @param {Leaves} report
 * @param {Record<string, string>} fields
 * @returns {Record<string, Float64Array>}
 */
export const verdictOf = (report, fields) =>
  Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, report[field]]));

/**
 * Red is for a contradiction only; one choice that fails does not contradict an existence.
 * @param {Outcome} key
 * @param {boolean} exists
 * @returns {Tone}
 */
export function tone(key, exists) {
  if (key === "contradicted") return exists ? "warn" : "bad";
  return key === "holds" ? "good" : "warn";
}

/**
 * The state and the tone of each chip.
 * @param {Verdict} verdict
 * @param {Outcome} key
 * @param {boolean} exists
 * @returns {Record<"assumed" | "concluded" | "good", { state: string, tone: Tone }>}
 */
export function chips(verdict, key, exists) {
  const assumed = verdict.assumed[0] > 0.5;
  const good = verdict.good[0];
  return {
    assumed: assumed ? { state: "holds", tone: "good" } : { state: "broken", tone: "warn" },
    concluded: conclusionChip(key, exists),
    good: { state: Number.isNaN(good) ? "none" : good > 0.5 ? "good" : "poor", tone: "" },
  };
}

/**
 * @param {Outcome} key
 * @param {boolean} exists
 * @returns {{ state: string, tone: Tone }}
 */
function conclusionChip(key, exists) {
  if (key === "undecided") return { state: "undecided", tone: "" };
  if (key === "holds" || key === "beyond") return { state: "holds", tone: "good" };
  return { state: "fails", tone: tone(key, exists) };
}

/**
 * The places of what decided, −1 where the outcome does not rest on one.
 * @param {Verdict} verdict
 * @returns {Record<Decider, number>}
 */
export function deciders({ decisive }) {
  return { hypothesis: decisive[0], bound: decisive[1], condition: decisive[2] };
}

/**
 * A sentence with the words of what decided.
 * @param {string} sentence
 * @param {Partial<Record<Decider, string>>} words
 */
export const worded = (sentence, words) =>
  sentence.replace(DECIDER, (_, decider) => words[/** @type {Decider} */ (decider)] ?? "");

/**
 * A bound as a reader reads it: where the number must lie, and the number, with as many digits as it takes to see on
 * which side of a limit it is.
 * @param {{ low: number, high: number, measured: number, holds: boolean | number }} numbers
 * @param {string} wording of the interval, one of the sheet's `intervals`
 * @returns {{must: string, is: string}}
 */
export function bound({ low, high, measured, holds }, wording) {
  const limits = [low, high].filter(Number.isFinite);
  let digits = 4;
  /** @param {number} limit */
  const looksEqual = (limit) => limit !== measured && readable(limit, digits) === readable(measured, digits);
  while (!holds && digits < MOST_DIGITS && limits.some(looksEqual)) digits += 1;
  const is = readable(measured, digits);
  if (Number.isNaN(low) || Number.isNaN(high)) return { must: readable(NaN), is };
  /** @type {Record<string, string>} */
  const ends = {
    low: readable(low, digits),
    high: readable(high, digits),
    middle: readable((low + high) / 2, digits),
    half: readable((high - low) / 2, 1),
  };
  return { must: wording.replace(SIGN, `$1${NO_BREAK}`).replace(END, (_, end) => ends[end]), is };
}
