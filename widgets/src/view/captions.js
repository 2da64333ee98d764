/** Sentences with a run's numbers in them: the caption of the run, and what a stop shows. */

import { count, percent, readable } from "../run/format.js";

const NUMBER = /\{(\w+)(?:\[(\d+)\])?(?::([%n]))?\}/g;
const TYPICAL = "0.00000"; // as long as most numbers get
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const TYPICAL_SHARE = "less than 1\u00a0%";
const THINGS = "step|epoch|prompt|phrase|phrasing|fact|sample|example|relation|subject|word";
const ONE_OF_MANY = new RegExp(`(^|\\s)1 (small |more |training |unseen |new )?(${THINGS})s\\b`, "g");

/** @type {Record<string, (value: number) => string>} */
const formats = { number: inWords, n: count, "%": share };

/** A number as a sentence writes it: 4.4 × 10⁻¹² where a table has 4.4e−12. @param {number} value */
function inWords(value) {
  const [digits, power] = readable(value, 3).split("e");
  if (power === undefined) return digits;
  const times = /^−?1$/.test(digits) ? digits.slice(0, -1) : `${digits}\u00a0×\u00a0`;
  return `${times}10${power.replace("−", "⁻").replace(/\d/g, (digit) => RAISED[Number(digit)])}`;
}

/** A share as a sentence says it. @param {number} value */
function share(value) {
  return percent(value).replace("< ", "less than ").replace("> ", "more than ");
}

/** Every text, with numbers as long as they get. @param {string[]} texts */
export const longestTexts = (texts) => texts.map((text) => text.replace(NUMBER, (...match) => (match[3] === "%" ? TYPICAL_SHARE : TYPICAL)));

/** A text whose numbers are still to come. @param {string} text */
export const withoutNumbers = (text) => text.replace(NUMBER, "…");

/**
 * A text with numbers in it, and the fields that hold no finite number.
 * @param {string} text in which `{field}`, `{field[2]}` and `{field:%}` stand for numbers
 * @param {Record<string, ArrayLike<number>>} record
 */
export function quote(text, record) {
  /** @type {string[]} */
  const defects = [];
  const quoted = text.replace(NUMBER, (_, field, component, kind) => {
    const value = record[field]?.[component ?? 0] ?? NaN;
    if (!Number.isFinite(value)) defects.push(field);
    return formats[Number.isFinite(value) && kind ? kind : "number"](value);
  });
  return { text: quoted.replace(ONE_OF_MANY, (_, before, kind = "", thing) => `${before}1 ${kind}${thing}`), defects };
}

/**
 * A sentence on a run with its numbers; without what comes before its emphasis if the run lacks one of those.
 * @param {string} sentence
 * @param {Record<string, ArrayLike<number>>} record
 */
export function quoteOnRun(sentence, record) {
  const claim = sentence.slice(0, Math.max(0, sentence.indexOf("*")));
  const hasAll = quote(claim, record).defects.length === 0;
  return quote(hasAll ? sentence : sentence.slice(claim.length), record).text;
}

/**
 * The first text that applies, its place, and the fields in it that hold no finite number.
 * @param {string[]} caption the texts of its cases
 * @param {Record<string, ArrayLike<number>>} report `caption_cases` has a number for each case, above ½ where it
 *   applies
 */
export function captionOf(caption, report) {
  const place = Array.from(report.caption_cases).findIndex((applies) => applies > 0.5);
  return { ...quote(caption[place], report), place };
}
