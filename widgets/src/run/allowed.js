/** What a setting may be, in the words that the page asks for it: "Phrases to cover: 0 to 10, please." */

import { readable } from "./format.js";
import { controlRange } from "./parameters.js";

/** @import { Parameter } from "../types.js" */

const FEW = 6; // choices: so many are named
const DIGITS = 4;

/** A number as the sentences have it. @param {number} value */
export const inWords = (value) =>
  Number.isSafeInteger(value) ? value.toLocaleString("en").replace("-", "−") : readable(value, DIGITS);

/**
 * A range as its slider shows it; an end that is none is infinite.
 * @param {number} low
 * @param {number} high
 * @param {boolean} isWhole whether that is to be said
 */
export function rangeInWords(low, high, isWhole = false) {
  const kind = isWhole ? "a whole number " : "";
  if (Number.isFinite(low) && Number.isFinite(high)) return `${kind}${kind && "from "}${inWords(low)} to ${inWords(high)}`;
  if (Number.isFinite(low)) return `${kind || "a number "}from ${inWords(low)} on`;
  if (Number.isFinite(high)) return `${kind || "a number "}up to ${inWords(high)}`;
  return (kind || "a number ").trim();
}

/** Choices: each of a few, or else their first and their last. @param {string[]} words */
export function choicesInWords(words) {
  if (words.length > FEW) return `${words[0]} to ${words[words.length - 1]}`;
  return [words.slice(0, -1).join(", "), words[words.length - 1]].filter(Boolean).join(" or ");
}

/**
 * A sentence that asks for a setting by its label, without the symbol or remark in brackets at its end.
 * @param {string} label
 * @param {string} wanted
 * @param {string} [example]
 */
export function please(label, wanted, example) {
  const name = label.replace(/\s+\([^()]*\)$/, "");
  const start = /^\p{Ll}{2}/u.test(name) ? name[0].toUpperCase() + name.slice(1) : name;
  return `${start}: ${wanted}, please${example ? `, such as ${example}` : ""}.`;
}

/**
 * The sentence that asks for a value that the parameter may have, or null if this is one.
 * @param {Parameter} parameter
 * @param {number} value
 */
export function problemWith(parameter, value) {
  const { name, label = name.replaceAll("_", " "), low, high, low_open, high_open, integer, choices, boolean, track } = parameter;
  const tooLow = low !== null && (low_open ? value <= low : value < low);
  const tooHigh = high !== null && (high_open ? value >= high : value > high);
  const isFraction = integer && Number.isFinite(value) && !Number.isInteger(value);
  if (Number.isFinite(value) && !tooLow && !tooHigh && !isFraction) return null;
  if (boolean) return please(label, "on or off");
  const ends = choices || track ? controlRange(parameter) : [low ?? -Infinity, high ?? Infinity];
  return please(label, rangeInWords(ends[0], ends[1], isFraction));
}

/**
 * The sentences for all values that are not allowed.
 * @param {Parameter[]} parameters
 * @param {number[]} values in their order
 */
export const problemsWith = (parameters, values) =>
  parameters.map((parameter, i) => problemWith(parameter, values[i])).filter((problem) => problem !== null);
