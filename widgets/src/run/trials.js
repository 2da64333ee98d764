/** Runs of which only the verdicts count, and no history is kept: for a map, and for a search for counterexamples. */

import { recordOf } from "./parameters.js";
import { Run } from "./program.js";
import { verdictOf } from "./verdict.js";

/** @import { Kernel, Spec } from "../types.js" */

/**
 * What a statement says of a run: the place of its outcome, and whether no hypothesis is violated.
 * @typedef {{ outcome: number, assumed: boolean }} Judged
 */
/** What a run comes to: for each statement, and the number whose sign a border is drawn by, NaN if there is none.
 * @typedef {{ judged: Judged[], border: number }} Trial
 */
/**
 * What trials need of a figure.
 * @typedef {Pick<Spec, "stages" | "report" | "verdicts" | "map">} TrialSpec
 */

const LEAST = 5; // milliseconds between two pauses
const FORGETS = 0.98; // the first calls, which a browser has not compiled, take longer than others

export class Trials {
  /** When to pause again. */
  #until = 0;
  /** How late that may be, in milliseconds: a call of a kernel is not interrupted. */
  #late = 0;
  /** @type {Run | null} the last, whose finished stages the next may take over */
  #last = null;

  /**
   * @param {Record<string, Kernel>} kernels
   * @param {TrialSpec} spec
   */
  constructor(kernels, spec) {
    this.kernels = kernels;
    this.spec = spec;
  }

  /**
   * Make a run at each of the settings; `pause` is awaited so early that the last call of a kernel ends in time, too.
   * @param {number[][]} settings the parameters in order, of each run
   * @param {() => Promise<number | null>} pause returns for how many milliseconds to go on, or null not to
   */
  async make(settings, pause) {
    /** @type {Trial[]} */
    const made = [];
    for (const values of settings) {
      const run = new Run(this.kernels, this.spec.stages, values, this.#last, { keepsHistory: false });
      while (!run.report) {
        if (performance.now() >= this.#until) {
          const left = await pause();
          if (left === null) return made;
          this.#until = performance.now() + Math.max(left - this.#late, LEAST);
        }
        run.advance(this.#until - performance.now());
        this.#late = Math.max(performance.now() - this.#until, FORGETS * this.#late);
      }
      this.#last = run;
      made.push(this.#judge(run));
    }
    return made;
  }

  /** @param {Run} run @returns {Trial} */
  #judge(run) {
    const report = recordOf(this.spec.report, run.report ?? []);
    return {
      judged: this.spec.verdicts.map((fields) => {
        const { outcome, assumed } = verdictOf(report, fields);
        return { outcome: outcome[0], assumed: assumed[0] > 0.5 };
      }),
      border: this.spec.map?.border ? report[this.spec.map.border][0] : NaN,
    };
  }
}
