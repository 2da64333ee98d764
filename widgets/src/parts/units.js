/** Rows of unit squares, in groups side by side, each as full as a number says. */

import { Frame } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { textSize, textWidth, truncate } from "../draw/text_layout.js";
import { onScale, readable } from "../run/format.js";

/** @import { Moment, Units as UnitsPanel } from "../types.js" */

const HEAD = 22; // pixels above, for the names of groups
const ROW = 28; // of a row that is not in the main drawing
const ROW_GAP = 10;
const BETWEEN = 20; // two groups
const NARROW = 560; // where a row's name stands above it
const LARGEST = 80; // from one unit to the next
const LEAST = 5; // units for which a single group in one line has room, so that none changes its width with the run
const WIDEST = 2; // of such a unit, of its height
const SIDE = 0.84; // of a unit, as a share of that
const FINER = 0.5; // pixels by which units are made smaller until they fit
const NAME = 1.25; // of a row in the main drawing: letters, as a multiple of the usual size
const NUMBER = "00.0"; // as wide as the sums are

/** @typedef {{ fills: number[], total: number }} DrawnGroup */
/** @typedef {{ name: string, colour: string | undefined, groups: DrawnGroup[] }} DrawnRow */
/** @typedef {{ rows: DrawnRow[], text: string }} UnitsDrawing */
/**
 * @typedef {{ lefts: number[], rights: number[], rooms: number[], tops: number[], pitch: number, lines: number,
 *   across: number, centred: number, middle: number, height: number, width: number, isNarrow: boolean }} Layout
 *   places of groups and of rows; from one unit to the next, down and across; and where in a row units and words stand
 */
/** @typedef {{ x: number, y: number, width: number, height: number, fill: number, colour: string }} Unit */

/** @extends {Frame<UnitsPanel, UnitsDrawing>} */
export class Units extends Frame {
  /** @param {HTMLElement} parent @param {UnitsPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("fills", "units", "names", "sum-numbers", "axis");
    if (panel.keys.length)
      this.showLegend(panel.keys.map(({ label, colour, filled }) => ({ label, colour, sign: filled ? "■" : "□" })));
  }

  /** @param {UnitsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { rows } = drawing;
    const layout = this.#arrange(rows, this.measure());
    const { lefts, tops, height, pitch, lines, across, centred } = layout;
    this.resize(height, drawing.text);
    this.#drawUnits(
      rows.flatMap(({ colour, groups }, i) =>
        groups.flatMap(({ fills }, g) =>
          fills.map((fill, place) => ({
            x: lefts[g] + Math.floor(place / lines) * across,
            y: tops[i] + centred + (place % lines) * pitch,
            width: across - (1 - SIDE) * pitch,
            height: SIDE * pitch,
            fill,
            colour: colour ?? this.panel.groups[g].colour,
          })),
        ),
      ),
    );
    this.#drawWords(rows, layout);
  }

  /**
   * Where everything stands: names of rows at their left, or above them where there is little room.
   * @param {DrawnRow[]} rows
   * @param {number} width
   * @returns {Layout}
   */
  #arrange(rows, width) {
    const { groups } = this.panel;
    const isNarrow = width < NARROW;
    const letters = this.isLarge ? NAME : 1;
    const names = isNarrow ? 0 : letters * Math.max(0, ...rows.map(({ name }) => textWidth(name))) + BETWEEN;
    const sums = groups.map(({ total, says }) =>
      total && !isNarrow ? letters * textWidth(`${NUMBER} ${says}`) + BETWEEN : 0,
    );
    const above = isNarrow ? textSize() + 8 : 0; // of a row, for its name and its sums
    const head = groups.some(({ label }) => label) ? HEAD : 0;
    const share = (this.mainHeight - head) / Math.max(rows.length, 1);
    const room = width - names - sums.reduce((sum, one) => sum + one, 0) - BETWEEN * (groups.length - 1);
    const most = groups.map((_, g) => Math.max(0, ...rows.map((row) => row.groups[g].fills.length)));
    const labels = groups.map(({ label }) => textWidth(label));
    const { pitch, lines, widths } = fitted(most, labels, room, this.isLarge ? share - ROW_GAP - above : ROW);
    const isWide = groups.length === 1 && lines === 1;
    const across = isWide ? Math.max(pitch, Math.min(WIDEST * pitch, room / Math.max(LEAST, ...most))) : pitch;
    const ends = widths.map((wide, g) => Math.max(wide, Math.ceil(most[g] / lines) * across));
    const lefts = groups.map((_, g) => ends.slice(0, g).reduce((sum, end, i) => sum + end + sums[i] + BETWEEN, names));
    const step = Math.max(above + Math.max(pitch * lines, textSize()) + ROW_GAP, this.isLarge ? share : 0);
    return {
      ...{ lefts, pitch, lines, across, width, isNarrow },
      tops: rows.map((_, i) => head + i * step + above),
      rights: lefts.map((left, g) => left + ends[g]),
      rooms: ends.map((end, g) => end + sums[g] + BETWEEN),
      height: head + Math.max(rows.length, 1) * step,
      centred: (step - above - ROW_GAP - pitch * lines) / 2,
      middle: (step - above - ROW_GAP) / 2 + 0.35 * textSize(),
    };
  }

  /**
   * Names of rows and of groups, and the sums.
   * @param {DrawnRow[]} rows
   * @param {Layout} layout
   */
  #drawWords(rows, { lefts, rights, rooms, tops, middle, width, isNarrow }) {
    const { groups } = this.panel;
    const { names, axis, "sum-numbers": sums } = this.layers;
    for (const layer of [names, sums])
      setAttributes(layer, { "font-size": this.isLarge ? NAME * textSize() : null });
    /** @param {number} i */
    const lineOf = (i) => tops[i] + (isNarrow ? -7 : middle);
    updateTexts(
      names,
      rows.map(({ name, colour }, i) => ({ text: name, colour, x: 0, y: lineOf(i), anchor: "start" })),
    );
    const summed = rows.flatMap((row, i) => row.groups.map(({ total }, g) => ({ total, i, g })));
    const largest = Math.max(0, ...summed.map(({ total }) => Math.abs(total)).filter(Number.isFinite));
    updateTexts(
      sums,
      summed
        .filter(({ g }) => groups[g].total)
        .map(({ total, i, g }) => ({
          text: `${onScale(total, largest)} ${groups[g].says}`,
          y: lineOf(i),
          ...(isNarrow ? { x: width, anchor: "end" } : { x: rights[g] + 8, anchor: "start" }),
        })),
    );
    const labels = groups.map(({ label }, g) => ({
      text: label && truncate(label, rooms[g]),
      x: lefts[g],
      y: 14,
      anchor: "start",
    }));
    updateTexts(axis, labels.filter(({ text }) => text));
  }

  /** @param {Unit[]} units */
  #drawUnits(units) {
    updateChildren(this.layers.units, "rect", units, (node, { x, y, width, height, fill, colour }) =>
      setAttributes(node, {
        ...{ x, y, width, height, rx: 2 },
        style: `--colour: var(--fim-${colour})`,
        "data-value": fill,
      }),
    );
    updateChildren(this.layers.fills, "rect", units, (node, { x, y, width, height, fill, colour }) =>
      setAttributes(node, {
        ...{ x, y, width: width * fill, height, rx: 2 },
        style: `--colour: var(--fim-${colour})`,
      }),
    );
  }
}

/**
 * The largest units that fit: from one to the next, in how many lines, and how wide each group is.
 * @param {number[]} counts of the units in each group
 * @param {number[]} labels how wide the groups' names are, which are cut where there is no room for all
 * @param {number} width
 * @param {number} height
 */
function fitted(counts, labels, width, height) {
  const needed = labels.reduce((sum, wide) => sum + wide, 0) <= width ? labels : labels.map(() => 0);
  for (let pitch = Math.min(LARGEST, height); ; pitch -= FINER) {
    const lines = Math.max(1, Math.floor(height / pitch));
    const widths = counts.map((count, g) => Math.max(needed[g], Math.ceil(count / lines) * pitch));
    if (widths.reduce((sum, wide) => sum + wide, 0) <= width || pitch < 2 * FINER) return { pitch, lines, widths };
  }
}

/**
 * @param {UnitsPanel} panel
 * @param {Moment} moment
 * @returns {UnitsDrawing}
 */
export function unitsDrawing({ title, rows, groups, colours }, { watched }) {
  const drawn = rows
    .map((name, i) => ({
      name,
      colour: colours[i],
      groups: groups.map(({ field, places, total }) => {
        const numbers = [...watched[field]].slice(i * places, (i + 1) * places).filter(Number.isFinite);
        const fills = numbers.map((fill) => clamp(fill, 0, 1));
        return { fills, total: total ? watched[total][i] : fills.reduce((sum, fill) => sum + fill, 0) };
      }),
    }))
    .filter((row) => row.groups.some(({ fills }) => fills.length));
  const said = drawn.map(({ name, groups: counted }) => {
    const sums = counted.map(({ fills, total }, g) => {
      const { label, says } = groups[g];
      return `${label} ${readable(total, 3)} ${says || `of ${fills.length}`}`.trim();
    });
    return `${name}: ${sums.join(", ")}`;
  });
  return { rows: drawn, text: `${title}. ${said.join(". ")}.` };
}
