/** A statement in a figure: three chips and a sentence above the panels, its hypotheses and bounds below them. */

import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { bound, chips, deciders, outcome, tone, verdictOf, worded } from "../run/verdict.js";
import { addLamps as lamps, addTable as table, reserveRoom as roomy, showText as say } from "../draw/fixed_size_text.js";

const NOTHING = "—"; // to judge
const CHIPS = {
  assumed: ["hypotheses", { holds: "✓ hold", broken: "✕ broken" }],
  concluded: ["conclusion", { holds: "✓ holds", fails: "✕ fails", undecided: "undecided" }],
  good: ["outcome", { good: "good", poor: "poor", none: NOTHING }],
};
const TYPICAL = "0.00000"; // as long as the outcome's number gets
const LIGHTS = { 1: "holds", 0: "violated", other: "vacuous here" };
const CONDITIONS = { 1: "reached", other: "not yet" };

export class Statement {
  /**
   * @param {Element} above, below where the two parts go
   * @param {object} sheet the words: see widgets/figure/verdict.py
   * @param {Object<string, string>} fields of the report, by the keys of a verdict
   */
  constructor(above, below, sheet, fields) {
    this.sheet = sheet;
    this.fields = fields;
    this.box = add(above, "div", { className: "fim-statement" });
    this.box.dataset.statement = sheet.id;
    this.#chips(add(this.box, "div", { className: "fim-claim" }));
    this.sentence = roomy(add(this.box, "p", { className: "fim-verdict" }), this.#possible());
    this.sentence.setAttribute("role", "status");
    this.whose = add(this.sentence, "span", { className: "fim-unseen" }); // for those who do not see what stands above
    this.sentence.prepend(this.whose);
    this.#conditions(below);
    this.#bounds(below);
  }

  #chips(line) {
    const { name, href, ground, good } = this.sheet;
    const title = add(line, "span", { className: "fim-claim-name" });
    add(title, href ? "a" : "span", { ...(href && { href }), textContent: name });
    if (!ground.endsWith(name.toLowerCase())) add(title, "small", { textContent: ` ${ground}` }); // a finding of ours is called that
    this.chips = {};
    for (const [key, [question, answers]] of Object.entries(CHIPS)) {
      if (key === "good" && good === null) continue;
      const chip = add(line, "span", { className: "fim-chip", textContent: `${question}: ` });
      chip.dataset.chip = key;
      const texts = Object.values(answers).map((answer) => (key === "good" ? `${answer}, ${good} ${TYPICAL}` : answer));
      this.chips[key] = { chip, answers, answer: roomy(add(chip, "b"), texts) };
    }
  }

  /** Every sentence, with the longest words that it may hold. */
  #possible() {
    const { assumes, settled, bounds, sentences } = this.sheet;
    const longest = (texts) => texts.reduce((most, text) => (text.length > most.length ? text : most), "");
    const words = { hypothesis: longest(assumes), bound: longest(bounds.map(({ name }) => name)), condition: longest(settled) };
    return Object.values(sentences).map((sentence) => worded(sentence, words));
  }

  #conditions(below) {
    const { name, assumes, settled } = this.sheet;
    this.lights = this.#lamps(below, `What ${name} assumes`, assumes, LIGHTS, "light");
    const parent = this.lights.length ? below.lastChild : below;
    this.settled = this.#lamps(parent, "Of the run", settled, CONDITIONS, "settled");
  }

  #lamps(parent, title, labels, states, kind) {
    if (!labels.length) return [];
    const box = add(parent, "div", { className: "fim-hypotheses" });
    box.dataset.statement = this.sheet.id;
    add(box, "p", { className: "fim-title", textContent: title });
    const made = lamps(box, labels.map((label) => [label, Object.values(states)]));
    made.forEach(({ item }, place) => (item.dataset[kind] = place));
    return made;
  }

  #bounds(below) {
    const { id, name, bounds } = this.sheet;
    if (!bounds.length) return;
    const box = add(below, "div", { className: "fim-numbers" });
    box.dataset.statement = id;
    const body = table(box, [`what ${name} says`, "must lie", "measured", "holds"]);
    this.bounds = bounds.map(({ name: textContent }, place) => {
      const row = add(body, "tr");
      row.dataset.bound = place;
      add(row, "th", { scope: "row", textContent });
      const [must, is, sign] = ["td", "td", "td"].map((tag) => add(row, tag));
      return { row, must, is, sign };
    });
  }

  /** @param {Object<string, Float64Array>} report */
  show(report) {
    const verdict = verdictOf(report, this.fields);
    const decided = deciders(verdict);
    const key = outcome(verdict, this.sheet.outcomes);
    this.#showChips(verdict, key);
    this.#showSentence(key, decided);
    showLamps(this.lights, verdict.lights, LIGHTS, decided.hypothesis);
    showLamps(this.settled, verdict.settled, CONDITIONS, decided.condition);
    this.#showBounds(verdict, decided.bound);
  }

  #showChips(verdict, key) {
    const found = chips(verdict, key, this.sheet.exists);
    for (const [key, { chip, answers, answer }] of Object.entries(this.chips)) {
      const { state, tone: colour } = found[key];
      Object.assign(chip.dataset, { state, tone: colour });
      const judged = key === "good" && state !== "none";
      say(answer, answers[state] + (judged ? `, ${this.sheet.good} ${readable(verdict.good_measured[0], 3)}` : ""));
    }
  }

  #showSentence(key, decided) {
    const { assumes, settled, bounds, sentences, exists } = this.sheet;
    const words = { hypothesis: assumes[decided.hypothesis], bound: bounds[decided.bound]?.name, condition: settled[decided.condition] };
    this.whose.textContent = `${this.sheet.name}: `;
    say(this.sentence, worded(sentences[key], words));
    this.sentence.dataset.tone = tone(key, exists);
    this.box.dataset.verdict = key;
  }

  #showBounds({ low, high, measured, holds, interval }, decided) {
    for (const [place, { row, must, is, sign }] of (this.bounds ?? []).entries()) {
      const one = { low: low[place], high: high[place], measured: measured[place], holds: holds[place] > 0.5 };
      const text = bound(one, this.sheet.intervals[interval[place]]);
      Object.assign(row.dataset, { ...one, holds: Number(one.holds) });
      mark(row, place === decided);
      must.textContent = text.must;
      is.textContent = text.is;
      sign.replaceChildren();
      if (!text.must) continue; // a number that nothing is said of
      add(sign, "span", { textContent: one.holds ? "✓" : "✕" }).setAttribute("aria-hidden", "true");
      add(sign, "span", { className: "fim-unseen", textContent: one.holds ? "holds" : "fails" });
    }
  }

  /** There is no run to judge. */
  clear() {
    this.whose.textContent = "";
    say(this.sentence, "");
    delete this.box.dataset.verdict;
    for (const { chip, answer } of Object.values(this.chips)) {
      delete chip.dataset.state;
      delete chip.dataset.tone;
      say(answer, NOTHING);
    }
  }
}

/** @param {Object<string, string>} states by the number; `other` for every other one */
function showLamps(shown, numbers, states, decided) {
  for (const [place, { item, state }] of shown.entries()) {
    const known = states[numbers[place]];
    item.dataset.state = known ?? "other";
    mark(item, place === decided);
    say(state, known ?? states.other);
  }
}

/** What decided is marked. */
function mark(node, decides) {
  if (decides) node.dataset.decides = "";
  else delete node.dataset.decides;
}
