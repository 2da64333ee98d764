/**
 * A search for a counterexample: random settings that satisfy all hypotheses, from the ranges in which the statement is
 * searched, until its conclusion is false or its reader stops. What is found is moved back to the defaults as far as it
 * stays one.
 */

import { add, write } from "../draw/dom.js";
import { count, readable } from "../run/format.js";
import { problemsWith } from "../run/allowed.js";
import { controlRange, isOffered, snapToControl } from "../run/parameters.js";

/** @import { Trial } from "../run/trials.js" */
/** @import { Background } from "./background.js" */
/** @import { Outcome, Range, Spec } from "../types.js" */

const BATCH = 12; // settings that are drawn at a time

/**
 * @param {Range} range
 * @param {number[]} offered the ends of the control, which are kept to where the range reaches between them
 * @returns {number}
 */
function draw(range, offered) {
  if ("of" in range) {
    const choice = range.of[Math.floor(Math.random() * range.of.length)];
    return typeof choice === "number" ? choice : draw(choice, offered);
  }
  const { whole } = range;
  const ends = [Math.max(range.low, offered[0]), Math.min(range.high, offered[1])];
  const [low, high] = ends[0] <= ends[1] ? ends : [range.low, range.high];
  if (whole) return low + Math.floor(Math.random() * (high - low + 1));
  const share = Math.random();
  return low > 0 ? low ** (1 - share) * high ** share : low + share * (high - low);
}

/**
 * What the book's own search for counterexamples came to, as it stands below the statement's box.
 * @param {string} id
 */
function ownSearch(id) {
  const verdict = document.getElementById(id)?.closest(".proof")?.querySelector(".verdict")?.textContent ?? "";
  const [, result] = verdict.split(/:\s(.*)/s);
  return result ?? "see there.";
}

export class Search {
  /** Settings drawn, and those of them that satisfy the hypotheses and are decided. */
  #drawn = 0;
  #tried = 0;
  #isRunning = false;

  /**
   * @param {HTMLElement} parent
   * @param {Spec} spec
   * @param {Background} background
   * @param {() => number} place of the statement that is chosen
   * @param {(values: Record<string, number>) => void} go to these values of parameters
   */
  constructor(parent, spec, background, place, go) {
    this.spec = spec;
    this.background = background;
    this.place = place;
    this.go = go;
    const row = add(parent, "div", { className: "fim-search" });
    this.button = add(row, "button", { type: "button" });
    this.button.addEventListener("click", () => (this.#isRunning ? this.stop() : this.#begin()));
    this.text = add(row, "p");
    this.text.setAttribute("role", "status");
    this.#label();
  }

  /** The statement, in words. */
  get #sheet() {
    return this.spec.statements[this.place()];
  }

  #label() {
    this.button.textContent = this.#isRunning ? "stop the search" : "search for a counterexample";
  }

  stop() {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.background.stop();
    this.#label();
    this.#say();
  }

  async #begin() {
    this.#isRunning = true;
    this.#drawn = this.#tried = 0;
    this.#label();
    this.#say();
    while (this.#isRunning) {
      const drawn = Array.from({ length: BATCH }, () => this.#settings());
      const settings = drawn.filter((values) => !problemsWith(this.spec.parameters, values).length);
      /** @type {number[] | undefined} */
      let against;
      const finished = await this.background.make(settings, (place, trial) => {
        this.#drawn += 1;
        const outcome = this.#outcome(trial);
        if (outcome === "holds" || outcome === "contradicted") this.#tried += 1;
        if (outcome === "contradicted") against ??= settings[place];
        this.#say();
      });
      if (!finished) return this.stop();
      if (against) {
        const simplest = await this.#simplified(against);
        this.#isRunning = false;
        this.#label();
        return this.#show(simplest);
      }
    }
  }

  /** @param {Trial} trial @returns {Outcome | undefined} none of a run that failed */
  #outcome({ judged }) {
    return this.#sheet.outcomes[judged[this.place()]?.outcome];
  }

  #settings() {
    return this.spec.parameters.map((parameter) => {
      const { name, fixed, integer, boolean, choices, default: usual } = parameter;
      const range = this.#sheet.ranges[name];
      if (fixed || !range) return usual;
      const value = draw(range, boolean ? [0, 1] : controlRange(parameter));
      if (choices) return snapToControl(parameter, value);
      return integer ? Math.round(value) : value;
    });
  }

  /** As many parameters at their defaults as leave it a counterexample. @param {number[]} values */
  async #simplified(values) {
    let simplest = values;
    for (const [place, { default: usual }] of this.spec.parameters.entries()) {
      if (simplest[place] === usual) continue;
      const simpler = simplest.map((value, i) => (i === place ? usual : value));
      let stays = false;
      await this.background.make([simpler], (_, trial) => (stays = this.#outcome(trial) === "contradicted"));
      if (stays) simplest = simpler;
    }
    return simplest;
  }

  #say() {
    const { name, href, id } = this.#sheet;
    if (!this.#drawn && !this.#isRunning) return;
    const found = `${name}: nothing found in ${count(this.#tried)} settings that satisfy its hypotheses, of ${count(this.#drawn)} drawn.`;
    write(this.text, this.#isRunning ? `${found} Searching …` : `${found} That proves nothing. `);
    if (this.#isRunning || !href) return;
    add(this.text, "a", { href, textContent: "The book’s own search" });
    this.text.append(`: ${ownSearch(id)}`);
  }

  /** @param {number[]} values at which the conclusion is false */
  #show(values) {
    const { exists, name } = this.#sheet;
    const moved = this.spec.parameters.flatMap(({ name, default: usual, label = name }, i) =>
      values[i] === usual ? [] : [{ name, label, value: values[i] }],
    );
    const where = moved.map(({ label, value }) => `${label}: ${readable(value, 3)}`).join(", ") || "the defaults";
    const allowed = exists ? ` ${name} allows single ones.` : "";
    write(this.text, `${name} fails at ${where}; found after ${count(this.#tried)} settings.${allowed} `);
    if (!this.spec.parameters.every((parameter, i) => isOffered(parameter, values[i]))) {
      this.text.append("Its controls do not reach that far.");
      return;
    }
    const link = add(this.text, "button", { type: "button", textContent: "go there" });
    link.addEventListener("click", () => this.go(Object.fromEntries(moved.map(({ name, value }) => [name, value]))));
  }
}
