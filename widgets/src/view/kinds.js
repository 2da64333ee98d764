/** What a kind of panel is: what draws it, and how a run becomes its drawing. */

import { recordOf } from "../run/parameters.js";
import { momentOf } from "../run/timeline.js";
import { levelsOf } from "./levels.js";

/** @import { Run } from "../run/program.js" */
/** @import { DrawnLevel, Leaves, Level, Moment, ParameterActions, Spec } from "../types.js" */

/**
 * A drawing in the page: `draw` shows what is new, `aim` follows the parameters before a run is finished.
 * @typedef {{ draw(drawing: any): void, aim?(): void }} Drawn
 */

/**
 * What a panel draws of a run, up to a share of it; nothing where there is nothing to draw yet.
 * @typedef {(panel: any, report: Leaves | null, spec: Spec, run: Run, share: number) => object | null} MakeDrawing
 */

/**
 * `moves` where the drawing changes while a run goes on.
 * @typedef {{ Panel: new (parent: HTMLElement, panel: any, actions: ParameterActions) => Drawn, drawing: MakeDrawing,
 *   moves: boolean }} Kind
 */

/**
 * A drawing of the report alone.
 * @param {(panel: any, report: Leaves, levels: DrawnLevel[]) => object} makeDrawing
 * @returns {MakeDrawing}
 */
export const ofReport = (makeDrawing) => (panel, report) =>
  report && makeDrawing(panel, report, levelsOf(panel, report));

/**
 * A part of a scene: what is watched at one moment.
 * @param {(panel: any, moment: Moment) => object | null} makeDrawing
 * @returns {MakeDrawing}
 */
export const ofMoment = (makeDrawing) => (/** @type {{ levels?: Level[] }} */ panel, report, spec, run, share) =>
  makeDrawing(panel, {
    watched: recordOf(spec.watch, momentOf(run, share).row),
    report,
    levels: levelsOf(panel, report),
  });
