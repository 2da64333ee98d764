/** A question that a reader may answer before the run is shown: sketch the curve, then see the run drawn over it. */

import { add, laidOut } from "../draw/dom.js";
import { DraggablePoint } from "../draw/draggable_point.js";
import { clamp } from "../draw/ranges.js";
import { readable } from "../run/format.js";
import { momentOf, startOf } from "../run/timeline.js";
import { Chart } from "./chart.js";

/** @import { SeriesData } from "./chart.js" */
/** @import { Run } from "../run/program.js" */
/** @import { Predict, Spec } from "../types.js" */

const INTERVALS = 60; // of a curve
const HEIGHT_STEPS = 25; // of the up key, from the lowest to the highest

export class Prediction {
  /** @type {number[]} of the sketched curve; NaN where there is none yet */
  heights = [];
  /** Where the pen is. */
  pen = { place: 0, height: 0 };
  /** @type {number[][]} sketches of others, in a class */
  others = [];
  /** Whether the run is drawn over the sketch. */
  compared = false;
  /** @type {number[] | undefined} of the run's curve */
  runHeights;

  /**
   * @param {HTMLElement} parent
   * @param {Predict} question
   * @param {Spec} spec
   * @param {{hideScene: (hidden: boolean) => void, play: () => void}} actions
   */
  constructor(parent, question, spec, actions) {
    this.question = question;
    this.field = spec.watch.indexOf(question.field);
    this.since = spec.scene.since;
    this.actions = actions;
    this.details = add(parent, "details", { className: "fim-predict" });
    add(this.details, "summary", { textContent: `Predict first: ${question.question}` });
    add(this.details, "p", {
      className: "fim-hint",
      textContent: "Draw the curve: drag the point.",
    });
    this.chart = new Chart(this.details, {
      title: "",
      x: "the run, from its start to its end",
      y: question.label,
      domain: question.domain,
    });
    this.description = `${question.label}, to be drawn from ${question.domain.map((end) => readable(end)).join(" to ")}.`;
    this.chart.svg.setAttribute("aria-label", this.description);
    this.point = new DraggablePoint(this.chart.svg, "your curve", {
      to: (x, y) => this.#moveTo(x, y),
      step: (right, up) => this.#moveBy(right, up),
    });
    const buttons = add(this.details, "div", { className: "fim-answer" });
    this.commit = add(buttons, "button", { type: "button", textContent: "show the run" });
    this.commit.addEventListener("click", () => this.#commit());
    add(buttons, "button", { type: "button", textContent: "draw again" }).addEventListener("click", () =>
      this.clear(),
    );
    this.status = add(this.details, "p");
    this.status.setAttribute("role", "status");
    this.details.addEventListener("toggle", () => {
      this.clear(); // which hides the scene above
      if (this.details.open) laidOut().then(() => this.details.scrollIntoView({ block: "start" }));
    });
  }

  /** Take the curve of a finished run. @param {Run} run */
  show(run) {
    const start = startOf(run, this.since);
    this.runHeights = Array.from(
      { length: INTERVALS + 1 },
      (_, i) => momentOf(run, start + ((1 - start) * i) / INTERVALS).row[this.field][this.question.component],
    );
    if (this.details.open) this.#draw();
  }

  /** Begin anew. */
  clear() {
    const [low, high] = this.question.domain;
    this.heights = Array(INTERVALS + 1).fill(NaN);
    this.pen = { place: 0, height: (low + high) / 2 };
    this.compared = false;
    this.#draw();
  }

  /** @param {number} x @param {number} y */
  #moveTo(x, y) {
    const { axes } = this.chart;
    if (axes) this.#drawTo(Math.round(axes.x.invert(x) * INTERVALS), axes.y.invert(y));
  }

  /** @param {number} right @param {number} up */
  #moveBy(right, up) {
    const [low, high] = this.question.domain;
    this.#drawTo(this.pen.place + right, this.pen.height + (up * (high - low)) / HEIGHT_STEPS);
  }

  /**
   * Draw from where the pen is to another place.
   * @param {number} place
   * @param {number} height
   */
  #drawTo(place, height) {
    const { axes } = this.chart;
    if (this.compared || !axes) return;
    const [low, high] = axes.y.domain();
    const end = { place: clamp(place, 0, INTERVALS), height: clamp(height, low, high) };
    const [from, to] = [this.pen, end].sort((a, b) => a.place - b.place);
    for (let i = from.place; i <= to.place; i += 1) {
      const share = to.place > from.place ? (i - from.place) / (to.place - from.place) : 0;
      this.heights[i] = from.height + share * (to.height - from.height);
    }
    this.pen = end;
    this.heights[end.place] = end.height;
    this.#draw();
  }

  /** Show the run, if the sketch is whole; in a class it waits for the lecturer. */
  #commit() {
    if (!this.heights.every(Number.isFinite)) {
      this.status.textContent = "Draw the curve from the left edge to the right one first.";
      return;
    }
    const event = new CustomEvent("fim:predicted", { bubbles: true, cancelable: true, detail: { prediction: this } });
    if (this.details.dispatchEvent(event)) this.compare();
  }

  /** Draw the run over the sketches. */
  compare() {
    this.compared = true;
    this.#draw();
    this.actions.play();
  }

  /** Draw what others have sketched, too. @param {number[][]} others */
  setOthers(others) {
    this.others = others;
    const { textContent } = this.status;
    this.#draw();
    this.status.textContent ||= textContent;
  }

  #draw() {
    const { details, heights, compared } = this;
    this.actions.hideScene(details.open && !compared);
    this.commit.disabled = compared;
    this.status.textContent = "";
    if (!details.open) return;
    const x = heights.map((_, i) => i / INTERVALS);
    /** @type {SeriesData[]} */
    const series = [
      ...this.others.map((y) => ({ x, y, label: "", colour: "rough" })),
      { x, y: heights, label: heights.some(Number.isFinite) ? "your curve" : "", colour: "accent", dash: "6 4" },
    ];
    if (compared && this.runHeights) {
      series.push({ x, y: this.runHeights, label: "the run", colour: "run" });
      this.status.textContent = this.#comparison(this.runHeights);
    }
    this.chart.draw({
      series,
      levels: [],
      xDomain: [0, 1],
      xTicks: [],
      text: `${this.description} ${this.status.textContent}`,
    });
    this.#placePen();
  }

  /** How far the sketch is from the run, where the run has numbers. @param {number[]} runHeights */
  #comparison(runHeights) {
    const [low, high] = this.question.domain;
    const distances = this.heights.map((height, i) => Math.abs(height - runHeights[i])).filter(Number.isFinite);
    if (distances.length === 0) return this.others.length ? "" : "This run has no such number.";
    const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
    return `On average your curve is ${readable(mean, 2)} from the run: ${readable((100 * mean) / (high - low), 2)} % of the chart’s height.`;
  }

  #placePen() {
    const {
      pen,
      chart: { axes },
    } = this;
    if (!axes) return;
    const [low, high] = this.question.domain;
    const text = `${readable(pen.height, 3)}, at ${Math.round((100 * pen.place) / INTERVALS)} % of the run`;
    this.point.place(
      axes.x(pen.place / INTERVALS),
      axes.y(pen.height),
      [axes.left, axes.top, axes.right, axes.bottom],
      { now: pen.height, min: low, max: high, text },
    );
  }
}
