/**
 * The story of a figure, card by card: each card sets the sliders, moves to a moment of the run, lights what it speaks
 * of, and asks one thing of the reader. Buttons, arrow keys and swipes turn them; the address says which is shown.
 * Below the scene they are a strip; before the first it lists them.
 */

import { add } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { BOUNDLESS, readable } from "../run/format.js";
import { longestTexts, quote, withoutNumbers } from "./captions.js";

/** @import { Figure } from "./figure.js" */
/** @import { Parameter, StoryCard } from "../types.js" */

/** @type {Record<string, number>} */
const TURNS = { ArrowRight: 1, ArrowLeft: -1 };
const SWIPE = 50; // pixels
const LONGEST = " (here 0.00012)"; // what a run has in the place of what a goal wants
const CHANGES = 3; // settings that a card names of those that it changes
const BESIDE = "(min-width: 40rem) and (max-width: 59.99rem) and (max-height: 35.99rem)"; // as in figure.css: a phone on its side

export class Story {
  /** The place of the card that is shown; −1 before the first. */
  place = -1;

  /**
   * @param {HTMLElement} parent
   * @param {Figure} figure with one card or more
   * @param {(card: StoryCard, leads: boolean) => void} show `leads` where the reader goes on to the next card
   */
  constructor(parent, figure, show) {
    const { story: cards, parameters } = figure.spec;
    this.figure = figure;
    this.cards = cards;
    this.parameters = parameters;
    /** @type {Set<string>} the goals that a run has met since the page was opened */
    this.met = new Set();
    this.show = show;
    this.parent = parent;
    this.box = add(parent, "section", { className: "fim-story" });
    this.box.setAttribute("aria-label", "story of this figure");
    this.box.dataset.card = "";
    this.box.style.setProperty("--cards", String(cards.length));
    this.bar = add(this.box, "div", { className: "fim-story-bar" });
    this.back = this.#addButton("◀", "the card before", -1);
    this.count = add(this.bar, "output", { textContent: `${cards.length} card${cards.length > 1 ? "s" : ""}` });
    this.next = this.#addButton("▶", "the next card", 1);
    this.back.disabled = true;
    this.all = add(this.bar, "button", { type: "button", className: "fim-all-cards", textContent: "≡ all", title: "all cards" });
    this.all.setAttribute("aria-label", "all cards");
    this.all.addEventListener("click", () => this.#list());
    this.dots = add(this.bar, "span", { className: "fim-dots" });
    cards.forEach(({ title }, place) => {
      const dot = add(this.dots, "button", { type: "button", title });
      dot.setAttribute("aria-label", `card ${place + 1}: ${title}`);
      dot.addEventListener("click", () => this.goTo(place));
      dot.classList.toggle("fim-goal-dot", Boolean(cards[place].goal));
    });
    this.page = add(this.box, "div", { className: "fim-card-page" });
    this.contents = add(this.page, "ol", { className: "fim-card-titles" });
    cards.forEach(({ title }, place) => {
      const { goal } = cards[place];
      const line = this.#addTitle(goal ? "A goal to reach." : title, () => this.goTo(place));
      if (goal) line.className = "fim-goal-title";
    });
    this.said = add(this.page, "p", { className: "fim-card-caption" });
    const text = add(this.page, "p", { className: "fim-card-text fim-roomy" });
    text.setAttribute("role", "status");
    cards.forEach(({ title, text: words, goal }, place) => {
      const [longest] = longestTexts([words]);
      const room = addCard(text, "fim-room", [title, longest, this.#changes(place)]);
      room.setAttribute("aria-hidden", "true");
      writeConditions(room, figure.judge(goal) ?? [], LONGEST);
    });
    this.shown = addCard(text, "fim-said", ["", "", ""]);
    this.box.addEventListener("keydown", ({ key }) => key in TURNS && this.#turn(TURNS[key]));
    this.#followSwipes(this.box);
    window.matchMedia(BESIDE).addEventListener("change", () => this.findPlace());
  }

  /** @param {string} title @param {() => void} act */
  #addTitle(title, act) {
    const line = add(this.contents, "li");
    add(line, "button", { type: "button", textContent: title }).addEventListener("click", act);
    return line;
  }

  /** Begin the list of cards with what comes before the first. @param {string} title @param {() => void} act */
  beginWith(title, act) {
    const line = this.#addTitle(title, act);
    line.className = "fim-before";
    this.contents.prepend(line);
  }

  /** On a phone that lies on its side the story stands beside the scene, else below it. */
  findPlace() {
    if (this.box.closest(".fim-phone")) return; // in the sheet at its bottom
    const side = window.matchMedia(BESIDE).matches && this.parent.closest(".fim-live")?.querySelector(".fim-side");
    const place = side || this.parent;
    if (this.box.parentElement !== place) place.append(this.box);
  }

  /**
   * @param {string} textContent
   * @param {string} title
   * @param {number} by
   */
  #addButton(textContent, title, by) {
    const button = add(this.bar, "button", { type: "button", textContent, title });
    button.setAttribute("aria-label", title);
    button.addEventListener("click", () => this.#turn(by));
    return button;
  }

  /** @param {HTMLElement} box */
  #followSwipes(box) {
    /** @type {Touch | undefined} */
    let begun;
    box.addEventListener("touchstart", ({ changedTouches }) => (begun = changedTouches[0]), { passive: true });
    box.addEventListener("touchend", ({ changedTouches: [ended] }) => {
      if (!begun) return;
      const across = ended.clientX - begun.clientX;
      if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(ended.clientY - begun.clientY))
        this.#turn(across < 0 ? 1 : -1);
    });
  }

  /** Go back to the list of the cards; the run stays as it is. */
  #list() {
    this.place = -1;
    this.box.classList.remove("fim-left");
    this.box.dataset.card = "";
    this.back.disabled = true;
    this.next.disabled = false;
    window.factsRuntime?.setOption("card", "");
    this.contents.querySelector("button")?.focus();
  }

  /** @param {number} by */
  #turn(by) {
    this.goTo(this.place + by, by > 0);
  }

  /**
   * Show a card.
   * @param {number} place the first is 0; the ends stay where they are
   */
  goTo(place, leads = false) {
    if (Number.isNaN(place)) return;
    this.place = clamp(place, 0, this.cards.length - 1);
    const card = this.cards[this.place];
    this.#write(card);
    this.show(card, leads);
    window.factsRuntime?.setOption("card", String(this.place + 1));
  }

  /** In the sheet at a phone's bottom the caption has a card's place until one is shown. @param {string} sentence */
  say(sentence) {
    this.said.textContent = sentence;
  }

  /** @param {StoryCard} card */
  #write({ title, text }) {
    this.box.classList.remove("fim-left");
    this.box.dataset.card = String(this.place + 1);
    this.count.textContent = `${this.place + 1} of ${this.cards.length}`;
    [...this.dots.children].forEach((dot, place) => {
      if (place === this.place) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
    const texts = [title, withoutNumbers(text), this.#changes(this.place)];
    texts.forEach((said, i) => (this.shown.children[i].textContent = said));
    this.back.disabled = this.place === 0;
    this.next.disabled = this.place === this.cards.length - 1;
  }

  /** What a card sets otherwise than the figure at first, in words. @param {number} place */
  #changes(place) {
    const { goal, values } = this.cards[place];
    return goal ? "" : changesIn(this.parameters, values);
  }

  /** Fill in the numbers of the card's own run. @param {Record<string, ArrayLike<number>>} report */
  quote(report) {
    this.shown.children[1].textContent = quote(this.cards[this.place].text, report).text;
  }

  /** Say of a card with a goal how far the run meets it. */
  judge() {
    const { goal = "" } = this.cards[this.place] ?? {};
    const found = this.figure.judge(goal) ?? [];
    writeConditions(this.shown, found);
    if (!goal) return;
    if (found.every(({ met }) => met)) {
      this.met.add(goal);
      this.dots.children[this.place].setAttribute("data-met", "1");
    }
    const { length } = this.cards.filter((card) => card.goal);
    this.count.textContent = `${this.met.size} of ${length} goal${length > 1 ? "s" : ""} met`;
  }

  /** The reader has moved on by hand: the settings are no longer the card's, and its text fades; a goal stays. */
  leave() {
    if (this.place < 0 || this.cards[this.place].goal) return;
    this.box.classList.add("fim-left");
    window.factsRuntime?.setOption("card", "");
  }
}

/**
 * State a goal's conditions on a card; the statement's own line says what a verdict is instead.
 * @param {HTMLElement} card
 * @param {{ name: string, words: string, met: boolean, instead: string }[]} conditions
 * @param {string} [longest] that may be said of each
 */
function writeConditions(card, conditions, longest) {
  const place = /** @type {HTMLElement} */ (card.lastElementChild);
  place.replaceChildren();
  card.classList.toggle("fim-goal-card", conditions.length > 0);
  for (const { name, words, met, instead } of conditions) {
    const line = add(place, "span", { textContent: words });
    line.dataset.met = String(Number(met));
    if (name !== "verdict") add(line, "small", { textContent: longest ?? instead });
  }
}

/**
 * @param {HTMLElement} parent
 * @param {string} className
 * @param {string[]} texts title, text, and what the card changes
 */
function addCard(parent, className, [title, text, changes]) {
  const box = add(parent, "span", { className });
  add(box, "b", { textContent: title });
  box.append(" ");
  add(box, "span", { textContent: text });
  add(box, "small", { className: "fim-chip", textContent: changes });
  add(box, "span", { className: "fim-conditions" });
  return box;
}

/**
 * In which of a card's settings a figure does not begin, in words: "samples n: 120 → 12". The first few are named.
 * @param {Parameter[]} parameters
 * @param {Record<string, number>} values
 */
function changesIn(parameters, values) {
  const changed = parameters.flatMap((parameter) => {
    const [old, now] = [parameter.default, values[parameter.name] ?? parameter.default];
    if (old === now || parameter.fixed) return [];
    const label = parameter.label?.replace(/ \(.*\)$/, ""); // what stands in parentheses explains the slider
    return `${label}: ${inWords(parameter, old)} → ${inWords(parameter, now)}`;
  });
  const more = changed.length - CHANGES;
  return [...changed.slice(0, CHANGES), ...(more > 0 ? [`${more} more setting${more > 1 ? "s" : ""}`] : [])].join("; ");
}

/** A setting as its control shows it. @param {Parameter} parameter @param {number} value */
function inWords({ name, boolean, choices, high }, value) {
  if (boolean) return value ? "on" : "off";
  const select = document.getElementsByClassName(`url-${name}`)[0]?.querySelector("select");
  const option = choices && select?.options[choices.indexOf(value)];
  return option ? option.text : value === high && high >= BOUNDLESS ? "∞" : readable(value);
}
