/**
 * A field over a triangle, given at the points of a grid: its values between the points, its contours and its shades.
 *
 * The grid is that of `simplex_grid` in widgets/figure/panels.py: the point with j steps towards the second corner
 * and k towards the third.
 */

import { ticks } from "d3-array";

import { shareOf } from "../draw/ranges.js";

/** @import { Pair } from "../types.js" */

const CONTOURS = 5;
const FAINTEST = 0.06;
const DARKEST = 0.75;

/** How many steps an edge of the grid has. @param {number} count of points */
const edgeSteps = (count) => (Math.sqrt(8 * count + 1) - 3) / 2;

/**
 * The place of a point in the list.
 * @param {number} steps
 * @param {number} j
 * @param {number} k
 */
const indexOf = (steps, j, k) => k * (steps + 1) - (k * (k - 1)) / 2 + j;

/**
 * The field at a place between the points of the grid, linear in each triangle; NaN outside.
 * @param {number[]} values
 * @param {number} steps
 * @param {number} j
 * @param {number} k
 */
function interpolate(values, steps, j, k) {
  if (j < 0 || k < 0 || j + k > steps) return NaN;
  const [row, column] = [Math.min(Math.floor(k), steps - 1), Math.floor(j)];
  const [u, v] = [j - column, k - row];
  /** @param {number} dj @param {number} dk */
  const corner = (dj, dk) => values[indexOf(steps, Math.min(column + dj, steps - row - dk), row + dk)];
  if (u + v <= 1) return corner(0, 0) + u * (corner(1, 0) - corner(0, 0)) + v * (corner(0, 1) - corner(0, 0));
  return corner(1, 1) + (1 - u) * (corner(0, 1) - corner(1, 1)) + (1 - v) * (corner(1, 0) - corner(1, 1));
}

/** @typedef {{ value: number, at: [number, number] }} GridPoint its value, and where it is in the drawing */

/**
 * Lines of equal value, as path data.
 * @param {number[]} values
 * @param {Pair} domain
 * @param {(masses: [number, number, number]) => [number, number]} placeOf where three masses are in the drawing
 */
export function contours(values, domain, placeOf) {
  const steps = edgeSteps(values.length);
  /**
   * @param {number} j
   * @param {number} k
   * @returns {GridPoint}
   */
  const point = (j, k) => ({
    value: values[indexOf(steps, j, k)],
    at: placeOf([1 - (j + k) / steps, j / steps, k / steps]),
  });
  /** @type {GridPoint[][]} */
  const triangles = [];
  for (let k = 0; k < steps; k++) {
    for (let j = 0; j < steps - k; j++) {
      triangles.push([point(j, k), point(j + 1, k), point(j, k + 1)]);
      if (j < steps - k - 1) triangles.push([point(j + 1, k), point(j + 1, k + 1), point(j, k + 1)]);
    }
  }
  return ticks(domain[0], domain[1], CONTOURS)
    .map((level) => triangles.map((corners) => crossing(corners, level)).join(""))
    .filter(Boolean);
}

/**
 * The piece of a contour inside a triangle.
 * @param {GridPoint[]} corners
 * @param {number} level
 */
function crossing(corners, level) {
  /** @type {string[]} */
  const cuts = [];
  corners.forEach((from, i) => {
    const to = corners[(i + 1) % 3];
    if (from.value < level === to.value < level || !Number.isFinite(from.value + to.value)) return;
    const share = (level - from.value) / (to.value - from.value);
    cuts.push(from.at.map((place, axis) => (place + share * (to.at[axis] - place)).toFixed(1)).join());
  });
  return cuts.length === 2 ? `M${cuts[0]}L${cuts[1]}` : "";
}

/**
 * Shade the pixels of an image: the triangle stands on its lower edge, and is as wide as `size`.
 * @param {ImageData} image
 * @param {number[]} values
 * @param {Pair} domain
 * @param {number} size
 * @param {number[]} colour red, green and blue
 */
export function shade(image, values, domain, size, [red, green, blue]) {
  const { width, height, data } = image;
  const steps = edgeSteps(values.length);
  const heightOfTriangle = (Math.sqrt(3) / 2) * size;
  for (let row = 0, place = 0; row < height; row++) {
    const k = (steps * (height - 0.5 - row)) / heightOfTriangle;
    for (let column = 0; column < width; column++, place += 4) {
      const value = interpolate(values, steps, (steps * (column + 0.5)) / size - k / 2, k);
      if (Number.isNaN(value)) continue;
      data[place] = red;
      data[place + 1] = green;
      data[place + 2] = blue;
      data[place + 3] = 255 * (FAINTEST + (DARKEST - FAINTEST) * shareOf(value, domain));
    }
  }
}
