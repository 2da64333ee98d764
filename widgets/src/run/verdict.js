/** What a statement's verdict on a run comes to: pure, as widgets/figure/verdict.py hands the numbers over. */

import { readable } from "./format.js";
import OUTCOMES from "./outcomes.json";

/** @import { Decider, Leaves, Outcome } from "../types.js" */

/**
 * Numbers by the keys of `Judge.judge` in widgets/figure/verdict.py.
 * @typedef {Record<string, ArrayLike<number>>} Verdict
 */
/** @typedef {"good" | "warn" | "bad" | ""} Tone "" is neutral */

const MOST_DIGITS = 15;
const DECIDER = /\{(hypothesis|bound|condition)\}/g; // in a sentence: what decided
const END = /\{(low|high|middle|half)\}/g; // in an interval's wording
const SIGN = /^([=≤<≥>]) /;
const NO_BREAK = "\u00a0"; // between a sign and its number

/** Each outcome in words. @type {Record<Outcome, string>} */
export const OUTCOME_WORDS = Object.assign(
  {},
  ...Object.entries(OUTCOMES).map(([outcome, { words }]) => ({ [outcome]: words })),
);

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

/** Whether a hypothesis says nothing at these settings. @param {Verdict} verdict */
export const isVacuous = ({ lights }) => Array.from(lights).some((light) => light !== 0 && light !== 1);

/**
 * Red is for a contradiction only; one choice that fails does not contradict an existence. Green is for what could have
 * failed: not where a hypothesis says nothing.
 * @param {Outcome} key
 * @param {boolean} exists
 * @param {boolean} vacuous
 * @returns {Tone}
 */
export function tone(key, exists, vacuous) {
  if (key === "contradicted") return exists ? "warn" : "bad";
  if (key === "holds") return vacuous ? "" : "good";
  return key === "undecided" ? "" : "warn";
}

/**
 * What a verdict says of hypotheses and conclusion, and whether what came out is any good.
 * @param {Verdict} verdict
 * @param {Outcome} key
 * @returns {Record<"assumed" | "concluded" | "good", string>}
 */
export function statesOf(verdict, key) {
  const good = verdict.good[0];
  return {
    assumed: verdict.assumed[0] > 0.5 ? "holds" : "broken",
    concluded: key === "undecided" ? key : key === "holds" || key === "beyond" ? "holds" : "fails",
    good: Number.isNaN(good) ? "none" : good > 0.5 ? "good" : "poor",
  };
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
 * A sentence with what decided.
 * @param {string} sentence
 * @param {(decider: Decider) => string | undefined} words of what decided
 */
export const worded = (sentence, words) =>
  sentence.replace(DECIDER, (_, decider) => words(/** @type {Decider} */ (decider)) ?? "");

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
