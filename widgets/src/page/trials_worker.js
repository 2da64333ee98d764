/**
 * A worker that makes trials beside the page. Its first message says which of the page's scripts hold the kernels; each
 * further one is a few settings, and is answered by their trials.
 */

import { loadKernels } from "../run/program.js";
import { Trials } from "../run/trials.js";

/** @type {Trials | undefined} */
let trials;
const goOn = async () => Infinity;

addEventListener("message", ({ data }) => {
  if (data.scripts) {
    importScripts(...data.scripts); // what it throws tells the page, as long as nobody awaits it
    trials = new Trials(loadKernels(data.sources, data.constants), data.spec);
  } else trials?.make(data, goOn).then(postMessage);
});
