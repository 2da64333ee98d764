/** A question that a reader may answer before the run is shown: sketch the curve, then see the run drawn over it. */

import { add, laidOut, wantsNoMotion } from "../draw/dom.js";
import { DraggablePoint } from "../draw/draggable_point.js";
import { clamp } from "../draw/ranges.js";
import { readable } from "../run/format.js";
import { isNear, MOST, shareNear } from "../run/nearness.js";
import { momentOf, startOf } from "../run/timeline.js";
import { Chart } from "./chart.js";

/** @import { SeriesData } from "./chart.js" */
/** @import { Story } from "./story.js" */
/** @import { Run } from "../run/program.js" */
/** @import { Pair, Predict, Spec } from "../types.js" */

const INTERVALS = 60; // of a curve
const HEIGHT_STEPS = 25; // of the up key, from the lowest to the highest
const DURATION = 1800; // milliseconds in which the run is drawn over the sketch

export class Prediction {
  /** @type {number[]} of the sketched curve; NaN where there is none yet */
  heights = [];
  /** Where the pen is. */
  pen = { place: 0, height: 0 };
  /** @type {number[][]} sketches of others, in a class */
  others = [];
  /** The share of the run that is drawn over the sketch; −1 before. */
  drawn = -1;
  /** @type {number[] | undefined} of the run's curve */
  runHeights;
  #remark = "";

  /**
   * @param {HTMLElement} parent
   * @param {HTMLElement} stage of the scene, in whose place the curve is drawn
   * @param {Predict} question
   * @param {Spec} spec
   * @param {() => void} play
   */
  constructor(parent, stage, question, spec, play) {
    this.question = question;
    /** @type {Pair} the ends of the axis: those of the question, or further, where the run goes further */
    this.domain = question.domain;
    this.stage = stage;
    this.watched = spec.watch;
    this.since = spec.scene.since;
    this.details = add(parent, "details", { className: "fim-predict" });
    this.summary = add(this.details, "summary");
    this.ask();
    /** @type {ConstructorParameters<typeof Chart>[1]} */
    this.panel = { title: "", x: "the run, from its start to its end", y: question.label, domain: this.domain };
    this.chart = new Chart(this.details, this.panel);
    this.chart.isMain = true; // it stands in the place of the main drawing
    this.chart.svg.setAttribute("aria-label", this.#description());
    this.point = new DraggablePoint(this.chart.svg, "your curve", {
      to: (x, y) => this.#moveTo(x, y),
      step: (right, up) => this.#moveBy(right, up),
    });
    const bar = add(this.details, "div", { className: "fim-answer" });
    /** @param {string} textContent @param {() => void} act */
    const addButton = (textContent, act) => {
      const button = add(bar, "button", { type: "button", textContent });
      button.addEventListener("click", act);
      return button;
    };
    this.commit = addButton("show the run", () => this.#commit());
    addButton("draw again", () => this.clear());
    this.watch = addButton("watch it happen", () => {
      this.details.open = false;
      play();
    });
    this.watch.className = "fim-watch";
    this.hint = add(bar, "p", { className: "fim-hint", textContent: "Draw the curve: drag the point." });
    this.status = add(bar, "p");
    this.status.setAttribute("role", "status");
    this.details.addEventListener("toggle", () => {
      this.clear(); // which hides the scene
      if (this.details.open) laidOut().then(() => this.#takePlace());
      else stage.style.minHeight = "";
    });
    stage.addEventListener("click", ({ target }) => {
      const isAsked = target instanceof Element && target.closest(".fim-withheld .fim-drawing");
      if (isAsked && stage.querySelector(".fim-train")) this.details.open = true;
    });
  }

  /** Put the question, in these words. */
  ask(text = `Predict first: ${this.question.question}`) {
    this.summary.textContent = text;
  }

  /** Have the story begin with the question. @param {Story | null} story */
  joinStory(story) {
    story?.beginWith("Predict first.", () => {
      this.details.open = true;
    });
  }

  /** Stand over the scene, where the style sheet has it so, and in sight. */
  #takePlace() {
    const { details, stage } = this;
    details.style.setProperty("--stage", `${stage.offsetTop}px`);
    const { position, scrollMarginTop } = getComputedStyle(details);
    if (position === "absolute") stage.style.minHeight = `${details.offsetHeight}px`;
    const { top, bottom } = details.getBoundingClientRect();
    if (top < parseFloat(scrollMarginTop) || bottom > window.innerHeight) details.scrollIntoView({ block: "start" });
  }

  /** Take the curve of a finished run. @param {Run} run */
  show(run) {
    this.runHeights = this.heightsOf(run);
    const reached = this.runHeights.filter(Number.isFinite);
    const [low, high] = this.question.domain;
    this.panel.domain = this.domain = [Math.min(low, ...reached), Math.max(high, ...reached)];
    if (!this.details.open) return;
    if (this.drawn < 0 && !this.heights.some(Number.isFinite)) this.clear();
    else this.#draw();
  }

  /**
   * A watched quantity at equal distances from a run's start to its end; if none is named, that which is asked for.
   * @param {Run} run
   * @param {string} [name]
   * @param {number} [component]
   */
  heightsOf(run, name = this.question.field, component = this.question.component) {
    const [field, start] = [this.watched.indexOf(name), startOf(run, this.since)];
    const shares = Array.from({ length: INTERVALS + 1 }, (_, i) => start + ((1 - start) * i) / INTERVALS);
    return shares.map((share) => momentOf(run, share).row[field][component]);
  }

  /** Begin anew, where the run begins. */
  clear() {
    const [low, high] = this.domain;
    const start = this.runHeights?.[0] ?? NaN;
    this.heights = Array(INTERVALS + 1).fill(NaN);
    this.pen = { place: 0, height: Number.isFinite(start) ? start : (low + high) / 2 };
    this.drawn = -1;
    this.#remark = "";
    this.#draw();
  }

  /** Say something in the place of how near the sketch is. @param {string} remark */
  say(remark) {
    this.#remark = remark;
    this.status.textContent = remark;
  }

  /** @param {number} x @param {number} y */
  #moveTo(x, y) {
    const { axes } = this.chart;
    if (axes) this.#drawTo(Math.round(axes.x.invert(x) * INTERVALS), axes.y.invert(y));
  }

  /** @param {number} right @param {number} up */
  #moveBy(right, up) {
    const [low, high] = this.domain;
    this.#drawTo(this.pen.place + right, this.pen.height + (up * (high - low)) / HEIGHT_STEPS);
  }

  /**
   * Draw from where the pen is to another place.
   * @param {number} place
   * @param {number} height
   */
  #drawTo(place, height) {
    const { axes } = this.chart;
    if (this.drawn >= 0 || !axes) return;
    const [low, high] = axes.y.domain();
    const end = { place: clamp(place, 0, INTERVALS), height: clamp(height, low, high) };
    const [from, to] = [this.pen, end].sort((a, b) => a.place - b.place);
    for (let i = from.place; i <= to.place; i += 1) {
      const share = to.place > from.place ? (i - from.place) / (to.place - from.place) : 0;
      this.heights[i] = from.height + share * (to.height - from.height);
    }
    this.pen = end;
    this.#remark = "";
    this.heights[end.place] = end.height;
    this.#draw();
  }

  /** Show the run, if the sketch is whole, or those of others are there; in a class it waits for the lecturer. */
  #commit() {
    if (!this.heights.every(Number.isFinite) && !this.others.length) {
      return this.say("Draw the curve from the left edge to the right one first.");
    }
    const event = new CustomEvent("fim:predicted", { bubbles: true, cancelable: true, detail: { prediction: this } });
    if (this.details.dispatchEvent(event)) this.compare();
  }

  /** Draw the run over the sketches, from its start to its end. */
  compare() {
    const begun = performance.now();
    const { runHeights } = this;
    const frame = () => {
      if (this.drawn < 0 || this.runHeights !== runHeights) return;
      this.drawn = wantsNoMotion() ? 1 : clamp((performance.now() - begun) / DURATION, 0, 1);
      this.#draw();
      if (this.drawn < 1) requestAnimationFrame(frame);
    };
    this.drawn = 0;
    this.#remark = "";
    frame();
  }

  /** Draw what others have sketched, too. @param {number[][]} others */
  setOthers(others) {
    this.others = others;
    this.#draw();
  }

  #draw() {
    const { details, heights, drawn, stage, runHeights } = this;
    const isDone = drawn >= 1;
    stage.parentElement?.classList.toggle("fim-predicting", details.open);
    stage.parentElement?.classList.toggle("fim-withholding", details.open && !isDone);
    this.commit.disabled = drawn >= 0;
    this.watch.hidden = !isDone;
    if (!details.open) return;
    const x = heights.map((_, i) => i / INTERVALS);
    const seen = (runHeights ?? []).map((height, i) => (i <= drawn * INTERVALS ? height : NaN));
    /** A curve that is not begun has no name, but room for it. @param {number[]} y */
    const curve = (y) => (y.some(Number.isFinite) ? { x, y } : { x: [], y: [] });
    /** @type {SeriesData[]} */
    const series = [
      ...this.others.map((y) => ({ x, y, label: "", colour: "rough" })),
      { ...curve(heights), label: "your curve", colour: "accent", dash: "6 4" },
      { ...curve(seen), label: "the run", colour: "run" },
    ];
    this.status.textContent = this.#remark || (isDone ? this.#comparison() : "");
    this.chart.draw({
      series,
      whole: runHeights ? [{ x, y: runHeights }] : [],
      levels: [],
      xDomain: [0, 1],
      xTicks: [],
      text: `${this.#description()} ${this.status.textContent}`,
    });
    this.hint.hidden = heights.some(Number.isFinite) || drawn >= 0;
    this.#placePen();
  }

  /** What is to be drawn, for who cannot see the chart. */
  #description() {
    const [low, high] = this.domain.map((end) => readable(end));
    return `${this.question.label}, to be drawn from ${low} to ${high}.`;
  }

  /** How near the sketch is to the run, where the run has numbers. */
  #comparison() {
    const { heights, runHeights = [], domain } = this;
    if (!heights.some(Number.isFinite)) return "";
    const share = shareNear(heights, runHeights, domain);
    if (Number.isNaN(share)) return "This run has no such number.";
    const near = `for ${Math.floor(100 * share)} % of the run your curve is within a tenth of the chart’s height of it`;
    return isNear(heights, runHeights, domain) ? `✓ Right: ${near}.` : `✕ Not yet: ${near}, and ${100 * MOST} % count as right.`;
  }

  #placePen() {
    const {
      pen,
      chart: { axes },
    } = this;
    if (!axes) return;
    const [low, high] = this.domain;
    const text = `${readable(pen.height, 3)}, at ${Math.round((100 * pen.place) / INTERVALS)} % of the run`;
    this.point.place(
      axes.x(pen.place / INTERVALS),
      axes.y(pen.height),
      [axes.left, axes.top, axes.right, axes.bottom],
      { now: pen.height, min: low, max: high, text },
    );
  }
}
