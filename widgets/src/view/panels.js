/** Panels of a figure by their kinds: what draws each, and how a run becomes its drawing. */

import { kinds as kindsOfPages } from "scenes-of-pages"; // book/<paper>/<page>/scene.js, found when this is bundled

import { Ball, ballDrawing } from "../parts/ball.js";
import { Net, netDrawing } from "../parts/net.js";
import { Rectangle, rectangleDrawing } from "../parts/rectangle.js";
import { Strip, stripDrawing } from "../parts/strip.js";
import { Units, unitsDrawing } from "../parts/units.js";
import { recordOf } from "../run/parameters.js";
import { Bars, barsDrawing, barsMove } from "./bars.js";
import { Chart } from "./chart.js";
import { curveChartDrawing, curveMoves } from "./curve_chart.js";
import { Heat, heatDrawing } from "./heat.js";
import { always, never, ofMoment, ofReport } from "./kinds.js";
import { Simplex, simplexDrawing } from "./simplex.js";
import { Tiles, tilesDrawing } from "./tiles.js";
import { timeChartDrawing } from "./time_chart.js";

/** @import { Run } from "../run/program.js" */
/** @import { Clock } from "./clock.js" */
/** @import { Kind } from "./kinds.js" */
/** @import { Panel, ParameterActions, Part, Spec } from "../types.js" */

/** @type {Record<string, Kind>} */
const KINDS = {
  time: { Panel: Chart, drawing: timeChartDrawing, moves: always },
  curve: { Panel: Chart, drawing: curveChartDrawing, moves: curveMoves },
  bar: { Panel: Bars, drawing: barsDrawing, moves: barsMove },
  heat: { Panel: Heat, drawing: ofReport(heatDrawing), moves: never },
  simplex: { Panel: Simplex, drawing: ofReport(simplexDrawing), moves: never },
  tiles: { Panel: Tiles, drawing: ofReport(tilesDrawing), moves: never },
  strip: { Panel: Strip, drawing: ofMoment(stripDrawing), moves: always },
  net: { Panel: Net, drawing: ofMoment(netDrawing), moves: always },
  rectangle: { Panel: Rectangle, drawing: ofMoment(rectangleDrawing), moves: always },
  ball: { Panel: Ball, drawing: ofMoment(ballDrawing), moves: always },
  units: { Panel: Units, drawing: ofMoment(unitsDrawing), moves: always },
  ...kindsOfPages,
};

/**
 * Shows a run, up to a share of its history; `aim` follows the parameters as they are now, and `clock` is the run's
 * time along the drawing, if it has one.
 * @typedef {{ aim(): void, show(run: Run, share: number): void, clock(): Clock | null }} PanelView
 */

/** Whether a panel changes as one goes through a run. @param {Part | Panel} panel */
export const movesWithRun = (panel) => KINDS[panel.kind].moves(panel);

/** Whether a panel draws what *Predict first* asks for. @param {Part | Panel} panel @param {Spec} spec */
const answers = (panel, { scene: { predict } }) =>
  predict !== null && JSON.stringify(panel).includes(`"${predict.field}"`);

/** Whether a drawing has only what the run decides or draws. @param {Part | Panel} panel */
const isBlankAtFirst = (panel) =>
  panel.kind === "time" ||
  (panel.kind === "claims" && !panel.grounds.length) ||
  (panel.kind === "curve" && curveMoves(panel) && !panel.areas.length && panel.series.every(({ when }) => when));

/**
 * Add a panel to the page. Before the run is played there is a question mark in one that answers *Predict first*, and
 * in a chart that has nothing to show yet.
 * @param {HTMLElement} parent
 * @param {Part | Panel} panel
 * @param {Spec} spec
 * @param {ParameterActions} actions
 * @returns {PanelView}
 */
export function addPanel(parent, panel, spec, actions) {
  const { Panel, drawing, moves } = KINDS[panel.kind];
  const stays = !moves(panel);
  const drawn = new Panel(parent, panel, actions);
  parent.lastElementChild?.classList.toggle("fim-withheld", answers(panel, spec));
  parent.lastElementChild?.classList.toggle("fim-blank", isBlankAtFirst(panel));
  /** @type {Run | null} whose report is drawn */
  let last = null;
  /** @param {Run} run @param {number} share */
  const at = (run, share) => drawing(panel, run.report && recordOf(spec.report, run.report), spec, run, share);
  return {
    aim: () => drawn.aim?.(),
    clock: () => drawn.clock ?? null,
    show(run, share) {
      if (run.report && run === last && stays) return;
      last = run.report ? run : null;
      const next = at(run, share);
      if (next) drawn.draw(next);
    },
  };
}
