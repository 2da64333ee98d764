/** The two axes of a chart: their scales, the numbers along them, and which points they can show. */

import { extent } from "d3-array";

import { clamp } from "../draw/ranges.js";
import { canShow, makeScale, makeTicks } from "../draw/scales.js";
import { extraTextSize, LINE, textSize, textWidth } from "../draw/text_layout.js";

/** @import { ChartDrawing, ChartPanel } from "./chart.js" */
/** @import { ScaleKind } from "../types.js" */

const MARGIN = { top: 24, bottom: 48, left: 42 };

/** The room below a chart, for the numbers along its axis and what they mean. */
export const roomBelow = () => MARGIN.bottom + 2 * extraTextSize();

export class ChartAxes {
  /**
   * @param {ChartPanel} panel
   * @param {ChartDrawing} drawing
   * @param {{ width: number, height: number, left: number, right: number }} size of the drawing, its least margin on
   *   the left and that on the right
   */
  constructor(panel, { series, whole, areas, points, levels, xDomain }, { width, height, left, right }) {
    /** @type {[ScaleKind, ScaleKind]} */
    const [across, up] = [panel.x_scale ?? "linear", panel.y_scale ?? "linear"];
    const [showsX, showsY] = [canShow(across), canShow(up)];
    const horizontal =
      xDomain ??
      panel.x_domain ??
      extent(
        [...series, ...whole, ...areas, ...points]
          .flatMap((data) => extent(data.x.filter(showsX)))
          .filter((end) => end !== undefined),
      );
    const vertical = [
      ...[...series, ...whole].map(({ y }) => y),
      ...areas.flatMap(({ low, high }) => [low, high]),
      ...points.flatMap(({ y, low, high }) => [y, low ?? [], high ?? []]),
    ];
    const heights = [
      ...vertical.flatMap((values) => extent(values.filter(showsY))).filter((end) => end !== undefined),
      ...levels.filter(({ axis, value }) => axis !== "x" && showsY(value)).map(({ value }) => value),
      ...(panel.domain ?? []),
    ];
    this.kindOfX = across;
    this.y = makeScale(up, extent(heights), [height - roomBelow(), this.top]);
    if (!panel.domain) this.y.nice(4);
    let many = clamp(Math.round(height / 40), 2, 5);
    do this.yTicks = makeTicks(this.y, up, many);
    while (many-- > 1 && this.#areCrowded); // d3 takes the number for a hint
    this.left = Math.max(left, MARGIN.left, 12 + Math.max(...this.yTicks.map(({ text }) => textWidth(text))));
    this.right = width - right;
    this.x = makeScale(across, horizontal, [this.left, this.right]);
    this.#showsX = showsX;
    this.#showsY = showsY;
  }

  #showsX;
  #showsY;

  /** Whether two numbers along the vertical axis touch. */
  get #areCrowded() {
    const heights = this.yTicks.map(({ value }) => this.y(value));
    return heights.some((height, i) => i > 0 && Math.abs(height - heights[i - 1]) < LINE * textSize());
  }

  get top() {
    return MARGIN.top + extraTextSize();
  }

  get bottom() {
    return this.y.range()[0];
  }

  /** About as many numbers along the horizontal axis as there is room for. @param {number} width */
  xTicks(width) {
    return makeTicks(this.x, this.kindOfX, Math.max(3, Math.round(width / 90)));
  }

  /**
   * Whether a point can be drawn; an infinite height stands at the edge.
   * @param {number} x
   * @param {number} y
   */
  isShown(x, y) {
    return this.#showsX(x) && !Number.isNaN(y) && (this.#showsY(y) || !Number.isFinite(y));
  }

  /** Whether a place lies inside the horizontal axis. @param {number} x */
  contains(x) {
    const [low, high] = this.x.domain();
    return x >= low && x <= high;
  }

  /** The height of a value in pixels; what lies beyond the axis stands at its edge. @param {number} value */
  heightOf(value) {
    const [low, high] = this.y.domain();
    return this.y(clamp(value, low, high));
  }
}
