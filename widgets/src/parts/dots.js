/** A cloud of dots, each ahead or behind in two ways: right is who is ahead in both. */

import { scaleLinear } from "d3-scale";

import { percent, readable } from "../run/format.js";
import { clamp, element, Frame, keep, keepTexts, set } from "../draw/svg.js";

const TALLEST = 230;
const ROOF = 56; // pixels above: for dots that have no such rival, and their name above them
const EDGE = 22; // where there are none: for what is drawn upwards
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

  /**
   * @param {{dots: Array<{x: number, y: number, weight: number, colour: string}>,
   *   clouds: Array<{label: string, colour: string, ahead: number}>, text: string}} drawing
   */
  draw(drawing) {
    this.drawing = drawing;
    const { reach, x_label, y_label, without, other, rivals } = this.panel;
    const width = this.measure();
    const roof = without ? ROOF : EDGE;
    const tall = Math.min(TALLEST, 0.6 * width);
    const x = scaleLinear(reach, [LEFT, width - LEFT]);
    const y = scaleLinear(reach, [roof + tall, roof]);
    const at = (scale, value) => scale(clamp(value, ...reach));
    this.size(roof + tall + BELOW, drawing.text);
    set(this.quadrant, { x: x(0), y: roof, width: width - LEFT - x(0), height: y(0) - roof });
    set(this.square, { x: LEFT, y: roof, width: width - 2 * LEFT, height: tall });
    set(this.axes, { d: `M${LEFT},${y(0)}H${width - LEFT}M${x(0)},${roof}v${tall}` });
    keep(this.layer.cloud, "circle", drawing.dots, (node, dot) => set(node, {
      cx: at(x, dot.x), cy: Number.isFinite(dot.y) ? at(y, dot.y) : roof - 20, r: LEAST + (LARGEST - LEAST) * Math.sqrt(dot.weight),
      style: `--colour: var(--fim-${Number.isFinite(dot.y) ? dot.colour : other})`, "data-x": dot.x, "data-y": Number.isFinite(dot.y) ? dot.y : null,
    }));
    if (rivals.length) this.legend(drawing.clouds.map(({ label, colour, ahead }) => ({ label: `${label}: ${percent(ahead)} correct`, colour, sign: "●" })));
    keepTexts(this.layer.axis, [
      ...(without ? [{ text: without, x: LEFT, y: 12, anchor: "start" }] : []),
      { text: `${y_label} ↑`, x: LEFT + 4, y: without ? roof + 16 : roof - 8, anchor: "start" },
      { text: `${x_label} →`, x: width - LEFT, y: roof + tall + 18, anchor: "end" },
    ]);
  }
}

export function drawDots({ title, x_label, y_label, rivals, ...own }, _, watched) {
  const clouds = [own, ...rivals].map(({ x, y, weights, label, colour }) => {
    const dots = [...watched[weights]].map((weight, i) => ({ weight, x: watched[x][i], y: watched[y][i], colour })).filter(({ weight }) => weight > 0);
    const ahead = dots.filter((dot) => dot.x > 0 && dot.y > 0).reduce((sum, { weight }) => sum + weight, 0);
    const least = (values) => readable(Math.min(...values), 3);
    const said = `${x_label}, least ${least(dots.map((dot) => dot.x))}; ${y_label}, least ${least(dots.map((dot) => dot.y))}`;
    return { dots, label, colour, ahead, said: `${label ? `${label}: ` : ""}${said}; ahead in both: ${readable(100 * ahead, 3)} % of them.` };
  });
  return { dots: clouds.flatMap(({ dots }) => dots), clouds, text: `${title}. ${clouds.map(({ said }) => said).join(" ")}` };
}
