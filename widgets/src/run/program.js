/** The loop of lib/program.py in the page: kernels traced from torch, run in slices of time. */

/** @import { Kernel, KernelSource, Stage } from "../types.js" */

export const MOST_ROWS = 256; // ROWS of lib/program.py
const MOST_STEPS_PER_CLOCK = 4096;
const SHORT = 0.5; // milliseconds between two looks at the clock

/** @param {number[]} shape */
const sizeOf = (shape) => shape.reduce((product, length) => product * length, 1);

/** @param {number[][]} shapes */
const newBuffers = (shapes) => shapes.map((shape) => new Float64Array(sizeOf(shape)));

/**
 * Turn the kernels' sources into functions, and pair each with its output buffers.
 * @param {KernelSource[]} sources
 * @param {Float64Array} pool the constants of all kernels, one after the other
 * @returns {Record<string, Kernel>}
 */
export function loadKernels(sources, pool) {
  /** @type {Record<string, Kernel>} */
  const kernels = {};
  for (const {
    name,
    source,
    outputs,
    constants: [first, count],
    reads,
    stays = [],
  } of sources) {
    const factory =
      typeof source === "string" ? new Function(`return (${source})`)() : globalThis.factsKernels[source.static];
    kernels[name] = {
      call: factory(pool.slice(first, first + count)),
      outputs: () => newBuffers(outputs),
      reads,
      stays,
    };
  }
  return kernels;
}

/**
 * What a reader is told of a run that cannot go on: "Not decided here: the matrix is singular."
 * @param {Error} error
 */
export const failureOf = ({ name, message }) =>
  name === "Undecided" ? `N${message.slice(1)}.` : `This run failed: ${message}`;

/** The rows of a stage: at most MOST_ROWS, evenly spaced, and the last one whatever its step. */
class History {
  #stride = 1;
  /** @type {number[]} */
  steps = [];
  /** @type {Float64Array[][]} for each of the steps the leaves that are watched */
  rows = [];

  /** How many steps after another the next row is. @param {number} step */
  stepsTo(step) {
    return this.#stride - (step % this.#stride);
  }

  /**
   * @param {number} step
   * @param {Float64Array[]} row
   */
  add(step, row) {
    if (this.steps.length === MOST_ROWS) {
      this.steps = this.steps.filter((_, i) => i % 2 === 0);
      this.rows = this.rows.filter((_, i) => i % 2 === 0);
      this.#stride *= 2;
    }
    this.steps.push(step);
    this.rows.push(row);
  }
}

/**
 * Take so many steps, or until one says that it is done; small ones are taken many at a call. A function of its own, as
 * V8 optimises a short one that is called often sooner and better than a loop in a long one.
 * @param {Kernel["call"]} call
 * @param {Float64Array[][]} inputs for every other call
 * @param {Float64Array[][]} outputs for every other call: the state among the next one's inputs
 * @param {number} side with which of them to begin
 * @param {number} most
 * @param {Float64Array} finished whether the step is done
 * @returns {[number, number]} how many steps were taken, and the side of the next
 */
function callInTurn(call, inputs, outputs, side, most, finished) {
  let taken = 0;
  while (taken < most) {
    taken += call(inputs[side], outputs[side], most - taken) ?? 1;
    side = 1 - side;
    if (finished[0] !== 0) break;
  }
  return [taken, side];
}

/** One run of a program at given parameters; call `advance` until it returns true. */
export class Run {
  /** @type {History[]} of the stages begun */
  histories = [];
  /** @type {Float64Array[][]} of the stages finished */
  endStates = [];
  /** @type {Float64Array[] | null} the leaves of the report, once the run is finished */
  report = null;
  /** How many stages were taken over from an earlier run. */
  reusedStages = 0;
  /** @type {Float64Array[]} the leaves of the state */
  state = [];
  /** @type {Float64Array[]} buffers for the next state and, last, whether the stage is done */
  next = [];
  step = 0;
  limit = 0;
  /** Whether there is a state to go on from. */
  #hasBegun = true;

  /**
   * @param {Record<string, Kernel>} kernels "start", "enter i", those of the steps, "watch", "report"
   * @param {Stage[]} stages
   * @param {number[]} values the parameters, in order
   * @param {Run | null} [earlier] a run of the same program: its finished stages are taken over as far as no parameter
   *   that they depend on has changed
   * @param {{ keepsHistory: boolean }} [options] without a history only the report comes out
   */
  constructor(kernels, stages, values, earlier, { keepsHistory } = { keepsHistory: true }) {
    this.keepsHistory = keepsHistory;
    this.kernels = kernels;
    this.stages = stages;
    this.values = values;
    this.parameters = values.map((value) => Float64Array.of(value));
    this.reusedStages = earlier ? this.#countReusableStages(earlier) : 0;
    if (earlier && this.reusedStages) {
      this.histories = earlier.histories.slice(0, this.reusedStages);
      this.endStates = earlier.endStates.slice(0, this.reusedStages);
      this.state = this.endStates[this.reusedStages - 1];
    } else this.#hasBegun = !stages.length;
  }

  /**
   * How many finished stages of an earlier run this run would repeat.
   * @param {Run} earlier
   */
  #countReusableStages(earlier) {
    /** @param {number} parameter */
    const unchanged = (parameter) => Object.is(this.values[parameter], earlier.values[parameter]);
    /** @param {string} kernel */
    const sameResult = (kernel) => this.kernels[kernel].reads.every(unchanged);
    if (!this.stages.length || !sameResult("start") || !sameResult("watch")) return 0;
    const changed = this.stages.findIndex(
      ({ step, limit }, stage) =>
        stage >= earlier.endStates.length || !(sameResult(`enter ${stage}`) && sameResult(step) && unchanged(limit)),
    );
    return changed < 0 ? this.stages.length : changed;
  }

  /** Every number of a finished run: rows stage by stage, then the report. */
  get numbers() {
    const rows = [...this.histories.flatMap((history) => history.rows), this.report ?? []];
    return rows.flatMap((row) => row.flatMap((leaf) => [...leaf]));
  }

  /** The share of the allowed steps that has been taken. */
  get progress() {
    if (this.report) return 1;
    const shareOfStage = this.limit ? this.step / this.limit : 0;
    return (this.endStates.length + shareOfStage) / Math.max(this.stages.length, 1);
  }

  /** The place of what comes next: the start, then of each stage the entering and its steps, and last the report. */
  get phase() {
    return Number(this.#hasBegun) + this.histories.length + this.endStates.length;
  }

  /**
   * Work for about so many milliseconds. One that keeps its history works until this has a row, to be drawn; one that
   * keeps none works on its present phase only.
   * @param {number} milliseconds
   * @returns {boolean} whether the run is finished
   */
  advance(milliseconds) {
    const deadline = performance.now() + milliseconds;
    while (!this.report) {
      const stage = this.endStates.length;
      if (!this.#hasBegun) this.#begin();
      else if (stage === this.stages.length) this.report = this.#call("report", this.endStates.flat());
      else if (this.histories.length === stage) this.#enterStage(stage);
      else if (!this.#takeSteps(stage, deadline)) return false;
      if (!this.keepsHistory) break;
    }
    return this.report !== null;
  }

  /**
   * Work for about so many milliseconds, and to the end if at the same pace some more are enough for that.
   * @param {number} milliseconds
   * @param {number} more
   * @returns {boolean} whether the run is finished
   */
  advanceOrFinish(milliseconds, more) {
    const [began, before] = [performance.now(), this.progress];
    if (this.advance(milliseconds)) return true;
    const pace = (this.progress - before) / (performance.now() - began);
    return 1 - this.progress <= pace * more && this.advance(more);
  }

  #begin() {
    this.state = this.#call("start", []);
    this.#hasBegun = true;
  }

  /**
   * What a kernel returns for these inputs and the parameters, in new buffers.
   * @param {string} name
   * @param {Float64Array[]} inputs
   */
  #call(name, inputs) {
    const kernel = this.kernels[name];
    const outputs = kernel.outputs();
    kernel.call([...inputs, ...this.parameters], outputs);
    return outputs;
  }

  /** @param {number} stage */
  #enterStage(stage) {
    const { step, limit } = this.stages[stage];
    this.state = this.#call(`enter ${stage}`, this.state);
    this.next = this.kernels[step].outputs();
    this.step = 0;
    this.limit = Math.trunc(this.values[limit]);
    this.histories.push(new History());
    if (this.keepsHistory) this.histories[stage].add(0, this.#call("watch", this.state));
  }

  /**
   * Take steps until the stage ends (true) or the deadline passes (false).
   * @param {number} stage
   * @param {number} deadline
   */
  #takeSteps(stage, deadline) {
    const { call, stays } = this.kernels[this.stages[stage].step];
    const history = this.histories[stage];
    const leaves = this.state.length;
    // two sets of buffers in turn: a step reads the state from one and writes the next state to the other
    const changing = [...this.state.keys()].filter((i) => !stays.includes(i));
    const other = this.state.map((leaf, i) => (changing.includes(i) ? this.next[i] : leaf));
    const inputs = [
      [...this.state, ...this.parameters],
      [...other, ...this.parameters],
    ];
    const outputs = [this.next, this.next.map((leaf, i) => (changing.includes(i) ? this.state[i] : leaf))];
    const finished = this.next[leaves];
    let side = 0;
    let stepsPerClock = 1; // the clock is read after every step until steps prove to be short
    let clock = performance.now();
    for (;;) {
      let done = this.step >= this.limit;
      if (!done) {
        const row = this.keepsHistory ? history.stepsTo(this.step) : Infinity;
        const steps = Math.min(row, stepsPerClock - (this.step % stepsPerClock), this.limit - this.step);
        let taken;
        [taken, side] = callInTurn(call, inputs, outputs, side, steps, finished);
        done = finished[0] !== 0;
        this.step += taken;
        done ||= this.step === this.limit;
        if (this.keepsHistory && (done || taken === row)) {
          history.add(this.step, this.#call("watch", inputs[side].slice(0, leaves)));
        }
      }
      const now = done || this.step % stepsPerClock === 0 ? performance.now() : clock;
      if (done || now > deadline) {
        this.state = inputs[side].slice(0, leaves);
        this.next = outputs[side];
        if (done) this.endStates.push(this.state.map((leaf) => leaf.slice()));
        return done;
      }
      if (this.step % stepsPerClock === 0) {
        if (now - clock < SHORT && stepsPerClock < MOST_STEPS_PER_CLOCK) stepsPerClock *= 2;
        clock = now;
      }
    }
  }
}
