/** Candidates as squares, a group for each thing that is known: filled while they still fit, else pale. */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { count, readable } from "../../../widgets/src/run/format.js";
import { never, ofReport } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Leaves, Shortlist as ShortlistPanel } from "../../../widgets/src/types.js" */

const HEAD = 20; // pixels: what is known, and how many fit
const HEIGHT = 236; // of the drawing, however many groups it has
const PITCH = { least: 4, most: 24 }; // from a square to the next
const SIDE = 0.8; // of a square, as a share of that
const BETWEEN = 10; // two groups
const MOST = 120; // candidates that have a square each; of more, a square stands for many
const SQUARES = 100; // that stand for many
const FAINTEST = 0.15; // so that a small share of a square is seen

/** @typedef {{ hint: string, fitting: number }} Group */
/** @typedef {{ groups: Group[], total: number, text: string }} ShortlistDrawing */

/** @extends {Frame<ShortlistPanel, ShortlistDrawing>} */
class Shortlist extends Frame {
  /** @param {HTMLElement} parent @param {ShortlistPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("candidates", "hints", "numbers", "unit");
    this.showLegend([
      { label: "the right one", colour: panel.right, sign: "■" },
      { label: "another that fits", colour: panel.others, sign: "■" },
    ]);
  }

  /** @param {ShortlistDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { groups, total } = drawing;
    const { what, right, others } = this.panel;
    const width = this.measure();
    const each = total > MOST ? total / SQUARES : 1;
    const many = Math.round(total / each);
    const end = each > 1 ? HEIGHT - HEAD : HEIGHT;
    const room = (end + BETWEEN) / groups.length;
    const pitch = widestPitch(many, width, room - BETWEEN - HEAD);
    const inRow = Math.floor(width / pitch);
    const tops = groups.map((_, i) => i * room);
    this.resize(HEIGHT, drawing.text);
    const squares = groups.flatMap(({ fitting }, i) =>
      Array.from({ length: many }, (_, place) => ({
        x: (place % inRow) * pitch,
        y: tops[i] + HEAD + Math.floor(place / inRow) * pitch,
        colour: place ? others : right,
        filled: place ? shareOf((fitting - 1) / each - (place - 1)) : 1,
      })),
    );
    updateChildren(this.layers.candidates, "rect", squares, (node, { x, y, colour, filled }) =>
      setAttributes(node, {
        ...{ x, y, width: SIDE * pitch, height: SIDE * pitch, rx: 2, "fill-opacity": filled },
        style: `fill: var(--fim-${colour}); stroke: var(--fim-${filled ? colour : "line"})`,
      }),
    );
    updateTexts(
      this.layers.hints,
      groups.map(({ hint }, i) => ({ text: hint, x: 0, y: tops[i] + 14, anchor: "start" })),
    );
    updateTexts(
      this.layers.numbers,
      groups.map(({ fitting }, i) => ({ text: fit(fitting), x: width, y: tops[i] + 14, anchor: "end" })),
    );
    updateTexts(
      this.layers.unit,
      each > 1 ? [{ text: `a square: ${count(each)} ${what}`, x: width, y: end + 16, anchor: "end" }] : [],
    );
  }
}

/**
 * From one square to the next, so that all stand in their room.
 * @param {number} many
 * @param {number} width
 * @param {number} height
 */
function widestPitch(many, width, height) {
  let pitch = PITCH.most;
  while (pitch > PITCH.least && Math.ceil(many / Math.floor(width / pitch)) * pitch > height) pitch -= 1;
  return pitch;
}

/** How much of a square is filled. @param {number} left of the candidates that fit, in squares */
const shareOf = (left) => (left > 1e-9 ? clamp(left, FAINTEST, 1) : 0);

/** @param {number} fitting */
function fit(fitting) {
  const whole = Math.round(fitting);
  if (fitting < 100 && Math.abs(fitting - whole) > 1e-9) return `${readable(fitting, 3)} on average`;
  return `${count(whole)} ${whole === 1 ? "fits" : "fit"}`;
}

/**
 * @param {ShortlistPanel} panel
 * @param {Leaves} report
 * @returns {ShortlistDrawing}
 */
function shortlistDrawing({ title, hints, field, total, what }, report) {
  const groups = hints
    .map((hint, i) => ({ hint, fitting: report[field][i] }))
    .filter(({ fitting }) => Number.isFinite(fitting));
  const said = groups.map(({ hint, fitting }) => `${hint}: ${fit(fitting)}`);
  return { groups, total: report[total][0], text: `${title}, of ${count(report[total][0])} ${what}. ${said.join(". ")}.` };
}

/** @type {Record<string, Kind>} */
export const kinds = { shortlist: { Panel: Shortlist, drawing: ofReport(shortlistDrawing), moves: never } };
