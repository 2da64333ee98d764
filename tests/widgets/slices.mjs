/** Runs a program of one stage in slices, by a clock of the test's own. In: the milliseconds that a step takes, and how many there are; out: those of each slice. */
import { loadKernels, Run } from "../../widgets/src/run/program.js";

const { takes, steps, slice, more } = JSON.parse(process.argv[2]);
let clock = 0;
globalThis.performance = { now: () => clock };
globalThis.factsKernels = { step: () => () => void (clock += takes), other: () => () => {} };
const sources = ["start", "enter 0", "step", "watch", "report"].map((name) => ({
  name,
  source: { static: name === "step" ? "step" : "other" },
  outputs: name === "step" ? [[], []] : [[]],
  constants: [0, 0],
  reads: [],
}));
const run = new Run(loadKernels(sources, new Float64Array()), [{ step: "step", limit: 0 }], [steps]);
const slices = [];
for (let finished = false, begun = 0; !finished; begun = clock) {
  finished = run.advanceOrFinish(slice, more);
  slices.push(clock - begun);
}
console.log(JSON.stringify(slices));
