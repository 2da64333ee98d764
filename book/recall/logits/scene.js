/**
 * Rivals side by side, each with squares on the parts into which it cuts the same weights: the largest area wins. Above
 * them stands when the first one does.
 */

import { Frame, NO_TIME } from "../../../widgets/src/draw/frame.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent, readable } from "../../../widgets/src/run/format.js";
import { never, ofReport } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Leaves, Squares as SquaresPanel } from "../../../widgets/src/types.js" */

const HEAD = 3; // lines above the squares: a rival's name, its share and its area; without that, where this is small
const GAP = 6; // pixels between those, the squares and the words below them
const BAR = 0.6; // the height of a share, as a part of a line
const WIDEST = "> 99 %"; // of the shares in words
const APART = 24; // pixels between two conditions
const BETWEEN = 10; // two rivals
const ROW = 132; // pixels for a row of rivals, where this is not the main drawing
const AROUND = 5; // pixels between the winner and its frame
const PAIRS = 2; // the words that matter most
const FILLS = [0.95, 0.65, 0.35]; // of a rival's squares
const TIE = 1e-14; // areas that are closer are equal

/**
 * @typedef {{ name: string, colour: string, sides: number[], words: string[], area: number, share: number,
 *   wins: boolean, says: string }} Rival
 */
/** @typedef {{ text: string, holds: boolean }} Condition */
/** @typedef {{ rivals: Rival[], conditions: Condition[], text: string }} SquaresDrawing */

/** @extends {Frame<SquaresPanel, SquaresDrawing>} */
class Squares extends Frame {
  /** @param {HTMLElement} parent @param {SquaresPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("winner", "areas", "names", "area-labels", "claims");
  }

  /** @param {SquaresDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { rivals, conditions } = drawing;
    const width = this.measure();
    const line = LINE * textSize();
    const widest = Math.max(...rivals.flatMap(({ words, says }) => [...words, says].map((word) => textWidth(word))));
    const fitting = Math.floor((width + BETWEEN) / (widest + BETWEEN));
    const inRow = fitting >= rivals.length ? rivals.length : Math.max(2, Math.min(3, fitting));
    const rows = Math.ceil(rivals.length / inRow);
    const isCrowded = this.isLarge && rows > 1; // in a hall
    const most = isCrowded ? PAIRS : Math.max(...rivals.map(({ words }) => words.length));
    const above = this.#writeConditions(isCrowded ? [] : conditions, width, line);
    const row = this.isLarge ? (this.mainHeight + NO_TIME - above) / rows : ROW;
    const across = (width + BETWEEN) / inRow;
    const head = HEAD - Number(!this.isLarge || isCrowded);
    const words = (head + most) * line + 3 * GAP;
    const unit = Math.min(across - BETWEEN, row - words);
    const first = above + (row - words - unit) / 2; // as much is free below a rival
    const places = rivals.map((_, i) => ({ left: (i % inRow) * across, top: first + Math.floor(i / inRow) * row }));
    const bottom = head * line + GAP + unit; // of the squares
    this.resize(above + rows * row, drawing.text);
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
        ...{ height: side * unit, fill: FILLS[k], colour },
      })),
    );
    const longest = Math.max(0, across - BETWEEN - GAP - textWidth(WIDEST, true));
    const bars = rivals.map(({ share, colour }, i) => ({
      ...{ side: share * longest, height: BAR * line, fill: 1, colour },
      ...{ x: places[i].left, y: places[i].top + (1.5 - BAR / 2) * line },
    }));
    updateChildren(this.layers.areas, "rect", [...squares, ...bars], (node, { side, height, x, y, fill, colour }) =>
      setAttributes(node, {
        ...{ x, y, width: side, height, "fill-opacity": fill },
        style: `fill: var(--fim-${colour}); stroke: var(--fim-paper)`,
      }),
    );
    /** @param {string[]} lines @param {number} i the rival @param {number} from below its top */
    const stack = (lines, i, from) =>
      lines.map((text, k) => ({
        ...{ text, anchor: "start", x: places[i].left },
        y: places[i].top + from + (k + 0.85) * line,
      }));
    const heads = rivals.flatMap(({ name, says }, i) => stack([name, "", says].slice(0, head), i, 0));
    const shares = rivals.map(({ share }, i) => ({
      ...{ text: percent(share), anchor: "start" },
      ...{ x: places[i].left + bars[i].side + GAP, y: places[i].top + 1.85 * line },
    }));
    updateTexts(this.layers["area-labels"], [...heads, ...shares]);
    updateTexts(this.layers.names, rivals.flatMap(({ words }, i) => stack(words.slice(0, most), i, bottom + GAP)));
  }

  /**
   * The conditions, if any, in a row, or below one another where that is too narrow; returns their height.
   * @param {Condition[]} conditions @param {number} width @param {number} line
   */
  #writeConditions(conditions, width, line) {
    const widths = conditions.map(({ text }) => textWidth(text) + APART);
    const isRow = widths.reduce((sum, one) => sum + one, -APART) <= width;
    const lefts = widths.map((_, i) => (isRow ? widths.slice(0, i).reduce((sum, one) => sum + one, 0) : 0));
    updateTexts(
      this.layers.claims,
      conditions.map(({ text, holds }, i) => ({
        ...{ text, colour: holds ? "good" : "bad", anchor: "start" },
        ...{ x: lefts[i], y: ((isRow ? 0 : i) + 0.85) * line },
      })),
    );
    return conditions.length && (isRow ? 1 : conditions.length) * line + 2 * GAP;
  }
}

/**
 * @param {SquaresPanel} panel
 * @param {Leaves} report
 * @returns {SquaresDrawing}
 */
function squaresDrawing({ title, rivals: names, colours, sides, weights, shares, conditions: claims, met }, report) {
  const chances = [...report[shares]];
  const lengths = sides.map((squares) =>
    squares.map(([, added]) => added.reduce((sum, place) => sum + report[weights][place], 0)),
  );
  const areas = lengths.map((one) => one.reduce((sum, side) => sum + side * side, 0));
  const largest = Math.max(...areas);
  const rivals = names.map((name, i) => ({
    name,
    colour: colours[i],
    sides: lengths[i],
    words: sides[i].map(([word]) => word),
    area: areas[i],
    share: chances[i],
    wins: chances[i] === Math.max(...chances),
    says: largest - areas[i] < TIE ? `score ${readable(areas[i], 3)}` : `${readable(largest - areas[i], 2)} less`,
  }));
  const conditions = claims.map((claim, i) => {
    const holds = report[met][i] > 0;
    return { text: `${holds ? "✓" : "✕"} ${claim}`, holds };
  });
  const said = rivals.map(
    ({ name, area, share, words }) => `${name} (${words.join(", ")}): score ${readable(area, 3)}, ${percent(share)}`,
  );
  const text = `${[title, ...conditions.map((one) => one.text), ...said].join(". ")}.`;
  return { rivals, conditions, text };
}

/** @type {Record<string, Kind>} */
export const kinds = { squares: { Panel: Squares, drawing: ofReport(squaresDrawing), moves: never } };
