/** The cross-hair of a chart in which a click chooses parameters. */

import { DraggablePoint } from "../draw/draggable_point.js";
import { withoutMath } from "../draw/math_text.js";
import { clampFinite } from "../draw/ranges.js";
import { addSvg, setAttributes, updateChildren } from "../draw/svg.js";
import { readable } from "../run/format.js";
import { controlRange } from "../run/parameters.js";

/** @import { Chart } from "./chart.js" */
/** @import { ChartAxes } from "./chart_axes.js" */
/** @import { ParameterActions, Pick } from "../types.js" */

export class CrossHair {
  /**
   * @param {Chart} chart
   * @param {Pick} pick names of the parameters along the axes, of which one may be empty
   * @param {ParameterActions} actions
   */
  constructor(chart, pick, actions) {
    this.chart = chart;
    this.actions = actions;
    this.horizontal = pick.x ? actions.parameter(pick.x) : null;
    this.vertical = pick.y ? actions.parameter(pick.y) : null;
    this.parameters = [this.horizontal, this.vertical].filter((parameter) => parameter !== null);
    const names = this.parameters.map(({ label, name }) => withoutMath(label ?? "") || name).join(" and ");
    const verb = matchMedia("(pointer: coarse)").matches ? "Tap" : "Click";
    chart.addHint(pick.hint || `${verb} the chart, or drag the ring, to choose ${names}.`);
    this.lines = addSvg(chart.svg, "g", { class: "fim-cross" });
    chart.layers["level-labels"].before(this.lines);
    this.point = new DraggablePoint(chart.svg, names, {
      to: (x, y) => this.#moveTo(x, y),
      step: (right, up) => this.#moveBy(right, up),
    });
  }

  /** Stand where the parameters are. @param {ChartAxes} axes */
  place({ x, y }) {
    const { horizontal, vertical, actions } = this;
    const [left, right] = x.range();
    const [bottom, top] = y.range();
    const across = horizontal ? clampFinite(x(actions.value(horizontal.name)), left, right, left) : (left + right) / 2;
    const down = vertical ? clampFinite(y(actions.value(vertical.name)), top, bottom, bottom) : bottom;
    const paths = [
      ...(horizontal ? [`M${across},${top}V${bottom}`] : []),
      ...(vertical ? [`M${left},${down}H${right}`] : []),
    ];
    updateChildren(this.lines, "path", paths, (node, d) => setAttributes(node, { d }));
    const [first] = this.parameters;
    const [min, max] = controlRange(first);
    const text = this.parameters.map(({ name }) => `${name} = ${readable(actions.value(name), 4)}`).join(", ");
    this.point.place(across, down, [left, top, right, bottom], { now: actions.value(first.name), min, max, text });
  }

  /** @param {number} x @param {number} y */
  #moveTo(x, y) {
    const {
      horizontal,
      vertical,
      chart: { axes },
    } = this;
    if (!axes) return;
    this.actions.moveTo({
      ...(horizontal && { [horizontal.name]: axes.x.invert(x) }),
      ...(vertical && { [vertical.name]: axes.y.invert(y) }),
    });
  }

  /**
   * Where there is only one parameter, either pair of arrow keys moves it.
   * @param {number} right
   * @param {number} up
   */
  #moveBy(right, up) {
    const { horizontal, vertical, parameters } = this;
    if (horizontal && vertical) this.actions.moveBy({ [horizontal.name]: right, [vertical.name]: up });
    else this.actions.moveBy({ [parameters[0].name]: right + up });
  }
}
