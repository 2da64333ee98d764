/** The levels of a panel as numbers: those that a report holds are left out before the run's end. */

/** @import { DrawnLevel, Leaves, Level } from "../types.js" */

/**
 * @param {{ levels?: Level[] }} panel
 * @param {Leaves | null} report
 * @returns {DrawnLevel[]}
 */
export function levelsOf({ levels = [] }, report) {
  return levels
    .map(({ value, label, axis }) => ({
      value: typeof value === "number" ? value : (report?.[value][0] ?? NaN),
      label,
      axis,
    }))
    .filter(({ value }) => Number.isFinite(value));
}
