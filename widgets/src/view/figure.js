/**
 * The live figure: an anywidget module that reruns a traced program whenever a linked control moves.
 *
 * In: `spec`, `kernels` and `constants` from widgets/figure/live.py, and one trait for each parameter.
 * Out: charts, statements with their verdicts, a caption, numbers; with a Jupyter kernel alive also the
 * largest difference between this page's numbers and torch's.
 */

import { add, wantsNoMotion } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { problemWith } from "../run/allowed.js";
import { judge } from "../run/goal.js";
import { readRows } from "../run/own_data.js";
import { moveBySteps, recordOf, snapToControl, traitFromValue, valueFromTrait } from "../run/parameters.js";
import { failureOf, loadKernels, Run } from "../run/program.js";
import { float64s, KernelCheck } from "./kernel_check.js";
import { Background, Engine } from "./background.js";
import { BottomSheet } from "./bottom_sheet.js";
import { liveInHost } from "./host.js";
import { join } from "./joined.js";
import { addPanel } from "./panels.js";
import { Readout } from "./readout.js";
import { Scene } from "./scene.js";
import { Search } from "./search.js";
import { Steps } from "./steps.js";
import { Story } from "./story.js";
import { Tabs } from "./tabs.js";
import { TruthMap } from "./truth_map.js";

/** @import { Parameter, ParameterActions, Spec, StoryCard, WidgetModel } from "../types.js" */

const FIRST_SLICE = 16; // milliseconds of work before the first drawing
const NEAR = 2e-3; // shares of a run: what is so near is there
const SLICE = 10; // and between later ones, or as long as a drawing takes

export default () => ({ render });

/** @param {{ model: WidgetModel, el: HTMLElement }} widget */
async function render({ model, el }) {
  await yieldToPage();
  const live = /** @type {HTMLElement | null} */ (el.closest(".fim-live"));
  const endHost = live && !live.closest(".ctl-root") ? liveInHost(live) : () => {}; // a notebook's page
  const figure = new Figure(model, el);
  await yieldToPage();
  figure.rerun();
  return () => {
    figure.stop();
    endHost();
  };
}

/**
 * Controls, a figure and its first run are made in three tasks, so that the page answers its reader in between; where
 * the browser can tell, tasks of lower priority wait.
 */
const yieldToPage = () =>
  globalThis.scheduler?.postTask(() => {}, { priority: "user-blocking" }) ??
  new Promise((resolve) => setTimeout(resolve));

/** Whether the page was opened at settings of its reader's: then what they lead to is shown at once. */
const openedWithSettings = () => window.location?.hash.startsWith("#~") ?? true;

export class Figure {
  /** @type {Run | null} the latest; null where there can be none */
  run = null;
  /** The number of runs begun. */
  round = 0;
  /** The share of the run that is shown. */
  #share = 1;
  /** @type {number[]} the parameters of the latest run; before the first one, the defaults */
  #current;
  /** Whether several parameters are being set, so that the figure runs once and not for each. */
  #setting = false;
  /** @type {StoryCard | null} that asked for the run */
  #card = null;
  /** The share of the run from which its reader is led to the card's moment; NaN where that is shown at once. */
  #from = NaN;
  /** @type {BottomSheet | undefined} of a figure that has controls */
  sheet;
  /** @type {Tabs | undefined} of a figure whose statement has a map */
  tabs;
  /** @type {TruthMap | undefined} made when it is first looked at */
  map;

  /** @param {WidgetModel} model @param {HTMLElement} el */
  constructor(model, el) {
    this.model = model;
    /** @type {Spec} */
    this.spec = model.get("spec");
    this.#current = this.spec.parameters.map((parameter) => parameter.default);
    this.kernels = loadKernels(model.get("kernels"), float64s(model.get("constants")));
    this.root = add(el, "figure", { className: "fim" });
    this.root.dataset.name = this.spec.name;
    this.root.live = this;
    this.readout = new Readout(this.root, this.spec, {
      reset: () => this.set(this.defaults()),
      values: () => this.values(),
    });
    const actions = this.#parameterActions();
    this.scene = new Scene(this.readout, this.spec, actions, (share) => this.draw(share));
    const { panels, curves, story } = this.readout;
    this.story = this.spec.story.length
      ? new Story(story, this, (card, leads) => this.#showCard(card, leads))
      : null;
    this.scene.prediction?.joinStory(this.story);
    this.steps = new Steps(this.spec, this.scene);
    this.scene.waiting = Boolean(this.scene.timeline) && !openedWithSettings();
    this.panels = panels ? this.spec.panels.map((panel) => addPanel(panels, panel, this.spec, actions)) : [];
    curves?.addEventListener("toggle", () => this.draw(this.#share));
    if (this.spec.map) this.#addMap(actions);
    const live = /** @type {HTMLElement | null} */ (el.closest(".fim-live"));
    const front = /** @type {HTMLElement | null | undefined} */ (live?.querySelector(".fim-front"));
    if (live && front) this.sheet = new BottomSheet(live, front, this.readout.stage, this);
    this.moving = this.spec.parameters.filter(({ fixed }) => !fixed);
    this.changed = () => this.#setting || this.rerun();
    this.own = this.spec.own ?? [];
    for (const { name } of [...this.moving, ...this.own]) model.on(`change:${name}`, this.changed);
    this.kernelCheck = new KernelCheck(model, this.readout, () => this);
    join(this);
  }

  /** @param {string} name @returns {Parameter} */
  #parameter(name) {
    return /** @type {Parameter} */ (this.spec.parameters.find((parameter) => parameter.name === name));
  }

  /** @returns {ParameterActions} */
  #parameterActions() {
    /** @param {string} name */
    const parameter = (name) => this.#parameter(name);
    /** @param {string} name */
    const value = (name) => valueFromTrait(parameter(name), this.model.get(name));
    /** @param {Record<string, number>} values */
    const set = (values) => {
      if (Object.keys(values).some((name) => values[name] !== value(name))) this.set(values);
    };
    /** @param {Record<string, number>} numbers @param {(name: string, number: number) => number} newValue */
    const setEach = (numbers, newValue) =>
      set(Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, newValue(name, number)])));
    return {
      parameter,
      value,
      set,
      moveTo: (values) => setEach(values, (name, wanted) => snapToControl(parameter(name), wanted)),
      moveBy: (steps) => {
        const moved = Object.fromEntries(Object.entries(steps).filter(([, count]) => count));
        setEach(moved, (name, count) => moveBySteps(parameter(name), value(name), count));
      },
    };
  }

  /** @param {ParameterActions} actions */
  #addMap(actions) {
    const { tabs, stage, map } = this.readout;
    const views = [
      { name: "The run", panel: stage },
      { name: "Where is it true?", panel: map },
    ];
    /** @type {Search | undefined} */
    let search;
    this.tabs = new Tabs(tabs, views, (place) => {
      const isMap = place === 1;
      this.root.classList.toggle("fim-mapping", isMap);
      this.scene.pause();
      window.factsRuntime?.setOption("view", isMap ? "map" : "");
      if (!this.map) {
        const { stages, report, verdicts, map: axes } = this.spec;
        const constants = float64s(this.model.get("constants"));
        const spec = { stages, report, verdicts, map: axes };
        /** @param {string} sentence */
        const tell = (sentence) => this.map?.tell(sentence);
        const engine = new Engine({ sources: this.model.get("kernels"), constants, spec }, tell, this.kernels);
        this.map = new TruthMap(map, this.spec, actions, new Background(engine));
        const ofSearch = new Background(engine);
        const place = () => this.map?.place ?? 0;
        search = new Search(map, this.spec, ofSearch, place, (values) => this.set({ ...this.defaults(), ...values }));
        this.map.follow(this.values());
      }
      if (!isMap) search?.stop();
      this.map.toggle(isMap);
    });
  }

  stop() {
    this.round += 1;
    this.steps.stop();
    for (const { name } of [...this.moving, ...this.own]) this.model.off(`change:${name}`, this.changed);
    this.kernelCheck.stop();
  }

  /** The parameters, in order; those that stand at nothing allowed are as in the latest run. */
  values() {
    return this.#settings().values;
  }

  /** The same, and what is wrong with those that are not allowed. */
  #settings() {
    /** @type {string[]} */
    const problems = [];
    const values = this.spec.parameters.map((parameter, i) => {
      const value = valueFromTrait(parameter, this.model.get(parameter.name));
      const problem = problemWith(parameter, value);
      if (problem) problems.push(problem);
      return problem ? this.#current[i] : value;
    });
    for (const own of this.own) {
      const rows = readRows(own, this.model.get(own.name));
      const isWrong = typeof rows === "string";
      if (isWrong) problems.push(rows);
      const count = 1 + own.most * own.columns.length;
      values.splice(own.first, count, ...(isWrong ? this.#current.slice(own.first, own.first + count) : rows));
    }
    return { values, problems };
  }

  /** How the latest run meets a goal: see run/goal.js. @param {string} goal */
  judge(goal) {
    return judge(goal, this);
  }

  /** The defaults of all that has a control. @returns {Record<string, number | string>} */
  defaults() {
    return Object.fromEntries([...this.moving, ...this.own].map((moved) => [moved.name, moved.default]));
  }

  /**
   * Move parameters, and through the links the controls; then run once.
   * @param {Record<string, number | string>} values
   */
  set(values) {
    this.#setting = true;
    for (const [name, value] of Object.entries(values)) {
      this.model.set(name, typeof value === "string" ? value : traitFromValue(this.#parameter(name), value));
    }
    this.#setting = false;
    this.model.save_changes();
    this.rerun();
  }

  /**
   * Show a card of the story: its settings, its moment of the run, and what it speaks of.
   * @param {StoryCard} card
   * @param {boolean} leads whether the run plays up to that moment, for those who like motion
   */
  #showCard(card, leads) {
    this.#card = card;
    this.#from = leads && this.scene.timeline && !wantsNoMotion() ? this.scene.share : NaN;
    this.sheet?.follow(card);
    this.set({ ...this.defaults(), ...card.values });
  }

  /**
   * Start again at the controls' present values; whatever was running is dropped. A value that is not allowed starts
   * nothing: the run that is shown stays.
   */
  rerun() {
    const started = performance.now();
    const { values, problems } = this.#settings();
    if (problems.length) this.readout.tell(problems.join("\n"));
    else this.readout.clearError();
    if (problems.length && this.run && values.every((value, i) => value === this.#current[i])) return;
    if (!this.#card) this.#from = NaN;
    else if (values.some((value, i) => value !== this.#current[i])) this.#from *= 0; // another run
    this.#current = values;
    this.round += 1;
    if (this.round > 1) this.scene.waiting = false;
    this.story?.findPlace();
    if (!this.#card) this.story?.leave();
    this.scene.light(this.#card?.lights ?? []);
    this.scene.pause();
    this.kernelCheck.cancel();
    this.map?.follow(values);
    const run = new Run(this.kernels, this.spec.stages, values, this.run);
    this.run = run;
    this.root.dataset.state = "running";
    this.scene.aim();
    for (const panel of this.panels) panel.aim();
    this.#work(run, started);
  }

  /**
   * Advance a run in slices and draw after each, until it is finished or another one begins.
   * @param {Run} run
   * @param {number} started
   */
  #work(run, started) {
    const { round } = this;
    /** A run that cannot go on says why, and the next one begins anew. @param {() => void} step */
    const attempt = (step) => {
      if (round !== this.round) return;
      try {
        step();
      } catch (error) {
        this.run = null;
        const { name } = /** @type {Error} */ (error);
        this.readout.fail(failureOf(/** @type {Error} */ (error)));
        if (name !== "Undecided") console.error(error);
      }
    };
    /** @param {number} milliseconds @param {boolean} first */
    const advance = (milliseconds, first) =>
      attempt(() => {
        const finished = run.advanceOrFinish(milliseconds, FIRST_SLICE); // a drawing would take as long
        const from = Number.isNaN(this.#from) ? 1 : this.#from;
        if (first || !this.scene.waiting) this.draw(this.scene.waiting ? 0 : from); // a start that waits stays as it is
        this.readout.setProgress(finished ? 1 : run.progress);
        if (finished && first) return this.#finish(run, started);
        const drawn = performance.now();
        const next = () =>
          finished
            ? attempt(() => this.#finish(run, started))
            : advance(clamp(performance.now() - drawn, SLICE, FIRST_SLICE), false);
        // a frame that begins with an event has done its share of the work
        nextVisibleFrame(first ? () => nextVisibleFrame(next) : next);
      });
    advance(FIRST_SLICE + started - performance.now(), true);
  }

  /** @param {Run} run @param {number} started */
  #finish(run, started) {
    const report = recordOf(this.spec.report, run.report ?? []);
    const numbers = this.readout.show(report, run.values);
    this.scene.finish(run, report);
    if (!Object.keys(this.#card?.values ?? {}).length) this.steps.follow(run); // a card's settings break what they show
    if (this.#card) this.story?.quote(numbers);
    this.story?.judge();
    const { waiting, playWanted } = this.scene;
    const share = waiting ? 0 : this.scene.shareAt(this.#card?.stop ?? "");
    this.#card = null;
    const { round } = this;
    const arrived = () => round === this.round && this.#rest(started);
    const from = this.#from > share + NEAR ? this.scene.start : this.#from;
    if (from < share - NEAR) {
      this.root.dataset.state = "leading";
      this.scene.lead(from, share, arrived);
      return;
    }
    if (share < 1) this.draw(share); // its end is drawn already
    this.#rest(started);
    if (playWanted || (waiting && this.spec.plays && !wantsNoMotion())) this.scene.play();
  }

  /** The run is finished, and the moment that was asked for is drawn. @param {number} started */
  #rest(started) {
    this.#say();
    this.root.dataset.state = "done";
    if (!performance.getEntriesByName("fim:first").length) performance.mark("fim:first");
    const detail = { milliseconds: performance.now() - started };
    this.root.dispatchEvent(new CustomEvent("fim:done", { bubbles: true, detail }));
    this.kernelCheck.schedule();
  }

  /** @param {number} share of the history to show; a verdict is on the whole of it */
  draw(share = 1) {
    this.#share = share;
    if (!this.run) return;
    const wasPart = this.root.classList.contains("fim-part");
    this.root.classList.toggle("fim-part", share < 1);
    this.scene.draw(this.run, share);
    this.readout.caption.ariaLive = this.scene.rests ? "polite" : "off";
    if (share < 1) this.readout.showMoment(this.scene.sentence());
    else if (wasPart) this.readout.showEnd();
    if (this.readout.curves?.open) for (const panel of this.panels) panel.show(this.run, share);
    this.#say();
  }

  /** Have what the figure says elsewhere follow its caption. */
  #say() {
    this.story?.say(this.readout.caption.lastChild?.textContent ?? "");
    this.readout.screenReaderText.update();
    this.sheet?.say();
  }
}

/**
 * Call back at the next frame, once the page is visible: browsers let hidden pages go on, but slowly.
 * @param {() => void} next
 */
function nextVisibleFrame(next) {
  if (document.hidden) document.addEventListener("visibilitychange", () => nextVisibleFrame(next), { once: true });
  else requestAnimationFrame(next);
}
