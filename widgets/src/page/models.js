/**
 * The models of a page, as MyST-NB writes them, and the links between them.
 *
 * A model has the part of anywidget's model that works with no kernel: get, set, on, off; `save_changes` and `send`
 * have nobody to talk to. One that is `locked` follows nothing that is linked to it.
 */

import known from "./controls.json";

const { common, links, ...kinds } = known;
const DEFAULTS = Object.assign({}, ...Object.values(kinds));
const REFERENCE = "IPY_MODEL_";

export class Model {
  #state;
  #listeners = new Map();
  #page;

  /**
   * @param {string} name such as "FloatSliderModel"
   * @param {Object} state
   * @param {Map<string, Model>} page every model by its id
   */
  constructor(name, state, page) {
    this.name = name;
    this.#state = { ...common, ...DEFAULTS[name], ...state };
    this.#page = page;
    this.widget_manager = { get_model: async (id) => page.get(id) };
  }

  get(trait) {
    return this.#state[trait];
  }

  /** The models a trait refers to. */
  referred(trait) {
    return [this.get(trait) ?? []].flat().map((reference) => this.#page.get(reference.slice(REFERENCE.length)));
  }

  /** Listeners hear of a change before this returns; `change` comes after every `change:<trait>`. */
  set(trait, value) {
    const wanted = typeof trait === "string" ? { [trait]: value } : trait;
    const changed = Object.keys(wanted).filter((key) => !same(this.get(key), wanted[key]));
    for (const key of changed) this.#state[key] = wanted[key];
    for (const key of changed) this.#tell(`change:${key}`, this.get(key));
    if (changed.length) this.#tell("change");
  }

  on(events, listener) {
    for (const event of events.split(" ")) {
      if (!this.#listeners.has(event)) this.#listeners.set(event, new Set());
      this.#listeners.get(event).add(listener);
    }
  }

  /** Without a listener every listener goes, without an event from every event. */
  off(events, listener) {
    for (const event of events?.split(" ") ?? [...this.#listeners.keys()]) {
      if (listener) this.#listeners.get(event)?.delete(listener);
      else this.#listeners.delete(event);
    }
  }

  save_changes() {}

  send() {}

  /** One listener's exception must not leave the others, the controls among them, behind. */
  #tell(event, ...details) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        listener(this, ...details);
      } catch (error) {
        console.error(error);
      }
    }
  }
}

function same(a, b) {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/**
 * The models of every widget state in the page, by id, linked.
 * @param {Object[]} states
 * @returns {Map<string, Model>}
 */
export function readModels(states) {
  const models = new Map();
  for (const [id, entry] of states.flatMap(({ state }) => Object.entries(state))) {
    for (const buffer of entry.buffers ?? []) place(entry.state, buffer);
    models.set(id, new Model(entry.model_name, entry.state, models));
  }
  for (const model of models.values()) if (model.name in links) link(model, models);
  return models;
}

/** Put bytes back where they were taken out of the state. */
function place(state, { path, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const holder = path.slice(0, -1).reduce((at, key) => at[key], state);
  holder[path.at(-1)] = new DataView(bytes.buffer);
}

/** Both ends agree from the start and stay so; an equal value changes nothing, so nothing goes round in circles. */
function link(model, models) {
  const [[source, from], [target, to]] = ["source", "target"].map((end) => {
    const [reference, trait] = model.get(end);
    return [models.get(reference.slice(REFERENCE.length)), trait];
  });
  const forth = () => target.set(to, source.get(from));
  source.on(`change:${from}`, forth);
  const back = () => (source.locked ? forth() : source.set(from, target.get(to)));
  if (model.name === "LinkModel") target.on(`change:${to}`, back);
  forth();
}
