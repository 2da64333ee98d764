/** What a chart of a report draws: curves, areas, points and levels, with the run's own path over them. */

import { readable } from "../run/format.js";
import { historiesUntil, sharesOf } from "../run/timeline.js";
import { readerAt } from "./kinds.js";
import { levelsOf } from "./levels.js";
import { growing } from "./time_chart.js";

/** @import { ChartInput, MarkData, PointsData, SeriesData } from "./chart.js" */
/** @import { Run } from "../run/program.js" */
/** @import { CurveChart, Leaves, Path, Spec, Trace } from "../types.js" */

const MOST_LISTED = 8; // points that a description lists

/** Whether anything drawn waits for its time, or follows the run. @param {CurveChart} panel */
export const curveMoves = ({ path, traces, series, points }) =>
  Boolean(path) || traces.length > 0 || [...series, ...points].some(({ when }) => when);

/**
 * Nothing before a report is there. The axes are those of the whole run, so that they stay as it is played.
 * @param {CurveChart} panel
 * @param {Leaves | null} report
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share of the run to draw
 * @returns {ChartInput | null}
 */
export function curveChartDrawing(panel, report, spec, run, share) {
  if (!report) return null;
  /** @param {string} field */
  const numbers = (field) => [...report[field]];
  const [read, readEnd] = [share, 1].map((moment) => readerAt(report, spec, run, moment));
  /** @param {CurveChart["series"][0] | CurveChart["points"][0]} drawn */
  const atEnd = ({ x, y, when }) => ({ x: numbers(x), y: readEnd(y, when) ?? [] });
  const allRows = run.histories.flatMap((history) => history.rows);
  const rows = panel.path || panel.traces.length ? historiesUntil(run, share).flatMap((history) => history.rows) : [];
  const traces = panel.traces.map((trace) => traceOf(trace, allRows, spec.watch));
  /** @type {SeriesData[]} */
  const series = [
    ...panel.series.map((curve) => ({ ...curve, x: numbers(curve.x), y: read(curve.y, curve.when) ?? [] })),
    ...panel.traces.map((trace, i) => growing(traceOf(trace, rows, spec.watch), traces[i], share)),
  ];
  const areas = panel.areas.map((area) => ({
    ...area,
    x: numbers(area.x),
    low: numbers(area.low),
    high: numbers(area.high),
  }));
  const points = panel.points.map((group) => {
    const y = read(group.y, group.when) ?? [];
    /** @param {string} field */
    const ends = (field) => (field && !(group.when && share < 1) ? numbers(field) : undefined);
    return { ...group, x: y.length ? numbers(group.x) : [], y, low: ends(group.low), high: ends(group.high) };
  });
  /** @type {MarkData[]} */
  const marks = [];
  if (panel.path) {
    const path = pathOf(panel.path, rows, spec.watch);
    series.push(path);
    marks.push({
      x: path.x[path.x.length - 1],
      y: path.y[path.y.length - 1],
      label: panel.path.label,
      colour: panel.path.colour,
    });
  }
  const levels = levelsOf(panel, report);
  const description = [
    ...marks.map(({ label, x, y }) => `${label} at ${readable(x, 3)}, height ${readable(y, 3)}`),
    ...series.filter(({ label }) => label).map(describeCurve),
    ...areas.filter(({ label }) => label).map(({ label }) => `area ${label}`),
    ...points.filter(({ label }) => label).map(describePoints),
    ...levels.map(({ label, value }) => `${label} at ${readable(value, 3)}`),
  ];
  return {
    series,
    whole: [
      ...traces,
      ...[...panel.series, ...panel.points].filter(({ when }) => when).map(atEnd),
      ...(panel.path ? [pathOf(panel.path, allRows, spec.watch)] : []),
    ],
    areas,
    points,
    levels,
    marks,
    clock: panel.traces.length ? clockOf(panel, run, spec.watch) : undefined,
    text: `${panel.title}. ${description.join("; ") || describeUnnamed(series)}.`,
  };
}

/**
 * The run's time along the axis, where all traces have the same one and it never goes back.
 * @param {CurveChart} panel
 * @param {Run} run
 * @param {string[]} watch
 */
function clockOf({ traces }, run, watch) {
  const [clock, ...others] = new Set(traces.map(({ x }) => x));
  const field = watch.indexOf(clock);
  const x = run.histories.flatMap(({ rows }) => rows.map((row) => row[field][0]));
  const isOne = !others.length && x.every((time, i) => !i || time >= x[i - 1]);
  return isOne ? { shares: sharesOf(run).flat(), x } : undefined;
}

/**
 * A watched quantity against another, at the rows where the other has grown.
 * @param {Trace} trace
 * @param {Float64Array[][]} rows
 * @param {string[]} watch
 */
function traceOf({ x, y, component, ...look }, rows, watch) {
  const [across, up] = [watch.indexOf(x), watch.indexOf(y)];
  const grown = rows.filter((row, i) => !i || row[across][0] > rows[i - 1][across][0]);
  return { ...look, smooth: true, x: grown.map((row) => row[across][0]), y: grown.map((row) => row[up][component]) };
}

/**
 * The run's own way.
 * @param {Path} path
 * @param {Float64Array[][]} rows
 * @param {string[]} watch
 */
function pathOf({ x, y, colour }, rows, watch) {
  const [across, up] = [watch.indexOf(x), watch.indexOf(y)];
  return { x: rows.map((row) => row[across][0]), y: rows.map((row) => row[up][0]), label: "", colour, dash: "2 3" };
}

/** Curves without names in words. @param {SeriesData[]} series */
function describeUnnamed(series) {
  const values = series.flatMap(({ y }) => y.filter(Number.isFinite));
  return values.length
    ? `from ${readable(Math.min(...values), 3)} to ${readable(Math.max(...values), 3)}`
    : "nothing to show";
}

/** @param {SeriesData} curve */
function describeCurve({ label, y }) {
  const finite = y.filter(Number.isFinite);
  if (!finite.length) return `${label}: nothing to show`;
  return `${label} from ${readable(finite[0], 3)} to ${readable(finite[finite.length - 1], 3)}`;
}

/** @param {PointsData} points */
function describePoints({ label, x, y }) {
  const finite = [...x.keys()].filter((i) => Number.isFinite(x[i] + y[i]));
  const first = finite.slice(0, MOST_LISTED).map((i) => `${readable(x[i], 3)}: ${readable(y[i], 3)}`);
  const more = finite.length > MOST_LISTED ? ` and ${finite.length - MOST_LISTED} more` : "";
  return `${label} ${first.join(", ") || "nowhere"}${more}`;
}
