/** A statement in a figure: one sentence above the panels, its hypotheses and bounds below them. */

import { add } from "../draw/dom.js";
import { addLamps, addTable, reserveRoom, showText } from "../draw/fixed_size_text.js";
import { readable } from "../run/format.js";
import { bound, deciders, isVacuous, outcome, statesOf, tone, verdictOf, worded } from "../run/verdict.js";
import { longestTexts, quoteOnRun } from "./captions.js";

/** @import { Verdict } from "../run/verdict.js" */
/** @import { Decider, Leaves, Outcome, Sheet } from "../types.js" */

/**
 * States in words, by number; `other` for every other number.
 * @typedef {{ other: string } & Record<string | number, string>} States
 */
/** @typedef {{ item: HTMLLIElement, state: HTMLElement }} Lamp */
/** @typedef {{ row: HTMLTableRowElement, must: HTMLElement, is: HTMLElement, sign: HTMLElement }} BoundRow */
/**
 * The mark at the end of a clause in the statement's box, its title, and what accounts for the clause, by its place.
 * @typedef {{ mark: HTMLElement, title: string, lights: number[], bounds: number[] }} ClauseMark
 */

const MARKS = /\*([A-Z][^*]*)\*|([✓✕])$/; // around where a sentence comes to this run, and the sign at its end
const TYPICAL = "0.00000"; // as long as the outcome's number gets
/** @type {States} */
const HYPOTHESIS_STATES = { 1: "holds", 0: "violated", other: "says nothing here" };
/** @type {States} */
const CONDITION_STATES = { 1: "reached", other: "not yet" };

export class Statement {
  /** @type {BoundRow[]} */
  bounds = [];
  /**
   * Of the last run, with the numbers that sentences quote.
   * @type {{ verdict: Verdict, key: Outcome, decisive: Record<Decider, number>, numbers: Leaves } | undefined}
   */
  verdict;
  /** @type {HTMLElement | undefined} what came of the run, which is neither assumed nor concluded */
  fact;

  /**
   * @param {Element} above where the sentence goes
   * @param {Element} below where hypotheses and bounds go
   * @param {Sheet} sheet the words
   * @param {Record<string, string>} fields of the report, by the keys of a verdict
   */
  constructor(above, below, sheet, fields) {
    this.sheet = sheet;
    this.fields = fields;
    this.box = add(above, "div", { className: "fim-statement" });
    this.box.dataset.statement = sheet.id;
    this.#addName(add(this.box, "p", { className: "fim-claim-name" }));
    this.sentence = reserveRoom(add(this.box, "p", { className: "fim-verdict" }), this.#longestSentences());
    this.sentence.setAttribute("role", "status");
    this.subject = add(this.sentence, "span", { className: "fim-unseen" }); // for a screen reader: the statement's name
    this.sentence.prepend(this.subject);
    const { name, assumes, settled } = sheet;
    const hypotheses = this.#addLamps(below, `What ${name} assumes`, assumes, HYPOTHESIS_STATES, "light");
    const conditions = this.#addLamps(hypotheses.box ?? below, "Has the run gone on long enough?", settled, CONDITION_STATES, "settled");
    this.hypotheses = hypotheses.lamps;
    this.conditions = conditions.lamps;
    if (sheet.bounds.length) this.bounds = this.#addBounds(below);
    this.clauses = marksOf(sheet);
    if (sheet.good !== null)
      this.fact = reserveRoom(add(below, "p", { className: "fim-fact" }), [this.#factAs(TYPICAL)]);
  }

  /** @param {Element} line */
  #addName(line) {
    const { name, href, ground } = this.sheet;
    if (href) add(line, "a", { href, textContent: name });
    else add(line, "span", { textContent: name });
    const isInName = ground.endsWith(name.toLowerCase()); // such as "a finding"
    if (!isInName) add(line, "small", { textContent: ` ${ground}` });
  }

  /** What came of the run, in words. @param {string} number */
  #factAs(number) {
    return `${this.sheet.good}: ${number}`;
  }

  /** Every sentence, with the longest words that it may hold. */
  #longestSentences() {
    const { failures, sentences, unpromised, waits } = this.sheet;
    /** @param {Decider} decider */
    const longest = (decider) => failures[decider].toSorted((a, b) => b.length - a.length)[0];
    return longestTexts([waits, ...Object.values(sentences), unpromised].map((sentence) => worded(sentence, longest)));
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
    const body = addTable(box, [`what ${name} says`, "bound", "measured", "holds"]);
    return bounds.map(({ name: textContent }, i) => {
      const row = add(body, "tr");
      row.dataset.bound = String(i);
      add(row, "th", { scope: "row", textContent });
      return { row, must: add(row, "td"), is: add(row, "td"), sign: add(row, "td") };
    });
  }

  /** Judge a finished run. @param {Leaves} report @param {Leaves} numbers that sentences quote */
  show(report, numbers) {
    const verdict = verdictOf(report, this.fields);
    const decisive = deciders(verdict);
    const key = outcome(verdict, this.sheet.outcomes);
    this.verdict = { verdict, key, decisive, numbers };
    this.showSentence();
    showLamps(this.hypotheses, verdict.lights, HYPOTHESIS_STATES, decisive.hypothesis);
    showLamps(this.conditions, verdict.settled, CONDITION_STATES, decisive.condition);
    this.bounds.forEach((row, i) => this.#showBound(row, verdict, i, i === decisive.bound));
  }

  /** Say what the finished run comes to. */
  showSentence() {
    if (!this.verdict) return;
    const { verdict, key, decisive, numbers } = this.verdict;
    const { name, failures, sentences, unpromised, exists } = this.sheet;
    this.subject.textContent = `${name}: `;
    const waits = key === "undecided" && decisive.hypothesis >= 0;
    const sentence = waits ? unpromised : sentences[key];
    const text = worded(sentence, (decider) => failures[decider][decisive[decider]]);
    showSentence(this.sentence, quoteOnRun(text, numbers));
    this.sentence.dataset.tone = tone(key, exists, isVacuous(verdict));
    const states = statesOf(verdict, key);
    Object.assign(this.box.dataset, { verdict: key, ...states });
    for (const clause of this.clauses) {
      const [only, ...others] = key === "undecided" ? [] : clause.bounds;
      const { must, is } = only === undefined || others.length ? { must: "", is: "" } : this.#textOf(verdict, only);
      showClause(clause, verdict, key === "undecided", must && `: ${is}, must be ${must}`);
    }
    if (this.fact)
      showText(this.fact, states.good === "none" ? "" : this.#factAs(readable(verdict.good_measured[0], 3)));
  }

  /** Until the end of the run is shown there is no verdict. */
  wait() {
    if (!this.verdict) return;
    showSentence(this.sentence, quoteOnRun(this.sheet.waits, this.verdict.numbers));
    for (const { mark, title } of this.clauses) clearClause(mark, title);
    this.sentence.dataset.tone = "";
    if (this.fact) showText(this.fact, "");
  }

  /**
   * @param {BoundRow} boundRow
   * @param {Verdict} verdict
   * @param {number} i
   * @param {boolean} decides
   */
  #showBound({ row, must, is, sign }, verdict, i, decides) {
    const numbers = numbersOf(verdict, i);
    const text = this.#textOf(verdict, i);
    Object.assign(row.dataset, { ...numbers, holds: Number(numbers.holds) });
    markDecisive(row, decides);
    must.textContent = text.must;
    is.textContent = text.is;
    sign.replaceChildren();
    if (!text.must) return; // the statement bounds nothing here, and only reports the number
    addSign(sign, numbers.holds);
  }

  /** A bound in words. @param {Verdict} verdict @param {number} i */
  #textOf(verdict, i) {
    return bound(numbersOf(verdict, i), this.sheet.intervals[verdict.interval[i]]);
  }

  /** Show no verdict: there is no run to judge. */
  clear() {
    this.verdict = undefined;
    for (const { mark, title } of this.clauses) clearClause(mark, title);
    this.subject.textContent = "";
    showText(this.sentence, "");
    for (const key of ["verdict", "assumed", "concluded", "good"]) delete this.box.dataset[key];
    if (this.fact) showText(this.fact, "");
  }
}

/**
 * The clauses of the statement's box, if the page has one, that the sheet’s hypotheses and bounds account for: a
 * mark's title names them.
 * @param {Sheet} sheet
 * @returns {ClauseMark[]}
 */
function marksOf({ id, assumes, bounds }) {
  return Array.from(document.getElementById(id)?.querySelectorAll("abbr.clause") ?? [], (node) => {
    const mark = /** @type {HTMLElement} */ (node);
    const { title } = mark;
    /** @param {string} label */
    const isNamed = (label) => [": ", "; "].some((before) => `${title}; `.includes(`${before}${label}; `));
    /** @param {string[]} labels */
    const places = (labels) => labels.flatMap((label, i) => (isNamed(label) ? i : []));
    const names = bounds.map(({ name }) => name);
    return { mark, title, lights: places(assumes), bounds: places(names) };
  });
}

/** A bound's numbers in a verdict. @param {Verdict} verdict @param {number} i */
const numbersOf = ({ low, high, measured, holds }, i) => ({
  low: low[i],
  high: high[i],
  measured: measured[i],
  holds: holds[i] > 0.5,
});

/**
 * Say at a clause of the statement's box whether it holds in the run, as far as the run tells.
 * @param {ClauseMark} clause
 * @param {Verdict} verdict
 * @param {boolean} isEarly the run is too short to judge what it comes to
 * @param {string} numbers of its bound, if it is one
 */
function showClause({ mark, title, lights, bounds }, verdict, isEarly, numbers) {
  const states = [
    ...lights.map((i) => verdict.lights[i]),
    ...(isEarly ? [] : bounds.map((i) => verdict.holds[i])),
  ].filter((state) => state === 0 || state === 1);
  if (!states.length) return clearClause(mark, title);
  mark.dataset.here = states.includes(0) ? "fails" : "holds";
  mark.title = `${title}; ${mark.dataset.here} in the run above${numbers}`;
}

/** @param {HTMLElement} mark @param {string} title */
function clearClause(mark, title) {
  delete mark.dataset.here;
  mark.title = title;
}

/**
 * Show a sentence on a run: where it comes to that run it is emphasized, and its sign has words for a screen reader.
 * @param {Element} node that reserves room
 * @param {string} text
 */
function showSentence(node, text) {
  showText(node, "");
  const said = /** @type {Element} */ (node.lastChild);
  const joined = text.replace(/ (?=[✓✕]$)/, "\u00a0"); // no line begins with a sign
  joined.split(MARKS).forEach((textContent, i) => {
    if (!textContent) return;
    if (i % 3 < 2) add(said, i % 3 ? "em" : "span", { textContent });
    else addSign(said, textContent === "✓");
  });
}

/** @param {Element} parent @param {boolean} holds */
function addSign(parent, holds) {
  add(parent, "span", { textContent: holds ? "✓" : "✕" }).setAttribute("aria-hidden", "true");
  add(parent, "span", { className: "fim-unseen", textContent: holds ? "holds" : "fails" });
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
