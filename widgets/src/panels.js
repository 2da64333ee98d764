/** From a run to what a chart draws. */

import { ticks } from "d3-array";

import { lastAtMost } from "./chart.js";
import { readable } from "./format.js";
import { arrange } from "./parameters.js";

const ROUNDING = 1e-6; // of a step: the last one must not be lost
const BREAK = 0.05; // of a stage's width: the gap between stages

/** Stage i stands on [i (1 + BREAK), i (1 + BREAK) + 1], however many steps it takes. */
function placed(run) {
  return run.histories.map(({ steps }, i) => ({ start: i * (1 + BREAK), last: steps.at(-1), length: Math.max(steps.at(-1), 1) }));
}

/** The rows of a stage up to a position on the common axis. */
function shown(history, { start, length }, until) {
  const count = lastAtMost(history.steps, (until - start) * length + ROUNDING) + 1;
  return { steps: history.steps.slice(0, count), rows: history.rows.slice(0, count) };
}

/** Where the axis of steps ends. */
const endOf = (run) => placed(run).at(-1).start + 1;

function level(entry, report) {
  const value = typeof entry.value === "string" ? report?.[entry.value][0] : entry.value;
  return { ...entry, value };
}

const levelsOf = (panel, report) => panel.levels.map((entry) => level(entry, report)).filter((l) => Number.isFinite(l.value));

function reportOf(spec, run) {
  return run.report && arrange(spec.report, run.report);
}

/** Watched quantities against the step, stage after stage. */
export function drawTime(panel, spec, run, share) {
  const stages = placed(run);
  const parts = run.histories.map((history, i) => shown(history, stages[i], share * endOf(run)));
  const series = panel.series.map(({ field, component, label, colour, dash }) => {
    const column = spec.watch.indexOf(field);
    const x = [];
    const y = [];
    parts.forEach(({ steps, rows }, i) => {
      if (!rows.length) return;
      if (x.length) {
        x.push(stages[i].start);
        y.push(NaN); // the line breaks between stages
      }
      steps.forEach((step, k) => {
        x.push(stages[i].start + step / stages[i].length);
        y.push(rows[k][column][component]);
      });
    });
    return { x, y, label, colour, dash };
  });
  const values = series.filter((s) => s.label && s.y.length).map((s) => `${s.label} ends at ${readable(s.y[s.y.length - 1], 3)}`);
  return {
    series,
    levels: levelsOf(panel, reportOf(spec, run)),
    bands: stages.map(({ start }, i) => ({ from: start, to: start + 1, label: spec.stages[i].name })),
    xDomain: [0, spec.stages.length * (1 + BREAK) - BREAK],
    xTicks: stages.flatMap(({ start, length, last }) =>
      ticks(0, length, 3).filter((step) => Number.isInteger(step) && step <= last && (step || !start)) // each stage counts from 0 again
        .map((step) => ({ at: start + step / length, text: step }))),
    text: `${panel.title}. ${values.join(", ")}.`,
  };
}

/** Curves of the report, with the run's own path over them. */
export function drawCurve(panel, spec, run, share) {
  const report = reportOf(spec, run);
  if (!report) return null;
  const series = panel.series.map(({ x, y, label, colour, dash }) => ({
    x: [...report[x]], y: [...report[y]], label, colour, dash,
  }));
  const marks = [];
  if (panel.path) {
    const stages = placed(run);
    const rows = run.histories.flatMap((history, i) => shown(history, stages[i], share * endOf(run)).rows);
    const [x, y] = [panel.path.x, panel.path.y].map((field) => rows.map((row) => row[spec.watch.indexOf(field)][0]));
    series.push({ x, y, label: "", colour: panel.path.colour, dash: "2 3" });
    marks.push({ x: x[x.length - 1], y: y[y.length - 1], label: panel.path.label, colour: panel.path.colour });
  }
  const where = marks.map((m) => `${m.label} at ${readable(m.x, 3)}, height ${readable(m.y, 3)}`);
  const levels = levelsOf(panel, report);
  const named = levels.map((l) => `${l.label} at ${readable(l.value, 3)}`);
  return { series, levels, marks, text: `${panel.title}. ${[...where, ...named].join("; ")}.` };
}
