/** Runs of which only the verdicts count, and no history is kept: for a map, and for a search for counterexamples. */

import { recordOf } from "./parameters.js";
import { failureOf, Run } from "./program.js";
import { verdictOf } from "./verdict.js";

/** @import { Kernel, Spec } from "../types.js" */

/**
 * What a statement says of a run: the place of its outcome, and whether no hypothesis is violated.
 * @typedef {{ outcome: number, assumed: boolean }} Judged
 */
/** What a run comes to: for each statement, and the number whose sign a border is drawn by, NaN if there is none; a run
 * that failed says why, and nothing else.
 * @typedef {{ judged: Judged[], border: number, failure?: string }} Trial
 */
/**
 * What trials need of a figure.
 * @typedef {Pick<Spec, "stages" | "report" | "verdicts" | "map">} TrialSpec
 */

const PIECE = 1; // milliseconds of steps that are taken without asking whether to pause
const FORGETS = 0.8; // the first calls, which a browser has not compiled, take longer than others

export class Trials {
  /** When to pause again. */
  #until = 0;
  /** @type {number[]} the milliseconds that a call may take, which is not interrupted: by the run's phase */
  #takes = [];
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
   * Make a run at each of the settings; `pause` is awaited before each call of a kernel that may not end in time, as
   * well as before its first one, of which nobody knows how long it takes.
   * @param {number[][]} settings the parameters in order, of each run
   * @param {() => Promise<number | null>} pause returns for how many milliseconds to go on, or null not to
   */
  async make(settings, pause) {
    /** @type {Trial[]} */
    const made = [];
    for (const values of settings) {
      const run = new Run(this.kernels, this.spec.stages, values, this.#last, { keepsHistory: false });
      /** @type {Trial | undefined} */
      let failed;
      while (!run.report && !failed) {
        const { phase } = run;
        if (performance.now() + (this.#takes[phase] ?? Infinity) > this.#until) {
          const left = await pause();
          if (left === null) return made;
          this.#until = performance.now() + left;
        }
        const began = performance.now();
        try {
          run.advance(PIECE);
        } catch (error) {
          failed = { judged: [], border: NaN, failure: failureOf(/** @type {Error} */ (error)) };
        }
        this.#takes[phase] = Math.max(performance.now() - began, FORGETS * (this.#takes[phase] ?? 0));
      }
      this.#last = failed ? null : run;
      made.push(failed ?? this.#judge(run));
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
