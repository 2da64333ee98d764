/** What a statement's verdict on a run comes to: pure, as widgets/figure/verdict.py hands the numbers over. */

import { readable } from "./format.js";

const MOST_DIGITS = 15;
const ITEM = /\{(hypothesis|bound|condition)\}/g; // in a sentence: the words of what decided
const END = /\{(low|high|middle|half)\}/g; // in an interval's wording
const SIGN = /^([=≤<≥>]) /;
const TIED = "\u00a0"; // a sign stays with its number

/**
 * @typedef {Object<string, Float64Array>} Verdict by the keys of `Judge.judge`
 * @param {Verdict} verdict
 * @param {string[]} outcomes of the sheet
 * @returns {string} which sentence to say
 */
export const outcome = (verdict, outcomes) => outcomes[verdict.outcome[0]];

/** The verdict in a report, by the fields that hold it. */
export const verdictOf = (report, fields) => Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, report[field]]));

/** Red is kept for a contradiction; one choice that fails does not contradict that there is one. */
export function tone(key, exists) {
  if (key === "contradicted") return exists ? "warn" : "bad";
  return key === "holds" ? "good" : "warn";
}

/** What each chip says: its state, and its tone ("" is neutral). */
export function chips(verdict, key, exists) {
  const assumed = verdict.assumed[0] > 0.5;
  const concluded = { undecided: "undecided", holds: "holds", beyond: "holds" }[key] ?? "fails";
  const good = verdict.good[0];
  return {
    assumed: { state: assumed ? "holds" : "broken", tone: assumed ? "good" : "warn" },
    concluded: { state: concluded, tone: { holds: "good", undecided: "" }[concluded] ?? tone(key, exists) },
    good: { state: Number.isNaN(good) ? "none" : good > 0.5 ? "good" : "poor", tone: "" },
  };
}

/** The places of what decided, −1 where the outcome does not rest on one. */
export function deciders({ decisive: [hypothesis, bound, condition] }) {
  return { hypothesis, bound, condition };
}

/** A sentence with the words of what decided. */
export const worded = (sentence, words) => sentence.replace(ITEM, (_, item) => words[item] ?? "");

/**
 * A bound as a reader reads it: where the number must lie, and the number, with as many digits as it takes to see on
 * which side of a limit it is.
 * @param {string} wording of the interval, one of the sheet's `intervals`
 * @returns {{must: string, is: string}}
 */
export function bound({ low, high, measured, holds }, wording) {
  const limits = [low, high].filter(Number.isFinite);
  let digits = 4;
  const looksEqual = (limit) => limit !== measured && readable(limit, digits) === readable(measured, digits);
  while (!holds && digits < MOST_DIGITS && limits.some(looksEqual)) digits += 1;
  const ends = { low, high, middle: (low + high) / 2 };
  const shown = (_, end) => (end === "half" ? readable((high - low) / 2, 1) : readable(ends[end], digits));
  const known = !Number.isNaN(low) && !Number.isNaN(high);
  return { must: known ? wording.replace(SIGN, `$1${TIED}`).replace(END, shown) : readable(NaN), is: readable(measured, digits) };
}
