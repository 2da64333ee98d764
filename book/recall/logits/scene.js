/** Rivals side by side, each with squares on the parts into which it cuts the same weights: the largest area wins. */

import { Frame, NO_TIME } from "../../../widgets/src/draw/frame.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent, readable } from "../../../widgets/src/run/format.js";
import { never, ofReport } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Leaves, Squares as SquaresPanel } from "../../../widgets/src/types.js" */

const HEAD = 2; // lines above the squares: a rival's name, its area and its share
const GAP = 6; // pixels between those, the squares and the words below them
const BETWEEN = 10; // two rivals
const ROW = 160; // pixels for a row of rivals, where this is not the main drawing
const AROUND = 5; // pixels between the winner and its frame
const PAIRS = 2; // the words that matter most
const FILLS = [0.95, 0.65, 0.35]; // of a rival's squares

/**
 * @typedef {{ name: string, colour: string, sides: number[], words: string[], says: string, wins: boolean }} Rival
 */
/** @typedef {{ rivals: Rival[], text: string }} SquaresDrawing */

/** @extends {Frame<SquaresPanel, SquaresDrawing>} */
class Squares extends Frame {
  /** @param {HTMLElement} parent @param {SquaresPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("winner", "areas", "names", "area-labels");
  }

  /** @param {SquaresDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { rivals } = drawing;
    const width = this.measure();
    const line = LINE * textSize();
    const widest = Math.max(...rivals.flatMap(({ words, says }) => [...words, says].map((word) => textWidth(word))));
    const fitting = Math.floor((width + BETWEEN) / (widest + BETWEEN));
    const inRow = fitting >= rivals.length ? rivals.length : Math.max(2, Math.min(3, fitting));
    const rows = Math.ceil(rivals.length / inRow);
    const isCrowded = this.isLarge && rows > 1; // in a hall
    const most = isCrowded ? PAIRS : Math.max(...rivals.map(({ words }) => words.length));
    const row = this.isLarge ? (this.mainHeight + NO_TIME) / rows : ROW;
    const across = (width + BETWEEN) / inRow;
    const words = (HEAD + most) * line + 3 * GAP;
    const unit = Math.min(across - BETWEEN, row - words);
    const spare = (row - words - unit) / 2; // above a rival, and below it
    const places = rivals.map((_, i) => ({ left: (i % inRow) * across, top: Math.floor(i / inRow) * row + spare }));
    const bottom = HEAD * line + GAP + unit; // of the squares
    this.resize(rows * row, drawing.text);
    updateChildren(
      this.layers.winner,
      "rect",
      rivals.flatMap(({ wins, colour }, i) => (wins ? { ...places[i], colour } : [])),
      (node, { left, top, colour }) =>
        setAttributes(node, {
          ...{ x: left - AROUND, y: top, width: across - BETWEEN + 2 * AROUND, height: words + unit, rx: 6 },
          style: `fill: none; stroke: var(--fim-${colour}); stroke-width: 2`,
        }),
    );
    const squares = rivals.flatMap(({ sides, colour }, i) =>
      sides.map((side, k) => ({
        side: side * unit,
        x: places[i].left + unit * sides.slice(0, k).reduce((sum, one) => sum + one, 0),
        y: places[i].top + bottom - side * unit,
        fill: FILLS[k],
        colour,
      })),
    );
    updateChildren(this.layers.areas, "rect", squares, (node, { side, x, y, fill, colour }) =>
      setAttributes(node, {
        ...{ x, y, width: side, height: side, "fill-opacity": fill },
        style: `fill: var(--fim-${colour}); stroke: var(--fim-paper)`,
      }),
    );
    /** @param {string[]} lines @param {number} i the rival @param {number} from below its top */
    const stack = (lines, i, from) =>
      lines.map((text, k) => ({
        ...{ text, anchor: "start", x: places[i].left },
        y: places[i].top + from + (k + 0.85) * line,
      }));
    updateTexts(this.layers["area-labels"], rivals.flatMap(({ name, says }, i) => stack([name, says], i, 0)));
    updateTexts(this.layers.names, rivals.flatMap(({ words }, i) => stack(words.slice(0, most), i, bottom + GAP)));
  }
}

/**
 * @param {SquaresPanel} panel
 * @param {Leaves} report
 * @returns {SquaresDrawing}
 */
function squaresDrawing({ title, rivals: names, colours, sides, weights, shares }, report) {
  const chances = [...report[shares]];
  const rivals = names.map((name, i) => {
    const lengths = sides[i].map(([, added]) => added.reduce((sum, place) => sum + report[weights][place], 0));
    const area = lengths.reduce((sum, side) => sum + side * side, 0);
    return {
      name,
      colour: colours[i],
      sides: lengths,
      words: sides[i].map(([word]) => word),
      says: `${readable(area, 3)} → ${percent(chances[i])}`,
      wins: chances[i] === Math.max(...chances),
    };
  });
  const said = rivals.map(({ name, says, words }) => `${name} (${words.join(", ")}): area and share ${says}`);
  return { rivals, text: `${title}. ${said.join(". ")}.` };
}

/** @type {Record<string, Kind>} */
export const kinds = { squares: { Panel: Squares, drawing: ofReport(squaresDrawing), moves: never } };
