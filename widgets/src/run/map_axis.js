/** An axis of a map: the values of a parameter that its cells stand for, and where any value lies along them. */

import { controlRange, snapToControl } from "./parameters.js";

/** @import { Parameter } from "../types.js" */

/**
 * Values from the least to the largest, one for each cell; `placeOf` a value is in cells, from 0 to their number.
 * @typedef {{ values: number[], placeOf: (value: number) => number }} MapAxis
 */

/** Whether a reader can move the parameter to two values or more. @param {Parameter} parameter */
export const canBeAxis = ({ fixed, choices, boolean, track }) =>
  !fixed && Boolean(boolean || (choices && choices.length > 1) || (track && track.max > track.min));

/**
 * The axis of a parameter with at most so many cells; where its control offers no more values, each has a cell.
 * @param {Parameter} parameter one that can be an axis
 * @param {number} most
 * @returns {MapAxis}
 */
export function mapAxis(parameter, most) {
  const values = [...new Set(valuesOf(parameter, most))].sort((a, b) => a - b);
  const isLog = Boolean(parameter.track?.base);
  /** @param {number} value */
  const along = (value) => (isLog ? Math.log(value) : value);
  const centres = values.map(along);
  /** @param {number} value */
  const placeOf = (value) => {
    const at = along(value);
    const above = centres.findIndex((centre) => centre >= at);
    const next = Math.max(above < 0 ? centres.length - 1 : above, 1);
    const share = (at - centres[next - 1]) / (centres[next] - centres[next - 1]);
    return Math.min(Math.max(next - 0.5 + share, 0), values.length);
  };
  return { values, placeOf };
}

/**
 * As many of the choices, evenly apart, the first and the last among them.
 * @param {number[]} choices
 * @param {number} most
 */
function thinned(choices, most) {
  if (choices.length <= most) return choices;
  const last = choices.length - 1;
  return Array.from({ length: most }, (_, i) => choices[Math.round((i * last) / (most - 1))]);
}

/** @param {Parameter} parameter @param {number} most */
function valuesOf(parameter, most) {
  const { boolean, choices, track, integer } = parameter;
  if (boolean) return [0, 1];
  if (choices || !track) return thinned(choices ?? [], most);
  const { min, max, step, base } = track;
  const count = step && !base ? Math.floor((max - min) / step + 1e-9) + 1 : Infinity;
  if (count <= most) return Array.from({ length: count }, (_, i) => snapToControl(parameter, min + i * (step ?? 1)));
  const [low, high] = controlRange(parameter);
  return Array.from({ length: most }, (_, i) => {
    const share = i / (most - 1); // the ends are where a hypothesis may just hold
    const value = snapToControl(parameter, base ? low ** (1 - share) * high ** share : low + share * (high - low));
    return integer ? Math.round(value) : value;
  });
}
