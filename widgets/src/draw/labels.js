/** Labels inside a drawing: each stands where it hides least of the curves and touches no other label. */

import { textSize, widthOf } from "./svg.js";

const STEP = 4; // pixels between the points of a curve that are looked at
const TOUCH = 1000; // what touching another label, or the edge, counts in points of a curve
const BETTER = 3; // points that another place must save: labels shall not jump while a run goes on

export class Labels {
  kept = new Map(); // which of its places a label had last

  /**
   * Begin a drawing.
   * @param {function(): Array<Array<[number, number]>>} curves in pixels, with NaN at gaps
   * @param {[number, number, number, number]} area left, top, right and bottom of where labels may be
   */
  begin(curves, area) {
    this.curves = curves;
    this.points = null; // looked at only where there is a label to place
    this.area = area;
    this.boxes = [];
  }

  /**
   * One of the places for a text, in the order of their liking; it is taken from now on.
   * @param {string} text
   * @param {Array<{x: number, y: number, anchor?: string}>} places
   * @param {boolean} bold
   */
  place(text, places, bold) {
    this.points ??= this.curves().flatMap(sampled);
    const boxes = places.map((place) => boxOf(place, widthOf(text, bold)));
    const costs = boxes.map((box) => this.#cost(box));
    const least = costs.indexOf(Math.min(...costs));
    const last = this.kept.get(text);
    const chosen = last < places.length && costs[last] <= costs[least] + BETTER ? last : least;
    this.kept.set(text, chosen);
    this.boxes.push(boxes[chosen]);
    return { text, ...places[chosen] };
  }

  #cost([left, top, right, bottom]) {
    const [x0, y0, x1, y1] = this.area;
    const inside = left >= x0 - 2 && right <= x1 + 2 && top >= y0 - 2 && bottom <= y1 + 2;
    const touched = this.boxes.filter((box) => left < box[2] + 2 && box[0] < right + 2 && top < box[3] && box[1] < bottom).length;
    const hidden = this.points.filter(([x, y]) => x > left && x < right && y > top && y < bottom).length;
    return hidden + TOUCH * (touched + !inside);
  }
}

/** Places around a point: above to the right, above to the left, below, straight above and below, and further off. */
export function around(x, y, far = 6) {
  const sides = [[1, -1], [-1, -1], [1, 1], [-1, 1], [0, -1.5], [0, 1.5], [1, -3], [-1, -3], [1, 3], [-1, 3], [0, -4], [0, 4]];
  return sides.map(([side, up]) => ({
    x: x + side * far,
    y: y + up * 8 + (up > 0 ? textSize() * 0.7 : 0),
    anchor: { "-1": "end", 0: "middle", 1: "start" }[side],
  }));
}

function boxOf({ x, y, anchor = "middle" }, width) {
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return [left, y - 0.8 * textSize(), left + width, y + 0.2 * textSize()];
}

/** Points on a curve, close to each other. */
function sampled(curve) {
  return curve.flatMap(([x, y], i) => {
    const [x0, y0] = curve[i - 1] ?? [x, y];
    const count = Math.max(1, Math.ceil(Math.hypot(x - x0, y - y0) / STEP) || 1);
    return Array.from({ length: count }, (_, k) => [x0 + ((k + 1) / count) * (x - x0), y0 + ((k + 1) / count) * (y - y0)]);
  });
}
