/** From a run to what a chart draws. */

import { lastAtMost, readable } from "./chart.js";
import { arrange } from "./parameters.js";

const BREAK = 0.04; // of the steps: the gap where a stage is taken to its limit

/** Where each stage starts on the common axis of steps. */
function offsets(run) {
  const lengths = run.histories.map(({ steps }) => steps[steps.length - 1]);
  const gap = BREAK * lengths.reduce((a, b) => a + b, 0);
  let start = 0;
  return lengths.map((length) => {
    const here = start;
    start += length + gap;
    return { start: here, length };
  });
}

/** The rows of a stage up to a position on the common axis. */
function shown(history, { start }, until) {
  const count = lastAtMost(history.steps, until - start) + 1;
  return { steps: history.steps.slice(0, count), rows: history.rows.slice(0, count) };
}

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
  const stages = offsets(run);
  const last = stages[stages.length - 1];
  const end = last.start + last.length;
  const parts = run.histories.map((history, i) => shown(history, stages[i], share * end));
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
        x.push(stages[i].start + step);
        y.push(rows[k][column][component]);
      });
    });
    return { x, y, label, colour, dash };
  });
  const values = series.filter((s) => s.label && s.y.length).map((s) => `${s.label} ends at ${readable(s.y[s.y.length - 1], 3)}`);
  return {
    series,
    levels: levelsOf(panel, reportOf(spec, run)),
    bands: stages.map(({ start, length }, i) => ({ from: start, to: start + length, label: spec.stages[i].name })),
    xDomain: [0, Math.max(end, 1)],
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
    const stages = offsets(run);
    const until = share * (stages[stages.length - 1].start + stages[stages.length - 1].length);
    const rows = run.histories.flatMap((history, i) => shown(history, stages[i], until).rows);
    const [x, y] = [panel.path.x, panel.path.y].map((field) => rows.map((row) => row[spec.watch.indexOf(field)][0]));
    series.push({ x, y, label: "", colour: panel.path.colour, dash: "2 3" });
    marks.push({ x: x[x.length - 1], y: y[y.length - 1], label: panel.path.label, colour: panel.path.colour });
  }
  const where = marks.map((m) => `${m.label} at ${readable(m.x, 3)}, height ${readable(m.y, 3)}`);
  const levels = levelsOf(panel, report);
  const named = levels.map((l) => `${l.label} at ${readable(l.value, 3)}`);
  return { series, levels, marks, text: `${panel.title}. ${[...where, ...named].join("; ")}.` };
}
