/** A cloud of dots, each ahead or behind in two ways: right is who is ahead in both. */

import { scaleLinear } from "d3-scale";

import { readable } from "./format.js";
import { clamp, element, Frame, keep, keepTexts, set } from "./svg.js";

const TALLEST = 230;
const ROOF = 46; // pixels above: for dots that have no such rival
const BELOW = 38;
const LEFT = 16;
const LEAST = 3; // pixels: radius of a rare dot
const LARGEST = 16; // of one that stands for all

export class Dots extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("quadrant", "square", "cloud", "axis");
    this.quadrant = element(this.layer.quadrant, "rect");
    this.square = element(this.layer.square, "rect");
    this.axes = element(this.layer.square, "path");
  }

  /** @param {{dots: Array<{x: number, y: number, weight: number}>, text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { reach, x_label, y_label, without, colour, other } = this.panel;
    const width = this.measure();
    const tall = Math.min(TALLEST, 0.6 * width);
    const x = scaleLinear(reach, [LEFT, width - LEFT]);
    const y = scaleLinear(reach, [ROOF + tall, ROOF]);
    const at = (scale, value) => scale(clamp(value, ...reach));
    this.size(ROOF + tall + BELOW, drawing.text);
    set(this.quadrant, { x: x(0), y: ROOF, width: width - LEFT - x(0), height: y(0) - ROOF });
    set(this.square, { x: LEFT, y: ROOF, width: width - 2 * LEFT, height: tall });
    set(this.axes, { d: `M${LEFT},${y(0)}H${width - LEFT}M${x(0)},${ROOF}v${tall}` });
    keep(this.layer.cloud, "circle", drawing.dots, (node, dot) => set(node, {
      cx: at(x, dot.x), cy: Number.isFinite(dot.y) ? at(y, dot.y) : ROOF - 20, r: LEAST + (LARGEST - LEAST) * Math.sqrt(dot.weight),
      style: `--colour: var(--fim-${Number.isFinite(dot.y) ? colour : other})`, "data-x": dot.x, "data-y": Number.isFinite(dot.y) ? dot.y : null,
    }));
    keepTexts(this.layer.axis, [
      { text: without, x: LEFT, y: ROOF - 16, anchor: "start" },
      { text: `${y_label} ↑`, x: LEFT + 4, y: ROOF + 16, anchor: "start" },
      { text: `${x_label} →`, x: width - LEFT, y: ROOF + tall + 18, anchor: "end" },
    ]);
  }
}

export function drawDots({ title, x, y, weights, x_label, y_label }, _, watched) {
  const dots = [...watched[weights]].map((weight, i) => ({ weight, x: watched[x][i], y: watched[y][i] })).filter(({ weight }) => weight > 0);
  const ahead = dots.filter((dot) => dot.x > 0 && dot.y > 0).reduce((sum, { weight }) => sum + weight, 0);
  const least = (values) => readable(Math.min(...values), 3);
  const said = `${x_label}, least ${least(dots.map((dot) => dot.x))}; ${y_label}, least ${least(dots.map((dot) => dot.y))}`;
  return { dots, text: `${title}. ${said}; ahead in both: ${readable(100 * ahead, 3)} % of them.` };
}
