/** Numbers and the ranges that they lie in. */

/**
 * The number of [low, high] nearest to this one.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/**
 * Where between the ends of a domain a number lies, from 0 to 1.
 * @param {number} value
 * @param {number[]} domain
 */
export const shareOf = (value, [low, high]) => (high > low ? clamp((value - low) / (high - low), 0, 1) : 0);

/**
 * A domain that has a width: 1 about a single number, [0, 1] where there are no numbers.
 * @param {[number, number] | [undefined, undefined]} domain
 * @returns {[number, number]}
 */
export function widen([low, high]) {
  if (low === undefined || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/**
 * A finite number brought into [low, high]; `otherwise` for any other.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 * @param {number} otherwise
 */
export const clampFinite = (value, low, high, otherwise) =>
  Number.isFinite(value) ? clamp(value, low, high) : otherwise;

/**
 * What belongs to a number, by what belongs to its neighbours among rising ones; beyond the ends, to those.
 * @param {number[]} numbers
 * @param {number[]} values
 * @param {number} number
 */
export function between(numbers, values, number) {
  const after = numbers.findIndex((one) => one >= number);
  if (after <= 0) return values[after ? values.length - 1 : 0];
  const share = (number - numbers[after - 1]) / (numbers[after] - numbers[after - 1]);
  return values[after - 1] + share * (values[after] - values[after - 1]);
}
