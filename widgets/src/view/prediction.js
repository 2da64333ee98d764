/** A question that a reader may answer before the run is shown: sketch the curve, then see the run drawn over it. */

import { Chart } from "./chart.js";
import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { Hand } from "../draw/draggable_point.js";
import { beginOf, momentOf } from "./panels.js";
import { clamp } from "../draw/svg.js";

const PLACES = 60; // of a curve
const STROKES = 25; // of the up key, from the lowest to the highest

export class Prediction {
  /**
   * @param {HTMLElement} parent
   * @param {{question: string, field: string, component: number, label: string, domain: [number, number]}} asked
   * @param {object} spec
   * @param {{hide: (hidden: boolean) => void, play: () => void}} acts on the rest of the figure
   */
  constructor(parent, asked, spec, acts) {
    this.asked = asked;
    this.column = spec.watch.indexOf(asked.field);
    this.since = spec.scene.since;
    this.acts = acts;
    this.fold = add(parent, "details", { className: "fim-predict" });
    add(this.fold, "summary", { textContent: `Predict first: ${asked.question}` });
    add(this.fold, "p", { className: "fim-hint", textContent: "Draw the curve: drag the point, or move it with the arrow keys." });
    this.chart = new Chart(this.fold, { title: "", x: "the run, from its start to its end", y: asked.label, domain: asked.domain });
    this.words = `${asked.label}, to be drawn from ${asked.domain.map((end) => readable(end)).join(" to ")}.`;
    this.chart.svg.setAttribute("aria-label", this.words);
    this.hand = new Hand(this.chart.svg, "your curve", { to: (x, y) => this.#to(x, y), step: (right, up) => this.#step(right, up) });
    const bar = add(this.fold, "div", { className: "fim-answer" });
    this.commit = add(bar, "button", { type: "button", textContent: "show the run" });
    this.commit.addEventListener("click", () => this.#compare());
    add(bar, "button", { type: "button", textContent: "draw again" }).addEventListener("click", () => this.#clear());
    this.said = add(this.fold, "p");
    this.said.setAttribute("role", "status");
    this.fold.addEventListener("toggle", () => this.#clear());
  }

  /** A run has ended. */
  show(run) {
    const from = beginOf(run, this.since);
    this.run = Array.from({ length: PLACES + 1 }, (_, i) => momentOf(run, from + ((1 - from) * i) / PLACES).row[this.column][this.asked.component]);
    if (this.fold.open) this.#draw();
  }

  #clear() {
    const [low, high] = this.asked.domain;
    this.heights = Array(PLACES + 1).fill(NaN);
    this.pen = { place: 0, height: (low + high) / 2 };
    this.compared = false;
    this.#draw();
  }

  #to(x, y) {
    this.#move(Math.round(this.chart.x.invert(x) * PLACES), this.chart.y.invert(y));
  }

  #step(right, up) {
    const [low, high] = this.asked.domain;
    this.#move(this.pen.place + right, this.pen.height + (up * (high - low)) / STROKES);
  }

  /** Draw from where the pen is to another place. */
  #move(place, height) {
    if (this.compared) return;
    const end = { place: clamp(place, 0, PLACES), height: clamp(height, ...this.chart.y.domain()) };
    const [from, to] = [this.pen, end].sort((a, b) => a.place - b.place);
    for (let at = from.place; at <= to.place; at += 1) {
      const share = to.place > from.place ? (at - from.place) / (to.place - from.place) : 0;
      this.heights[at] = from.height + share * (to.height - from.height);
    }
    this.pen = end;
    this.heights[end.place] = end.height;
    this.#draw();
  }

  #compare() {
    this.compared = this.heights.every(Number.isFinite);
    this.#draw();
    if (this.compared) this.acts.play();
    else this.said.textContent = "Draw the curve from the left edge to the right one first.";
  }

  #draw() {
    const { fold, heights, run, pen, compared, chart } = this;
    this.acts.hide(fold.open && !compared);
    this.commit.disabled = compared;
    this.said.textContent = "";
    if (!fold.open) return;
    const [low, high] = this.asked.domain;
    const x = heights.map((_, i) => i / PLACES);
    const series = [{ x, y: heights, label: "your curve", colour: "accent", dash: "6 4" }];
    if (compared && run) {
      const gaps = heights.map((height, i) => Math.abs(height - run[i])).filter(Number.isFinite); // where the run has a number
      const apart = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      series.push({ x, y: run, label: "the run", colour: "run" });
      this.said.textContent = gaps.length === 0 ? "This run has no such number." : `On average your curve is ${readable(apart, 2)} from the run: ${readable((100 * apart) / (high - low), 2)} % of the chart’s height.`;
    }
    chart.draw({ series, levels: [], xDomain: [0, 1], xTicks: [], text: `${this.words} ${this.said.textContent}` });
    const [[left, right], [bottom, top]] = [chart.x.range(), chart.y.range()];
    const value = { now: pen.height, min: low, max: high, text: `${readable(pen.height, 3)}, at ${Math.round((100 * pen.place) / PLACES)} % of the run` };
    this.hand.place(chart.x(pen.place / PLACES), chart.y(pen.height), [left, top, right, bottom], value);
  }
}
