/** Runs a translated program with the page's own loop. In and out: JSON, numbers as base64 of float64. */
import { readFileSync } from "node:fs";

import { loadKernels, Run } from "../../widgets/src/run/program.js";

const decode = (text) => {
  const bytes = Buffer.from(text, "base64");
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
};
const encode = (numbers) => Buffer.from(Float64Array.from(numbers).buffer).toString("base64");

const { kernels, constants, stages, positions } = JSON.parse(readFileSync(0, "utf8"));
const loaded = loadKernels(kernels, decode(constants));
let earlier;
const runs = positions.map((values) => {
  const run = new Run(loaded, stages, [...decode(values)], earlier); // as in the page: the last run's stages may serve again
  earlier = run;
  while (!run.advance(5)); // in slices, as in the page
  return { steps: run.histories.map((history) => history.steps), numbers: encode(run.numbers), kept: run.reusedStages };
});
process.stdout.write(JSON.stringify(runs));
