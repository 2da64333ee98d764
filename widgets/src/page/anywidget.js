/** Figures: anywidget modules, each imported once however many models share it. */

import { add, messageOf, showProblem } from "../draw/dom.js";

/** @import { Model } from "./models.js" */

/**
 * What a module exports: hooks, or a function that makes hooks for each model.
 * @typedef {{ initialize?(context: object): unknown, render?(context: object): unknown }} Hooks
 */
/** @typedef {Hooks | (() => Hooks | Promise<Hooks>)} Widget */
/**
 * The source of a module, or the name under which a script of the page has registered it.
 * @typedef {string | { static: string }} Source
 */

/** @type {Map<string, Promise<{ default?: Widget }>>} by source or name */
const modules = new Map();
/** @type {WeakMap<Model, Promise<Hooks>>} */
const hooksOfModels = new WeakMap();
/** @type {Set<string>} */
const sheets = new Set();

const experimental = { invoke: () => Promise.reject(new Error("no kernel in this page")) };

/**
 * Draw an anywidget model; what goes wrong is said in its place.
 * @param {Element} frame
 * @param {Model} model
 */
export async function drawAnyWidget(frame, model) {
  const el = add(frame, "div", { className: "ctl-figure" });
  try {
    addSheet(model.get("_css"));
    const started = hooksOfModels.get(model) ?? start(model);
    hooksOfModels.set(model, started);
    const hooks = await started;
    await hooks.render?.({ model, el, experimental });
  } catch (error) {
    el.remove();
    showProblem(frame, `This figure could not be drawn: ${messageOf(error)}`, error);
  }
}

/** @param {Model} model @returns {Promise<Hooks>} */
async function start(model) {
  const module = await moduleOf(model.get("_esm"));
  const widget = module.default ?? /** @type {Hooks} */ (module);
  const hooks = typeof widget === "function" ? await widget() : widget;
  await hooks.initialize?.({ model, experimental });
  return hooks;
}

/** @param {Source} source */
function moduleOf(source) {
  const key = typeof source === "string" ? source : source.static;
  const module = modules.get(key) ?? (typeof source === "string" ? importSource(source) : registered(key));
  modules.set(key, module);
  return module;
}

/**
 * A module that widgets/site/sphinx.py has put into a script.
 * @param {string} name
 * @returns {Promise<{ default?: Widget }>}
 */
async function registered(name) {
  const module = window.__factsESM?.[name];
  if (!module) throw new Error(`its module ${name} is missing`);
  return module;
}

/** A module from its source; unlike a module script, a Blob works from file:// too. @param {string} source */
async function importSource(source) {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** @param {string | undefined} css */
function addSheet(css) {
  if (!css || sheets.has(css)) return;
  sheets.add(css);
  add(document.head, "style", { textContent: css });
}
