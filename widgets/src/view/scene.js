/** The scene: drawings side by side, and below them the run's time, to play and to scrub, with named stops. */

import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { beginOf, makePanel, momentOf, stopsOf } from "./panels.js";
import { Prediction } from "./prediction.js";

const PLAYING = 4000; // milliseconds from the first step to the last
const REST = 900; // at each stop on the way
const LOW = 0.55; // of the window: a scene that takes more would hide what it stays above
const STEPS = 1000; // of the scrubber

export class Scene {
  /**
   * @param {HTMLElement} parent
   * @param {object} spec
   * @param {object} hands see figure.js
   * @param {(share: number) => void} show asked for when the reader moves through the run
   */
  constructor(parent, spec, hands, show) {
    this.spec = spec;
    this.show = show;
    this.box = add(parent, "div", { className: "fim-scene" });
    const { columns, widths } = spec.scene;
    this.box.style.setProperty("--columns", columns.map((_, i) => `minmax(0, ${widths[i] ?? 1}fr)`).join(" "));
    const asking = { ...hands, fact: null, ask: (fact) => {
      asking.fact = fact; // what a reader asks about is seen by all parts, and changes no run
      this.draw(this.run, this.share);
    } };
    this.parts = columns.flatMap((parts) => {
      const column = add(this.box, "div", { className: "fim-column" });
      return parts.map((part) => makePanel(column, part, spec, asking));
    });
    if (spec.stages.length) this.#timeline(add(parent, "div", { className: "fim-time" }));
    if (spec.scene.predict) this.#asked(parent);
    this.playing = 0;
    document.addEventListener("visibilitychange", () => document.hidden && this.pause());
    new ResizeObserver(() => parent.classList.toggle("fim-low", parent.offsetHeight < LOW * window.innerHeight)).observe(parent);
  }

  #asked(stage) {
    const box = document.createElement("div");
    stage.after(box);
    this.prediction = new Prediction(box, this.spec.scene.predict, this.spec, {
      hide: (hidden) => stage.parentNode.classList.toggle("fim-predicting", hidden),
      play: () => {
        this.show(this.from);
        this.play();
      },
    });
  }

  #timeline(bar) {
    this.player = add(bar, "button", { type: "button", title: "show the run from its start" });
    this.player.addEventListener("click", () => (this.playing ? this.pause() : this.play()));
    this.range = add(bar, "input", { type: "range", min: 0, max: STEPS, step: 1, value: STEPS, className: "fim-scrubber" });
    this.range.setAttribute("aria-label", "place in the run");
    this.range.addEventListener("input", () => {
      this.pause();
      this.show(this.from + ((1 - this.from) * this.range.value) / STEPS);
    });
    this.stops = add(bar, "span", { className: "fim-stops" });
    this.pause();
  }

  aim() {
    for (const part of this.parts) part.aim();
  }

  /** Draw the run up to a share of its history. */
  draw(run, share) {
    this.run = run;
    this.share = share;
    for (const part of this.parts) part.show(run, share);
    if (!this.range) return;
    this.from = beginOf(run, this.spec.scene.since);
    this.range.value = Math.round((STEPS * (share - this.from)) / (1 - this.from));
    const { stage, step } = momentOf(run, share);
    this.range.setAttribute("aria-valuetext", `${this.spec.stages[stage].name}, step ${readable(step)}`);
    this.#reach();
  }

  /** Mark the stops that the run shown has passed. */
  #reach() {
    for (const button of this.stops.children) button.classList.toggle("fim-reached", this.share >= button.share - 1 / STEPS);
  }

  /** Name the stops of a finished run. */
  finish(report) {
    this.prediction?.show(this.run);
    if (!this.range) return;
    const found = stopsOf(this.spec.scene.stops, this.run, report, this.spec.watch);
    this.stops.replaceChildren();
    for (const { name, share } of found) {
      const button = add(this.stops, "button", { type: "button", textContent: name, share, className: "fim-stop" });
      button.title = "go to this moment of the run";
      button.addEventListener("click", () => {
        this.pause();
        this.show(share);
      });
    }
    this.#reach();
  }

  /** Show the run from where it stands, or from its start, with a rest at each stop. */
  play() {
    if (this.share >= 1) this.share = this.from;
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const ahead = [...(this.stops.children ?? [])].map(({ share }) => share).filter((share) => share < 1);
    const id = (this.playing = performance.now());
    this.#label("❚❚", "pause");
    let last = id;
    let resting = 0;
    const frame = (now) => {
      if (this.playing !== id) return;
      const passed = Math.max(0, now - last);
      last = now;
      if (resting > 0) resting -= passed;
      else {
        const next = ahead.find((share) => share > this.share + 1e-9) ?? 1;
        const share = still ? next : Math.min(next, this.share + ((1 - this.from) * passed) / PLAYING);
        if (share === next) resting = REST;
        this.show(share);
      }
      if (this.share < 1) requestAnimationFrame(frame);
      else this.pause();
    };
    requestAnimationFrame(frame);
  }

  pause() {
    this.playing = 0;
    if (this.player) this.#label("▶", "play");
  }

  #label(sign, word) {
    this.player.textContent = `${sign} ${word}`;
  }
}
