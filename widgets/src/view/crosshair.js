/** The cross-hair of a chart in which a click chooses parameters. */

import { Hand } from "../draw/draggable_point.js";
import { readable } from "../run/format.js";
import { rangeOf } from "../run/parameters.js";
import { clamp, element, set } from "../draw/svg.js";
import { plain } from "../draw/math_text.js";

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
    this.hands.to({
      ...(this.across && { [this.across.name]: this.chart.x.invert(x) }),
      ...(this.up && { [this.up.name]: this.chart.y.invert(y) }),
    });
  }

  /** With one parameter only, either pair of arrows moves it. */
  #step(right, up) {
    if (this.across && this.up) this.hands.by({ [this.across.name]: right, [this.up.name]: up });
    else this.hands.by({ [this.moved[0].name]: right + up });
  }
}
