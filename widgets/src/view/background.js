/**
 * Trials beside a page that stays smooth: in a worker where the page has one to start, else in slices of idle time.
 * Only one list of settings is worked on; a new one takes its place, and all rests while nobody looks.
 */

import { Trials } from "../run/trials.js";

/** @import { KernelSource } from "../types.js" */
/** @import { Trial, TrialSpec } from "../run/trials.js" */

/** @typedef {{ sources: KernelSource[], constants: Float64Array, spec: TrialSpec }} Source */
/** @typedef {(place: number, trial: Trial) => void} Show */

const SLICE = 10; // milliseconds of a frame
const IDLE_WITHIN = 100; // milliseconds, on a page that is never idle

/** The next moment in which the browser has nothing else to do. @returns {Promise<void>} */
const idle = () =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve(), { timeout: IDLE_WITHIN });
    else setTimeout(resolve);
  });

export class Background {
  /** The number of lists begun: work on an earlier one ends. */
  #round = 0;
  /** @type {Trials | undefined} made when first needed */
  #trials;
  /** @type {Worker | null | undefined} null once one has failed, or where the page has none */
  #worker;
  /** @type {(() => void) | undefined} what waits for the page to be looked at again */
  #wake;

  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake?.());
  }

  /**
   * Make a run at each of the settings.
   * @param {number[][]} settings
   * @param {Show} show
   * @returns {Promise<boolean>} whether all were made; false if another list has taken their place
   */
  async make(settings, show) {
    const round = (this.#round += 1);
    this.#wake?.();
    const isCurrent = () => round === this.#round;
    /** @type {Show} */
    const showIfCurrent = (place, trial) => isCurrent() && show(place, trial);
    const rest = await this.#inWorker(settings, showIfCurrent, round);
    if (rest.length && isCurrent()) {
      this.#trials ??= new Trials(this.source.sources, this.source.constants, this.source.spec);
      const goOn = async () => {
        while (document.hidden && isCurrent()) await new Promise((resolve) => (this.#wake = () => resolve(undefined)));
        await idle();
        return isCurrent();
      };
      const first = settings.length - rest.length;
      await this.#trials.make(rest, (place, trial) => showIfCurrent(first + place, trial), goOn, SLICE);
    }
    return isCurrent();
  }

  /** Work on nothing. */
  stop() {
    this.#round += 1;
    this.#wake?.();
    this.#worker?.postMessage({ id: this.#round, settings: [] });
  }

  /**
   * Let the worker make the runs, if there is one.
   * @param {number[][]} settings
   * @param {Show} show
   * @param {number} id
   * @returns {Promise<number[][]>} the settings that are left: all that come after the last one shown
   */
  #inWorker(settings, show, id) {
    const worker = this.#startedWorker();
    if (!worker) return Promise.resolve(settings);
    return new Promise((resolve) => {
      let shown = 0;
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        if (data.done) resolve([]);
        else show((shown = data.place), data.trial);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        console.warn(`A worker has failed, and the page goes on without it: ${event.message}`);
        worker.terminate();
        this.#worker = null;
        resolve(settings.slice(shown));
      };
      worker.postMessage({ id, settings });
    });
  }

  /** Browsers start no worker from a page on a disk, and a page of Jupyter has no script for one. */
  #startedWorker() {
    if (this.#worker !== undefined) return this.#worker;
    const address = window.factsRuntime?.worker;
    const scripts = [...document.querySelectorAll('script[src*="/kernels/"]')].map((script) =>
      script instanceof HTMLScriptElement ? script.src : "",
    );
    if (!address?.startsWith("http") || !scripts.length) return (this.#worker = null);
    this.#worker = new Worker(address);
    this.#worker.postMessage({ ...this.source, scripts });
    return this.#worker;
  }
}
