/** The caption of a run: the text of the first case that applies, with the run's numbers in it. */

import { count, percent, readable } from "../run/format.js";

const NUMBER = /\{(\w+)(?::([%n]))?\}/g;
const TYPICAL = "0.00000"; // as long as a number gets

/** @type {Record<string, (value: number) => string>} */
const formats = { number: (value) => readable(value, 3), n: count, "%": percent };

/** Every text of a caption, with numbers as long as they get. @param {string[]} caption */
export const longestTexts = (caption) => caption.map((text) => text.replace(NUMBER, TYPICAL));

/**
 * The first text that applies, its place, and the fields in it that hold no finite number.
 * @param {string[]} caption the texts of its cases
 * @param {Record<string, ArrayLike<number>>} report `caption_cases` has a number for each case, above ½ where it
 *   applies
 */
export function captionOf(caption, report) {
  /** @type {string[]} */
  const defects = [];
  const place = Array.from(report.caption_cases).findIndex((applies) => applies > 0.5);
  const text = caption[place].replace(NUMBER, (_, field, kind) => {
    const value = report[field][0];
    if (!Number.isFinite(value)) defects.push(field);
    return formats[Number.isFinite(value) && kind ? kind : "number"](value);
  });
  return { text, place, defects };
}
