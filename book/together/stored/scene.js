/**
 * What is learned as units, and beside them what reads them; that which has not begun to learn is dim. A phone shows
 * one of them.
 */

import { add } from "../../../widgets/src/draw/dom.js";
import { Strip, stripDrawing } from "../../../widgets/src/parts/strip.js";
import { Units, unitsDrawing } from "../../../widgets/src/parts/units.js";
import { recordOf } from "../../../widgets/src/run/parameters.js";
import { momentOf } from "../../../widgets/src/run/timeline.js";
import { always } from "../../../widgets/src/view/kinds.js";

/** @import { Run } from "../../../widgets/src/run/program.js" */
/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { StripDrawing } from "../../../widgets/src/parts/strip.js" */
/** @import { UnitsDrawing } from "../../../widgets/src/parts/units.js" */
/** @import { Abreast as AbreastPanel, Leaves, Spec } from "../../../widgets/src/types.js" */

/** @typedef {{ learned: UnitsDrawing, reads: StripDrawing, isReading: boolean }} AbreastDrawing */

class Abreast {
  /** @param {HTMLElement} parent @param {AbreastPanel} panel */
  constructor(parent, { learned, reads }) {
    const box = add(parent, "div", { className: "fim-panel fim-abreast" });
    this.learned = new Units(box, learned);
    this.reads = new Strip(box, reads);
    for (const part of [this.learned, this.reads]) part.isMain = parent.matches(".fim-column:first-child");
  }

  /** @param {AbreastDrawing} drawing */
  draw({ learned, reads, isReading }) {
    this.learned.box.classList.toggle("fim-over", isReading);
    this.reads.box.classList.toggle("fim-dim", !isReading);
    this.learned.draw(learned);
    this.reads.draw(reads);
  }
}

/**
 * @param {AbreastPanel} panel
 * @param {Leaves | null} report
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 * @returns {AbreastDrawing}
 */
function abreastDrawing({ learned, reads, since }, report, spec, run, share) {
  const { stage, row } = momentOf(run, share);
  const moment = { watched: recordOf(spec.watch, row), report, levels: [] };
  return { learned: unitsDrawing(learned, moment), reads: stripDrawing(reads, moment), isReading: stage >= since };
}

/** @type {Record<string, Kind>} */
export const kinds = { abreast: { Panel: Abreast, drawing: abreastDrawing, moves: always } };
