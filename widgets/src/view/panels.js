/** Panels of a figure by their kinds: what draws each, and how a run becomes its drawing. */

import { Ball, ballDrawing } from "../parts/ball.js";
import { Cards, cardsDrawing } from "../parts/cards.js";
import { Dots, dotsDrawing } from "../parts/dots.js";
import { Graph, graphDrawing } from "../parts/graph.js";
import { Ladder, ladderDrawing } from "../parts/ladder.js";
import { Net, netDrawing } from "../parts/net.js";
import { Rectangle, rectangleDrawing } from "../parts/rectangle.js";
import { Split, splitDrawing } from "../parts/split.js";
import { Strip, stripDrawing } from "../parts/strip.js";
import { recordOf } from "../run/parameters.js";
import { momentOf } from "../run/timeline.js";
import { Bars, barsDrawing } from "./bars.js";
import { Chart } from "./chart.js";
import { curveChartDrawing } from "./curve_chart.js";
import { Heat, heatDrawing } from "./heat.js";
import { levelsOf } from "./levels.js";
import { Simplex, simplexDrawing } from "./simplex.js";
import { Tiles, tilesDrawing } from "./tiles.js";
import { timeChartDrawing } from "./time_chart.js";

/** @import { Run } from "../run/program.js" */
/** @import { DrawnLevel, Ladder as LadderPanel, Leaves, Level, Moment, Panel, ParameterActions, Part, Spec } from "../types.js" */

/** A drawing in the page: `draw` shows what is new, `aim` follows the parameters before a run is finished. @typedef {{ draw(drawing: any): void, aim?(): void }} Drawn */

/**
 * What a panel draws of a run, up to a share of it; nothing where there is nothing to draw yet.
 * @typedef {(panel: any, report: Leaves | null, spec: Spec, run: Run, share: number) => object | null} MakeDrawing
 */

/** `moves` where the drawing changes while a run goes on. @typedef {{ Panel: new (parent: HTMLElement, panel: any, actions: ParameterActions) => Drawn, drawing: MakeDrawing, moves: boolean }} Kind */

/**
 * A drawing of the report alone.
 * @param {(panel: any, report: Leaves, levels: DrawnLevel[]) => object} makeDrawing
 * @returns {MakeDrawing}
 */
const ofReport = (makeDrawing) => (panel, report) => report && makeDrawing(panel, report, levelsOf(panel, report));

/**
 * A part of a scene: what is watched at one moment.
 * @param {(panel: any, moment: Moment) => object | null} makeDrawing
 * @returns {MakeDrawing}
 */
const ofMoment = (makeDrawing) => (/** @type {{ levels?: Level[] }} */ panel, report, spec, run, share) =>
  makeDrawing(panel, { watched: recordOf(spec.watch, momentOf(run, share).row), report, levels: levelsOf(panel, report) });

/**
 * One question at every step of its stage; before that stage there is only the moment itself.
 * @param {LadderPanel} panel
 * @param {Leaves | null} _
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 */
function ofQuestion(panel, _, spec, run, share) {
  const { stage, step, row } = momentOf(run, share);
  const field = spec.watch.indexOf(panel.asked.logits);
  const { steps, rows } = stage < panel.asked.since ? { steps: [0], rows: [row] } : run.histories[stage];
  return ladderDrawing(panel, recordOf(spec.watch, row), { steps, rows: rows.map((leaves) => leaves[field]) }, step);
}

/** @type {Record<(Part | Panel)["kind"], Kind>} */
const KINDS = {
  time: { Panel: Chart, drawing: timeChartDrawing, moves: true },
  curve: { Panel: Chart, drawing: curveChartDrawing, moves: true },
  bar: { Panel: Bars, drawing: ofReport(barsDrawing), moves: false },
  heat: { Panel: Heat, drawing: ofReport(heatDrawing), moves: false },
  simplex: { Panel: Simplex, drawing: ofReport(simplexDrawing), moves: false },
  tiles: { Panel: Tiles, drawing: ofReport(tilesDrawing), moves: false },
  strip: { Panel: Strip, drawing: ofMoment(stripDrawing), moves: true },
  net: { Panel: Net, drawing: ofMoment(netDrawing), moves: true },
  rectangle: { Panel: Rectangle, drawing: ofMoment(rectangleDrawing), moves: true },
  ball: { Panel: Ball, drawing: ofMoment(ballDrawing), moves: true },
  dots: { Panel: Dots, drawing: ofMoment(dotsDrawing), moves: true },
  cards: { Panel: Cards, drawing: ofMoment(cardsDrawing), moves: true },
  graph: { Panel: Graph, drawing: ofMoment(graphDrawing), moves: true },
  ladder: { Panel: Ladder, drawing: ofQuestion, moves: true },
  split: { Panel: Split, drawing: ofMoment(splitDrawing), moves: true },
};

/** Shows a run, up to a share of its history; `aim` follows the parameters as they are now. @typedef {{ aim(): void, show(run: Run, share: number): void }} PanelView */

/**
 * Add a panel to the page.
 * @param {HTMLElement} parent
 * @param {Part | Panel} panel
 * @param {Spec} spec
 * @param {ParameterActions} actions
 * @returns {PanelView}
 */
export function addPanel(parent, panel, spec, actions) {
  const { Panel, drawing, moves } = KINDS[panel.kind];
  const drawn = new Panel(parent, panel, actions);
  /** @type {Run | null} whose report is drawn */
  let last = null;
  return {
    aim: () => drawn.aim?.(),
    show(run, share) {
      if (run.report && run === last && !moves) return;
      last = run.report ? run : null;
      const next = drawing(panel, run.report && recordOf(spec.report, run.report), spec, run, share);
      if (next) drawn.draw(next);
    },
  };
}
