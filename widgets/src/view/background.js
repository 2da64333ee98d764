/**
 * Trials beside a page that stays smooth: in a worker where the page has one to start, else in slices of idle time.
 * A figure has one engine, which makes a few runs at a time, for whoever asks next; all rest while nobody looks.
 */

import { loadKernels } from "../run/program.js";
import { Trials } from "../run/trials.js";

/** @import { Kernel, KernelSource } from "../types.js" */
/** @import { Trial, TrialSpec } from "../run/trials.js" */

/**
 * What is run; and if it is not the page's own, the addresses of the worker's script and of those with the kernels.
 * @typedef {{ sources: KernelSource[], constants: Float64Array, spec: TrialSpec, worker?: string, scripts?: string[] }}
 *   Source
 */

const SLICE = 10; // milliseconds at once: what a reader does then has to wait
const BATCH = 50; // milliseconds that a worker may take until it is asked again

/**
 * When the browser has nothing else to do next, where it can tell: for how many milliseconds. An idle callback that
 * asks for the next one would have it only after 50 of them.
 * @returns {Promise<number>}
 */
const idle = () =>
  globalThis.scheduler?.postTask(() => SLICE, { priority: "background" }) ??
  new Promise((resolve) => setTimeout(resolve, 0, SLICE));

let seenAgain = -Infinity; // when work went on after the page had been hidden

/** The next moment in which the page is looked at. */
async function looked() {
  if (!document.hidden) return;
  await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
  seenAgain = performance.now();
}

/** The addresses of the page's own scripts that hold kernels. */
const kernelScripts = () =>
  [...document.querySelectorAll('script[src*="/kernels/"]')].map((script) =>
    script instanceof HTMLScriptElement ? script.src : "",
  );

export class Engine {
  /** @type {Promise<unknown>} what has been asked before */
  #before = Promise.resolve();
  /** @type {Trials | undefined} made when first needed */
  #trials;
  /** @type {Worker | null | undefined} null once one has failed, or where the page has none */
  #worker;

  /**
   * @param {Source} source
   * @param {(sentence: string) => void} [tell] says to the reader that a worker has died
   * @param {Record<string, Kernel>} [kernels] those of the page's own figure: the browser has compiled them already
   */
  constructor(source, tell = () => {}, kernels) {
    this.source = source;
    this.tell = tell;
    this.kernels = kernels;
  }

  /**
   * Make a run at each of these few settings, after all that was asked before.
   * @param {number[][]} settings
   * @param {() => boolean} isWanted whether to go on
   * @returns {Promise<Trial[]>} fewer than the settings if they are not wanted any more
   */
  make(settings, isWanted) {
    const made = this.#before.then(() => (isWanted() ? this.#make(settings, isWanted) : []));
    this.#before = made;
    return made;
  }

  /** @param {number[][]} settings @param {() => boolean} isWanted @returns {Promise<Trial[]>} */
  async #make(settings, isWanted) {
    const worker = this.#startedWorker();
    const trials = worker && (await this.#inWorker(worker, settings));
    if (trials) return trials;
    const { sources, constants, spec } = this.source;
    this.#trials ??= new Trials(this.kernels ?? loadKernels(sources, constants), spec);
    const pause = async () => {
      await looked();
      const left = await idle();
      return isWanted() ? left : null;
    };
    return this.#trials.make(settings, pause);
  }

  /**
   * @param {Worker} worker
   * @param {number[][]} settings
   * @returns {Promise<Trial[] | undefined>} nothing if the worker has failed
   */
  #inWorker(worker, settings) {
    return new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        const why = event.message ?? "its script could not be loaded"; // then the event is not one of an error in it
        console.warn(`A worker has failed, and the page goes on without it: ${why}`);
        this.tell("The part of the browser that makes these runs has stopped; the page makes them itself, more slowly.");
        worker.terminate();
        this.#worker = null;
        resolve(undefined);
      };
      worker.postMessage(settings);
    });
  }

  /** Browsers start no worker from a page on a disk, and a page of Jupyter has no script for one. */
  #startedWorker() {
    if (this.#worker !== undefined) return this.#worker;
    const { worker = window.factsRuntime?.worker, scripts = kernelScripts(), ...program } = this.source;
    if (!worker?.startsWith("http") || !scripts.length) return (this.#worker = null);
    this.#worker = new Worker(worker);
    this.#worker.postMessage({ ...program, scripts });
    return this.#worker;
  }
}

/** A list of settings to be tried; a new one takes its place. */
export class Background {
  /** The number of lists begun: work on an earlier one ends. */
  #round = 0;
  /** Milliseconds for a run of the last list that told; 0 if none has. */
  each = 0;

  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
  }

  /**
   * Make a run at each of the settings, and measure how long one takes: the first, which is slow to begin, does not
   * count, nor does one in the midst of which the page was hidden.
   * @param {number[][]} settings
   * @param {(place: number, trial: Trial) => void} show
   * @returns {Promise<boolean>} whether all were made; false if another list has taken their place
   */
  async make(settings, show) {
    const round = (this.#round += 1);
    const isCurrent = () => round === this.#round;
    let [size, timed, time] = [1, 0, 0];
    for (let made = 0; made < settings.length && isCurrent();) {
      await looked();
      const began = performance.now();
      const trials = await this.engine.make(settings.slice(made, made + size), isCurrent);
      const took = performance.now() - began;
      if (!isCurrent()) break;
      if (made && seenAgain < began) {
        timed += trials.length;
        time += took;
        this.each = time / timed;
      }
      for (const trial of trials) show(made++, trial);
      if (took < BATCH / 2) size *= 2;
      else size = Math.max(1, Math.floor(size / 2));
    }
    return isCurrent();
  }

  /** Work on nothing. */
  stop() {
    this.#round += 1;
  }
}
