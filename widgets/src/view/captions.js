/** What a caption says of a run: the first text that applies, with the run's numbers in it. */

import { count, percent, readable } from "../run/format.js";

const PLACE = /\{(\w+)(?::([%n]))?\}/g;
const TYPICAL = "0.00000"; // as long as a number gets

const formats = { number: (value) => readable(value, 3), n: count, "%": percent };

/** Every text of a caption, with numbers as long as they get. */
export const possible = (caption) => caption.map(({ text }) => text.replace(PLACE, TYPICAL));

/**
 * @param {Array<{when: string, text: string}>} caption
 * @param {Object<string, Float64Array>} report
 * @returns {{text: string, defects: string[]}} the text, and the fields in it that hold no finite number
 */
export function spoken(caption, report) {
  const defects = [];
  const said = caption.find(({ when }) => applies(when, report));
  const text = said.text.replace(PLACE, (_, name, kind) => {
    const value = report[name][0];
    if (!Number.isFinite(value)) defects.push(name);
    return formats[Number.isFinite(value) && kind ? kind : "number"](value);
  });
  return { text, defects };
}

/** Whether every field named in "a & !b" is on which side of ½ it should be; "" names none. */
export function applies(when, report) {
  const parts = when.split("&").map((part) => part.trim()).filter(Boolean);
  return parts.every((part) => (part.startsWith("!") ? report[part.slice(1)][0] <= 0.5 : report[part][0] > 0.5));
}
