/**
 * The common axis of a run's stages: stage i stands on [i (1 + GAP), i (1 + GAP) + 1], however many steps it takes.
 *
 * A share of the axis, from 0 to 1, is a moment of the run; the scrubber, the stops and every drawing use it.
 */

import { recordOf } from "./parameters.js";

/** @import { Run } from "./program.js" */
/** @import { Leaves, Stop } from "../types.js" */

/**
 * @typedef {{ start: number, last: number, length: number }} Interval where a stage begins on the axis, its last
 *   step, and how many steps its unit holds
 */

const ROUNDING = 1e-6; // of a step: the last one must not be lost
export const GAP = 0.05; // between stages, of a stage's width

/**
 * The place of the last of the ascending steps that is at most `step`; −1 if there is none.
 * @param {number[]} steps
 * @param {number} step
 */
const lastAtMost = (steps, step) => steps.findLastIndex((one) => one <= step);

/** @param {Run} run @returns {Interval[]} */
export function intervalsOf(run) {
  return run.histories.map(({ steps }, i) => {
    const last = steps[steps.length - 1];
    return { start: i * (1 + GAP), last, length: Math.max(last, 1) };
  });
}

/** Where the axis ends. @param {Run} run */
const endOfAxis = (run) => (run.histories.length - 1) * (1 + GAP) + 1;

/**
 * The place of a stage's last row up to a position on the axis; −1 before the first.
 * @param {{ steps: number[] }} history
 * @param {Interval} interval
 * @param {number} position
 */
const lastRowBefore = ({ steps }, { start, length }, position) =>
  lastAtMost(steps, (position - start) * length + ROUNDING);

/** The shares of the axis at which the rows of each stage stand. @param {Run} run */
export function sharesOf(run) {
  const end = endOfAxis(run);
  return intervalsOf(run).map(({ start, length }, i) =>
    run.histories[i].steps.map((step) => (start + step / length) / end),
  );
}

/**
 * For each stage its rows up to a share of the axis.
 * @param {Run} run
 * @param {number} share
 */
export function historiesUntil(run, share) {
  const intervals = intervalsOf(run);
  return run.histories.map((history, i) => {
    const count = lastRowBefore(history, intervals[i], share * endOfAxis(run)) + 1;
    return { steps: history.steps.slice(0, count), rows: history.rows.slice(0, count) };
  });
}

/**
 * What is watched after each step that these histories keep, stage after stage.
 * @param {{ rows: Float64Array[][] }[]} histories
 * @param {string[]} watch the fields of what is watched
 */
export const watchedIn = (histories, watch) =>
  histories.flatMap(({ rows }) => rows).map((row) => recordOf(watch, row));

/**
 * The stage and the step at a share of the axis, and the row of what is watched there.
 * @param {Run} run
 * @param {number} share
 */
export function momentOf(run, share) {
  const intervals = intervalsOf(run);
  const position = share * endOfAxis(run);
  const begun = intervals.findLastIndex(({ start }, i) => run.histories[i].rows.length && start <= position + ROUNDING);
  const stage = Math.max(0, begun);
  const { steps, rows } = run.histories[stage];
  const place = Math.max(0, lastRowBefore(run.histories[stage], intervals[stage], position));
  return { stage, step: steps[place], row: rows[place] };
}

/**
 * The named stops that the run reaches, in the order of their shares of the axis.
 * @param {Stop[]} stops
 * @param {Run} run
 * @param {Leaves} report
 * @param {string[]} watch the fields of what is watched
 */
export function stopsOf(stops, run, report, watch) {
  const intervals = intervalsOf(run);
  const placed = stops.map(({ name, says, stage, step, passes }) => {
    const { start, length, last } = intervals[stage];
    let at = last;
    if (passes) at = firstStepAboveZero(run.histories[stage], watch.indexOf(passes[0]), passes[1]);
    else if (step) at = report[step][0];
    return { name, says, share: at >= 0 && at <= last ? (start + at / length) / endOfAxis(run) : NaN };
  });
  return placed.filter(({ share }) => Number.isFinite(share)).sort((a, b) => a.share - b.share);
}

/**
 * The first recorded step at which a component is above zero; NaN if there is none.
 * @param {{ steps: number[], rows: Float64Array[][] }} history
 * @param {number} field
 * @param {number} component
 */
const firstStepAboveZero = ({ steps, rows }, field, component) =>
  steps[rows.findIndex((row) => row[field][component] > 0)] ?? NaN;

/**
 * The share of the axis at which a stage begins; 0 before the run has entered it.
 * @param {Run} run
 * @param {number} stage
 */
export function startOf(run, stage) {
  return stage < run.histories.length ? intervalsOf(run)[stage].start / endOfAxis(run) : 0;
}
