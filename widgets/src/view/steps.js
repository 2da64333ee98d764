/**
 * Small figures beside the steps of an argument, where the page names them, as `<div class="fim-step FIGURE-NAME">`:
 * each draws one moment of the figure's run. What is out of sight is drawn once it comes into sight.
 */

import { add } from "../draw/dom.js";
import { addPanel } from "./panels.js";

/** @import { Run } from "../run/program.js" */
/** @import { Spec, Step } from "../types.js" */
/** @import { PanelView } from "./panels.js" */
/** @import { Scene } from "./scene.js" */

const NEAR = "200px"; // from the window

export class Steps {
  /** @type {Run | undefined} the latest that is finished */
  #run;
  /** @type {Map<Element, { panel: PanelView, moment: HTMLElement }>} what has been drawn, by its place */
  #drawn = new Map();
  /** @type {Map<HTMLElement, { step: Step, share: number }>} what is to be drawn, and which share of the run */
  due = new Map();

  /** @param {Spec} spec @param {Scene} scene whose stops are the moments */
  constructor(spec, scene) {
    this.spec = spec;
    this.scene = scene;
    this.sight = new IntersectionObserver(
      (seen) => {
        for (const { target, isIntersecting } of seen)
          if (isIntersecting) this.#draw(/** @type {HTMLElement} */ (target));
      },
      { rootMargin: NEAR },
    );
  }

  /** Show a finished run, whose stops are the scene's now. @param {Run} run */
  follow(run) {
    this.stop();
    this.#run = run;
    for (const step of this.spec.why) {
      /** @type {HTMLElement | null} */
      const place = document.querySelector(`.fim-step.${this.spec.name}-${step.name}`);
      if (!place) continue;
      this.due.set(place, { step, share: this.scene.shareAt(step.stop) });
      this.sight.observe(place);
    }
  }

  stop() {
    this.due.clear();
    this.sight.disconnect();
  }

  /** Draw what is out of sight, too: for paper. */
  drawAll() {
    this.due.forEach((_, place) => this.#draw(place));
  }

  /** Draw one, in the place of what the page was built with. @param {HTMLElement} place */
  #draw(place) {
    const due = this.due.get(place);
    if (!due || !this.#run) return;
    const { step, share } = due;
    this.due.delete(place);
    this.sight.unobserve(place);
    let drawn = this.#drawn.get(place);
    if (!drawn) {
      place.replaceChildren();
      drawn = {
        panel: addPanel(place, withoutPick(step.part), this.spec, this.scene.actions),
        moment: add(place, "small"),
      };
      this.#drawn.set(place, drawn);
    }
    drawn.panel.show(this.#run, share);
    const [moment, end] = step.part.kind === "time" ? ["up to", "the whole run"] : ["at", "the end of the run"];
    drawn.moment.textContent = share < 1 ? `the run ${moment} “${step.stop}”` : end;
  }
}

/** A small chart sets no parameters. @param {Step["part"]} part */
const withoutPick = (part) => (part.kind === "curve" ? { ...part, pick: null } : part);
