/**
 * A worker that makes trials beside the page. Its first message says which of the page's scripts hold the kernels; each
 * further one is a list of settings, and takes the place of the one before.
 */

import { Trials } from "../run/trials.js";

const SLICE = 50; // milliseconds until it looks for a new list

/** @type {Trials | undefined} */
let trials;
let latest = 0;
const next = () => new Promise((resolve) => setTimeout(resolve));

addEventListener("message", async ({ data }) => {
  if (data.scripts) {
    importScripts(...data.scripts);
    trials = new Trials(data.sources, data.constants, data.spec);
    return;
  }
  const { id, settings } = data;
  latest = id;
  const goOn = async () => {
    await next();
    return id === latest;
  };
  await trials?.make(settings, (place, trial) => postMessage({ id, place, trial }), goOn, SLICE);
  postMessage({ id, done: true });
});
