/** The cross-hair of a chart in which a click chooses parameters. */

import { Hand } from "./hand.js";
import { readable } from "./format.js";
import { rangeOf, snapped, stepped } from "./parameters.js";
import { clamp, element, set } from "./svg.js";
import { plain } from "./text.js";

export class CrossHair {
  /**
   * @param {import("./chart.js").Chart} chart
   * @param {{x: string, y: string, hint: string}} pick names of the parameters
   * @param {object} hands see figure.js
   */
  constructor(chart, pick, hands) {
    this.hands = hands;
    this.across = pick.x ? hands.parameter(pick.x) : null;
    this.up = pick.y ? hands.parameter(pick.y) : null;
    const moved = [this.across, this.up].filter(Boolean);
    const names = moved.map(({ label, name }) => plain(label) || name).join(" and ");
    const verb = matchMedia("(pointer: coarse)").matches ? "Tap" : "Click";
    chart.hint(pick.hint || `${verb} the chart, or drag the ring, to choose ${names}.`);
    this.lines = element(chart.svg, "g", { class: "fim-cross" });
    this.hand = new Hand(chart.svg, names, { to: (x, y) => this.#to(x, y), step: (x, y) => this.#step(x, y) });
    this.moved = moved;
    this.chart = chart;
  }

  /** Stand where the parameters are. */
  place(x, y) {
    const value = (parameter) => this.hands.value(parameter.name);
    const [left, right] = x.range();
    const [bottom, top] = y.range();
    const inside = (at, low, high, rest) => (Number.isFinite(at) ? clamp(at, low, high) : rest);
    const at = {
      x: this.across ? inside(x(value(this.across)), left, right, left) : (left + right) / 2,
      y: this.up ? inside(y(value(this.up)), top, bottom, bottom) : bottom,
    };
    const paths = [this.across && `M${at.x},${top}V${bottom}`, this.up && `M${left},${at.y}H${right}`].filter(Boolean);
    while (this.lines.children.length < paths.length) element(this.lines, "path");
    paths.forEach((d, i) => set(this.lines.children[i], { d }));
    const [first] = this.moved;
    const [min, max] = rangeOf(first);
    const text = this.moved.map((parameter) => `${parameter.name} = ${readable(value(parameter), 4)}`).join(", ");
    this.hand.place(at.x, at.y, [left, top, right, bottom], { now: value(first), min, max, text });
  }

  #to(x, y) {
    const chosen = {};
    if (this.across) chosen[this.across.name] = snapped(this.across, this.chart.x.invert(x));
    if (this.up) chosen[this.up.name] = snapped(this.up, this.chart.y.invert(y));
    this.hands.set(chosen);
  }

  /** With one parameter only, either pair of arrows moves it. */
  #step(right, up) {
    const chosen = {};
    const move = (parameter, steps) => {
      if (parameter && steps) chosen[parameter.name] = stepped(parameter, this.hands.value(parameter.name), steps);
    };
    move(this.across, this.up ? right : right + up);
    move(this.up, this.across ? up : right + up);
    this.hands.set(chosen);
  }
}
