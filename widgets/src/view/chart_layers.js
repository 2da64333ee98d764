/** What a chart draws inside its axes: bands, levels, areas, lines, points and marks, each into a layer of its own. */

import { area, curveLinear, curveMonotoneX, line } from "d3-shape";

import { placesInBand } from "../draw/band_labels.js";
import { placesAround } from "../draw/label_placement.js";
import { setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { beside, textSize, textWidth } from "../draw/text_layout.js";

/** @import { ChartAxes } from "./chart_axes.js" */
/** @import { AreaData, BandData, MarkData, PointsData, SeriesData } from "./chart.js" */
/** @import { LabelPlacer } from "../draw/label_placement.js" */
/** @import { DrawnLevel } from "../types.js" */

const HEAD = 3.5; // pixels: of the dot at the end of a line that still grows

/** @typedef {Record<string, SVGGElement>} Layers */

/**
 * Lines where one stage ends and the next begins, and the stages' names.
 * @param {Layers} layers
 * @param {ChartAxes} axes
 * @param {BandData[]} bands
 */
export function drawBands(layers, { x, y }, bands) {
  const [bottom, top] = y.range();
  const later = bands.filter(({ from }) => from > x.domain()[0]);
  updateChildren(layers.bands, "line", later, (node, { from }) =>
    setAttributes(node, { x1: x(from), x2: x(from), y1: top, y2: bottom }),
  );
  const wide = bands.filter(({ from, to, label }) => x(to) - x(from) > textWidth(label) + 4);
  updateTexts(
    layers["band-labels"],
    wide.map(({ label, from, to }) => ({ text: label, x: (x(from) + x(to)) / 2, y: top - 8 })),
  );
}

/**
 * Straight lines at a number.
 * @param {Layers} layers
 * @param {ChartAxes} axes
 * @param {DrawnLevel[]} levels
 * @param {LabelPlacer} labels
 */
export function drawLevels(layers, { x, y }, levels, labels) {
  const [[left, right], [bottom, top]] = [x.range(), y.range()];
  const inside = levels.filter(({ value, axis }) => {
    const [low, high] = (axis === "x" ? x : y).domain();
    return value >= low && value <= high;
  });
  updateChildren(layers.levels, "line", inside, (node, { value, axis }) =>
    setAttributes(
      node,
      axis === "x"
        ? { x1: x(value), x2: x(value), y1: top, y2: bottom }
        : { x1: left, x2: right, y1: y(value), y2: y(value) },
    ),
  );
  updateTexts(
    layers["level-labels"],
    inside
      .filter(({ label }) => label)
      .map(({ value, label, axis }) => {
        const places =
          axis === "x"
            ? [0, 1, 0.5, 0.25, 0.75].flatMap((share) =>
                [false, true].map((before) => ({
                  y: top + 10 + share * (bottom - top - 18),
                  ...beside(x(value), 5, before),
                })),
              )
            : [-4, textSize() + 1].flatMap((below) =>
                [0, 1, 0.5].map((share) => ({
                  y: y(value) + below,
                  x: left + 5 + share * (right - left - 10),
                  anchor: ["start", "middle", "end"][2 * share],
                })),
              );
        return labels.place(label, places);
      }),
  );
}

/**
 * Filled bands, with their names inside.
 * @param {Layers} layers
 * @param {ChartAxes} axes
 * @param {AreaData[]} areas
 * @param {LabelPlacer} labels
 */
export function drawAreas(layers, axes, areas, labels) {
  const { x } = axes;
  /** @param {AreaData} data @param {number} i */
  const isShown = (data, i) => axes.isShown(data.x[i], data.low[i]) && axes.isShown(data.x[i], data.high[i]);
  /** @param {AreaData} data */
  const shape = (data) =>
    area()
      .defined((_, i) => isShown(data, i))
      .x((_, i) => x(data.x[i]))
      .y0((_, i) => axes.heightOf(data.low[i]))
      .y1((_, i) => axes.heightOf(data.high[i]))(data.x.map((place) => /** @type {[number, number]} */ ([place, 0])));
  updateChildren(layers.areas, "path", areas, (node, data) =>
    setAttributes(node, { d: shape(data) ?? "", style: `fill: var(--fim-${data.colour})` }),
  );
  updateTexts(
    layers["area-labels"],
    areas
      .filter(({ label }) => label)
      .flatMap((data) => {
        const band = data.x.map((place, i) =>
          isShown(data, i)
            ? /** @type {[number, number, number]} */ ([
                x(place),
                axes.heightOf(data.high[i]),
                axes.heightOf(data.low[i]),
              ])
            : null,
        );
        const places = placesInBand(band, textWidth(data.label, true) + 8, x.range()).flatMap(
          ({ x: middle, y, room }) => {
            const free = Math.max(0, (room - textSize()) / 2); // the label may leave the middle of its band
            return [0, -0.5, 0.5, -1, 1].map((share) => ({ x: middle, y: y + share * free }));
          },
        );
        return places.length ? [{ colour: data.colour, ...labels.place(data.label, places, true) }] : [];
      }),
  );
}

/**
 * @param {Layers} layers
 * @param {ChartAxes} axes
 * @param {SeriesData[]} series
 */
export function drawLines(layers, axes, series) {
  const path = line()
    .defined(([position, value]) => Number.isFinite(value) && axes.isShown(position, value))
    .x(([position]) => axes.x(position))
    .y(([, value]) => axes.heightOf(value));
  updateChildren(layers.lines, "path", series, (node, { x, y, colour, dash, smooth }) =>
    setAttributes(node, {
      d: path.curve(smooth ? curveMonotoneX : curveLinear)(x.map((position, i) => [position, y[i]])) ?? "",
      style: `stroke: var(--fim-${colour})`,
      "stroke-dasharray": dash || null,
    }),
  );
  const heads = series
    .filter(({ grows }) => grows)
    .map(({ x, y, colour }) => ({ colour, x: x[x.length - 1], y: y[y.length - 1] }))
    .filter((head) => Number.isFinite(head.y) && axes.isShown(head.x, head.y) && axes.contains(head.x));
  updateChildren(layers.heads, "circle", heads, (node, head) =>
    setAttributes(node, {
      cx: axes.x(head.x),
      cy: axes.heightOf(head.y),
      r: HEAD,
      style: `fill: var(--fim-${head.colour})`,
    }),
  );
}

/**
 * Points, with whiskers where they have two ends.
 * @param {Layers} layers
 * @param {ChartAxes} axes
 * @param {PointsData[]} groups
 */
export function drawPoints(layers, axes, groups) {
  const { x } = axes;
  const points = groups
    .flatMap(({ shape, colour, ...group }) =>
      group.x.map((place, i) => ({
        shape,
        colour,
        x: place,
        y: group.y[i],
        low: group.low?.[i] ?? NaN,
        high: group.high?.[i] ?? NaN,
      })),
    )
    .filter((point) => Number.isFinite(point.y) && axes.isShown(point.x, point.y) && axes.contains(point.x));
  const withWhiskers = points.filter(({ low, high }) => Number.isFinite(low) && Number.isFinite(high));
  updateChildren(layers.whiskers, "path", withWhiskers, (node, point) =>
    setAttributes(node, {
      d: `M${x(point.x)},${axes.heightOf(point.low)}V${axes.heightOf(point.high)}`,
      style: `stroke: var(--fim-${point.colour})`,
    }),
  );
  updateChildren(layers.points, "path", points, (node, point) =>
    setAttributes(node, {
      d: outline(point.shape, x(point.x), axes.heightOf(point.y)),
      class: `fim-${point.shape}`,
      style: `--colour: var(--fim-${point.colour})`,
    }),
  );
}

/**
 * Where the run is, and the names of single points.
 * @param {Layers} layers
 * @param {ChartAxes} axes
 * @param {MarkData[]} marks
 * @param {LabelPlacer} labels
 */
export function drawMarks(layers, axes, marks, labels) {
  const { x } = axes;
  const inside = marks.filter(
    (mark) => axes.contains(mark.x) && Number.isFinite(mark.y) && axes.isShown(mark.x, mark.y),
  );
  updateChildren(
    layers.marks,
    "circle",
    inside.filter(({ alreadyDrawn }) => !alreadyDrawn),
    (node, mark) =>
      setAttributes(node, { cx: x(mark.x), cy: axes.heightOf(mark.y), r: 5, style: `fill: var(--fim-${mark.colour})` }),
  );
  updateTexts(
    layers["mark-labels"],
    inside
      .filter(({ label }) => label)
      .map((mark) => ({
        colour: mark.colour,
        ...labels.place(mark.label ?? "", placesAround(x(mark.x), axes.heightOf(mark.y)), true),
      })),
  );
}

/**
 * A point's shape about its place.
 * @param {string} shape
 * @param {number} x
 * @param {number} y
 */
function outline(shape, x, y) {
  return shape === "cross" ? `M${x - 4},${y - 4}l8,8m0,-8l-8,8` : `M${x - 4},${y}a4,4 0 1,0 8,0a4,4 0 1,0 -8,0`;
}
