/**
 * A panel in which a reader breaks a hypothesis: a statement, and those that rest on it, are examined again at settings
 * of the reader's, by the code of their own figures, and whatever stands for them in the page shows what comes of it.
 *
 * In: JSON in `script#facts-programs`; `.fim-examine`, which the panel goes into; and elements with `data-id`, marked
 * by `data-outcome` once their statement has been examined, and by its sign in the place of their own `.fim-sign`.
 */

import { add, loadScript, showProblem, write } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { canBeAxis, mapAxis } from "../run/map_axis.js";
import { problemsWith } from "../run/allowed.js";
import { Background, Engine } from "../view/background.js";
import { kindOf, PATTERNS } from "../view/truth_patterns.js";
import { bytesOf } from "./models.js";

/** @import { MapAxis } from "../run/map_axis.js" */
/** @import { Trial } from "../run/trials.js" */
/** @import { CellKind } from "../view/truth_patterns.js" */
/** @import { Parameter, Program } from "../types.js" */

/**
 * A statement whose page has a figure about it: its name and page, the figure's program, the scripts that hold it, and
 * the statements that rest on it.
 * @typedef {{ name: string, page: string, program: string, scripts: string[], above: string[] }} Entry
 */

const STOPS = 41; // of a slider
const DELAY = 250; // milliseconds after a slider's last move
const SIGN = ".fim-sign";
const SELF = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;

/** @param {string} name of a file beside this one */
const beside = (name) => new URL(name, SELF).href;

/** @type {Map<string, Promise<unknown>>} by address */
const loading = new Map();

/** @param {string} address of a script @returns {Promise<unknown>} */
function load(address) {
  const script = loading.get(address) ?? loadScript(address);
  loading.set(address, script);
  return script;
}

/** A figure's program, with what makes its runs. */
class Examined {
  /** @param {Program} program @param {Entry} entry */
  constructor(program, entry) {
    this.program = program;
    const constants = new Float64Array(bytesOf(program.constants).buffer);
    const { sources, spec } = program;
    const scripts = entry.scripts.map(beside);
    this.background = new Background(new Engine({ sources, constants, spec, worker: beside("trials.js"), scripts }));
  }

  get parameters() {
    return this.program.spec.parameters;
  }

  /** The defaults, with these values in the place of some. @param {Record<string, number>} moved */
  settings(moved) {
    return this.parameters.map(({ name, fixed, default: usual }) => (fixed ? usual : (moved[name] ?? usual)));
  }

  /**
   * What the statements come to at these settings, by their ids; nothing if others are asked for meanwhile.
   * @param {number[]} settings
   * @returns {Promise<Record<string, { kind?: CellKind, words: string }>>}
   */
  async at(settings) {
    /** @type {Record<string, { kind?: CellKind, words: string }>} */
    const found = {};
    await this.background.make([settings], (_, { judged, failure }) => {
      this.program.spec.statements.forEach((statement, place) => {
        if (failure) return (found[statement.id] = { words: failure });
        const kind = kindOf(statement, judged[place]);
        found[statement.id] = { kind, words: PATTERNS[kind].words };
      });
    });
    return found;
  }
}

class Panel {
  /** @type {Map<string, Promise<Examined>>} by their names */
  #programs = new Map();
  /** What the reader has moved, by parameter. @type {Record<string, number>} */
  #moved = {};
  /** The number of times that something was asked for: answers to earlier questions are dropped. */
  #round = 0;
  #timer = 0;
  /** @type {Map<Element, string>} what the page's elements showed before */
  #signs = new Map();

  /** @param {HTMLElement} place @param {Record<string, Entry>} entries by the ids of statements */
  constructor(place, entries) {
    this.entries = entries;
    const label = add(place, "label", { textContent: "Break a hypothesis of " });
    this.choice = add(label, "select");
    add(this.choice, "option", { value: "", textContent: "…" });
    for (const [id, { name }] of Object.entries(entries)) {
      add(this.choice, "option", { value: id, textContent: `${name} (${entries[id].above.length} rest on it)` });
    }
    this.reset = add(place, "button", { type: "button", textContent: "back to the defaults", hidden: true });
    this.sliders = add(place, "div", { className: "fim-examine-sliders" });
    this.said = add(place, "p", { role: "status" });
    this.results = add(place, "ul");
    this.choice.addEventListener("change", () => this.#choose());
    this.reset.addEventListener("click", () => this.#choose());
  }

  get #id() {
    return this.choice.value;
  }

  /** @param {string} id */
  #programOf(id) {
    const entry = this.entries[id];
    const { program: name, scripts } = entry;
    const program =
      this.#programs.get(name) ??
      Promise.all(scripts.map((script) => load(beside(script)))).then(
        () => new Examined(globalThis.factsPrograms[name], entry),
      );
    this.#programs.set(name, program);
    return program;
  }

  /** Another statement, or the same with its sliders where they began. */
  async #choose() {
    this.#moved = {};
    this.#clear();
    this.sliders.replaceChildren();
    this.reset.hidden = !this.#id;
    if (!this.#id) return;
    write(this.said, "Its program is being loaded.");
    try {
      const { parameters } = await this.#programOf(this.#id);
      for (const parameter of parameters.filter(canBeAxis)) this.#addSlider(parameter);
    } catch (error) {
      write(this.said, "");
      return showProblem(this.said, "The program of this statement could not be loaded.", error);
    }
    write(this.said, "Move a slider: the statement, and those that rest on it, are examined again at that setting.");
  }

  /** @param {Parameter} parameter */
  #addSlider(parameter) {
    const { name, label = name, default: usual } = parameter;
    const { values } = mapAxis(parameter, STOPS);
    /** @param {number} value */
    const distance = (value) => Math.abs(value - usual);
    const start = values.reduce((best, value, i) => (distance(value) < distance(values[best]) ? i : best), 0);
    const row = add(this.sliders, "label", { textContent: `${label} ` });
    const slider = add(row, "input", { type: "range", min: "0", max: String(values.length - 1), value: String(start) });
    const output = add(row, "output", { textContent: readable(usual, 3) });
    slider.addEventListener("input", () => {
      const value = values[Number(slider.value)];
      output.textContent = readable(value, 3);
      slider.setAttribute("aria-valuetext", readable(value, 3));
      this.#moved[name] = value;
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#examine(), DELAY);
    });
  }

  /** Take back what the page's elements show. */
  #clear() {
    this.#round += 1;
    this.results.replaceChildren();
    for (const element of document.querySelectorAll("[data-id][data-outcome]")) {
      element.removeAttribute("data-outcome");
      setSign(element, this.#signs.get(element) ?? "");
    }
  }

  /** Examine the statement and those that rest on it, one figure after the other. */
  async #examine() {
    this.#clear();
    const [round, id] = [this.#round, this.#id];
    const moved = { ...this.#moved };
    const { parameters } = await this.#programOf(id);
    const where = parameters
      .filter(({ name }) => name in moved)
      .map(({ name, label = name }) => `${label}: ${readable(moved[name], 3)}`)
      .join(", ");
    const examinedIds = [id, ...this.entries[id].above.filter((other) => other in this.entries)];
    const untouched = this.entries[id].above.length + 1 - examinedIds.length;
    let without = 0;
    for (const [place, statement] of examinedIds.entries()) {
      if (this.results.querySelector(`[data-of="${statement}"]`)) continue; // with another of the same figure
      write(this.said, `At ${where}: ${place + 1} of ${examinedIds.length} …`);
      const examined = await this.#programOf(statement);
      if (round !== this.#round) return;
      const settings = examined.settings(moved);
      const has = examined.parameters.some(({ name, fixed }) => !fixed && name in moved);
      const [refused] = problemsWith(examined.parameters, settings);
      if (!has) without += 1;
      else if (refused) this.#show(statement, undefined, `cannot be set so: ${refused}`);
      else {
        const found = await examined.at(settings);
        if (round !== this.#round) return;
        for (const other of examinedIds) if (found[other]) this.#show(other, found[other].kind, found[other].words);
      }
    }
    const rest = untouched + without;
    const others = rest ? ` ${rest} more rest on it, without a figure of their own or without such a setting.` : "";
    write(this.said, `At ${where}, and the defaults of each figure otherwise.${others}`);
  }

  /**
   * Show what a statement comes to, in the list and wherever it stands in the page.
   * @param {string} id
   * @param {CellKind | undefined} outcome
   * @param {string} words
   */
  #show(id, outcome, words) {
    if (this.results.querySelector(`[data-of="${id}"]`)) return;
    const item = add(this.results, "li");
    item.dataset.of = id;
    const { name, page } = this.entries[id];
    item.append(`${outcome ? PATTERNS[outcome].sign : "–"} `);
    add(item, "a", { href: page, textContent: name });
    item.append(`: ${words}`);
    if (!outcome) return;
    for (const element of document.querySelectorAll(`[data-id="${id}"]`)) {
      this.#signs.set(element, element.querySelector(SIGN)?.textContent ?? "");
      element.setAttribute("data-outcome", outcome);
      setSign(element, PATTERNS[outcome].sign);
    }
  }
}

/** @param {Element} element that stands for a statement @param {string} sign */
function setSign(element, sign) {
  const place = element.querySelector(SIGN);
  if (place) place.textContent = sign;
}

addEventListener("DOMContentLoaded", () => {
  const programs = document.getElementById("facts-programs");
  const place = document.querySelector(".fim-examine");
  if (programs && place instanceof HTMLElement) new Panel(place, JSON.parse(programs.textContent ?? "{}"));
});
