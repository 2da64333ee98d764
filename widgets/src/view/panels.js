/** From a run to what its panels draw. */

import { bisector, ticks } from "d3-array";

import { Ball, drawBall } from "../parts/ball.js";
import { Bars, drawBars } from "./bars.js";
import { Cards, drawCards } from "../parts/cards.js";
import { Chart } from "./chart.js";
import { Dots, drawDots } from "../parts/dots.js";
import { readable } from "../run/format.js";
import { drawGraph, Graph } from "../parts/graph.js";
import { drawHeat, Heat } from "./heat.js";
import { drawLadder, Ladder } from "../parts/ladder.js";
import { drawNet, Net } from "../parts/net.js";
import { arrange } from "../run/parameters.js";
import { drawRectangle, Rectangle } from "../parts/rectangle.js";
import { drawSimplex, Simplex } from "./simplex.js";
import { drawSplit, Split } from "../parts/split.js";
import { drawStrip, Strip } from "../parts/strip.js";
import { drawTiles, Tiles } from "./tiles.js";

const ROUNDING = 1e-6; // of a step: the last one must not be lost
const BREAK = 0.05; // of a stage's width: the gap between stages
const MOST_SAID = 8; // points that a description lists

/** The index of the last of the ascending `steps` that is at most `step`. */
const lastAtMost = (steps, step) => bisector((s) => s).right(steps, step) - 1;

/** Stage i stands on [i (1 + BREAK), i (1 + BREAK) + 1], however many steps it takes. */
function placed(run) {
  return run.histories.map(({ steps }, i) => ({ start: i * (1 + BREAK), last: steps.at(-1), length: Math.max(steps.at(-1), 1) }));
}

/** The place of a stage's last row up to a position on the common axis; −1 before the first. */
const placeAt = ({ steps }, { start, length }, until) => lastAtMost(steps, (until - start) * length + ROUNDING);

/** The rows of a stage up to such a position. */
function shown(history, stage, until) {
  const count = placeAt(history, stage, until) + 1;
  return { steps: history.steps.slice(0, count), rows: history.rows.slice(0, count) };
}

/** Where the axis of steps ends. */
const endOf = (run) => placed(run).at(-1).start + 1;

/** All rows of a run up to a share of its axis, stage after stage. */
function rowsUntil(run, share) {
  const stages = placed(run);
  return run.histories.flatMap((history, i) => shown(history, stages[i], share * endOf(run)).rows);
}

/** The stage and the step at a share of the axis, and what is watched there. */
export function momentOf(run, share) {
  const stages = placed(run);
  const until = share * endOf(run);
  const stage = Math.max(0, stages.findLastIndex(({ start }, i) => run.histories[i].rows.length && start <= until + ROUNDING));
  const { steps, rows } = run.histories[stage];
  const place = Math.max(0, placeAt(run.histories[stage], stages[stage], until));
  return { stage, step: steps[place], row: rows[place] };
}

/** Where on the axis, as a share, the run has a named stop; those that it does not reach are left out. */
export function stopsOf(stops, run, report, watch) {
  const stages = placed(run);
  const found = stops.map(({ name, stage, step, passes }) => {
    const { start, length, last } = stages[stage];
    const at = passes ? firstAbove(run.histories[stage], watch.indexOf(passes[0]), passes[1]) : step ? report[step][0] : last;
    return { name, share: at >= 0 && at <= last ? (start + at / length) / endOf(run) : NaN };
  });
  return found.filter(({ share }) => Number.isFinite(share)).sort((a, b) => a.share - b.share);
}

/** The first of the kept steps at which a component is above zero; NaN if there is none. */
const firstAbove = ({ steps, rows }, column, component) => steps[rows.findIndex((row) => row[column][component] > 0)] ?? NaN;

/** Where on the axis, as a share, a stage begins. */
export const beginOf = (run, stage) => placed(run)[stage] ? placed(run)[stage].start / endOf(run) : 0;

const levelsOf = (panel, report) => (panel.levels ?? [])
  .map((entry) => ({ ...entry, value: typeof entry.value === "string" ? report?.[entry.value][0] : entry.value }))
  .filter(({ value }) => Number.isFinite(value));

/** Watched quantities against the step, stage after stage, from the panel's first stage on. */
function drawTime(panel, report, spec, run, share) {
  const from = panel.since * (1 + BREAK);
  const stages = placed(run).slice(panel.since);
  const histories = run.histories.slice(panel.since);
  const parts = histories.map((history, i) => shown(history, stages[i], share * endOf(run)));
  const series = panel.series.map(({ field, component, label, colour, dash }) => {
    const column = spec.watch.indexOf(field);
    const x = [];
    const y = [];
    parts.forEach(({ steps, rows }, i) => {
      if (!rows.length) return;
      const start = stages[i].start - from;
      if (x.length) {
        x.push(start);
        y.push(NaN); // the line breaks between stages
      }
      steps.forEach((step, k) => {
        x.push(start + step / stages[i].length);
        y.push(rows[k][column][component]);
      });
    });
    return { x, y, label, colour, dash };
  });
  const values = series.filter((s) => s.label && s.y.length).map((s) => `${s.label} ends at ${readable(s.y[s.y.length - 1], 3)}`);
  return {
    series,
    levels: levelsOf(panel, report),
    bands: stages.map(({ start }, i) => ({ from: start - from, to: start - from + 1, label: spec.stages[panel.since + i].name })),
    xDomain: [0, (spec.stages.length - panel.since) * (1 + BREAK) - BREAK],
    xTicks: stages.flatMap(({ start, length, last }, i) =>
      ticks(0, length, 3).filter((step) => Number.isInteger(step) && step <= last && (step || !i)) // each stage counts from 0 again
        .map((step) => ({ at: start - from + step / length, text: step }))),
    text: `${panel.title}. ${values.join(", ")}.`,
  };
}

/** Curves, areas and points of the report, with the run's own path over them. */
function drawCurve(panel, report, spec, run, share) {
  if (!report) return null;
  const numbers = (field) => [...report[field]];
  const series = panel.series.map((s) => ({ ...s, x: numbers(s.x), y: numbers(s.y) }));
  const areas = panel.areas.map((a) => ({ ...a, x: numbers(a.x), low: numbers(a.low), high: numbers(a.high) }));
  const points = panel.points.map((p) => ({
    ...p, x: numbers(p.x), y: numbers(p.y), low: p.low && numbers(p.low), high: p.high && numbers(p.high),
  }));
  const marks = [];
  const rows = panel.path || panel.traces.length ? rowsUntil(run, share) : [];
  for (const { x: time, y: field, component, ...look } of panel.traces) {
    const [at, of] = [time, field].map((name) => spec.watch.indexOf(name));
    const moved = rows.filter((row, i) => !i || row[at][0] > rows[i - 1][at][0]);
    series.push({ ...look, smooth: true, x: moved.map((row) => row[at][0]), y: moved.map((row) => row[of][component]) });
  }
  if (panel.path) {
    const [x, y] = [panel.path.x, panel.path.y].map((field) => rows.map((row) => row[spec.watch.indexOf(field)][0]));
    series.push({ x, y, label: "", colour: panel.path.colour, dash: "2 3" });
    marks.push({ x: x[x.length - 1], y: y[y.length - 1], label: panel.path.label, colour: panel.path.colour });
  }
  const levels = levelsOf(panel, report);
  const said = [
    ...marks.map((m) => `${m.label} at ${readable(m.x, 3)}, height ${readable(m.y, 3)}`),
    ...series.filter((s) => s.label).map(ofCurve),
    ...areas.filter((a) => a.label).map((a) => `area ${a.label}`),
    ...points.filter((p) => p.label).map(ofPoints),
    ...levels.map((l) => `${l.label} at ${readable(l.value, 3)}`),
  ];
  return { series, areas, points, levels, marks, text: `${panel.title}. ${said.join("; ") || inside(series)}.` };
}

/** A curve without a name, in words. */
function inside(series) {
  const values = series.flatMap((s) => s.y.filter(Number.isFinite));
  return values.length ? `from ${readable(Math.min(...values), 3)} to ${readable(Math.max(...values), 3)}` : "nothing to show";
}

function ofCurve({ label, y }) {
  const there = y.filter(Number.isFinite);
  if (!there.length) return `${label}: nothing to show`;
  return `${label} from ${readable(there[0], 3)} to ${readable(there[there.length - 1], 3)}`;
}

function ofPoints({ label, x, y }) {
  const there = [...x.keys()].filter((i) => Number.isFinite(x[i] + y[i]));
  const first = there.slice(0, MOST_SAID).map((i) => `${readable(x[i], 3)}: ${readable(y[i], 3)}`);
  const more = there.length > MOST_SAID ? ` and ${there.length - MOST_SAID} more` : "";
  return `${label} ${first.join(", ") || "nowhere"}${more}`;
}

/** A drawing of the report alone: there is none before the run's end. */
const ofReport = (draw) => (panel, report) => report && draw(panel, report, levelsOf(panel, report));

/** A part of a scene: what is watched at one moment. */
const ofMoment = (draw) => (panel, report, spec, run, share) =>
  draw(panel, report, arrange(spec.watch, momentOf(run, share).row), levelsOf(panel, report));

/** One question at every step of its stage; before that stage there is only the moment itself. */
function ofQuestion(panel, report, spec, run, share) {
  const { stage, step, row } = momentOf(run, share);
  const column = spec.watch.indexOf(panel.asked.logits);
  const { steps, rows } = stage < panel.asked.since ? { steps: [0], rows: [row] } : run.histories[stage];
  return drawLadder(panel, arrange(spec.watch, row), { steps, rows: rows.map((each) => each[column]) }, step);
}

/** For each kind of panel what draws it, and how a run becomes its drawing; whether that changes while a run goes on. */
const kinds = {
  time: { Panel: Chart, drawing: drawTime, moves: true },
  curve: { Panel: Chart, drawing: drawCurve, moves: true },
  bar: { Panel: Bars, drawing: ofReport(drawBars) },
  heat: { Panel: Heat, drawing: ofReport(drawHeat) },
  simplex: { Panel: Simplex, drawing: ofReport(drawSimplex) },
  tiles: { Panel: Tiles, drawing: ofReport(drawTiles) },
  strip: { Panel: Strip, drawing: ofMoment(drawStrip), moves: true },
  net: { Panel: Net, drawing: ofMoment(drawNet), moves: true },
  rectangle: { Panel: Rectangle, drawing: ofMoment(drawRectangle), moves: true },
  ball: { Panel: Ball, drawing: ofMoment(drawBall), moves: true },
  dots: { Panel: Dots, drawing: ofMoment(drawDots), moves: true },
  cards: { Panel: Cards, drawing: ofMoment(drawCards), moves: true },
  graph: { Panel: Graph, drawing: ofMoment(drawGraph), moves: true },
  ladder: { Panel: Ladder, drawing: ofQuestion, moves: true },
  split: { Panel: Split, drawing: ofMoment(drawSplit), moves: true },
};

/**
 * A panel of a figure; `show` a run, up to a share of its history, and `aim` at the parameters as they are now.
 * @param {HTMLElement} parent
 * @param {object} panel
 * @param {object} spec
 * @param {object} hands see figure.js
 */
export function makePanel(parent, panel, spec, hands) {
  const { Panel, drawing, moves } = kinds[panel.kind];
  const drawn = new Panel(parent, panel, hands);
  let last;
  return {
    aim: () => drawn.aim?.(),
    show(run, share) {
      if (run.report && run === last && !moves) return;
      last = run.report && run;
      const shown = drawing(panel, run.report && arrange(spec.report, run.report), spec, run, share);
      if (shown) drawn.draw(shown);
    },
  };
}
