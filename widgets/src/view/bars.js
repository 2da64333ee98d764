/** Bars: a row for each label, or thin upright bars where there are many. */

import { extent } from "d3-array";

import { Frame } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { makeScale, makeTicks } from "../draw/scales.js";
import { setAttributes, tickOffset, updateChildren, updateTexts } from "../draw/svg.js";
import { axisName, beside, extraTextSize, textWidth, truncate, withoutOverlaps } from "../draw/text_layout.js";
import { onScale, readable } from "../run/format.js";
import { readerAt } from "./kinds.js";
import { levelsOf } from "./levels.js";

/** @import { Attributes } from "../draw/svg.js" */
/** @import { Run } from "../run/program.js" */
/** @import { Bar, BarChart, DrawnLevel, Leaves, Spec } from "../types.js" */

const MOST_ROWS = 24;
const BAR = 16; // pixels: the thickness of a bar in a row
const THICKEST = 48; // in the main drawing of a scene
const ROW_GAP = 9;
const LOOSEST = 1.6; // how far rows move apart when others are left out
const AXIS_ROOM = 46; // below, at the usual size of texts
const TOP = 6;
const LEVEL_NAMES_ROOM = 12; // more above, for the names of levels
const LABEL_SHARE = 0.42; // of the width, for the labels of rows
const NUMBERS_ROOM = 46; // pixels to the right
const MOST_LISTED = 8; // bars that the description lists one by one

const roomBelow = () => AXIS_ROOM + 2 * extraTextSize();

/** @typedef {{ label: string, values: number[] }} DrawnRow with a number for each bar */
/**
 * `reached` are the least and the largest numbers of the whole run.
 * @typedef {{ rows: DrawnRow[], levels: DrawnLevel[], reached: number[], text: string }} BarsDrawing
 */

/** @extends {Frame<BarChart, BarsDrawing>} */
export class Bars extends Frame {
  /** @param {HTMLElement} parent @param {BarChart} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("grid", "ticks", "bars", "levels", "names", "values", "level-labels", "axis");
    if (panel.bars.some(({ label }) => label))
      this.showLegend(panel.bars.map(({ label, colour }) => ({ label, colour, sign: "■" })));
  }

  /** @param {BarsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    this.measure();
    const { rows, levels } = drawing;
    const ends = [...rows.flatMap(({ values }) => values), ...levels.map(({ value }) => value), ...drawing.reached];
    const domain = extent([0, ...ends, ...(this.panel.domain ?? [])]);
    if (this.panel.labels.length > MOST_ROWS) this.#drawUpright(drawing, domain);
    else this.#drawRows(drawing, domain);
  }

  /** How many bars stand together. */
  get #lanes() {
    return this.panel.bars.length;
  }

  /** The thickness of a bar: in the main drawing the rows fill the room. @param {number} rows */
  #barOf(rows) {
    const room = this.mainHeight - TOP - roomBelow() - (this.panel.levels.length ? LEVEL_NAMES_ROOM : 0);
    return this.isLarge ? clamp((room / Math.max(rows, 1) - ROW_GAP) / this.#lanes, BAR, THICKEST) : BAR;
  }

  /**
   * Rows of bars from the top.
   * @param {BarsDrawing} drawing
   * @param {[number, number] | [undefined, undefined]} domain
   */
  #drawRows({ rows, levels, text: description }, domain) {
    const { panel, width, layers } = this;
    const bar = this.#barOf(rows.length);
    const pitch = this.#lanes * bar + ROW_GAP;
    const height = pitch * panel.labels.length;
    const step = Math.min(rows.length ? height / rows.length : height, LOOSEST * pitch);
    const left = Math.min(LABEL_SHARE * width, 12 + Math.max(...panel.labels.map((text) => textWidth(text))));
    const right = width - NUMBERS_ROOM;
    const span = Math.max(...domain.map((end) => Math.abs(end ?? 0)));
    const x = makeScale("linear", domain, [left, right]);
    if (!panel.domain) x.nice(4);
    const top = TOP + (panel.levels.length ? LEVEL_NAMES_ROOM : 0);
    const bottom = top + height;
    /** @param {number} i */
    const middle = (i) => top + (i + 0.5) * step;
    /** @param {number} i @param {number} lane */
    const topOf = (i, lane) => middle(i) + (lane - this.#lanes / 2) * bar;
    this.resize(bottom + roomBelow(), description);
    const ticks = makeTicks(x, "linear", Math.max(2, Math.round((width - left) / 80))).map(({ value, text }) => ({
      at: x(value),
      x: x(value),
      y: bottom + tickOffset(),
      text,
    }));
    const shownTicks = withoutOverlaps(ticks, width);
    updateChildren(layers.grid, "line", shownTicks, (node, { at }) =>
      setAttributes(node, { x1: at, x2: at, y1: top, y2: bottom }),
    );
    updateTexts(layers.ticks, shownTicks);
    updateTexts(layers.axis, [{ ...axisName(panel.x, (left + right) / 2, width), y: bottom + roomBelow() - 4 }]);
    this.#drawBars(rows, (value, i, lane) => ({
      ...along("x", "width", x(0), x(value)),
      y: topOf(i, lane) + 1,
      height: bar - 2,
    }));
    updateTexts(
      layers.names,
      rows.map(({ label }, i) => ({ text: truncate(label, left - 10), x: left - 8, y: middle(i) + 5, anchor: "end" })),
    );
    updateTexts(
      layers.values,
      rows
        .flatMap(({ values }, i) =>
          values.map((value, lane) => ({
            value,
            text: onScale(value, span),
            x: x(Math.max(0, value)) + 5,
            y: topOf(i, lane) + bar / 2 + 5,
            anchor: "start",
          })),
        )
        .filter(({ value }) => Number.isFinite(value)),
    );
    this.#drawLevels(
      levels,
      (value) => ({ x1: x(value), x2: x(value), y1: top - 2, y2: bottom }),
      (value) => ({ y: top - 3, ...beside(x(value), 4, x(value) > (left + right) / 2) }),
    );
  }

  /** @param {BarsDrawing} drawing @param {[number, number] | [undefined, undefined]} domain */
  #drawUpright({ rows, levels, text: description }, domain) {
    const { panel, layers } = this;
    const right = this.width - 12;
    const height = Math.max(190, Math.min(260, Math.round(right * 0.5)));
    const bottom = height - roomBelow();
    const y = makeScale("linear", domain, [bottom, TOP + 8]);
    if (!panel.domain) y.nice(4);
    const ticks = makeTicks(y, "linear", 5);
    const left = Math.max(36, 10 + Math.max(...ticks.map(({ text }) => textWidth(text))));
    const step = (right - left) / Math.max(rows.length, 1);
    const barWidth = Math.max(0.5, (step * 0.86) / this.#lanes);
    /** @param {number} i */
    const middle = (i) => left + (i + 0.5) * step;
    this.resize(height, description);
    updateChildren(layers.grid, "line", ticks, (node, { value }) =>
      setAttributes(node, { x1: left, x2: right, y1: y(value), y2: y(value) }),
    );
    updateTexts(
      layers.ticks,
      ticks.map(({ value, text }) => ({ x: left - 6, y: y(value) + 4, text, anchor: "end" })),
    );
    const names = rows.map(({ label }, i) => ({ text: label, x: middle(i), y: bottom + tickOffset() }));
    updateTexts(layers.names, withoutOverlaps(names, this.width));
    updateTexts(layers.axis, [{ ...axisName(panel.x, (left + right) / 2, this.width), y: height - 4 }]);
    this.#drawBars(rows, (value, i, lane) => ({
      ...along("y", "height", y(0), y(value)),
      x: middle(i) + (lane - this.#lanes / 2) * barWidth,
      width: barWidth,
    }));
    this.#drawLevels(
      levels,
      (value) => ({ x1: left, x2: right, y1: y(value), y2: y(value) }),
      (value) => ({ x: left + 4, y: y(value) - 4, anchor: "start" }),
    );
  }

  /** @param {DrawnRow[]} rows @param {(value: number, i: number, lane: number) => Attributes} place */
  #drawBars(rows, place) {
    const bars = rows
      .flatMap(({ values }, i) => values.map((value, lane) => ({ value, i, lane })))
      .filter(({ value }) => Number.isFinite(value));
    updateChildren(this.layers.bars, "rect", bars, (node, { value, i, lane }) =>
      setAttributes(node, {
        ...place(value, i, lane),
        style: `fill: var(--fim-${this.panel.colours[i] ?? this.panel.bars[lane].colour})`,
      }),
    );
  }

  /**
   * @param {DrawnLevel[]} levels
   * @param {(value: number) => Attributes} ends
   * @param {(value: number) => { x: number, y: number, anchor?: string }} label
   */
  #drawLevels(levels, ends, label) {
    updateChildren(this.layers.levels, "line", levels, (node, { value }) => setAttributes(node, ends(value)));
    updateTexts(
      this.layers["level-labels"],
      levels.map(({ value, label: text }) => ({ text, ...label(value) })),
    );
  }
}

/**
 * Where a bar begins on an axis, and how far it goes, as attributes.
 * @param {string} start
 * @param {string} length
 * @param {number} from
 * @param {number} to
 */
const along = (start, length, from, to) => ({ [start]: Math.min(from, to), [length]: Math.abs(to - from) });

/** The least and the largest of a watched field at each moment. @param {number} field @param {Run} run */
const reachedBy = (field, run) =>
  run.histories.flatMap(({ rows }) => rows.flatMap((row) => extent(row[field]).filter((end) => end !== undefined)));

/** Whether any of the bars waits for its time. @param {BarChart} panel */
export const barsMove = ({ bars }) => bars.some(({ when }) => when);

/**
 * The bars at a moment of a run; labels without a number are left out. Nothing before a report is there.
 * @param {BarChart} panel
 * @param {Leaves | null} report
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 * @returns {BarsDrawing | null}
 */
export function barsDrawing(panel, report, spec, run, share) {
  if (!report) return null;
  const { title, labels, bars } = panel;
  const read = readerAt(report, spec, run, share);
  const lanes = bars.map(({ field, when }) => ({ now: read(field, when), later: report[field] }));
  const rows = labels
    .map((label, i) => ({ label, values: lanes.map(({ now }) => now?.[i] ?? NaN) }))
    .filter((_, i) => lanes.some(({ now, later }) => Number.isFinite((now ?? later)[i])));
  return {
    rows,
    levels: levelsOf(panel, report),
    reached: bars.flatMap(({ field, when }) =>
      when === "now" ? reachedBy(spec.watch.indexOf(field), run) : [...report[field]].filter(Number.isFinite),
    ),
    text: `${title}. ${describe(rows, bars)}.`,
  };
}

/** @param {DrawnRow[]} rows @param {Bar[]} bars */
function describe(rows, bars) {
  /** @param {DrawnRow} row */
  const inWords = ({ label, values }) => {
    const numbers = values.map((value, k) =>
      bars[k].label && bars.length > 1 ? `${bars[k].label} ${readable(value, 3)}` : readable(value, 3),
    );
    return `${label}: ${numbers.join(", ")}`;
  };
  if (rows.length <= MOST_LISTED) return rows.map(inWords).join("; ") || "nothing to show";
  const largest = [...rows].sort((a, b) => (b.values[0] || 0) - (a.values[0] || 0)).slice(0, 3);
  return `${rows.length} bars, the largest ${largest.map(inWords).join("; ")}`;
}
