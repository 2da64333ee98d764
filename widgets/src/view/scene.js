/**
 * The scene: one large drawing, smaller ones at its side, and below them the run's time, to play and to scrub, with
 * named stops as ticks at their places.
 */

import { add, keepWhileScrolling, wantsNoMotion } from "../draw/dom.js";
import { THUMB } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { spreadApart, textWidth } from "../draw/text_layout.js";
import { count } from "../run/format.js";
import { recordOf } from "../run/parameters.js";
import { momentOf, startOf, stopsOf } from "../run/timeline.js";
import { quote } from "./captions.js";
import { addPanel, movesWithRun } from "./panels.js";
import { Prediction } from "./prediction.js";

/** @import { Run } from "../run/program.js" */
/** @import { Leaves, ParameterActions, Spec } from "../types.js" */

const DURATION = 4000; // milliseconds from the first step to the last
const REST = 900; // milliseconds at each stop on the way
const SCRUBBER_STEPS = 1000;
const AT_A_STOP = 2 / SCRUBBER_STEPS; // shares of a run: so near a moment is the stop's own
const FEW = 2; // moments: a stage of so few is a step or none, and is played
const HURRY = 4; // times as fast
const TO_A_CARD = 2000; // milliseconds from one card's moment to the next one's
const ROUNDING = 1e-9; // of a share of the run
const TITLE_ROOM = 28; // pixels, and as much for a legend
const CLOSER_ROOM = 40; // for the button that shows what waits
const APART = 12; // between two stops' names
const [TRAIN, PLAY, PAUSE] = ["▶ Train", "▶ play", "❚❚ pause"];

export class Scene {
  /** @type {Run | undefined} */
  run;
  /** The share of the run that is shown, and that at which the scrubber begins. */
  share = 1;
  start = 0;
  /** @type {{ button: HTMLButtonElement, share: number, name: string, says: string }[]} that the run reaches */
  stops = [];
  /** @type {{ title: string, box: HTMLElement }[]} what is drawn, by the titles of the parts */
  boxes = [];
  /** @type {HTMLButtonElement | undefined} *Look closer*, where not all drawings have room beside the first */
  closer;
  /** @type {string[] | undefined} what the present card speaks of, as it is arranged */
  #highlighted;
  /** @type {Timeline | undefined} there is none where nothing moves with the run */
  timeline;
  /** @type {Prediction | undefined} */
  prediction;
  /** Whether the first run is to stand at its start until the reader trains. */
  waiting = false;
  /** Whether it is to play as soon as its run is finished. */
  playWanted = false;
  /** When it was begun to play; 0 while it does not. */
  #playing = 0;
  /** @type {{ to: number, arrived: () => void } | null} where it is led, and what is to be done there */
  #way = null;

  /**
   * @param {{ stage: HTMLElement, question: HTMLElement }} places of the scene, and of what is asked before the run
   * @param {Spec} spec
   * @param {ParameterActions} actions
   * @param {(share: number) => void} show called when the reader moves through the run
   */
  constructor({ stage, question }, spec, actions, show) {
    this.spec = spec;
    this.show = show;
    const box = (this.box = add(stage, "div", { className: "fim-scene" }));
    const { main, beside } = spec.scene;
    const columns = [main ? [main] : [], beside].filter(({ length }) => length);
    this.actions = this.#withQuestion(actions);
    this.parts = columns.flatMap((parts) => {
      const column = add(box, "div", { className: "fim-column" });
      return parts.map((part) => {
        const panel = addPanel(column, part, spec, this.actions);
        this.boxes.push({ title: part.title, box: /** @type {HTMLElement} */ (column.lastElementChild) });
        return panel;
      });
    });
    if (beside.length > 1) this.closer = this.#addCloser(box);
    if (spec.stages.length && columns.flat().some(movesWithRun)) {
      this.timeline = new Timeline(add(stage, "div", { className: "fim-time" }), {
        toggle: () => (this.#playing || this.playWanted ? this.pause() : this.play()),
        scrub: (position) => this.goTo(this.#shareAtPlace(position)),
      });
      new ResizeObserver(() => this.#keepTime()).observe(box); // after those of the parts
      keepWhileScrolling(this.timeline.range, () => this.share, (share) => this.goTo(share));
    }
    if (spec.scene.predict)
      this.prediction = new Prediction(question, stage, spec.scene.predict, spec, () => {
        this.show(this.start);
        this.play();
      });
    document.addEventListener("visibilitychange", () => document.hidden && !this.arrive() && this.pause());
    const skip = (/** @type {Event} */ event) => {
      const isOnCard = event.target instanceof Element && event.target.closest(".fim-story-bar");
      if (this.arrive() && isOnCard) event.stopPropagation(); // the next click turns the card
    };
    document.addEventListener("click", skip, { capture: true });
  }

  /**
   * Actions with the fact that the reader asks about: all parts see it, and it changes no run.
   * @param {ParameterActions} actions
   */
  #withQuestion(actions) {
    /** @type {ParameterActions} */
    const extended = {
      ...actions,
      fact: null,
      ask: (fact) => {
        extended.fact = fact;
        if (this.run) this.draw(this.run, this.share);
      },
    };
    return extended;
  }

  /** @param {HTMLElement} box */
  #addCloser(box) {
    for (const far of [...box.querySelectorAll(".fim-column + .fim-column > *")].slice(1)) far.classList.add("fim-far");
    const button = add(box, "button", { type: "button", className: "fim-closer", textContent: "Look closer" });
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => {
      const isOpen = box.classList.toggle("fim-open");
      button.setAttribute("aria-expanded", String(isOpen));
      if (!isOpen) this.#arrange(this.#highlighted ?? []);
    });
    return button;
  }

  /**
   * Beside the main drawing stand those that the card speaks of, and then the others in their order, as far as they
   * fit; the rest wait behind *Look closer*. Who has looked closer finds all where they were. Heights are those of the
   * drawings, so that nothing is measured.
   * @param {string[]} titles of the parts of which a card speaks
   */
  #arrange(titles) {
    this.#highlighted = titles;
    const [main, ...others] = this.boxes;
    if (!this.closer || this.box.classList.contains("fim-open")) return;
    let room = heightOf(main.box) - CLOSER_ROOM;
    const isHighlighted = (/** @type {{ title: string }} */ { title }) => titles.includes(title);
    const order = [...others.filter(isHighlighted), ...others.filter((other) => !isHighlighted(other))];
    order.forEach(({ box }, place) => {
      const height = heightOf(box);
      const fits = !place || height <= room;
      if (fits) room -= height;
      box.classList.toggle("fim-far", !fits);
    });
  }

  /** Follow the parameters before the run is finished. */
  aim() {
    for (const part of this.parts) part.aim();
  }

  /**
   * Draw the run up to a share of its history.
   * @param {Run} run
   * @param {number} share
   */
  draw(run, share) {
    this.run = run;
    if (this.timeline) this.start = startOf(run, this.spec.scene.since);
    this.share = Math.max(share, this.start);
    for (const part of this.parts) part.show(run, this.share);
    if (!this.#highlighted && run.report) this.#arrange([]);
    this.timeline?.wait(this.waiting);
    this.#keepTime();
    this.#markStops();
  }

  /** Have the play bar go as the main drawing's own time does, and show the moment and the stops at their places. */
  #keepTime() {
    this.timeline?.follow(this.#clock?.end);
    this.timeline?.setPlace(this.#placeAt(this.share), this.#place());
    this.timeline?.placeStops(this.stops.map(({ share }) => this.#placeAt(share)));
  }

  /** The run's time along the main drawing, if that has one: then the play bar goes by it. */
  get #clock() {
    return this.spec.scene.main ? this.parts[0].clock() : null;
  }

  /** Where on the play bar a share of the run is. @param {number} share */
  #placeAt(share) {
    return this.#clock?.placeAt(share) ?? clamp((share - this.start) / (1 - this.start), 0, 1);
  }

  /** @param {number} place on the play bar */
  #shareAtPlace(place) {
    const share = this.#clock?.shareAt(place) ?? this.start + (1 - this.start) * place;
    return Math.max(share, this.start);
  }

  /** The stage and the step at a share of the run, in words. @param {number} share */
  #momentAt(share) {
    if (!this.run) return { stage: "", step: "" };
    const { stage, step } = momentOf(this.run, share);
    return { stage: this.spec.stages[stage].name, step: `step ${count(step)}` };
  }

  /** The moment that is drawn, in words. */
  #place() {
    const { stage, step } = this.#momentAt(this.share);
    return `${stage}, ${step}`;
  }

  /** Whether what is drawn stays for a while: then its caption is worth saying aloud. */
  get rests() {
    return !this.#playing || this.share >= 1 || this.stops.some(({ share }) => share === this.share);
  }

  /** What the caption says before the end of the run: the moment, and what the last stop has shown. */
  sentence() {
    const passed = this.stops.findLast(({ share }) => this.share >= share - 1 / SCRUBBER_STEPS);
    const [here, there] = [this.#momentAt(this.share), this.#momentAt(passed?.share ?? this.share)];
    const place = `${here.stage.charAt(0).toUpperCase()}${here.stage.slice(1)}, ${here.step}.`;
    if (!passed?.says) return place;
    const then = [...(here.stage === there.stage ? [] : [there.stage]), there.step].join(", ");
    return `${place} ${this.share <= passed.share + AT_A_STOP ? "" : `Earlier, at ${then}: `}${passed.says}`;
  }

  /**
   * Dim what a card does not speak of; nothing, if it names no part.
   * @param {string[]} titles of the parts
   */
  light(titles) {
    for (const { title, box } of this.boxes)
      box.classList.toggle("fim-dim", titles.length > 0 && !titles.includes(title));
    if (this.#highlighted && titles.join() !== this.#highlighted.join()) this.#arrange(titles);
  }

  /**
   * The share of the run at a stop; the end for "", and for a stop that this run does not reach.
   * @param {string} stop its name, or "start"
   */
  shareAt(stop) {
    return stop === "start" ? this.start : (this.stops.find(({ name }) => name === stop)?.share ?? 1);
  }

  /** Mark the stops that the run shown has passed. */
  #markStops() {
    for (const { button, share } of this.stops)
      button.classList.toggle("fim-reached", this.share >= share - 1 / SCRUBBER_STEPS);
  }

  /**
   * Name the stops of a finished run.
   * @param {Run} run
   * @param {Leaves} report
   */
  finish(run, report) {
    this.prediction?.show(run);
    const { timeline } = this;
    if (!timeline) return;
    timeline.clear();
    this.start = startOf(run, this.spec.scene.since);
    this.stops = stopsOf(this.spec.scene.stops, run, report, this.spec.watch).map(({ name, says, share }) => {
      const button = timeline.addStop(name);
      button.addEventListener("click", () => this.goTo(share));
      const watched = recordOf(this.spec.watch, momentOf(run, share).row);
      return { button, share, name, says: quote(says, watched).text };
    });
    this.#keepTime();
    this.#markStops();
  }

  /** Stand at the start of the run until the reader trains. */
  wait() {
    this.waiting = true;
    this.show(this.start);
  }

  /** @param {number} share */
  goTo(share) {
    this.waiting = false;
    this.pause();
    this.show(share);
  }

  /**
   * Play the run from the moment shown, or from its start if that is the end, with a rest at each stop; one that is not
   * finished yet, once it is.
   */
  play() {
    this.playWanted = !this.run?.report;
    if (this.playWanted) {
      this.timeline?.label(PAUSE);
      return;
    }
    this.waiting = false;
    this.timeline?.wait(false);
    this.timeline?.label(PAUSE);
    if (this.share >= 1) this.share = this.start;
    const jumps = wantsNoMotion(); // from stop to stop
    const stops = this.stops.map(({ share }) => share).filter((share) => share < 1);
    const id = (this.#playing = performance.now());
    let last = id;
    let resting = 0;
    /** @param {number} now */
    const frame = (now) => {
      if (this.#playing !== id) return;
      const elapsed = Math.max(0, now - last);
      last = now;
      if (resting > 0) resting -= elapsed;
      else {
        const next = stops.find((share) => share > this.share + ROUNDING) ?? 1;
        const pace = (this.#isShort() ? HURRY : 1) / DURATION;
        const share = jumps ? next : Math.min(next, this.share + (1 - this.start) * elapsed * pace);
        if (share === next) resting = REST;
        this.show(share);
      }
      if (this.share < 1) requestAnimationFrame(frame);
      else this.pause();
    };
    requestAnimationFrame(frame);
  }

  /**
   * Lead the reader from one moment to another, slower and slower.
   * @param {number} from
   * @param {number} to
   * @param {() => void} arrived
   */
  lead(from, to, arrived) {
    this.#way = { to, arrived };
    const id = (this.#playing = performance.now());
    /** @param {number} now */
    const frame = (now) => {
      if (this.#playing !== id) return;
      const left = 1 - clamp((now - id) / TO_A_CARD, 0, 1);
      this.show(to - (to - from) * left * left);
      if (left) requestAnimationFrame(frame);
      else this.pause();
    };
    this.timeline?.label(PAUSE);
    frame(id);
  }

  /** Whether the reader was being led to a moment: then it is shown at once. */
  arrive() {
    if (!this.#way) return false;
    this.show(this.#way.to);
    this.pause();
    return true;
  }

  /** Whether the stage that is drawn has next to nothing to show. */
  #isShort() {
    if (!this.run) return false;
    return this.run.histories[momentOf(this.run, this.share).stage].rows.length <= FEW;
  }

  pause() {
    this.#playing = 0;
    this.playWanted = false;
    this.timeline?.label(this.waiting ? TRAIN : PLAY);
    const way = this.#way;
    this.#way = null;
    way?.arrived();
  }
}

/** The height of a panel, by what was drawn. @param {HTMLElement} box */
function heightOf(box) {
  const svg = box.querySelector(".fim-drawing > svg");
  const lines = [...box.children].filter((child) => child.tagName !== "DIV" && !child.hasAttribute("hidden")).length;
  return Number(svg?.getAttribute("height")) + TITLE_ROOM * lines;
}

/** A button to play, a scrubber and the stops. */
class Timeline {
  /** Of the track, in pixels. */
  #width = 0;
  /** @type {number | undefined} where the axis above it ends */
  #end;
  /** @type {{ tick: HTMLElement, button: HTMLButtonElement, place: number }[]} the stops, with shares of the track */
  #named = [];

  /**
   * @param {HTMLElement} parent
   * @param {{ toggle: () => void, scrub: (position: number) => void }} actions `position` is from 0 to 1
   */
  constructor(parent, { toggle, scrub }) {
    this.box = parent;
    this.player = add(parent, "button", { type: "button", className: "fim-player", title: "show the run from its start" });
    this.player.addEventListener("click", toggle);
    const range = { type: "range", min: "0", max: String(SCRUBBER_STEPS), step: "1", value: String(SCRUBBER_STEPS) };
    this.range = add(parent, "input", { ...range, className: "fim-scrubber" });
    this.range.setAttribute("aria-label", "place in the run");
    this.range.addEventListener("input", () => scrub(Number(this.range.value) / SCRUBBER_STEPS));
    this.stops = add(parent, "span", { className: "fim-stops" });
    new ResizeObserver(([{ contentRect }]) => {
      this.#width = contentRect.width;
      this.spread();
    }).observe(this.range);
    this.label(PLAY);
  }

  /** Take the stops away. */
  clear() {
    this.#named = [];
    this.stops.replaceChildren();
  }

  /** Name a moment, below a tick on the track. @param {string} name */
  addStop(name) {
    const tick = add(this.stops, "i", { className: "fim-moment" });
    const button = add(this.stops, "button", {
      type: "button",
      textContent: name,
      className: "fim-stop",
      title: "go to this moment of the run",
    });
    this.#named.push({ tick, button, place: NaN });
    return button;
  }

  /** @param {number[]} places of the moments on the track, from 0 to 1 */
  placeStops(places) {
    if (this.#named.every(({ place }, i) => place === places[i])) return;
    this.#named.forEach((named, i) => {
      named.place = places[i];
      named.tick.style.setProperty("--at", String(places[i]));
    });
    this.spread();
  }

  /** Go as far as the axis above, or all across. @param {number | undefined} end in pixels */
  follow(end) {
    if (end === this.#end) return;
    this.#end = end;
    this.box.style.setProperty("--end", end === undefined ? "" : `${end + THUMB}px`);
  }

  /** Have each name stand below its tick, or as near as the others leave room: then a line leads to it. */
  spread() {
    const ticks = this.#named.map(({ place }) => THUMB + place * (this.#width - 2 * THUMB));
    const places = spreadApart(
      ticks,
      this.#named.map(({ button }) => textWidth(button.textContent) + APART),
      0,
      this.#width,
    );
    this.#named.forEach(({ tick, button }, i) => {
      tick.style.setProperty("--aside", `${Math.round(places[i] - ticks[i])}px`);
      button.style.setProperty("--x", `${Math.round(places[i])}px`);
    });
  }

  /** @param {number} position from 0 to 1 @param {string} text for a screen reader */
  setPlace(position, text) {
    this.range.value = String(Math.round(SCRUBBER_STEPS * position));
    this.range.setAttribute("aria-valuetext", text);
  }

  /** Before the first run is played, the button is large and says what it does. @param {boolean} waits */
  wait(waits) {
    if (waits === this.player.classList.contains("fim-train")) return;
    this.player.classList.toggle("fim-train", waits);
    this.label(waits ? TRAIN : PLAY);
  }

  /** @param {string} text of the button */
  label(text) {
    this.player.textContent = text;
  }
}
