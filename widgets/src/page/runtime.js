/**
 * What drives the controls of a published page, which has no kernel and no network.
 *
 * In: the widget states and views that MyST-NB writes into the page as JSON, and from its scripts
 * figure modules (`__factsESM`) and their kernels (`factsKernels`).
 * Out: a native, labelled input for each control, joined to the figures as the notebook linked them.
 */

import { follow, remember } from "./address.js";
import { arrangeClass } from "../classroom/link_options.js";
import { forClass } from "../classroom/link_maker.js";
import { readModels } from "./models.js";
import { present } from "../classroom/slides.js";
import { preparePrint } from "./print.js";
import { view } from "./views.js";

const STATE = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";

function start() {
  if (window.factsRuntime) return;
  const models = readModels(scripts(STATE).map(({ content }) => content));
  const views = scripts(VIEW).map(({ script, content }) => {
    const root = document.createElement("div");
    root.className = "ctl-root";
    const ready = replacing(script.nextElementSibling, root);
    if (!ready) script.after(root);
    return view(root, models.get(content.model_id), remember).finally(() => ready?.());
  });
  const ready = Promise.all(views);
  follow((options, entries) => arrangeClass(options, entries, ready)); // before any figure runs: they are imported asynchronously
  preparePrint();
  window.factsRuntime = { models, ready, forClass, present, version: 1 };
}

/** Put what is live in the place of its still, unseen until it is ready; returns what to do then. */
function replacing(still, root) {
  if (!still?.matches(".ctl-still")) return null;
  const place = document.createElement("div");
  place.className = "ctl-place";
  still.before(place);
  place.append(still, root);
  return () => place.replaceWith(root);
}

function scripts(type) {
  return [...document.querySelectorAll(`script[type="${type}"]`)].map((script) => ({
    script,
    content: JSON.parse(script.textContent),
  }));
}

// The whole page is there by then, and so are the scripts deferred before this one.
if (document.readyState !== "loading") start();
else for (const event of ["DOMContentLoaded", "load"]) addEventListener(event, start);
