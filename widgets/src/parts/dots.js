/** A cloud of dots, each ahead or behind in two ways: correct is what is ahead in both. */

import { scaleLinear } from "d3-scale";

import { Frame } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { percent, readable } from "../run/format.js";

/** @import { ScaleLinear } from "d3-scale" */
/** @import { Cloud, Dots as DotsPanel, Moment } from "../types.js" */

const TALLEST = 230;
const EDGE = 22; // pixels above: for the name of what is drawn upwards
const TEXT_ROOM = 38; // below
const LEFT = 16;
const SMALLEST = 3; // pixels: radius of a rare dot
const LARGEST = 16; // of a dot whose weight is 1

/** @typedef {{ x: number, y: number, weight: number, colour: string }} Dot */
/** @typedef {{ label: string, colour: string, ahead: number, dots: Dot[], text: string }} DrawnCloud */
/** @typedef {{ clouds: DrawnCloud[], text: string }} DotsDrawing */

/** @extends {Frame<DotsPanel, DotsDrawing>} */
export class Dots extends Frame {
  /** @param {HTMLElement} parent @param {DotsPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("quadrant", "square", "cloud", "axis");
    this.quadrant = addSvg(this.layers.quadrant, "rect");
    this.square = addSvg(this.layers.square, "rect");
    this.axes = addSvg(this.layers.square, "path");
  }

  /** @param {DotsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { reach, x_label, y_label, rivals } = this.panel;
    const width = this.measure();
    if (rivals.length)
      this.showLegend(
        drawing.clouds.map(({ label, colour, ahead }) => ({
          label: `${label}: ${percent(ahead)} correct`,
          colour,
          sign: "●",
        })),
      );
    const height = this.isLarge ? this.mainHeight - EDGE - TEXT_ROOM : Math.min(TALLEST, 0.6 * width);
    const x = scaleLinear(reach, [LEFT, width - LEFT]);
    const y = scaleLinear(reach, [EDGE + height, EDGE]);
    this.resize(EDGE + height + TEXT_ROOM, drawing.text);
    setAttributes(this.quadrant, { x: x(0), y: EDGE, width: width - LEFT - x(0), height: y(0) - EDGE });
    setAttributes(this.square, { x: LEFT, y: EDGE, width: width - 2 * LEFT, height });
    setAttributes(this.axes, { d: `M${LEFT},${y(0)}H${width - LEFT}M${x(0)},${EDGE}V${EDGE + height}` });
    this.#drawCloud(
      drawing.clouds.flatMap(({ dots }) => dots),
      x,
      y,
    );
    updateTexts(this.layers.axis, [
      { text: `${y_label} ↑`, x: LEFT + 4, y: EDGE - 8, anchor: "start" },
      { text: `${x_label} →`, x: width - LEFT, y: EDGE + height + 18, anchor: "end" },
    ]);
  }

  /**
   * @param {Dot[]} dots
   * @param {ScaleLinear<number, number>} x
   * @param {ScaleLinear<number, number>} y
   */
  #drawCloud(dots, x, y) {
    const [left, right] = x.range();
    const [bottom, top] = y.range();
    updateChildren(this.layers.cloud, "circle", dots, (node, dot) =>
      setAttributes(node, {
        cx: clamp(x(dot.x), left, right),
        cy: clamp(y(dot.y), top, bottom),
        r: SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(dot.weight),
        style: `--colour: var(--fim-${dot.colour})`,
        "data-x": dot.x,
        "data-y": dot.y,
      }),
    );
  }
}

/**
 * @param {DotsPanel} panel
 * @param {Moment} moment
 * @returns {DotsDrawing}
 */
export function dotsDrawing(panel, { watched }) {
  const clouds = [panel, ...panel.rivals].map((cloud) => drawnCloud(cloud, panel, watched));
  return { clouds, text: `${panel.title}. ${clouds.map(({ text }) => text).join(" ")}` };
}

/**
 * @param {Cloud} cloud
 * @param {DotsPanel} panel
 * @param {Moment["watched"]} watched
 * @returns {DrawnCloud}
 */
function drawnCloud({ x, y, weights, label, colour }, { x_label, y_label }, watched) {
  const dots = [...watched[weights]]
    .map((weight, i) => ({ weight, x: watched[x][i], y: watched[y][i], colour }))
    .filter(({ weight }) => weight > 0);
  const ahead = dots.filter((dot) => dot.x > 0 && dot.y > 0).reduce((sum, { weight }) => sum + weight, 0);
  /** @param {number[]} values */
  const least = (values) => readable(Math.min(...values), 3);
  const extremes = `${x_label}, least ${least(dots.map((dot) => dot.x))}; ${y_label}, least ${least(dots.map((dot) => dot.y))}`;
  const text = `${label ? `${label}: ` : ""}${extremes}; ahead in both: ${readable(100 * ahead, 3)} % of them.`;
  return { dots, label, colour, ahead, text };
}
