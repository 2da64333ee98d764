/** Figures: anywidget modules, each imported once however many models share it. */

import { add, report } from "../draw/dom.js";

const modules = new Map();
const widgets = new WeakMap();
const sheets = new Set();

/**
 * Draw an anywidget model; what goes wrong is said in its place.
 * @param {Element} frame
 * @param {import("./models.js").Model} model
 */
export async function showFigure(frame, model) {
  const el = add(frame, "div", { className: "ctl-figure" });
  try {
    addSheet(model.get("_css"));
    if (!widgets.has(model)) widgets.set(model, start(model));
    const widget = await widgets.get(model);
    await widget.render?.({ model, el, experimental });
  } catch (error) {
    el.remove();
    report(frame, `This figure could not be drawn: ${error.message ?? error}`, error);
  }
}

const experimental = { invoke: () => Promise.reject(new Error("no kernel in this page")) };

/** A module exports its hooks or a function that makes them, for each model its own. */
async function start(model) {
  const esm = model.get("_esm");
  const key = esm?.static ?? esm;
  if (!modules.has(key)) modules.set(key, esm?.static ? registered(esm.static) : load(esm));
  const module = await modules.get(key);
  const hooks = module.default ?? module;
  const widget = typeof hooks === "function" ? await hooks() : hooks;
  await widget.initialize?.({ model, experimental });
  return widget;
}

/** What widgets/site/sphinx.py has put into a script. */
function registered(name) {
  const module = window.__factsESM?.[name];
  if (!module) throw new Error(`its module ${name} is missing`);
  return module;
}

/** A Blob works from file:// too, where a module script does not. */
async function load(source) {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function addSheet(css) {
  if (!css || sheets.has(css)) return;
  sheets.add(css);
  add(document.head, "style", { textContent: css });
}
