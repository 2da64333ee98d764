/** What a kind of panel is: what draws it, how a run becomes its drawing, and what is drawn at which time. */

import { recordOf } from "../run/parameters.js";
import { momentOf } from "../run/timeline.js";
import { levelsOf } from "./levels.js";

/** @import { Clock } from "./clock.js" */
/** @import { Run } from "../run/program.js" */
/** @import { DrawnLevel, Leaves, Level, Moment, ParameterActions, Spec, When } from "../types.js" */

/**
 * A drawing in the page: `draw` shows what is new, and `aim` follows the parameters before a run is finished. `clock`
 * is of one whose horizontal axis is the run's own time.
 * @typedef {{ draw(drawing: any): void, aim?(): void, clock?: Clock | null }} Drawn
 */

/**
 * What a panel draws of a run, up to a share of it; nothing where there is nothing to draw yet.
 * @typedef {(panel: any, report: Leaves | null, spec: Spec, run: Run, share: number) => object | null} MakeDrawing
 */

/**
 * `moves` says whether the drawing of a panel changes while a run goes on.
 * @typedef {{ Panel: new (parent: HTMLElement, panel: any, actions: ParameterActions) => Drawn, drawing: MakeDrawing,
 *   moves(panel: any): boolean }} Kind
 */

/** Of a kind that shows a moment of the run. */
export const always = () => true;

/** Of a kind that shows the report alone. */
export const never = () => false;

/**
 * How a panel reads its fields at a moment of a run: of the report, or as watched there; nothing, where a field belongs
 * to the end and this is not the end.
 * @param {Leaves} report
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 * @returns {(field: string, when: When) => number[] | null}
 */
export function readerAt(report, spec, run, share) {
  return (field, when) => {
    if (when === "end" && share < 1) return null;
    return [...(when === "now" ? recordOf(spec.watch, momentOf(run, share).row) : report)[field]];
  };
}

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
