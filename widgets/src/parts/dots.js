/** A cloud of dots, each ahead or behind in two ways: correct is what is ahead in both. */

import { scaleLinear } from "d3-scale";

import { Frame } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { percent, readable } from "../run/format.js";

/** @import { ScaleLinear } from "d3-scale" */
/** @import { Cloud, Dots as DotsPanel, Moment } from "../types.js" */

const TALLEST = 230;
const NAME = 18; // pixels above the row of dots that have no such rival: its name
const ROW = 38; // and the row itself
const EDGE = 22; // above, where there is no such row: for the name of what is drawn upwards
const TEXT_ROOM = 38; // below
const LEFT = 16;
const SMALLEST = 3; // pixels: radius of a rare dot
const LARGEST = 16; // of a dot whose weight is 1
const OF_MANY = 2.4; // of one dot of a crowd
const SPREAD = { x: 42, y: 14 }; // pixels: how far a crowd in one place reaches
const TURN = 0.618034; // of a circle from one dot of a crowd to the next, which spreads them evenly
const SHARE = 0.754878; // and of all kinds, by another law, so that each kind is spread over the whole crowd


/** @typedef {{ x: number, y: number, weight: number, colour: string, aside?: [number, number] }} Dot */
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
    const { reach, x_label, y_label, without, zones, rivals } = this.panel;
    const width = this.measure();
    if (rivals.length)
      this.showLegend(
        drawing.clouds.map(({ label, colour, ahead }) => ({
          label: `${label}: ${percent(ahead)} correct`,
          colour,
          sign: "●",
        })),
      );
    const roof = without ? NAME + ROW : EDGE;
    const height = this.isLarge ? this.mainHeight - roof - TEXT_ROOM : Math.min(TALLEST, 0.6 * width);
    const x = scaleLinear(reach, [LEFT, width - LEFT]);
    const y = scaleLinear(reach, [roof + height, roof]);
    this.resize(roof + height + TEXT_ROOM, drawing.text);
    setAttributes(this.quadrant, { x: x(0), y: roof, width: width - LEFT - x(0), height: y(0) - roof });
    const ceiling = without ? NAME : roof;
    setAttributes(this.square, { x: LEFT, y: ceiling, width: width - 2 * LEFT, height: roof + height - ceiling });
    const divider = without ? `M${LEFT},${roof}H${width - LEFT}` : "";
    setAttributes(this.axes, { d: `M${LEFT},${y(0)}H${width - LEFT}M${x(0)},${ceiling}V${roof + height}${divider}` });
    this.#drawCloud(
      drawing.clouds.flatMap(({ dots }) => dots),
      x,
      y,
      roof - ROW / 2,
    );
    updateTexts(this.layers.axis, [
      ...(without ? [{ text: without, x: LEFT, y: 12, anchor: "start" }] : []),
      { text: `${y_label} ↑`, x: without ? x(0) + 6 : LEFT + 4, y: without ? roof + 16 : roof - 8, anchor: "start" },
      { text: `${x_label} →`, x: width - LEFT, y: roof + height + 18, anchor: "end" },
      ...zones.map((zone) => ({ text: zone.text, x: x(zone.x), y: y(zone.y) })),
    ]);
  }

  /**
   * @param {Dot[]} dots
   * @param {ScaleLinear<number, number>} x
   * @param {ScaleLinear<number, number>} y
   * @param {number} rowAbove the height of dots that have nothing to be ahead of
   */
  #drawCloud(dots, x, y, rowAbove) {
    const [left, right] = x.range();
    const [bottom, top] = y.range();
    const { crowd } = this.panel;
    const room = crowd ? SPREAD : { x: 0, y: 0 }; // a crowd at the edge stays inside
    updateChildren(this.layers.cloud, "circle", crowd ? divided(dots, crowd) : dots, (node, dot) => {
      const compared = Number.isFinite(dot.y);
      const [across, down] = dot.aside ?? [0, 0];
      setAttributes(node, {
        cx: clamp(x(dot.x), left + room.x, right - room.x) + room.x * across,
        cy: (compared ? clamp(y(dot.y), top + room.y, bottom - room.y) : rowAbove) + room.y * down,
        r: crowd ? OF_MANY : SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(dot.weight),
        style: `--colour: var(--fim-${compared ? dot.colour : this.panel.other})`,
        "data-x": dot.x,
        "data-y": compared ? dot.y : null,
      });
    });
  }
}

/**
 * A crowd of dots in place of one for each kind: each takes the kind at its place among the summed weights.
 * @param {Dot[]} kinds with weights that add up to 1
 * @param {number} many
 * @returns {Dot[]}
 */
export function divided(kinds, many) {
  const ends = kinds.reduce((sums, { weight }) => [...sums, weight + (sums.at(-1) ?? 0)], /** @type {number[]} */ ([]));
  return Array.from({ length: many }, (_, i) => {
    const kind = kinds[ends.findIndex((end) => end > ((i * SHARE) % 1) * ends[ends.length - 1])];
    const [out, turn] = [Math.sqrt((i + 0.5) / many), 2 * Math.PI * i * TURN];
    return { ...kind, aside: [out * Math.cos(turn), out * Math.sin(turn)] };
  });
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
