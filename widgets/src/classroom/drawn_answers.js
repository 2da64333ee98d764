/**
 * A run's curve among two wrong ones, for a question with three drawn answers; and sketches as text.
 *
 * In: heights of the curve at equal distances from the run's start to its end, and the range of the chart's axis.
 */

import { clamp } from "../draw/ranges.js";

const LEVELS = 255; // of a height, in a byte
const JUMP = 0.25; // of the run, where a curve that jumps does so early; late at three quarters

/** @import { Pair } from "../types.js" */

/**
 * The mean distance of two curves, as a share of the chart's height.
 * @param {number[]} one
 * @param {number[]} other
 * @param {Pair} domain
 */
function distance(one, other, [low, high]) {
  const gaps = one.map((height, i) => Math.abs(height - other[i])).filter(Number.isFinite);
  return gaps.length ? gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / (high - low) : NaN;
}

/** Heights as one byte each, in base64. @param {number[]} heights @param {Pair} domain */
export const encode = (heights, [low, high]) =>
  btoa(String.fromCharCode(...heights.map((height) => Math.round((LEVELS * (height - low)) / (high - low)))));

/** The heights in such a text; null if it holds none. @param {string} text @param {Pair} domain */
export function decode(text, [low, high]) {
  if (!/^[\w+/]{4,400}={0,2}$/.test(text) || text.length % 4) return null;
  return [...atob(text)].map((byte) => low + ((high - low) * byte.charCodeAt(0)) / LEVELS);
}

/**
 * Three curves, one of them the run's: the others are the two that are the least alike, of what a student may think.
 * @param {number[]} run
 * @param {Pair} domain
 * @param {number} seed which of the three places the run has
 * @returns {{ curves: number[][], right: number }}
 */
export function drawnAnswers(run, domain, seed) {
  const [low, high] = domain;
  const whole = run.map((height) => clamp(Number.isFinite(height) ? height : low, low, high));
  const last = whole.length - 1;
  const [first, end] = [whole[0], whole[last]];
  /** @param {(share: number) => number} height */
  const curve = (height) => whole.map((_, i) => clamp(height(i / last), low, high));
  const wrong = [
    [...whole].reverse(),
    curve((share) => first + share * (end - first)),
    curve((share) => (share < JUMP ? first : end)),
    curve((share) => (share < 1 - JUMP ? first : end)),
    whole.map((height) => low + high - height),
    curve((share) => low + (high - low) * 4 * share * (1 - share)),
    curve(() => (low + high) / 2),
  ];
  let [best, pair] = [-1, [wrong[0], wrong[1]]];
  wrong.forEach((one, i) => {
    for (const other of wrong.slice(i + 1)) {
      const gaps = [distance(one, whole, domain), distance(other, whole, domain), distance(one, other, domain)];
      const least = Math.min(...gaps);
      if (least > best) [best, pair] = [least, [one, other]];
    }
  });
  const right = seed % (pair.length + 1);
  return { curves: pair.toSpliced(right, 0, whole), right };
}
