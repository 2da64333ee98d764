/** The run's own time along the horizontal axis of the main drawing: the play bar below goes by it. */

import { between, clamp } from "../draw/ranges.js";

/** @import { Scale } from "../draw/scales.js" */

/**
 * Where the axis ends, in pixels; and the part of it that has passed at a share of the run, and back.
 * @typedef {{ end: number, placeAt(share: number): number, shareAt(place: number): number }} Clock
 */

/**
 * @param {Scale} across
 * @param {{ shares: number[], x: number[] }} run where along the axis a run is at its shares, both rising
 * @returns {Clock}
 */
export function clockOf(across, { shares, x }) {
  const [left, end] = across.range();
  const parts = x.map((time) => (across(time) - left) / (end - left));
  const places = parts.map((part) => (Number.isFinite(part) ? clamp(part, 0, 1) : 0)); // a logarithmic axis has no 0
  return {
    end,
    placeAt: (share) => between(shares, places, share),
    shareAt: (place) => (place > 0 && place < 1 ? between(places, shares, place) : place), // edges are the run's ends
  };
}
