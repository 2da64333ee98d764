/**
 * How near a sketched curve is to the run's: both as heights at equal distances from the run's start to its end, on an
 * axis from `low` to `high`.
 */

/** @import { Pair } from "../types.js" */

const NEAR = 0.1; // of the axis
/** The share of the run for which a sketch must be near it to count as right. */
export const MOST = 0.9;

/**
 * For which share of the run a sketch is within a tenth of the axis of it; NaN where the run has no numbers.
 * @param {number[]} sketch
 * @param {number[]} run
 * @param {Pair} domain
 */
export function shareNear(sketch, run, [low, high]) {
  const places = run.flatMap((height, i) => (Number.isFinite(height) ? [i] : []));
  const near = places.filter((i) => Math.abs(sketch[i] - run[i]) <= NEAR * (high - low));
  return near.length / places.length;
}

/** Whether a sketch is right. @param {number[]} sketch @param {number[]} run @param {Pair} domain */
export const isNear = (sketch, run, domain) => shareNear(sketch, run, domain) >= MOST;
