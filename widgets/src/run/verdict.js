/** What a statement's verdict on a run comes to: pure, as widgets/figure/verdict.py hands the numbers over. */

import { readable } from "./format.js";

const MOST_DIGITS = 15;
const ITEM = /\{(hypothesis|bound|condition)\}/g; // in a sentence: the words of what decided

/**
 * @typedef {Object<string, Float64Array>} Verdict by the keys of `Judge.judge`
 * @param {Verdict} verdict
 * @returns {"holds" | "contradicted" | "outside" | "beyond" | "undecided"} which sentence to say
 */
export function outcome({ assumed, concluded, undecided }) {
  if (undecided[0] > 0.5) return "undecided";
  if (assumed[0] > 0.5) return concluded[0] > 0.5 ? "holds" : "contradicted";
  return concluded[0] > 0.5 ? "beyond" : "outside";
}

/** The verdict in a report, by the fields that hold it. */
export const verdictOf = (report, fields) => Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, report[field]]));

/** Red is kept for a contradiction; one choice that fails does not contradict that there is one. */
export function tone(key, exists) {
  if (key === "contradicted") return exists ? "warn" : "bad";
  return key === "holds" ? "good" : "warn";
}

/** What each chip says: its state, and its tone ("" is neutral). */
export function chips(verdict, exists) {
  const key = outcome(verdict);
  const assumed = verdict.assumed[0] > 0.5;
  const concluded = { undecided: "undecided", holds: "holds", beyond: "holds" }[key] ?? "fails";
  const good = verdict.good[0];
  return {
    assumed: { state: assumed ? "holds" : "broken", tone: assumed ? "good" : "warn" },
    concluded: { state: concluded, tone: { holds: "good", undecided: "" }[concluded] ?? tone(key, exists) },
    good: { state: Number.isNaN(good) ? "none" : good > 0.5 ? "good" : "poor", tone: "" },
  };
}

/** The places of what decided: the first hypothesis broken, the first bound that fails, the first condition not reached. */
export function deciders({ lights, holds, settled, ...verdict }) {
  const key = outcome(verdict);
  const first = (numbers, decides) => (decides ? numbers.findIndex((number) => !(number > 0.25)) : -1);
  return {
    hypothesis: first(lights, !(verdict.assumed[0] > 0.5)),
    bound: first(holds, key === "contradicted" || key === "outside"),
    condition: first(settled, key === "undecided"),
  };
}

/** A sentence with the words of what decided. */
export const worded = (sentence, words) => sentence.replace(ITEM, (_, item) => words[item] ?? "");

/**
 * A bound as a reader reads it: where the number must lie, and the number, with as many digits as it takes to see on
 * which side of a limit it is.
 * @returns {{must: string, is: string}}
 */
export function bound({ low, high, measured, holds, strict }) {
  const limits = [low, high].filter(Number.isFinite);
  let digits = 4;
  const looksEqual = (limit) => limit !== measured && readable(limit, digits) === readable(measured, digits);
  while (!holds && digits < MOST_DIGITS && limits.some(looksEqual)) digits += 1;
  return { must: interval(low, high, strict, digits), is: readable(measured, digits) };
}

const TIED = "\u00a0"; // a sign stays with its number

/** "≤ 0.693", "> 2", "= 3", "≈ 3" where both ends look alike, "0.31 … 0.35"; "" for no bound at all, "—" where none can be met. */
function interval(low, high, strict, digits) {
  const [least, most] = [low, high].map((end) => readable(end, digits));
  if (low === -Infinity && high === Infinity) return "";
  if (Number.isNaN(low) || Number.isNaN(high)) return readable(NaN);
  if (low === high) return `=${TIED}${least}`;
  if (low === -Infinity) return `${strict ? "<" : "≤"}${TIED}${most}`;
  if (high === Infinity) return `${strict ? ">" : "≥"}${TIED}${least}`;
  return least === most ? `≈${TIED}${least}` : `${least} … ${most}`;
}
