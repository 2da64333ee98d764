/**
 * What a text means to a control: a value that it may stand at, or a sentence that asks for one. A reader types it, and
 * the address of a page and the host of a figure have it, too.
 */

import { withoutMath } from "../draw/math_text.js";
import { choicesInWords, inWords, please, rangeInWords } from "../run/allowed.js";
import { format } from "../run/format.js";
import { readRows } from "../run/own_data.js";
import { readingsOf } from "../run/read_number.js";

/** @import { Model } from "./models.js" */
/** @typedef {{ value?: any, note?: string, problem?: string }} Reading a value, with a remark where there is a doubt */

const LONGEST = 24; // letters of a text that a sentence quotes
const EDGE = 1e-9; // of a number: powers differ in the last digits
/** @type {Record<string, boolean>} */
const SWITCHES = { 1: true, on: true, true: true, yes: true, 0: false, off: false, false: false, no: false };

/** The trait that a reader moves: the place of a choice, or the value. @param {Model} model */
export const traitOf = (model) => (model.get("index") === undefined ? "value" : "index");

/**
 * What to call a control in a sentence: its description, or else its tooltip or its kind.
 * @param {Model} model
 * @returns {string}
 */
const labelOf = (model) => withoutMath(model.get("description")) || model.get("tooltip") || model.name.replace("Model", "");

/** @param {string} text */
const quoted = (text) => `“${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}”`;

/**
 * Set a control as a text says; where that is nothing it may stand at, it stays, and says what it may.
 * @param {Model} model
 * @param {string} text
 * @returns {Reading}
 */
export function setByText(model, text) {
  const reading = read(model, text);
  if (reading.problem) model.answer({ sentence: reading.problem, refused: text });
  else model.set(traitOf(model), reading.value);
  return reading;
}

/**
 * @param {Model} model
 * @param {string} text
 * @returns {Reading}
 */
function read(model, text) {
  const trimmed = text.trim();
  if (traitOf(model) === "index") return readChoice(model, trimmed);
  const kind = typeof model.get("value");
  if (kind === "string") {
    const rows = model.own && readRows(model.own, text);
    return typeof rows === "string" ? { problem: rows } : { value: text };
  }
  if (kind !== "boolean") return readNumber(model, trimmed);
  const value = Object.hasOwn(SWITCHES, trimmed.toLowerCase()) ? SWITCHES[trimmed.toLowerCase()] : undefined;
  return value === undefined ? { problem: please(labelOf(model), "on or off") } : { value };
}

/** The ends of a slider, or of a field; infinite where there is none. @param {Model} model */
export function rangeOf(model) {
  const [min, max, base] = ["min", "max", "base"].map((trait) => model.get(trait));
  if (model.name === "FloatLogSliderModel") return [base ** min, base ** max];
  return [min ?? -Infinity, max ?? Infinity];
}

/**
 * @param {Model} model
 * @param {string} text
 * @returns {Reading}
 */
function readNumber(model, text) {
  const [low, high] = rangeOf(model);
  const isWhole = model.parameter?.integer ?? model.name.includes("Int");
  const readings = readingsOf(text);
  const near = isWhole ? readings : readings.map((value) => ontoEnd(value, low, high));
  const inside = near.filter((value) => value >= low && value <= high && !(isWhole && !Number.isInteger(value)));
  if (inside.length) {
    const [value, other] = inside;
    const isDoubtful = other !== undefined || value !== near[0];
    const rest = other === undefined ? "" : `, not as ${inWords(other)}`;
    return isDoubtful ? { value, note: `Read as ${inWords(value)}${rest}.` } : { value };
  }
  const isFraction = isWhole && near.some((value) => value > low && value < high);
  const example = format(model.get("value"), model.get("readout_format"));
  const wanted = please(labelOf(model), rangeInWords(low, high, isFraction), readings.length ? "" : example);
  return { problem: readings.length || !text ? wanted : `${quoted(text)} cannot be read as a number. ${wanted}` };
}

/**
 * An end of the range for a number that is written as that end is.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function ontoEnd(value, low, high) {
  const isAt = (/** @type {number} */ end) =>
    Math.abs(value - end) <= EDGE * Math.abs(end) || (Number.isFinite(value) && inWords(value) === inWords(end));
  if (value < low && isAt(low)) return low;
  return value > high && isAt(high) ? high : value;
}

/**
 * @param {Model} model
 * @param {string} text
 * @returns {Reading}
 */
function readChoice(model, text) {
  /** @type {string[]} */
  const labels = model.get("_options_labels");
  const same = labels.findIndex((label) => label === text);
  if (same >= 0) return { value: same };
  const numbers = labels.map((label) => readingsOf(label)[0] ?? NaN);
  const readings = readingsOf(text);
  const place = numbers.findIndex((number) => readings.includes(number));
  if (place >= 0) return { value: place };
  const label = labelOf(model);
  if (numbers.some(Number.isNaN)) {
    const alike = labels.findIndex((word) => word.toLowerCase() === text.toLowerCase());
    return alike >= 0 ? { value: alike } : { problem: please(label, choicesInWords(labels.map((word) => `“${word}”`))) };
  }
  const above = numbers.findIndex((number) => number > readings[0]);
  const isBetween = above > 0 && readings[0] > numbers[0];
  return { problem: please(label, choicesInWords(isBetween ? labels.slice(above - 1, above + 1) : labels)) };
}
