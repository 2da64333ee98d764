/** A statement in a figure: three chips and a sentence above the panels, its hypotheses and bounds below them. */

import { add } from "../draw/dom.js";
import { addLamps, addTable, reserveRoom, showText } from "../draw/fixed_size_text.js";
import { readable } from "../run/format.js";
import { bound, chips, deciders, outcome, tone, verdictOf, worded } from "../run/verdict.js";

/** @import { Decider, Verdict } from "../run/verdict.js" */
/** @import { Leaves, Outcome, Sheet } from "../types.js" */

/**
 * States in words, by number; `other` for every other number.
 * @typedef {{ other: string } & Record<string | number, string>} States
 */
/** @typedef {{ item: HTMLLIElement, state: HTMLElement }} Lamp */
/**
 * @typedef {{ chip: HTMLElement, answer: HTMLElement, answers: Record<string, string> }} Chip by its answers in words
 */
/** @typedef {{ row: HTMLTableRowElement, must: HTMLElement, is: HTMLElement, sign: HTMLElement }} BoundRow */

const NOTHING = "—"; // where there is nothing to judge
/** @type {["assumed" | "concluded" | "good", string, Record<string, string>][]} */
const CHIPS = [
  ["assumed", "hypotheses", { holds: "✓ hold", broken: "✕ broken" }],
  ["concluded", "conclusion", { holds: "✓ holds", fails: "✕ fails", undecided: "undecided" }],
  ["good", "outcome", { good: "good", poor: "poor", none: NOTHING }],
];
const TYPICAL = "0.00000"; // as long as the outcome's number gets
/** @type {States} */
const HYPOTHESIS_STATES = { 1: "holds", 0: "violated", other: "vacuous here" };
/** @type {States} */
const CONDITION_STATES = { 1: "reached", other: "not yet" };

export class Statement {
  /** @type {BoundRow[]} */
  bounds = [];

  /**
   * @param {Element} above where the chips and the sentence go
   * @param {Element} below where hypotheses and bounds go
   * @param {Sheet} sheet the words
   * @param {Record<string, string>} fields of the report, by the keys of a verdict
   */
  constructor(above, below, sheet, fields) {
    this.sheet = sheet;
    this.fields = fields;
    this.box = add(above, "div", { className: "fim-statement" });
    this.box.dataset.statement = sheet.id;
    this.chips = this.#addChips(add(this.box, "div", { className: "fim-claim" }));
    this.sentence = reserveRoom(add(this.box, "p", { className: "fim-verdict" }), this.#longestSentences());
    this.sentence.setAttribute("role", "status");
    this.subject = add(this.sentence, "span", { className: "fim-unseen" }); // for a screen reader: the statement's name
    this.sentence.prepend(this.subject);
    const { name, assumes, settled } = sheet;
    const hypotheses = this.#addLamps(below, `What ${name} assumes`, assumes, HYPOTHESIS_STATES, "light");
    const conditions = this.#addLamps(hypotheses.box ?? below, "Of the run", settled, CONDITION_STATES, "settled");
    this.hypotheses = hypotheses.lamps;
    this.conditions = conditions.lamps;
    if (sheet.bounds.length) this.bounds = this.#addBounds(below);
  }

  /** @param {Element} line */
  #addChips(line) {
    const { name, href, ground, good } = this.sheet;
    const title = add(line, "span", { className: "fim-claim-name" });
    if (href) add(title, "a", { href, textContent: name });
    else add(title, "span", { textContent: name });
    const isInName = ground.endsWith(name.toLowerCase()); // such as "a finding"
    if (!isInName) add(title, "small", { textContent: ` ${ground}` });
    /** @type {Partial<Record<"assumed" | "concluded" | "good", Chip>>} */
    const added = {};
    for (const [key, question, answers] of CHIPS) {
      if (key === "good" && good === null) continue;
      const chip = add(line, "span", { className: "fim-chip", textContent: `${question}: ` });
      chip.dataset.chip = key;
      const texts = Object.values(answers).map((answer) => (key === "good" ? `${answer}, ${good} ${TYPICAL}` : answer));
      added[key] = { chip, answers, answer: reserveRoom(add(chip, "b"), texts) };
    }
    return added;
  }

  /** Every sentence, with the longest words that it may hold. */
  #longestSentences() {
    const { assumes, settled, bounds, sentences } = this.sheet;
    /** @param {string[]} texts */
    const longest = (texts) => texts.reduce((most, text) => (text.length > most.length ? text : most), "");
    const words = {
      hypothesis: longest(assumes),
      bound: longest(bounds.map(({ name }) => name)),
      condition: longest(settled),
    };
    return Object.values(sentences).map((sentence) => worded(sentence, words));
  }

  /**
   * A box with a lamp for each label; without labels there is none.
   * @param {Element} parent
   * @param {string} title
   * @param {string[]} labels
   * @param {States} states
   * @param {string} kind
   * @returns {{ box: Element | null, lamps: Lamp[] }}
   */
  #addLamps(parent, title, labels, states, kind) {
    if (!labels.length) return { box: null, lamps: [] };
    const box = add(parent, "div", { className: "fim-hypotheses" });
    box.dataset.statement = this.sheet.id;
    add(box, "p", { className: "fim-title", textContent: title });
    const lamps = addLamps(
      box,
      labels.map((label) => [label, Object.values(states)]),
    );
    lamps.forEach(({ item }, i) => (item.dataset[kind] = String(i)));
    return { box, lamps };
  }

  /** @param {Element} below */
  #addBounds(below) {
    const { id, name, bounds } = this.sheet;
    const box = add(below, "div", { className: "fim-numbers" });
    box.dataset.statement = id;
    const body = addTable(box, [`what ${name} says`, "must lie", "measured", "holds"]);
    return bounds.map(({ name: textContent }, i) => {
      const row = add(body, "tr");
      row.dataset.bound = String(i);
      add(row, "th", { scope: "row", textContent });
      return { row, must: add(row, "td"), is: add(row, "td"), sign: add(row, "td") };
    });
  }

  /** Judge a finished run. @param {Leaves} report */
  show(report) {
    const verdict = verdictOf(report, this.fields);
    const decisive = deciders(verdict);
    const key = outcome(verdict, this.sheet.outcomes);
    this.#showChips(verdict, key);
    this.#showSentence(key, decisive);
    showLamps(this.hypotheses, verdict.lights, HYPOTHESIS_STATES, decisive.hypothesis);
    showLamps(this.conditions, verdict.settled, CONDITION_STATES, decisive.condition);
    this.bounds.forEach((row, i) => this.#showBound(row, verdict, i, i === decisive.bound));
  }

  /** @param {Verdict} verdict @param {Outcome} key */
  #showChips(verdict, key) {
    const { exists, good } = this.sheet;
    const states = chips(verdict, key, exists);
    for (const [name] of CHIPS) {
      const chip = this.chips[name];
      if (!chip) continue;
      const { state, tone: chipTone } = states[name];
      Object.assign(chip.chip.dataset, { state, tone: chipTone });
      const number = name === "good" && state !== "none" ? `, ${good} ${readable(verdict.good_measured[0], 3)}` : "";
      showText(chip.answer, chip.answers[state] + number);
    }
  }

  /** @param {Outcome} key @param {Record<Decider, number>} decisive */
  #showSentence(key, decisive) {
    const { name, assumes, settled, bounds, sentences, exists } = this.sheet;
    const words = {
      hypothesis: assumes[decisive.hypothesis],
      bound: bounds[decisive.bound]?.name,
      condition: settled[decisive.condition],
    };
    this.subject.textContent = `${name}: `;
    showText(this.sentence, worded(sentences[key], words));
    this.sentence.dataset.tone = tone(key, exists);
    this.box.dataset.verdict = key;
  }

  /**
   * @param {BoundRow} boundRow
   * @param {Verdict} verdict
   * @param {number} i
   * @param {boolean} decides
   */
  #showBound({ row, must, is, sign }, { low, high, measured, holds, interval }, i, decides) {
    const numbers = { low: low[i], high: high[i], measured: measured[i], holds: holds[i] > 0.5 };
    const text = bound(numbers, this.sheet.intervals[interval[i]]);
    Object.assign(row.dataset, { ...numbers, holds: Number(numbers.holds) });
    markDecisive(row, decides);
    must.textContent = text.must;
    is.textContent = text.is;
    sign.replaceChildren();
    if (!text.must) return; // the statement bounds nothing here, and only reports the number
    add(sign, "span", { textContent: numbers.holds ? "✓" : "✕" }).setAttribute("aria-hidden", "true");
    add(sign, "span", { className: "fim-unseen", textContent: numbers.holds ? "holds" : "fails" });
  }

  /** Show no verdict: there is no run to judge. */
  clear() {
    this.subject.textContent = "";
    showText(this.sentence, "");
    delete this.box.dataset.verdict;
    for (const { chip, answer } of Object.values(this.chips)) {
      delete chip.dataset.state;
      delete chip.dataset.tone;
      showText(answer, NOTHING);
    }
  }
}

/**
 * @param {Lamp[]} lamps
 * @param {ArrayLike<number>} numbers
 * @param {States} states
 * @param {number} decisive the place of the lamp that decides
 */
function showLamps(lamps, numbers, states, decisive) {
  lamps.forEach(({ item, state }, i) => {
    const text = states[numbers[i]];
    item.dataset.state = text ?? "other";
    markDecisive(item, i === decisive);
    showText(state, text ?? states.other);
  });
}

/** @param {HTMLElement} element @param {boolean} decides */
function markDecisive(element, decides) {
  if (decides) element.dataset.decides = "";
  else delete element.dataset.decides;
}
