/**
 * A worker that makes trials beside the page. Its first message says which of the page's scripts hold the kernels; each
 * further one is a few settings, and is answered by their trials.
 */

import { loadKernels } from "../run/program.js";
import { Trials } from "../run/trials.js";

/** @type {Trials | undefined} */
let trials;
const goOn = async () => Infinity;

addEventListener("message", async ({ data }) => {
  if (data.scripts) {
    importScripts(...data.scripts);
    trials = new Trials(loadKernels(data.sources, data.constants), data.spec);
  } else postMessage(await trials?.make(data, goOn));
});
