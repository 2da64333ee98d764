/** Two tables of the same settings side by side, a bar for each: where the two look alike, one predicts the other. */

import { Frame, NO_TIME } from "../../../widgets/src/draw/frame.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent } from "../../../widgets/src/run/format.js";
import { never, ofReport } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Choices, Leaves, ParameterActions, Tables as TablesPanel } from "../../../widgets/src/types.js" */

const NARROW = 560; // pixels, where rows have numbers alone
const NAME = { large: 1.4, small: 1.1 }; // letters of a result's name, as a multiple of the usual size
const HERE = { large: 2.4, small: 1.8 }; // and of the result at which the parameters stand
const GAP = 6; // pixels between bars and words
const BETWEEN = { blocks: 10, narrow: 4, bars: 2, rows: 6 }; // pixels
const LOW = 220; // pixels: the height where this is not the main drawing
const FRAME = 2; // pixels from a bar to its frame

/** @typedef {{ name: string, colour: string, values: number[], here: number }} Table */
/** @typedef {{ tables: Table[], counted: number[], text: string }} TablesDrawing */
/** @typedef {{ x: number, y: number, width: number, height: number, place: number, table: number }} Cell */

/** @extends {Frame<TablesPanel, TablesDrawing>} */
class Tables extends Frame {
  /** @type {Cell[]} */
  cells = [];

  /** @param {HTMLElement} parent @param {TablesPanel} panel @param {ParameterActions} actions */
  constructor(parent, panel, actions) {
    super(parent, panel);
    this.actions = actions;
    this.addHint(`one bar for each number of facts practised: ${panel.bars.values.join(", ")}`);
    this.layers = this.addLayers("tracks", "fills", "frames", "names", "heads", "totals");
    this.svg.addEventListener("click", ({ clientX, clientY }) => {
      const { left, top } = this.svg.getBoundingClientRect();
      this.#choose(clientX - left, clientY - top);
    });
  }

  /** Set the parameters to the setting whose bar is at a place, if there is one. @param {number} x @param {number} y */
  #choose(x, y) {
    const hit = this.cells.find(
      (cell) => x >= cell.x && x <= cell.x + cell.width && y >= cell.y && y <= cell.y + cell.height,
    );
    if (!hit) return;
    const chosen = Object.entries(this.#setting(hit.place));
    this.actions.set(Object.fromEntries(chosen.map(([name, [, value]]) => [name, value])));
  }

  /** The row, the block in it and the bar in that. @param {number} place */
  #choicesAt(place) {
    const { blocks, bars } = this.panel;
    const block = Math.floor(place / bars.values.length);
    return [Math.floor(block / blocks.values.length), block % blocks.values.length, place % bars.values.length];
  }

  /** What each parameter is at a bar, in words and as a number. @param {number} place */
  #setting(place) {
    const { rows, blocks, bars } = this.panel;
    const [r, c, b] = this.#choicesAt(place);
    /** @param {Choices} choices @param {number} i @returns {[string, number]} */
    const at = ({ words, values }, i) => [words[i], values[i]];
    return { [rows.parameter]: at(rows, r), [blocks.parameter]: at(blocks, c), [bars.parameter]: at(bars, b) };
  }

  /** @param {TablesDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { tables, counted } = drawing;
    const { rows, blocks, bars } = this.panel;
    const width = this.measure();
    const isNarrow = width < NARROW;
    const size = textSize();
    const height = this.isLarge ? this.mainHeight + NO_TIME : LOW;
    this.resize(height, drawing.text);
    const labels = isNarrow ? rows.values.map(String) : rows.words;
    const middle = Math.max(...labels.map((text) => textWidth(text))) + 2 * GAP;
    const across = (width - middle) / 2;
    const scale = this.isLarge ? "large" : "small";
    const [name, here] = [NAME[scale] * size, HERE[scale] * size];
    const head = here + (isNarrow ? LINE * name : 0) + 2 * GAP;
    const row = (height - head - LINE * size - GAP) / rows.values.length;
    const apart = isNarrow ? BETWEEN.narrow : BETWEEN.blocks;
    const block = (across - apart * (blocks.values.length - 1)) / blocks.values.length;
    const bar = (block - BETWEEN.bars * (bars.values.length - 1)) / bars.values.length;
    const cells = tables.flatMap(({ values }, table) =>
      values.map((_, place) => {
        const [r, c, b] = this.#choicesAt(place);
        const x = table * (across + middle) + c * (block + apart) + b * (bar + BETWEEN.bars);
        return { x, y: head + r * row, width: bar, height: row - BETWEEN.rows, place, table };
      }),
    );
    this.cells = cells;
    this.#drawBars(tables, counted);
    const left = tables.map((_, table) => table * (across + middle));
    const line = head - 2 * GAP - 0.15 * here;
    updateTexts(
      this.layers.totals,
      tables.map(({ here: share, colour }, i) => ({
        ...{ text: percent(share), size: here, colour },
        ...(isNarrow ? { x: left[i], anchor: "start" } : { x: left[i] + across, anchor: "end" }),
        y: line,
      })),
    );
    updateTexts(
      this.layers.heads,
      tables.map(({ name: text, colour }, i) => ({
        ...{ text, size: name, colour, anchor: "start" },
        ...{ x: left[i], y: isNarrow ? name : line },
      })),
    );
    updateTexts(this.layers.names, [
      ...labels.map((text, r) => ({ text, x: width / 2, y: head + (r + 0.5) * row + 0.35 * size - BETWEEN.rows / 2 })),
      ...tables.flatMap((_, i) =>
        blocks.words.map((word, c) => ({
          text: isNarrow ? String(blocks.values[c]) : word,
          x: left[i] + c * (block + apart) + block / 2,
          y: height - 0.3 * size,
        })),
      ),
    ]);
  }

  /** @param {Table[]} tables @param {number[]} counted */
  #drawBars(tables, counted) {
    const { cells } = this;
    /** @param {Cell} cell */
    const style = ({ table }) => `--colour: var(--fim-${tables[table].colour})`;
    updateChildren(this.layers.tracks, "rect", cells, (node, { x, y, width, height, place, table }) => {
      setAttributes(node, { x, y, width, height });
      const title = node.firstElementChild ?? addSvg(node, "title");
      const setting = Object.values(this.#setting(place)).map(([words]) => words);
      title.textContent = `${setting.join(", ")}: ${percent(tables[table].values[place])}`;
    });
    const filled = cells.filter(({ place }) => counted[place]);
    updateChildren(this.layers.fills, "rect", filled, (node, cell) => {
      const { x, y, width, height, place, table } = cell;
      const value = tables[table].values[place];
      setAttributes(node, {
        ...{ x, y: y + (1 - value) * height, width, height: value * height },
        ...{ style: style(cell), "data-value": value },
      });
    });
    const { rows, blocks, bars } = this.panel;
    const [r, c, b] = [rows, blocks, bars].map((choices) => this.#chosen(choices));
    const here = (r * blocks.values.length + c) * bars.values.length + b;
    const framed = cells.filter(({ place }) => place === here);
    updateChildren(this.layers.frames, "rect", framed, (node, { x, y, width, height }) =>
      setAttributes(node, {
        ...{ x: x - FRAME, y: y - FRAME, width: width + 2 * FRAME, height: height + 2 * FRAME },
      }),
    );
  }

  /** Where a parameter stands among its choices. @param {Choices} choices */
  #chosen({ parameter, values }) {
    const apart = values.map((value) => Math.abs(Math.log(value / this.actions.value(parameter))));
    return apart.indexOf(Math.min(...apart));
  }
}

/**
 * @param {TablesPanel} panel
 * @param {Leaves} report
 * @returns {TablesDrawing}
 */
function tablesDrawing({ title, results, here, counted, rows }, report) {
  const tables = results.map(({ field, label, colour }, i) => ({
    ...{ name: label, colour, values: [...report[field]], here: report[here[i]][0] },
  }));
  const said = tables.map(({ name, values, here: now }) => {
    const each = values.length / rows.words.length;
    const means = rows.words.map((word, r) => {
      const row = values.filter((value, place) => Math.floor(place / each) === r && report[counted][place]);
      return `${word} ${percent(row.reduce((sum, value) => sum + value, 0) / row.length)}`;
    });
    return `${name}: ${percent(now)} here; on average, ${means.join(", ")}`;
  });
  return { tables, counted: [...report[counted]], text: `${title}. ${said.join(". ")}.` };
}

/** @type {Record<string, Kind>} */
export const kinds = { tables: { Panel: Tables, drawing: ofReport(tablesDrawing), moves: never } };
