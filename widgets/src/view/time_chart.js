/** What a chart of watched quantities against the step draws, stage after stage, from the panel's first stage on. */

import { ticks } from "d3-array";

import { readable } from "../run/format.js";
import { GAP, historiesUntil, intervalsOf, startOf } from "../run/timeline.js";
import { levelsOf } from "./levels.js";

/** @import { ChartInput, SeriesData, TickData } from "./chart.js" */
/** @import { Run } from "../run/program.js" */
/** @import { Interval } from "../run/timeline.js" */
/** @import { Leaves, Line, Spec, TimeChart } from "../types.js" */

/**
 * Once a run is finished, the axes are those of all of it, so that they stay as it is played.
 * @param {TimeChart} panel
 * @param {Leaves | null} report
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share of the run to draw
 * @returns {ChartInput}
 */
export function timeChartDrawing(panel, report, spec, run, share) {
  const origin = panel.since * (1 + GAP);
  const intervals = intervalsOf(run)
    .slice(panel.since)
    .map((interval) => ({ ...interval, start: interval.start - origin }));
  const histories = historiesUntil(run, share).slice(panel.since);
  /** @param {{ steps: number[], rows: Float64Array[][] }[]} upTo */
  const lines = (upTo) =>
    panel.series.map((line) => seriesOf(line, spec.watch.indexOf(line.field), upTo, intervals));
  const whole = report ? lines(run.histories.slice(panel.since)) : [];
  const series = lines(histories).map((line, i) => growing(line, whole[i], share));
  const ends = series
    .filter(({ label, y }) => label && y.length)
    .map(({ label, y }) => `${label} ends at ${readable(y[y.length - 1], 3)}`);
  const begun = series.some(({ y }) => y.length);
  const none = begun ? `0 of ${series.length} lines have a number` : `0 steps of ${spec.stages[panel.since].name} so far`;
  const said = ends.join(", ") || none;
  const end = (spec.stages.length - panel.since) * (1 + GAP) - GAP;
  return {
    series,
    whole,
    levels: levelsOf(panel, report),
    bands: intervals.map(({ start }, i) => ({ from: start, to: start + 1, label: spec.stages[panel.since + i].name })),
    xDomain: [0, end],
    xTicks: intervals.flatMap(ticksOf),
    clock: panel.since === spec.scene.since ? { shares: [startOf(run, panel.since), 1], x: [0, end] } : undefined,
    text: `${panel.title}. ${said}.`,
  };
}

/**
 * A line up to a share of the run: a line that never gets a number has no name.
 * @template {SeriesData} Series
 * @param {Series} line
 * @param {{ y: number[] } | undefined} whole the same up to the end, if that is known
 * @param {number} share
 */
export const growing = (line, whole, share) => ({
  ...line,
  grows: share < 1,
  label: whole?.y.every(Number.isNaN) ? "" : line.label,
});

/**
 * @param {Line} line
 * @param {number} field its number
 * @param {{ steps: number[], rows: Float64Array[][] }[]} histories
 * @param {Interval[]} intervals
 */
function seriesOf({ component, label, colour, dash }, field, histories, intervals) {
  /** @type {number[]} */
  const x = [];
  /** @type {number[]} */
  const y = [];
  histories.forEach(({ steps, rows }, i) => {
    if (!rows.length) return;
    const { start, length } = intervals[i];
    if (x.length) {
      x.push(start);
      y.push(NaN); // the line breaks between stages
    }
    steps.forEach((step, k) => {
      x.push(start + step / length);
      y.push(rows[k][field][component]);
    });
  });
  return { x, y, label, colour, dash };
}

/**
 * Each stage counts its steps from 0; only the first one shows the 0.
 * @param {Interval} interval
 * @param {number} i
 * @returns {TickData[]}
 */
function ticksOf({ start, length, last }, i) {
  return ticks(0, length, 3)
    .filter((step) => Number.isInteger(step) && step <= last && (step || !i))
    .map((step) => ({ at: start + step / length, text: step }));
}
