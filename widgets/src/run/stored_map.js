/** A map's cells from coarse to fine, and what its coarsest come to as a page stores it. */

import { mapAxis } from "./map_axis.js";
import { problemsWith } from "./allowed.js";

/** @import { MapAxis } from "./map_axis.js" */
/** @import { Trial } from "./trials.js" */
/** @import { Parameter, Spec, StoredMap } from "../types.js" */

export const LEVELS = [8, 16, 32]; // cells along an axis
export const FINEST = 32;
const SIDES = "-+"; // of a border that is known in closed form
const NO_BORDER = " ";
const FAILED = "-";

/** How many of the finest cells lie along the side of one of a level. @param {MapAxis} axis @param {number} level */
export function stride(axis, level) {
  let cells = 1;
  while (axis.values.length / cells > LEVELS[level]) cells *= 2;
  return cells;
}

/** @typedef {Record<"x" | "y", { name: string, axis: MapAxis }>} Axes with the names of their parameters */

/**
 * The settings of one of the finest cells.
 * @param {Parameter[]} parameters
 * @param {Axes} axes
 * @param {number[]} values of the other parameters
 * @param {number} i
 * @param {number} j
 */
export const cellSettings = (parameters, { x, y }, values, i, j) =>
  parameters.map(({ name }, place) => {
    if (name === x.name) return x.axis.values[i];
    return name === y.name ? y.axis.values[j] : values[place];
  });

/**
 * The settings of the cells of a level, all that are allowed.
 * @param {Parameter[]} parameters
 * @param {Axes} axes
 * @param {number[]} values of the other parameters
 * @param {number} level
 */
export function settingsOf(parameters, axes, values, level) {
  const { x, y } = axes;
  const [across, up] = [stride(x.axis, level), stride(y.axis, level)];
  /** @type {number[][]} */
  const settings = [];
  for (let j = 0; j < y.axis.values.length; j += up)
    for (let i = 0; i < x.axis.values.length; i += across) {
      const cell = cellSettings(parameters, axes, values, i, j);
      if (!problemsWith(parameters, cell).length) settings.push(cell);
    }
  return settings;
}

/** The coarsest cells of a figure's own axes at its defaults. @param {Pick<Spec, "map" | "parameters">} spec */
export function coarsest({ map, parameters }) {
  if (!map) return [];
  /** @param {string} name */
  const along = (name) => {
    const parameter = /** @type {Parameter} */ (parameters.find((parameter) => parameter.name === name));
    return { name, axis: mapAxis(parameter, FINEST) };
  };
  const usual = parameters.map((parameter) => parameter.default);
  return settingsOf(parameters, { x: along(map.x), y: along(map.y) }, usual, 0);
}

/**
 * Trials as a page stores them: a digit for each and for each statement, twice the outcome's place and 1 where no
 * hypothesis is violated; and a sign for the side of the border. One that failed is left to the page, which says why.
 * @param {Trial[]} trials
 * @param {number} statements how many
 * @returns {StoredMap}
 */
export const pack = (trials, statements) => ({
  judged: Array.from({ length: statements }, (_, place) =>
    trials
      .map(({ judged: { [place]: said } }) => (said ? 2 * said.outcome + Number(said.assumed) : FAILED))
      .join(""),
  ),
  sides: trials.map(({ border }) => (Number.isNaN(border) ? NO_BORDER : SIDES[Number(border > 0)])).join(""),
});

/**
 * The trials that were packed, but for those that failed; of a border only the side is known.
 * @param {StoredMap} stored
 * @returns {(Trial | undefined)[]}
 */
export const unpack = ({ judged, sides }) =>
  [...sides].map((side, place) =>
    judged[0][place] === FAILED
      ? undefined
      : {
          judged: judged.map((digits) => ({
            outcome: Number(digits[place]) >> 1,
            assumed: Number(digits[place]) % 2 === 1,
          })),
          border: side === NO_BORDER ? NaN : 2 * SIDES.indexOf(side) - 1,
        },
  );
