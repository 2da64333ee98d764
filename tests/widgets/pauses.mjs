/** Makes trials by a clock of the test's own. In: for each kernel of a program of one stage the milliseconds that a call takes; out: the milliseconds between two pauses. */
import "./json_modules.mjs";

const { loadKernels } = await import("../../widgets/src/run/program.js");
const { Trials } = await import("../../widgets/src/run/trials.js");

const { takes, steps, runs, slice } = JSON.parse(process.argv[2]);
let clock = 0;
globalThis.performance = { now: () => clock };
globalThis.factsKernels = {};
const sources = Object.entries(takes).map(([name, milliseconds]) => {
  globalThis.factsKernels[name] = () => () => void (clock += milliseconds);
  return { name, source: { static: name }, outputs: name === "step" ? [[], []] : [[]], constants: [0, 0], reads: [0] };
});
const spec = { stages: [{ step: "step", limit: 0 }], report: [], verdicts: [] };
const between = [];
let last = 0;
const pause = async () => {
  between.push(clock - last);
  last = clock;
  return slice;
};
const settings = Array.from({ length: runs }, (_, i) => [steps + i]);
const { length } = await new Trials(loadKernels(sources, new Float64Array()), spec).make(settings, pause);
console.log(JSON.stringify({ between: [...between, clock - last], length }));
