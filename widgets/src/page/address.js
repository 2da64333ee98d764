/**
 * The page's address holds what differs from the default: `#~temperature=0.02&radius=0.001`.
 *
 * A control takes part under NAME if it has the class `url-NAME`. Ordinary section anchors are left alone until a
 * control moves. Values are taken as they come: what is wrong with one, the figure says. Beside them may stand the
 * options of a link for a class, which stay while controls move: see classroom/link_options.js.
 */

import { addressName } from "./controls.js";
import OPTIONS from "./options.json";

const MARK = "#~";
const WRITE_DELAY = 200; // milliseconds: browsers refuse to rewrite the address at every step of a drag

/** @type {Map<string, {model: Object, trait: string, initial: any}>} */
const entries = new Map();
let options = {};
let heed;
let known; // what the address said when it was last read or written

/** Keep a drawn control's value in the address; what it is now is its default. */
export function remember(model) {
  const name = addressName(model);
  if (!name || entries.has(name)) return;
  const entry = entryOf(model);
  entries.set(name, entry);
  model.on(`change:${entry.trait}`, writeSoon);
}

/** A control with the trait that a reader moves, and what it is now. */
export function entryOf(model) {
  const trait = model.get("index") === undefined ? "value" : "index";
  return { model, trait, initial: model.get(trait) };
}

/** Bring a control where a text says. */
export function assign(entry, text) {
  entry.model.set(entry.trait, decode(text.trim(), entry));
}

/**
 * Follow the address from now on, and links to `#~…` in the page.
 * @param {(options: Object<string, string>, entries: Map) => void} heeding told what the address says beside values
 */
export function follow(heeding) {
  heed = heeding;
  read(location.hash);
  addEventListener("hashchange", () => read(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(`a[href^="${MARK}"]`);
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault(); // which would scroll, and forget the other controls
    const values = valuesOf(link.hash);
    set(values);
    Object.assign(options, optionsIn(values));
    heed(options, entries);
    write();
  });
}

/** Bring every control where the address says: those it does not name to their default. */
function read(hash) {
  known = hash;
  if (!hash.startsWith(MARK)) return;
  const values = valuesOf(hash);
  const initial = [...entries].filter(([name]) => !values.has(name));
  for (const [, { model, trait, initial: value }] of initial) model.set(trait, value);
  set(values);
  options = optionsIn(values);
  heed(options, entries);
}

const optionsIn = (values) => Object.fromEntries(OPTIONS.filter((name) => values.has(name)).map((name) => [name, values.get(name)]));

const valuesOf = (hash) => new URLSearchParams(hash.slice(MARK.length));

function set(values) {
  for (const [name, text] of values) {
    if (entries.has(name)) assign(entries.get(name), text);
  }
}

/** The default tells what kind of value to expect. */
function decode(text, { model, trait, initial }) {
  if (trait === "index") return chosen(text, model.get("_options_labels"));
  if (typeof initial === "string") return text;
  if (typeof initial === "boolean") return { 0: false, 1: true }[text] ?? NaN;
  return text === "" ? NaN : Number(text);
}

/** A choice stands in the address by its label. What no label says is handed on, for the figure to judge. */
function chosen(text, labels) {
  if (text === "") return null;
  const index = labels.findIndex((label) => label === text || (Number.isFinite(Number(label)) && Number(label) === Number(text)));
  return index < 0 ? text : index;
}

function encode({ model, trait }) {
  const value = model.get(trait);
  if (trait === "index") return model.get("_options_labels")[value] ?? value ?? "";
  return typeof value === "boolean" ? Number(value) : value;
}

let writing;

function writeSoon() {
  clearTimeout(writing);
  writing = setTimeout(write, WRITE_DELAY);
}

function write() {
  if (location.hash !== known) return; // somebody has gone elsewhere, and that is about to be read
  const [bare] = location.href.split("#");
  const address = addressWith(options);
  if (address !== bare || location.hash.startsWith(MARK)) history.replaceState(history.state, "", address);
  known = location.hash;
}

/** The address of the page as it stands, with these options. */
export function addressWith(chosen) {
  const values = new URLSearchParams();
  for (const [name, entry] of entries) {
    if (entry.model.get(entry.trait) !== entry.initial) values.set(name, encode(entry));
  }
  for (const [name, value] of Object.entries(chosen)) if (value) values.set(name, value);
  const [bare] = location.href.split("#");
  return String(values) ? bare + MARK + values : bare;
}

/** What the address says beside values. */
export const optionsNow = () => options;
