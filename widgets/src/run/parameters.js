/** Parameters of a program: between the trait of a control and a number, and the numbers that the control offers. */

/** @import { Parameter, Track } from "../types.js" */

const IN_ADDRESS = "url-"; // before a control's name in the address, as a class of the control
const ROUNDING = 1e-9; // of a value: powers differ in the last digits

/**
 * The track of a slider; other controls of numbers have choices.
 * @param {Parameter} parameter
 * @returns {Track}
 */
function trackOf({ name, track }) {
  if (!track) throw new Error(`${name}: its control is not a slider`);
  return track;
}

/**
 * The place of the choice nearest to a value.
 * @param {number[]} choices
 * @param {number} value
 */
function nearestChoice(choices, value) {
  return choices.reduce(
    (best, choice, i) => (Math.abs(choice - value) < Math.abs(choices[best] - value) ? i : best),
    0,
  );
}

/**
 * The number that a control's trait stands for: an index into choices, a switch, or the number itself.
 * @param {Parameter} parameter
 * @param {any} trait as it is: a kernel or a host may set it to anything, and the figure says what is wrong with it
 * @returns {number} NaN for what is no place among choices
 */
export function valueFromTrait(parameter, trait) {
  if (parameter.fixed) return parameter.default;
  if (parameter.choices) return (typeof trait === "number" ? parameter.choices[trait] : undefined) ?? NaN;
  return typeof trait === "boolean" ? Number(trait) : trait;
}

/**
 * The trait of a control that stands for a number.
 * @param {Parameter} parameter
 * @param {number} value
 */
export function traitFromValue(parameter, value) {
  if (parameter.choices) return nearestChoice(parameter.choices, value);
  return parameter.boolean ? Boolean(value) : value;
}

/**
 * Leaves by the names of their fields.
 * @param {string[]} fields
 * @param {Float64Array[]} leaves
 * @returns {Record<string, Float64Array>}
 */
export function recordOf(fields, leaves) {
  return Object.fromEntries(fields.map((name, i) => [name, leaves[i]]));
}

/**
 * The value nearest to this one that the parameter's control can stand at.
 * @param {Parameter} parameter
 * @param {number} value
 */
export function snapToControl(parameter, value) {
  const { choices } = parameter;
  if (choices) return choices[nearestChoice(choices, value)];
  const { min, max, step, base } = trackOf(parameter);
  if (base) return base ** snapToGrid(Math.log(Math.max(value, Number.MIN_VALUE)) / Math.log(base), min, max, step);
  return snapToGrid(value, min, max, step);
}

/**
 * The value that is so many of the control's steps away.
 * @param {Parameter} parameter
 * @param {number} value
 * @param {number} steps
 */
export function moveBySteps(parameter, value, steps) {
  const { choices } = parameter;
  if (choices) {
    const place = nearestChoice(choices, value) + steps;
    return choices[Math.min(Math.max(place, 0), choices.length - 1)];
  }
  const { min, max, step, base } = trackOf(parameter);
  const stride = step || (max - min) / 100;
  if (base) return base ** snapToGrid(Math.log(value) / Math.log(base) + steps * stride, min, max, step);
  return snapToGrid(value + steps * stride, min, max, step);
}

/**
 * @param {number} value
 * @param {number} min
 * @param {number} max
 * @param {number | null} step
 */
function snapToGrid(value, min, max, step) {
  const nearest = step ? min + Math.round((value - min) / step) * step : value;
  return Number(Math.min(Math.max(nearest, min), max).toPrecision(12));
}

/**
 * The least and the largest value that the parameter's control offers.
 * @param {Parameter} parameter
 */
export function controlRange(parameter) {
  const { choices } = parameter;
  if (choices) return [Math.min(...choices), Math.max(...choices)];
  const { min, max, base } = trackOf(parameter);
  return [min, max].map((end) => (base ? base ** end : end));
}

/**
 * Whether a reader can set the parameter to a value.
 * @param {Parameter} parameter
 * @param {number} value
 */
export function isOffered(parameter, value) {
  if (parameter.fixed || parameter.boolean) return true;
  const [low, high] = controlRange(parameter);
  const slack = ROUNDING * Math.abs(value);
  return value >= low - slack && value <= high + slack;
}

/** The name of a control in the page's address, by its classes. @param {Iterable<string>} classes */
export const nameInAddress = (classes) =>
  Array.from(classes).find((name) => name.startsWith(IN_ADDRESS))?.slice(IN_ADDRESS.length);

/**
 * Whether a control sets a parameter: a figure may have something before all its names.
 * @param {Element} control
 * @param {string} name
 */
export const sets = (control, name) => Boolean(nameInAddress(control.classList)?.endsWith(name));
