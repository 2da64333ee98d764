/**
 * A ball on the ground: a curve of the report, and on it where the run is, or above or below it on a stem; no ball
 * where the run is far above.
 */

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";

import { Frame } from "../draw/frame.js";
import { LabelPlacer } from "../draw/label_placement.js";
import { clamp, widen } from "../draw/ranges.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { LINE, textSize, textWidth, wrapped } from "../draw/text_layout.js";
import { readable } from "../run/format.js";

/** @import { Ball as BallPanel, DrawnLevel, Moment } from "../types.js" */

export const RADIUS = 9;
export const HEADROOM = 2.6 * RADIUS;
const TEXT_ROOM = 40; // below
const NEAR = 3; // pixels: so far from the ground the ball still lies on it
const DEPTH = 0.12; // of the ground's height: earth below its lowest point

/**
 * @typedef {{ x: number[], y: number[], at: number, height: number, levels: DrawnLevel[], text: string }} BallDrawing
 */

/** A ball that lies on the ground, or stands off it on a stem. */
export class BallMark {
  /** @param {Element} layer */
  constructor(layer) {
    this.stem = addSvg(layer, "line");
    this.ball = addSvg(layer, "circle", { r: RADIUS });
  }

  /**
   * @param {number | null} x nothing where there is no room for it
   * @param {number} ground below it
   * @param {number} foot of the ball
   * @param {{ at: number, height: number }} drawing what it stands for
   */
  place(x, ground, foot, { at, height }) {
    const isOff = Math.abs(ground - foot) > NEAR;
    setAttributes(this.stem, { x1: x, x2: x, y1: ground, y2: isOff ? foot : ground });
    const state = isOff ? "fim-off" : null;
    setAttributes(this.ball, { cx: x, cy: foot - RADIUS, class: state, "data-at": at, "data-height": height });
  }
}

/** @extends {Frame<BallPanel, BallDrawing>} */
export class Ball extends Frame {
  /** @param {HTMLElement} parent @param {BallPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("ground", "levels", "ball", "axis", "level-labels", "says");
    this.earth = addSvg(this.layers.ground, "path", { class: "fim-earth" });
    this.surface = addSvg(this.layers.ground, "path", { class: "fim-surface" });
    this.mark = new BallMark(this.layers.ball);
    this.placer = new LabelPlacer();
  }

  /** @param {BallDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { left, right } = this.panel;
    const width = this.measure();
    const height = Math.round(clamp(0.3 * width, 90, 190));
    const bottom = HEADROOM + height;
    const x = scaleLinear(/** @type {[number, number]} */ (extent(drawing.x)), [RADIUS, width - RADIUS]).clamp(true);
    const [low, high] = widen(extent([...drawing.y, ...drawing.levels.map(({ value }) => value)]));
    const y = scaleLinear([low - DEPTH * (high - low), high], [bottom, HEADROOM]);
    const [start, end] = x.range();
    const room = textWidth(left) + textWidth(right) < width ? width : width / 2;
    const [lefts, rights] = [left, right].map((name) => wrapped(name, room));
    const lower = LINE * textSize() * (Math.max(lefts.length, rights.length) - 1);
    this.resize(bottom + TEXT_ROOM + lower, drawing.text);
    const places = drawing.x.map((place, i) => /** @type {[number, number]} */ ([x(place), y(drawing.y[i])]));
    const path = line()(places);
    setAttributes(this.surface, { d: path });
    setAttributes(this.earth, { d: `${path}V${bottom}H${start}Z` });
    updateChildren(this.layers.levels, "line", drawing.levels, (node, { value }) =>
      setAttributes(node, { x1: start, x2: end, y1: y(value), y2: y(value) }),
    );
    this.placer.begin(() => [places], [0, 0, width, bottom]);
    updateTexts(
      this.layers["level-labels"],
      drawing.levels.map(({ value, label }) => this.placer.place(label, placesAlong(start, end, y(value) - 4))),
    );
    const ground = y(heightAt(drawing, drawing.at));
    const foot = y(drawing.height);
    if (foot < 0) this.mark.place(null, ground, ground, drawing);
    else this.mark.place(x(drawing.at), ground, clamp(foot, RADIUS + 1 + RADIUS, bottom), drawing);
    const lineAt = (/** @type {number} */ i) => bottom + 16 + LINE * textSize() * i;
    updateTexts(this.layers.axis, [
      ...lefts.map((text, i) => ({ text, x: 0, y: lineAt(i), anchor: "start" })),
      ...rights.map((text, i) => ({ text, x: width, y: lineAt(i), anchor: "end" })),
    ]);
    updateTexts(this.layers.says, [{ text: `loss ${readable(drawing.height, 3)}`, x: width / 2, y: bottom + 36 + lower }]);
  }
}

/**
 * Where a level's label may stand: at the left end of its line, at the right, or between.
 * @param {number} start
 * @param {number} end
 * @param {number} y
 */
const placesAlong = (start, end, y) => [
  { x: start + 2, y, anchor: "start" },
  { x: end - 2, y, anchor: "end" },
  ...[0.25, 0.75, 0.5].map((share) => ({ x: start + share * (end - start), y, anchor: "middle" })),
];

/**
 * The ground's height at a place, or at its edge.
 * @param {{ x: number[], y: number[] }} ground
 * @param {number} at
 */
export function heightAt({ x, y }, at) {
  const next = clamp(
    x.findLastIndex((place) => place < at) + 1,
    1,
    x.length - 1,
  );
  const share = clamp((at - x[next - 1]) / (x[next] - x[next - 1]), 0, 1);
  return y[next - 1] + share * (y[next] - y[next - 1]);
}

/**
 * Nothing before the run's end: the ground is in the report.
 * @param {BallPanel} panel
 * @param {Moment} moment
 * @returns {BallDrawing | null}
 */
export function ballDrawing({ title, x, y, at, height, left, right }, { watched, report, levels }) {
  if (!report) return null;
  const [place, loss] = [watched[at][0], watched[height][0]];
  const comparisons = levels
    .filter(({ label }) => label)
    .map(({ value, label }) => `; ${label} is ${readable(value, 3)}`)
    .join("");
  const text = `${title}. The ball is at ${readable(place, 3)}, between ${left} and ${right}; loss ${readable(loss, 3)}${comparisons}.`;
  return { x: [...report[x]], y: [...report[y]], at: place, height: loss, levels, text };
}
