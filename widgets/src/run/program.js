/** The loop of lib/program.py in the page: kernels traced from torch, run in slices of time. */

export const ROWS = 256; // as in lib/program.py

const size = (shape) => shape.reduce((product, length) => product * length, 1);
const buffers = (shapes) => shapes.map((shape) => new Float64Array(size(shape)));

/**
 * Turn the kernels' sources into functions that own their output buffers.
 *
 * @param {Array<{name: string, source: string, outputs: number[][], constants: [number, number], reads: number[], stays: number[]}>} kernels
 *   `constants` is where the kernel's own constants lie in `pool`, `reads` which parameters it depends on, `stays` which
 *   leaves of a state a step leaves alone. In a published page `source` is `{static: name}`, and a script of the page has
 *   registered the function under that name.
 * @param {Float64Array} pool the constants of all kernels, one after the other
 * @returns {Object<string, {call: function(Float64Array[], Float64Array[]): void, outputs: function(): Float64Array[], reads: number[], stays: number[]}>}
 */
export function load(kernels, pool) {
  const loaded = {};
  for (const { name, source, outputs, constants, reads, stays = [] } of kernels) {
    const factory = source.static ? globalThis.factsKernels[source.static] : new Function(`return (${source})`)();
    loaded[name] = {
      call: factory(pool.slice(constants[0], constants[0] + constants[1])),
      outputs: () => buffers(outputs),
      reads,
      stays,
    };
  }
  return loaded;
}

/** Keeps at most ROWS evenly spaced rows, and the last one whatever its step. */
class Recorder {
  constructor() {
    this.stride = 1;
    this.steps = [];
    this.rows = [];
  }

  wants(step) {
    return step % this.stride === 0;
  }

  add(step, row) {
    if (this.steps.length === ROWS) {
      this.steps = this.steps.filter((_, i) => i % 2 === 0);
      this.rows = this.rows.filter((_, i) => i % 2 === 0);
      this.stride *= 2;
    }
    this.steps.push(step);
    this.rows.push(row);
  }
}

/** One run of a program at given parameters; `advance` it until it says that it is done. */
export class Run {
  /**
   * @param {ReturnType<typeof load>} kernels "start", "enter i", those of the steps, "watch", "report"
   * @param {Array<{name: string, limit: number, step: string}>} stages `limit` is the index of the parameter that bounds
   *   the steps, `step` the kernel's name
   * @param {number[]} values the parameters, in order
   * @param {Run} [earlier] a run of the same program: its finished stages are taken over as far as no parameter
   *   that they depend on has changed
   */
  constructor(kernels, stages, values, earlier) {
    this.kernels = kernels;
    this.stages = stages;
    this.values = values;
    this.parameters = values.map((value) => Float64Array.of(value));
    this.histories = [];
    this.ends = [];
    this.report = null;
    this.kept = earlier ? this.#shared(earlier) : 0; // stages taken over
    if (this.kept) {
      this.histories = earlier.histories.slice(0, this.kept);
      this.ends = earlier.ends.slice(0, this.kept);
      this.state = this.ends.at(-1);
    } else {
      this.state = stages.length ? this.#fresh("start", []) : [];
    }
  }

  /** How many stages of `earlier` would come out the same. */
  #shared(earlier) {
    const stays = (i) => Object.is(this.values[i], earlier.values[i]);
    const same = (name) => this.kernels[name].reads.every(stays);
    if (!this.stages.length || !same("start") || !same("watch")) return 0;
    let kept = 0;
    const again = (stage) => same(`enter ${stage}`) && same(this.stages[stage].step) && stays(this.stages[stage].limit);
    while (kept < earlier.ends.length && again(kept)) kept += 1;
    return kept;
  }

  /** Every number of a finished run: rows stage by stage, then the report. */
  get numbers() {
    return [...this.histories.flatMap((history) => history.rows), this.report].flatMap((row) => row.flatMap((leaf) => [...leaf]));
  }

  /** Which share of the steps allowed has been taken. */
  get progress() {
    if (this.report) return 1;
    const share = this.limit ? this.step / this.limit : 0;
    return (Math.max(this.ends.length, 0) + share) / Math.max(this.stages.length, 1);
  }

  /**
   * Work for about `milliseconds`.
   * @returns {boolean} whether the run is finished
   */
  advance(milliseconds) {
    const deadline = performance.now() + milliseconds;
    while (!this.report) {
      const stage = this.ends.length;
      if (stage === this.stages.length) {
        this.report = this.#fresh("report", this.ends.flat());
      } else if (this.histories.length === stage) {
        this.#enter(stage);
      } else if (!this.#steps(stage, deadline)) {
        return false;
      }
    }
    return true;
  }

  #fresh(name, inputs) {
    const outputs = this.kernels[name].outputs();
    this.kernels[name].call([...inputs, ...this.parameters], outputs);
    return outputs;
  }

  #enter(stage) {
    this.state = this.#fresh(`enter ${stage}`, this.state);
    this.next = this.kernels[this.stages[stage].step].outputs(); // the new state and, last, `done`
    this.step = 0;
    this.limit = Math.trunc(this.values[this.stages[stage].limit]);
    this.recorder = new Recorder();
    this.histories.push(this.recorder);
    this.recorder.add(0, this.#fresh("watch", this.state));
  }

  /** Take steps until the stage ends (true) or the deadline passes (false). */
  #steps(stage, deadline) {
    const { call, stays } = this.kernels[this.stages[stage].step];
    let inputs = [...this.state, ...this.parameters];
    const leaves = this.state.length;
    const moved = [...this.state.keys()].filter((i) => !stays.includes(i));
    let often = 1; // look at the clock at every step until steps prove to be short
    for (;;) {
      let done = this.step >= this.limit;
      if (!done) {
        call(inputs, this.next);
        this.step += 1;
        done = this.next[leaves][0] !== 0 || this.step === this.limit;
        for (const i of moved) [inputs[i], this.next[i]] = [this.next[i], inputs[i]];
        if (done || this.recorder.wants(this.step)) {
          this.state = inputs.slice(0, leaves);
          this.recorder.add(this.step, this.#fresh("watch", this.state));
        }
      }
      if (done) {
        this.state = inputs.slice(0, leaves);
        this.ends.push(this.state.map((leaf) => leaf.slice()));
        return true;
      }
      if (this.step % often === 0) {
        if (performance.now() > deadline) {
          this.state = inputs.slice(0, leaves);
          return false;
        }
        if (often < 32) often *= 2;
      }
    }
  }
}
