/** What a caption says of a run: the first text that applies, with the run's numbers in it. */

import { count, percent, readable } from "../run/format.js";

const PLACE = /\{(\w+)(?::([%n]))?\}/g;
const TYPICAL = "0.00000"; // as long as a number gets

const formats = { number: (value) => readable(value, 3), n: count, "%": percent };

/** Every text of a caption, with numbers as long as they get. */
export const possible = (caption) => caption.map((text) => text.replace(PLACE, TYPICAL));

/**
 * @param {string[]} caption the texts of its cases
 * @param {Object<string, ArrayLike<number>>} report `caption_cases` has a number for each case, above ½ where it applies
 * @returns {{text: string, place: number, defects: string[]}} the first text that applies, its place, and the fields in it
 *   that hold no finite number
 */
export function spoken(caption, report) {
  const defects = [];
  const place = [...report.caption_cases].findIndex((applies) => applies > 0.5);
  const text = caption[place].replace(PLACE, (_, name, kind) => {
    const value = report[name][0];
    if (!Number.isFinite(value)) defects.push(name);
    return formats[Number.isFinite(value) && kind ? kind : "number"](value);
  });
  return { text, place, defects };
}
