/**
 * The page's address holds what differs from the default: `#~temperature=0.02&radius=0.001`.
 *
 * A control takes part under NAME if it has the class `url-NAME`. Ordinary section anchors are left alone until a
 * control moves. A text that is no value of its control is refused there in words, and the address has what the page
 * shows. Beside values it may hold the options of a link for a class, which stay while controls move: see
 * classroom/link_options.js.
 *
 * A link and a card of the story make an entry of the browser's history, so that Back undoes them; a drag makes none.
 */

import { nameInAddress } from "../run/parameters.js";
import OPTIONS from "./options.json";
import { keepSettings } from "./last_settings.js";
import { setByText, traitOf } from "./read_setting.js";

/** @import { Model } from "./models.js" */

/**
 * A control with the trait that a reader moves, and its default.
 * @typedef {{ model: Model, trait: string, initial: any }} Entry
 */
/** @typedef {Record<string, string>} Options of a link for a class */
/** @typedef {(options: Options, entries: Map<string, Entry>, setAgain: () => Entry[]) => void} OptionsListener */

const MARK = "#~";
const LONGEST = 1000; // letters of a value: mail and chat cut longer addresses
const WRITE_DELAY = 200; // milliseconds: browsers refuse to rewrite the address at every step of a drag

/** @type {Map<string, Entry>} by name in the address */
const entries = new Map();
/** @type {Options} */
let options = {};
/** @type {OptionsListener} */
let onOptions;
/** @type {string} the part of the address that was last read or written */
let known;
/** @type {ReturnType<typeof setTimeout> | undefined} until the address is written */
let writing;
/** Whether what is written next can be undone by Back. */
let undoable = false;

/**
 * NAME of a class `url-NAME`, under which a control's value is kept in the page's address.
 * @param {Model} model
 */
export function addressName(model) {
  return nameInAddress(model.get("_dom_classes") ?? []);
}

/** Keep a drawn control's value in the address; its present value is its default. @param {Model} model */
export function remember(model) {
  const name = addressName(model);
  if (!name || entries.has(name)) return;
  const entry = entryOf(model);
  entries.set(name, entry);
  model.on(`change:${entry.trait}`, writeSoon);
}

/**
 * A control as an entry of the address.
 * @param {Model} model
 * @returns {Entry}
 */
export function entryOf(model) {
  const trait = traitOf(model);
  return { model, trait, initial: model.get(trait) };
}

/**
 * Follow the address from now on, and links to `#~…` in the page.
 * @param {OptionsListener} listener called with the options that the address holds beside values, and with what sets
 *   these values once more and returns the controls that refuse theirs
 */
export function followAddress(listener) {
  onOptions = listener;
  read(location.hash);
  addEventListener("hashchange", () => read(location.hash));
  document.addEventListener("click", followLink);
}

/**
 * A link to `#~…` changes only the controls that it names; the browser would scroll, and reset the others.
 * @param {MouseEvent} event
 */
function followLink(event) {
  const link = event.target instanceof Element && event.target.closest(`a[href^="${MARK}"]`);
  const otherUse =
    event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!(link instanceof HTMLAnchorElement) || otherUse) return;
  event.preventDefault();
  const values = valuesIn(link.hash);
  assignAll(values);
  Object.assign(options, optionsIn(values));
  onOptions(options, entries, () => assignAll(values));
  undoable = true;
  write();
}

/** Set every control as the address says: those it does not name to their default. @param {string} hash */
function read(hash) {
  const backToDefaults = hash === "" && known?.startsWith(MARK);
  known = hash;
  if (!hash.startsWith(MARK) && !backToDefaults) return;
  const values = valuesIn(hash);
  for (const [name, { model, trait, initial }] of entries) if (!values.has(name)) model.set(trait, initial);
  const refused = assignAll(values);
  options = optionsIn(values);
  onOptions(options, entries, () => assignAll(values));
  if (refused.length) write();
}

/** @param {URLSearchParams} values @returns {Options} */
const optionsIn = (values) =>
  Object.fromEntries(OPTIONS.filter((name) => values.has(name)).map((name) => [name, values.get(name) ?? ""]));

/** @param {string} hash */
const valuesIn = (hash) => new URLSearchParams(hash.slice(MARK.length));

/** Set the controls that are named; returns those that refuse their text. @param {URLSearchParams} values */
function assignAll(values) {
  return [...values].flatMap(([name, text]) => {
    const entry = entries.get(name);
    return entry && setByText(entry.model, text).problem ? [entry] : [];
  });
}

/** What a control stands at; a choice by its label. @param {Entry} entry */
export function standingOf({ model, trait }) {
  const value = model.get(trait);
  return trait === "index" ? (model.get("_options_labels")[value] ?? value ?? "") : value;
}

/** @param {Entry} entry */
function encode(entry) {
  const value = standingOf(entry);
  return typeof value === "boolean" ? Number(value) : value;
}

function writeSoon() {
  clearTimeout(writing);
  writing = setTimeout(write, WRITE_DELAY);
}

function write() {
  if (location.hash !== known) return; // the address has changed, and is about to be read
  const [bare] = location.href.split("#");
  const address = addressWith(options);
  if (undoable && address !== location.href) history.pushState(history.state, "", address);
  else if (address !== bare || location.hash.startsWith(MARK)) history.replaceState(history.state, "", address);
  undoable = false;
  known = location.hash;
  keepSettings(address.slice(bare.length));
}

/** Whether a value is short enough for the address. @param {Entry} entry */
const fits = (entry) => String(encode(entry)).length < LONGEST;

/** Whether a control takes part in the address, but with a value that is too long for it. @param {Model} model */
export function isTooLong(model) {
  const entry = entries.get(addressName(model) ?? "");
  return entry?.model === model && model.get(entry.trait) !== entry.initial && !fits(entry);
}

/** The address of the page at its present settings, with these options. @param {Options} chosen */
export function addressWith(chosen) {
  const values = new URLSearchParams();
  for (const [name, entry] of entries) {
    if (entry.model.get(entry.trait) !== entry.initial && fits(entry)) values.set(name, encode(entry));
  }
  for (const [name, value] of Object.entries(chosen)) if (value) values.set(name, value);
  const [bare] = location.href.split("#");
  return String(values) ? bare + MARK + values : bare;
}

/** Put an option into the address, or take it out with "". @param {string} name @param {string} value */
export function setOption(name, value) {
  if ((options[name] ?? "") === value) return;
  options = { ...options, [name]: value };
  undoable ||= name === "card" && Boolean(value);
  writeSoon();
}

/** The options that the address holds beside values. */
export const currentOptions = () => options;
