/**
 * The models of a page, as MyST-NB writes them, and the links between them.
 *
 * A model has the part of anywidget's model that works with no kernel: get, set, on, off; `save_changes` and `send` do
 * nothing. One that is `locked` follows nothing that is linked to it.
 */

import known from "./controls.json";

/** @import { OwnData, Parameter, Spec } from "../types.js" */

/**
 * A widget's state: its traits, and their bytes apart from them, as base64.
 * @typedef {{ model_name: string, state: Record<string, any>, buffers?: { path: string[], data: string }[] }}
 *   ModelState
 */

/** @typedef {(...details: any[]) => void} Listener */

const { common, links, ...kinds } = known;
/** @type {Record<string, Record<string, unknown>>} */
const DEFAULTS = Object.assign({}, ...Object.values(kinds));
const REFERENCE = "IPY_MODEL_";

export class Model {
  /** @type {Record<string, any>} */
  #state;
  /** @type {Map<string, Set<Listener>>} */
  #listeners = new Map();
  /** @type {Map<string, Model>} */
  #page;
  /** Whether a reader cannot move it, nor what is linked to it. */
  locked = false;
  /** @type {Parameter | undefined} of a figure that it moves */
  parameter;
  /** @type {OwnData | undefined} of a figure, which it is the field for */
  own;
  /**
   * What is said of the text that a reader last typed, or came with, until it is set again: a sentence, and the text
   * itself if it was refused.
   * @type {{ sentence: string, refused?: string } | null}
   */
  reply = null;

  /**
   * @param {string} name such as "FloatSliderModel"
   * @param {Record<string, any>} state
   * @param {Map<string, Model>} page every model by its id
   */
  constructor(name, state, page) {
    this.name = name;
    this.#state = { ...common, ...DEFAULTS[name], ...state };
    this.#page = page;
    this.widget_manager = { get_model: async (/** @type {string} */ id) => page.get(id) };
  }

  /** @param {string} trait @returns {any} */
  get(trait) {
    return this.#state[trait];
  }

  /**
   * The models that a trait refers to; undefined for those that are not in the page.
   * @param {string} trait
   */
  referred(trait) {
    /** @type {string[]} */
    const references = [this.get(trait) ?? []].flat();
    return references.map((reference) => this.#page.get(reference.slice(REFERENCE.length)));
  }

  /**
   * Set one trait, or several; listeners are called before this returns, those of `change` after those of every
   * `change:<trait>`, and those of `set:<trait>` also where nothing changes.
   * @param {string | Record<string, unknown>} trait
   * @param {unknown} [value]
   */
  set(trait, value) {
    const wanted = typeof trait === "string" ? { [trait]: value } : trait;
    const changed = Object.keys(wanted).filter((key) => !isSame(this.get(key), wanted[key]));
    const hadReply = this.reply;
    this.reply = null;
    for (const key of changed) this.#state[key] = wanted[key];
    for (const key of changed) this.#notify(`change:${key}`, this.get(key));
    if (changed.length || hadReply) this.#notify("change");
    for (const key of Object.keys(wanted)) this.#notify(`set:${key}`);
  }

  /** Say something of what a reader typed, or came with. @param {NonNullable<Model["reply"]>} reply */
  answer(reply) {
    this.reply = reply;
    this.#notify("change");
  }

  /** @param {string} events separated by spaces @param {Listener} listener */
  on(events, listener) {
    for (const event of events.split(" ")) {
      const listeners = this.#listeners.get(event) ?? new Set();
      this.#listeners.set(event, listeners.add(listener));
    }
  }

  /**
   * Remove a listener, or every one, from these events, or from every one.
   * @param {string} [events]
   * @param {Listener} [listener]
   */
  off(events, listener) {
    for (const event of events?.split(" ") ?? [...this.#listeners.keys()]) {
      if (listener) this.#listeners.get(event)?.delete(listener);
      else this.#listeners.delete(event);
    }
  }

  save_changes() {}

  /** @param {unknown} _message */
  send(_message) {}

  /**
   * An exception in one listener must not keep others, the controls among them, from following.
   * @param {string} event
   * @param {unknown[]} details
   */
  #notify(event, ...details) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        listener(this, ...details);
      } catch (error) {
        console.error(error);
      }
    }
  }
}

/** @param {unknown} a @param {unknown} b */
function isSame(a, b) {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/**
 * The models of every widget state in the page, by id, linked.
 * @param {{ state: Record<string, ModelState> }[]} states
 * @returns {Map<string, Model>}
 */
export function readModels(states) {
  /** @type {Map<string, Model>} */
  const models = new Map();
  for (const [id, entry] of states.flatMap(({ state }) => Object.entries(state))) {
    for (const buffer of entry.buffers ?? []) restoreBytes(entry.state, buffer);
    models.set(id, new Model(entry.model_name, entry.state, models));
  }
  for (const model of models.values()) if (model.name in links) link(model, models);
  return models;
}

/** @param {string} data as base64 */
export const bytesOf = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));

/**
 * Put bytes back where they were taken out of the state.
 * @param {Record<string, any>} state
 * @param {{ path: string[], data: string }} buffer
 */
function restoreBytes(state, { path, data }) {
  const holder = path.slice(0, -1).reduce((value, key) => value[key], state);
  holder[path[path.length - 1]] = new DataView(bytesOf(data).buffer);
}

/**
 * Make the two ends of a link agree from now on; an equal value changes nothing, so that no change goes round in
 * circles.
 * @param {Model} model of the link
 * @param {Map<string, Model>} models
 */
function link(model, models) {
  const [[source, from], [target, to]] = ["source", "target"].map((end) => {
    const [reference, trait] = model.get(end);
    const linked = /** @type {Model} */ (models.get(reference.slice(REFERENCE.length)));
    return /** @type {[Model, string]} */ ([linked, trait]);
  });
  /** @type {Spec | undefined} */
  const spec = target.get("spec");
  source.parameter ??= spec?.parameters.find(({ name }) => name === to);
  source.own ??= spec?.own?.find(({ name }) => name === to);
  const forth = () => target.set(to, source.get(from));
  source.on(`change:${from}`, forth);
  const back = () => (source.locked ? forth() : source.set(from, target.get(to)));
  if (model.name === "LinkModel") target.on(`change:${to}`, back);
  target.on(`set:${to}`, () => source.reply && source.set(from, source.get(from))); // a reset takes back a refused text
  forth();
}
