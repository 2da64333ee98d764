/**
 * A chart in SVG: axes, areas, lines labelled at their ends, levels, points, and a cross-hair to drag. Updated in
 * place.
 */

import { uniqueId } from "../draw/dom.js";
import { Frame } from "../draw/frame.js";
import { LabelPlacer } from "../draw/label_placement.js";
import { addSvg, setAttributes, tickOffset, updateChildren, updateTexts } from "../draw/svg.js";
import { axisName, extraTextSize, spreadApart, textSize, textWidth, withoutOverlaps } from "../draw/text_layout.js";
import { ChartAxes, roomBelow } from "./chart_axes.js";
import { drawAreas, drawBands, drawLevels, drawLines, drawMarks, drawPoints } from "./chart_layers.js";
import { clockOf } from "./clock.js";
import { CrossHair } from "./crosshair.js";

/** @import { Clock } from "./clock.js" */
/** @import { DrawnLevel, Pair, ParameterActions, Pick, ScaleKind, Shape } from "../types.js" */

const NARROW = 240; // pixels: a chart that shares a phone's width
const SMALL_HEIGHT = 160; // of a chart beside the main drawing of a scene
const LONE_HEIGHT = 190; // of one that stands there alone
const LABEL_SHARE = 0.32; // of the width: labels that take more stand above the chart
const SIGNS = { dot: "●", ring: "○", cross: "×" };

/**
 * What a chart needs of its panel; `domain` is the least that the vertical axis shows.
 * @typedef {{ title: string, x: string, y?: string, domain?: Pair | null, x_domain?: Pair | null, x_scale?: ScaleKind,
 *   y_scale?: ScaleKind, pick?: Pick | null }} ChartPanel
 */

/**
 * `grows` where more of the line is still to come: then a dot stands at its end.
 * @typedef {{ x: number[], y: number[], label: string, colour: string, dash?: string, smooth?: boolean, grows?: boolean
 *   }} SeriesData
 */
/** @typedef {{ x: number[], low: number[], high: number[], label: string, colour: string }} AreaData */
/**
 * @typedef {{ x: number[], y: number[], low?: number[], high?: number[], label: string, colour: string, shape: Shape
 *   }} PointsData
 */
/**
 * @typedef {{ x: number, y: number, label?: string, colour: string, alreadyDrawn?: boolean }} MarkData `alreadyDrawn`
 *   where only the name is missing
 */
/** @typedef {{ from: number, to: number, label: string }} BandData */
/** @typedef {{ at: number, text: number | string }} TickData */

/**
 * `whole` are the lines as they will be: the axes have room for them. `clock` says where along the horizontal axis a
 * run is at its shares, both rising.
 * @typedef {{ series: SeriesData[], whole: { x: number[], y: number[] }[], areas: AreaData[], points: PointsData[],
 *   levels: DrawnLevel[], marks: MarkData[], bands: BandData[], xDomain?: Pair, xTicks?: TickData[], text: string,
 *   clock?: { shares: number[], x: number[] } }} ChartDrawing
 */

/**
 * @typedef {Partial<ChartDrawing> & { series: SeriesData[], levels: DrawnLevel[], text: string }} ChartInput
 */

/**
 * What has its name at the right edge: the text, the height of its end, and its look.
 * @typedef {{ text: string, label: string, colour: string, end: number, sign: string, begun: boolean }} EdgeLabel
 */

/** @extends {Frame<ChartPanel, ChartInput>} */
export class Chart extends Frame {
  /** @type {ChartAxes | undefined} of the latest drawing */
  axes;
  /** @type {Clock | null} of the main drawing, where its horizontal axis is the run's own time */
  clock = null;

  /**
   * @param {HTMLElement} parent
   * @param {ChartPanel} panel
   * @param {ParameterActions} [actions] where a cross-hair picks parameters
   */
  constructor(parent, panel, actions) {
    super(parent, panel);
    const clip = uniqueId();
    this.window = addSvg(addSvg(addSvg(this.svg, "defs"), "clipPath", { id: clip }), "rect");
    this.layers = this.addLayers(
      ...["areas", "grid", "bands", "ticks", "levels", "lines", "heads", "whiskers", "points", "level-labels"],
      ...["labels", "area-labels", "marks", "mark-labels", "axis", "band-labels"],
    );
    for (const name of ["areas", "lines", "whiskers"])
      setAttributes(this.layers[name], { "clip-path": `url(#${clip})` });
    this.labels = new LabelPlacer();
    this.crossHair = panel.pick && actions ? new CrossHair(this, panel.pick, actions) : null;
  }

  /** Follow the parameters before the run is finished. */
  aim() {
    if (this.axes) this.crossHair?.place(this.axes);
  }

  /** @param {ChartInput} input */
  draw(input) {
    this.drawing = input;
    /** @type {ChartDrawing} */
    const drawing = { whole: [], areas: [], points: [], marks: [], bands: [], ...input };
    const width = this.measure();
    const usual = Math.max(width < NARROW ? 150 : 190, Math.min(280, Math.round(width * 0.58)));
    const edgeLabels = edgeLabelsOf(drawing);
    const room = Math.max(0, ...edgeLabels.map(({ text }) => 12 + textWidth(text, true)));
    const inside = room <= LABEL_SHARE * width;
    this.showLegend(inside ? [] : edgeLabels.map(({ label, colour, sign }) => ({ label, colour, sign })));
    const height = this.isLarge ? this.mainHeight : this.isSmall ? (this.isAlone ? LONE_HEIGHT : SMALL_HEIGHT) : usual;
    const hasClock = this.isLarge && drawing.clock !== undefined;
    const sides = { left: hasClock ? this.bar.left : 0, right: inside && room ? room : 14 };
    const axes = new ChartAxes(this.panel, drawing, { width, height, ...sides });
    this.axes = axes;
    this.clock = hasClock && drawing.clock ? clockOf(axes.x, drawing.clock) : null;
    this.resize(height, drawing.text);
    this.#drawAxes(axes, drawing.xTicks);
    const { layers, labels } = this;
    labels.begin(() => curvesIn(axes, drawing.series), [axes.left, axes.top - 8, axes.right, axes.bottom]);
    drawBands(layers, axes, drawing.bands);
    drawLevels(layers, axes, drawing.levels, labels);
    drawAreas(layers, axes, drawing.areas, labels);
    drawLines(layers, axes, drawing.series);
    drawPoints(layers, axes, drawing.points);
    drawMarks(layers, axes, [...drawing.marks, ...singlePoints(drawing.points)], labels);
    this.#drawEdgeLabels(axes, inside ? edgeLabels.filter(({ begun }) => begun) : []);
    this.crossHair?.place(axes);
  }

  /** @param {ChartAxes} axes @param {TickData[]} [given] ticks of the horizontal axis */
  #drawAxes(axes, given) {
    const { x, y, yTicks, left, right, top, bottom } = axes;
    setAttributes(this.window, { x: left, y: top - 2, width: Math.max(0, right - left), height: bottom - top + 4 });
    const xTicks = given?.map(({ at, text }) => ({ value: at, text: String(text) })) ?? axes.xTicks(this.width);
    updateChildren(this.layers.grid, "line", yTicks, (node, { value }) =>
      setAttributes(node, { x1: left, x2: right, y1: y(value), y2: y(value) }),
    );
    updateTexts(this.layers.ticks, [
      ...withoutOverlaps(
        xTicks.map(({ value, text }) => ({ x: x(value), y: bottom + tickOffset(), text })),
        this.width,
      ),
      ...yTicks.map(({ value, text }) => ({ x: left - 8, y: y(value) + 5, text, anchor: "end" })),
    ]);
    updateTexts(this.layers.axis, [
      { ...axisName(this.panel.x, (left + right) / 2, this.width), y: bottom + roomBelow() - 4 },
      ...(this.panel.y ? [{ text: this.panel.y, x: 2, y: 12 + extraTextSize(), anchor: "start" }] : []),
    ]);
  }

  /** @param {ChartAxes} axes @param {EdgeLabel[]} edgeLabels */
  #drawEdgeLabels(axes, edgeLabels) {
    const { top, right, bottom } = axes;
    const line = textSize() + 2;
    const heights = spreadApart(
      edgeLabels.map(({ end }) => (Number.isFinite(end) ? axes.heightOf(end) : bottom)),
      edgeLabels.map(() => line),
      top + 4 - line / 2,
      bottom + line / 2,
    );
    updateTexts(
      this.layers.labels,
      edgeLabels.map(({ text, colour }, i) => ({ text, colour, x: right + 6, y: heights[i] + 4, anchor: "start" })),
    );
  }
}

/**
 * The names at the right edge: of lines, and of clouds of points. There is room for all from the start of the run, so
 * that nothing moves when a line begins.
 * @param {ChartDrawing} drawing
 * @returns {EdgeLabel[]}
 */
function edgeLabelsOf({ series, points }) {
  const lines = series
    .filter(({ label }) => label)
    .map(({ label, colour, y, dash }) => ({
      begun: y.length > 0,
      text: label,
      label,
      colour,
      end: y.findLast(Number.isFinite) ?? NaN,
      sign: dash ? "╌" : "▬",
    }));
  const clouds = points
    .filter(({ label, x }) => label && x.length > 1)
    .map(({ label, colour, y, shape }) => ({
      begun: true,
      text: `${SIGNS[shape]} ${label}`,
      label,
      colour,
      end: y.findLast(Number.isFinite) ?? NaN,
      sign: SIGNS[shape],
    }));
  return [...lines, ...clouds];
}

/**
 * Lines in pixels, with NaN at gaps.
 * @param {ChartAxes} axes
 * @param {SeriesData[]} series
 * @returns {[number, number][][]}
 */
const curvesIn = (axes, series) =>
  series.map(({ x, y }) =>
    x.map((place, i) => (axes.isShown(place, y[i]) ? [axes.x(place), axes.heightOf(y[i])] : [NaN, NaN])),
  );

/**
 * A single point has its name where it stands.
 * @param {PointsData[]} groups
 * @returns {MarkData[]}
 */
const singlePoints = (groups) =>
  groups
    .filter(({ label, x }) => label && x.length === 1)
    .map(({ x, y, label, colour }) => ({ x: x[0], y: y[0], label, colour, alreadyDrawn: true }));
