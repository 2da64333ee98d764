/** Labels inside a drawing: each stands where it hides least of the curves and touches no other label. */

import { textSize, textWidth } from "./text_layout.js";

const STEP = 4; // pixels between the sampled points of a curve
const TOUCHING = 1000; // the cost of touching another label, or the edge, in points of a curve
const IMPROVEMENT = 3; // points that another place must save: labels must not jump while a run goes on

/** @typedef {[number, number]} Point in pixels */
/** @typedef {[number, number, number, number]} Box left, top, right and bottom, in pixels */
/** @typedef {{ x: number, y: number, anchor?: string }} Place of a label */

export class LabelPlacer {
  /** @type {Map<string, number>} which of its places each label had last */
  #lastChoices = new Map();
  /** @type {() => Point[][]} */
  #curves = () => [];
  /** @type {Point[] | null} sampled from the curves only when there is a label to place */
  #points = null;
  /** @type {Box} */
  #area = [0, 0, 0, 0];
  /** @type {Box[]} of the labels placed so far */
  #boxes = [];

  /**
   * Begin a drawing.
   * @param {() => Point[][]} curves with NaN at gaps
   * @param {Box} area where labels may stand
   */
  begin(curves, area) {
    this.#curves = curves;
    this.#points = null;
    this.#area = area;
    this.#boxes = [];
  }

  /**
   * Place a label at one of these places, the preferred ones first, and keep others from standing there.
   * @param {string} text
   * @param {Place[]} places
   * @param {boolean} [bold]
   */
  place(text, places, bold) {
    const { chosen, box } = this.#choose(text, places, bold);
    this.#boxes.push(box);
    return { text, ...chosen };
  }

  /**
   * Place a label that moves on: others may stand there later.
   * @param {string} text
   * @param {Place[]} places
   * @param {boolean} [bold]
   */
  placeBriefly(text, places, bold) {
    return { text, ...this.#choose(text, places, bold).chosen };
  }

  /**
   * @param {string} text
   * @param {Place[]} places
   * @param {boolean} [bold]
   */
  #choose(text, places, bold) {
    const points = (this.#points ??= this.#curves().flatMap(sampled));
    const boxes = places.map((place) => boxOf(place, textWidth(text, bold)));
    const costs = boxes.map((box) => this.#cost(box, points));
    const cheapest = costs.indexOf(Math.min(...costs));
    const last = this.#lastChoices.get(text) ?? Infinity;
    const choice = last < places.length && costs[last] <= costs[cheapest] + IMPROVEMENT ? last : cheapest;
    this.#lastChoices.set(text, choice);
    return { chosen: places[choice], box: boxes[choice] };
  }

  /**
   * How many points of curves a label would hide, and what it would touch.
   * @param {Box} box
   * @param {Point[]} points
   */
  #cost([left, top, right, bottom], points) {
    const [x0, y0, x1, y1] = this.#area;
    const inside = left >= x0 - 2 && right <= x1 + 2 && top >= y0 - 2 && bottom <= y1 + 2;
    const touched = this.#boxes.filter(
      (box) => left < box[2] + 2 && box[0] < right + 2 && top < box[3] && box[1] < bottom,
    ).length;
    const hidden = points.filter(([x, y]) => x > left && x < right && y > top && y < bottom).length;
    return hidden + TOUCHING * (touched + (inside ? 0 : 1));
  }
}

/**
 * Places around a point: above to the right, above to the left, below, straight above and below, and further off.
 * @param {number} x
 * @param {number} y
 * @param {number} distance
 * @returns {Place[]}
 */
export function placesAround(x, y, distance = 6) {
  const sides = [
    [1, -1],
    [-1, -1],
    [1, 1],
    [-1, 1],
    [0, -1.5],
    [0, 1.5],
    [1, -3],
    [-1, -3],
    [1, 3],
    [-1, 3],
    [0, -4],
    [0, 4],
  ];
  return sides.map(([side, up]) => ({
    x: x + side * distance,
    y: y + up * 8 + (up > 0 ? textSize() * 0.7 : 0),
    anchor: ["end", "middle", "start"][side + 1],
  }));
}

/**
 * @param {Place} place
 * @param {number} width
 * @returns {Box}
 */
function boxOf({ x, y, anchor = "middle" }, width) {
  const left = x - { start: 0, middle: width / 2, end: width }[/** @type {"start" | "middle" | "end"} */ (anchor)];
  return [left, y - 0.8 * textSize(), left + width, y + 0.2 * textSize()];
}

/**
 * Points on a curve, close to each other.
 * @param {Point[]} curve
 * @returns {Point[]}
 */
function sampled(curve) {
  return curve.flatMap(([x, y], i) => {
    const [x0, y0] = curve[i - 1] ?? [x, y];
    const count = Math.max(1, Math.ceil(Math.hypot(x - x0, y - y0) / STEP) || 1);
    return Array.from(
      { length: count },
      (_, k) => /** @type {Point} */ ([x0 + ((k + 1) / count) * (x - x0), y0 + ((k + 1) / count) * (y - y0)]),
    );
  });
}
