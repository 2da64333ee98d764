/** Facts beside the phrases that state them, and the ladder of one question: drawings of the pages on fine-tuning. */

import { Graph, graphDrawing } from "../../../widgets/src/parts/graph.js";
import { Ladder, ladderDrawing } from "../../../widgets/src/parts/ladder.js";
import { recordOf } from "../../../widgets/src/run/parameters.js";
import { momentOf } from "../../../widgets/src/run/timeline.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Run } from "../../../widgets/src/run/program.js" */
/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Ladder as LadderPanel, Leaves, Spec } from "../../../widgets/src/types.js" */

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
  const field = spec.watch.indexOf(panel.questions.logits);
  const { steps, rows } = stage < panel.questions.since ? { steps: [0], rows: [row] } : run.histories[stage];
  return ladderDrawing(panel, recordOf(spec.watch, row), { steps, rows: rows.map((leaves) => leaves[field]) }, step);
}

/** @type {Record<string, Kind>} */
export const kinds = {
  graph: { Panel: Graph, drawing: ofMoment(graphDrawing), moves: always },
  ladder: { Panel: Ladder, drawing: ofQuestion, moves: always },
};
