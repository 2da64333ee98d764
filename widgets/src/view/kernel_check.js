/**
 * Where a Jupyter kernel is alive, torch runs the same configuration as the page, and the figure shows how far the two
 * results are apart. One question is asked at a time; once it is answered, the latest.
 */

import { readable } from "../run/format.js";

/** @import { Readout } from "./readout.js" */
/** @import { Run } from "../run/program.js" */
/** @import { WidgetModel } from "../types.js" */

const TIMEOUT = 60000; // milliseconds to wait for an answer
const DELAY = 350; // milliseconds of rest before torch is asked

/**
 * @typedef {{ kind: string, round: number, message: string }} Answer see `Figure._answer` of widgets/figure/live.py
 */

export class KernelCheck {
  #alive = false;
  /** The round that torch is running; 0 for none. */
  #askedRound = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} until torch is asked */
  #waiting;
  /** @type {(message: Answer, buffers: DataView<ArrayBuffer>[]) => void} */
  #receive;

  /**
   * @param {WidgetModel} model
   * @param {Readout} readout
   * @param {() => { run: Run | null, round: number }} latest the figure's latest run, and its number
   */
  constructor(model, readout, latest) {
    this.model = model;
    this.readout = readout;
    this.latest = latest;
    this.#receive = (message, buffers) => this.#heed(message, buffers);
    model.on("msg:custom", this.#receive);
    model.send({ kind: "ping" });
  }

  /** A run begins: what was said of the last one no longer holds. */
  cancel() {
    clearTimeout(this.#waiting);
    this.readout.showKernel("");
  }

  /** A run is finished: have torch run it, too, unless another begins soon. */
  schedule() {
    if (this.#alive) this.#waiting = setTimeout(() => this.#ask(), DELAY);
  }

  stop() {
    clearTimeout(this.#waiting);
    this.model.off("msg:custom", this.#receive);
  }

  #ask() {
    const { run, round } = this.latest();
    if (this.#askedRound || !run?.report) return;
    this.#askedRound = round;
    this.readout.showKernel("torch is running the same configuration …");
    this.model.send({ kind: "check", round, values: run.values });
    setTimeout(() => this.#giveUp(round), TIMEOUT);
  }

  /** The kernel is gone, or too busy. @param {number} round */
  #giveUp(round) {
    if (round !== this.#askedRound) return;
    this.#askedRound = 0;
    this.readout.showKernel("no answer from the kernel");
  }

  /** @param {Answer} message @param {DataView<ArrayBuffer>[]} buffers */
  #heed(message, buffers) {
    const { run, round } = this.latest();
    if (message.kind === "pong") {
      this.#alive = true;
      if (run?.report) this.schedule();
      return;
    }
    this.#askedRound = 0;
    if (message.round !== round) {
      this.#ask();
    } else if (message.kind === "failed") {
      this.readout.fail(message.message);
    } else if (run) {
      const difference = largestDifference(run.numbers, float64s(buffers[0]));
      this.readout.showKernel(`max |JS − torch| = ${readable(difference, 2)}`, difference);
    }
  }
}

/**
 * The numbers in a view of some bytes, which need not be aligned.
 * @param {ArrayBufferView<ArrayBuffer>} view
 */
export const float64s = ({ buffer, byteOffset, byteLength }) =>
  new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));

/**
 * Infinity where only one has a number, or one has more.
 * @param {number[]} ours
 * @param {Float64Array} theirs
 */
function largestDifference(ours, theirs) {
  if (ours.length !== theirs.length) return Infinity;
  return ours.reduce((most, value, i) => {
    const difference = Math.abs(value - theirs[i]);
    const same = value === theirs[i] || (Number.isNaN(value) && Number.isNaN(theirs[i]));
    return same ? most : Math.max(most, Number.isNaN(difference) ? Infinity : difference);
  }, 0);
}
