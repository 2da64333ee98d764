/**
 * The live figure: an anywidget module that reruns a traced program whenever a linked control moves.
 *
 * In: `spec`, `kernels` and `constants` from widgets/figure/live.py, and one trait for each parameter.
 * Out: charts, statements with their verdicts, a caption, numbers; with a Jupyter kernel alive also the
 * largest difference between this page's numbers and torch's.
 */

import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { makePanel } from "./panels.js";
import { arrange, complaint, rawOf, snapped, stepped, valueOf } from "../run/parameters.js";
import { load, Run } from "../run/program.js";
import { Readout } from "./readout.js";
import { Scene } from "./scene.js";
import { clamp } from "../draw/svg.js";
import style from "./figure.css";

const FIRST_SLICE = 16; // milliseconds of work before the first drawing
const SLICE = 10; // and between later ones, or as long as a drawing takes
const PATIENCE = 60000; // milliseconds to wait for an answer
const CHECK_DELAY = 350; // milliseconds of rest before torch is asked

export default () => ({ render });

async function render({ model, el }) {
  if (!document.getElementById("fim-style")) {
    add(document.head, "style", { id: "fim-style", textContent: style });
  }
  await anotherTask();
  const figure = new Figure(model, el);
  await anotherTask();
  figure.rerun();
  return () => figure.stop();
}

/**
 * A page answers its reader between what builds its controls, what builds a figure and what runs it. All else waits, where
 * the browser can tell.
 */
const anotherTask = () =>
  globalThis.scheduler?.postTask(() => {}, { priority: "user-blocking" }) ?? new Promise((resolve) => setTimeout(resolve));

class Figure {
  constructor(model, el) {
    this.model = model;
    this.spec = model.get("spec");
    this.kernels = load(model.get("kernels"), doubles(model.get("constants")));
    this.root = add(el, "figure", { className: "fim" });
    this.root.dataset.name = this.spec.name;
    this.root.live = this; // for those who look at the page from outside
    this.readout = new Readout(this.root, this.spec, {
      try: (values) => this.set({ ...this.defaults(), ...values }),
      reset: () => this.set(this.defaults()),
      values: () => this.values(),
    });
    const hands = this.#hands();
    this.scene = new Scene(this.readout.stage, this.spec, hands, (share) => this.draw(share));
    this.panels = this.spec.panels.map((panel) => makePanel(this.readout.panels, panel, this.spec, hands));
    this.#bringInSight(el);
    this.readout.curves?.addEventListener("toggle", () => this.draw(this.shown));
    this.round = 0;
    this.#listen();
  }

  /** What a panel may do with the parameters that a reader moves in it: read and set them, bring them near, move them by steps. */
  #hands() {
    const parameter = (name) => this.spec.parameters.find((p) => p.name === name);
    const value = (name) => valueOf(parameter(name), this.model.get(name));
    const set = (values) => Object.keys(values).some((name) => values[name] !== value(name)) && this.set(values);
    const each = (entries, chosen) => set(Object.fromEntries(entries.map(([name, item]) => [name, chosen(name, item)])));
    return {
      parameter,
      value,
      set,
      to: (values) => each(Object.entries(values), (name, wanted) => snapped(parameter(name), wanted)),
      by: (steps) => each(Object.entries(steps).filter(([, count]) => count), (name, count) => stepped(parameter(name), value(name), count)),
    };
  }

  /** Where the controls stay at the bottom, whoever takes one sees what it does. */
  #bringInSight(el) {
    const front = el.closest(".fim-live")?.querySelector(".fim-front");
    front?.addEventListener("pointerdown", () => {
      const { top, bottom } = this.readout.stage.getBoundingClientRect();
      const hidden = top < 0 || bottom > front.getBoundingClientRect().top;
      if (hidden && getComputedStyle(front).position === "sticky") this.readout.stage.scrollIntoView({ behavior: "smooth" });
    });
  }

  #listen() {
    this.changed = () => this.moved || this.rerun();
    this.moving = this.spec.parameters.filter((p) => !p.fixed);
    for (const { name } of this.moving) this.model.on(`change:${name}`, this.changed);
    this.received = (message, buffers) => this.#receive(message, buffers);
    this.model.on("msg:custom", this.received);
    this.model.send({ kind: "ping" });
  }

  stop() {
    this.round += 1;
    clearTimeout(this.asking);
    for (const { name } of this.moving) this.model.off(`change:${name}`, this.changed);
    this.model.off("msg:custom", this.received);
  }

  values() {
    return this.spec.parameters.map((p) => valueOf(p, this.model.get(p.name)));
  }

  defaults() {
    return Object.fromEntries(this.moving.map((p) => [p.name, p.default]));
  }

  /** Move parameters, and through the links the controls; then run once. */
  set(values) {
    this.moved = true;
    for (const [name, value] of Object.entries(values)) {
      this.model.set(name, rawOf(this.moving.find((p) => p.name === name), value));
    }
    this.moved = false;
    this.model.save_changes();
    this.rerun();
  }

  /** Start again at the controls' present values; whatever was running is dropped. */
  rerun() {
    const started = performance.now();
    const round = (this.round += 1);
    this.scene.pause();
    clearTimeout(this.asking);
    this.readout.kernel("");
    const values = this.values();
    const wrong = this.spec.parameters.map((p, i) => complaint(p, values[i])).filter(Boolean);
    if (wrong.length) {
      this.run = null;
      this.readout.fail(wrong.join("\n"));
      return;
    }
    this.readout.begin();
    this.run = new Run(this.kernels, this.spec.stages, values, this.run);
    const trying = (work) => () => {
      if (round !== this.round) return;
      try {
        work();
      } catch (error) {
        this.#break(error);
      }
    };
    const finish = trying(() => this.#finish(started));
    const advance = (milliseconds, first = false) =>
      trying(() => {
        const finished = this.run.advance(milliseconds);
        this.draw();
        this.readout.progress(finished ? 1 : this.run.progress);
        if (finished && first) return finish();
        const drawn = performance.now();
        const next = () => (finished ? finish() : advance(clamp(performance.now() - drawn, SLICE, FIRST_SLICE)));
        // a frame that begins with an event has done its share
        whenSeen(first ? () => whenSeen(next) : next);
      })();
    this.root.dataset.state = "running";
    this.scene.aim();
    for (const panel of this.panels) panel.aim();
    advance(FIRST_SLICE + started - performance.now(), true);
  }

  /** A run that cannot go on says why, and the next one begins anew. */
  #break(error) {
    this.run = null;
    this.readout.fail(`This run failed: ${error.message ?? error}`);
    console.error(error);
  }

  #finish(started) {
    const report = arrange(this.spec.report, this.run.report);
    this.readout.show(report);
    this.scene.finish(report);
    this.readout.aloud.write();
    this.root.dataset.state = "done";
    if (!performance.getEntriesByName("fim:first").length) performance.mark("fim:first");
    const detail = { milliseconds: performance.now() - started };
    this.root.dispatchEvent(new CustomEvent("fim:done", { bubbles: true, detail }));
    if (this.alive) this.asking = setTimeout(() => this.#ask(), CHECK_DELAY);
  }

  /** Ask torch for the same configuration; one question at a time, the latest when the last is answered. */
  #ask() {
    if (this.asked || !this.run?.report) return;
    this.asked = this.round;
    this.readout.kernel("torch is running the same configuration …");
    this.model.send({ kind: "check", round: this.round, values: this.run.values });
    setTimeout(() => this.#silence(this.asked), PATIENCE);
  }

  /** The kernel is gone, or busy beyond reason. */
  #silence(asked) {
    if (!asked || asked !== this.asked) return;
    this.asked = 0;
    this.readout.kernel("no answer from the kernel");
  }

  /** @param {number} share of the history to show; a verdict is on the whole of it */
  draw(share = 1) {
    this.shown = share;
    if (!this.run) return;
    this.root.classList.toggle("fim-part", share < 1);
    this.scene.draw(this.run, share);
    if (this.readout.curves?.open) for (const panel of this.panels) panel.show(this.run, share);
    this.readout.aloud.write();
  }

  #receive(message, buffers) {
    if (message.kind === "pong") {
      this.alive = true;
      if (this.run?.report) this.#finish(performance.now());
      return;
    }
    this.asked = 0;
    if (message.round !== this.round) {
      this.#ask();
    } else if (message.kind === "failed") {
      this.readout.fail(message.message);
    } else {
      const difference = largestDifference(this.run, buffers[0]);
      this.readout.kernel(`max |JS − torch| = ${readable(difference, 2)}`, difference);
    }
  }
}

/** At the next frame, once the page is in sight: browsers let hidden ones go on, only slowly. */
function whenSeen(next) {
  if (document.hidden) document.addEventListener("visibilitychange", () => whenSeen(next), { once: true });
  else requestAnimationFrame(next);
}

/** The numbers in a view of some bytes, which need not be aligned. */
export const doubles = ({ buffer, byteOffset, byteLength }) => new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));

/** The largest difference between this run's numbers (all rows, then the report) and torch's. */
function largestDifference(run, bytes) {
  const theirs = doubles(bytes);
  const ours = run.numbers;
  if (ours.length !== theirs.length) return Infinity;
  return ours.reduce((most, value, i) => {
    const same = value === theirs[i] || (Number.isNaN(value) && Number.isNaN(theirs[i]));
    return same ? most : Math.max(most, Number.isNaN(value - theirs[i]) ? Infinity : Math.abs(value - theirs[i]));
  }, 0);
}
