/**
 * What drives the controls of a published page, which has no kernel and no network.
 *
 * In: the widget states and views that MyST-NB writes into the page as JSON, and from its scripts
 * figure modules (`__factsESM`) and their kernels (`factsKernels`).
 * Out: a native, labelled input for each control, joined to the figures as the notebook linked them.
 */

import { applyLinkOptions } from "../classroom/link_options.js";
import { loadScript, unfold } from "../draw/dom.js";
import { addressWith, currentOptions, followAddress, remember, setOption } from "./address.js";
import { followCopies } from "./copied_tables.js";
import { followKeys } from "./keys.js";
import { lastSettings } from "./last_settings.js";
import { readModels } from "./models.js";
import { drawWidget } from "./views.js";

const STATE = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";
const SELF = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;

function start() {
  if (window.factsRuntime) return;
  for (const saved of document.querySelectorAll(".toggle-button")) saved.remove(); // of a page that was saved from a browser: the theme adds them again
  const models = readModels(scripts(STATE).map(({ content }) => content));
  const views = scripts(VIEW).map(({ script, content }) => {
    const root = document.createElement("div");
    root.className = "ctl-root";
    const saved = script.nextElementSibling; // and such a page has its figure already
    if (saved?.matches(".ctl-root")) saved.remove();
    const showLive = putInPlaceOf(script.nextElementSibling, root);
    if (!showLive) script.after(root);
    return drawWidget(root, models.get(content.model_id), remember).finally(() => showLive?.());
  });
  const ready = Promise.all(views);
  // before any figure runs: they are imported asynchronously
  followAddress((options, entries, setAgain) => applyLinkOptions(options, entries, setAgain, ready));
  const paper = ready.then(() => loadScript(new URL("print.js", SELF).href));
  const worker = new URL("trials.js", SELF).href;
  const address = { setOption, addressWith, currentOptions, lastSettings: lastSettings() };
  const forLecturers = { forClass, present, loadClassroom: classroom };
  window.factsRuntime = { models, ready, paper, ...forLecturers, ...address, worker, version: 1 };
  joinClass();
  followKeys();
  followCopies();
  unfoldTarget();
  addEventListener("hashchange", unfoldTarget);
}

/** Who comes to a statement's box by its address finds it open. */
function unfoldTarget() {
  const box = document.getElementById(location.hash.slice(1))?.closest(".proof");
  if (box) unfold(box);
}

/** @type {Promise<void> | undefined} */
let loading;
/** The script for a class, loaded once it is asked for. */
async function classroom() {
  await (loading ??= loadScript(new URL("classroom.js", SELF).href));
  return window.factsClassroom;
}

/** Ask what the address asks for, and take part in the class that it names or this window knows; a file has none. */
async function joinClass() {
  const { class: code = "", key = "", predict = "" } = currentOptions();
  if (predict) (await classroom())?.askForPrediction();
  if (!location.protocol.startsWith("http") || !(code || sessionStorage.getItem("fim-class"))) return;
  (await classroom())?.joinClass(code, key);
}

/** Make links to a figure for a class. @param {HTMLElement} root */
const forClass = async (root) => (await classroom())?.forClass(root);

/** Show the page around a figure as slides. @param {HTMLElement} root @param {number} [place] of a slide, from 1 */
const present = async (root, place) => (await classroom())?.present(root, place);

/**
 * Put what is live in the place of its still, unseen until it is ready; returns what shows it.
 * @param {Element | null} still
 * @param {HTMLElement} root
 */
function putInPlaceOf(still, root) {
  if (!still?.matches(".ctl-still")) return null;
  const place = document.createElement("div");
  place.className = "ctl-place";
  still.before(place);
  place.append(still, root);
  return () => place.replaceWith(root);
}

/** The scripts of a type, with the JSON in them. @param {string} type */
function scripts(type) {
  return [...document.querySelectorAll(`script[type="${type}"]`)].map((script) => ({
    script,
    content: JSON.parse(script.textContent ?? ""),
  }));
}

// the page and the scripts deferred before this one are complete by then
if (document.readyState !== "loading") start();
else for (const event of ["DOMContentLoaded", "load"]) addEventListener(event, start);
