/** What a caption says of a run: the first text that applies, with the run's numbers in it. */

import { readable } from "./format.js";

const PLACE = /\{(\w+)(?::([%n]))?\}/g;
const TYPICAL = "0.00000"; // as long as a number gets
const HARDLY = 1e-9; // shares as near to none or all as this are none or all

const formats = { number: (value) => readable(value, 3), n: count, "%": share };

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

function count(value) {
  return Math.abs(value) < 1e9 ? String(Math.round(value)).replace("-", "−") : readable(value, 3);
}

/** In whole percent; neither none nor all unless it is. */
function share(value) {
  const percent = Math.round(100 * value);
  if (percent === 0 && value > HARDLY) return "< 1\u00a0%";
  if (percent === 100 && value < 1 - HARDLY) return "> 99\u00a0%";
  return `${count(percent)}\u00a0%`;
}
