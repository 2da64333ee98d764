/**
 * The story of a figure, card by card: each card sets the sliders, moves to a moment of the run, lights what it speaks
 * of, and asks one thing of the reader. Buttons, arrow keys and swipes turn them; the address says which is shown.
 * Before the first, where the story stands beside the scene, it lists them.
 */

import { add } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { longestTexts, quote, withoutNumbers } from "./captions.js";

/** @import { StoryCard } from "../types.js" */

/** @type {Record<string, number>} */
const TURNS = { ArrowRight: 1, ArrowLeft: -1 };
const SWIPE = 50; // pixels
const WIDE = "(min-width: 60rem)"; // as in figure.css: the controls are beside the scene

export class Story {
  /** The place of the card that is shown; −1 before the first. */
  place = -1;

  /**
   * @param {HTMLElement} parent
   * @param {StoryCard[]} cards one or more
   * @param {(card: StoryCard) => void} show
   */
  constructor(parent, cards, show) {
    this.cards = cards;
    this.show = show;
    this.parent = parent;
    this.box = add(parent, "section", { className: "fim-story" });
    this.box.setAttribute("aria-label", "story of this figure");
    this.box.dataset.card = "";
    this.bar = add(this.box, "div", { className: "fim-story-bar" });
    this.back = this.#addButton("◀", "the card before", -1);
    this.count = add(this.bar, "output", { textContent: `${cards.length} cards` });
    this.next = this.#addButton("▶", "the next card", 1);
    this.back.disabled = true;
    this.page = add(this.box, "div", { className: "fim-card-page" });
    const contents = add(this.page, "ol", { className: "fim-card-titles" });
    cards.forEach(({ title }, place) => {
      const link = add(add(contents, "li"), "button", { type: "button", textContent: title });
      link.addEventListener("click", () => this.goTo(place));
    });
    this.said = add(this.page, "p", { className: "fim-card-caption" });
    const text = add(this.page, "p", { className: "fim-card-text fim-roomy" });
    text.setAttribute("role", "status");
    for (const card of cards) {
      const [longest] = longestTexts([card.text]);
      addCard(text, "fim-room", { ...card, text: longest }).setAttribute("aria-hidden", "true");
    }
    const shown = addCard(text, "fim-said", { title: "", text: "" });
    this.title = shown.children[0];
    this.text = shown.children[1];
    this.box.addEventListener("keydown", ({ key }) => key in TURNS && this.#turn(TURNS[key]));
    this.#followSwipes(this.box);
    window.matchMedia(WIDE).addEventListener("change", () => this.findPlace());
  }

  /** Where there is room for it the story stands beside the scene, below the controls; else below the scene. */
  findPlace() {
    if (this.box.closest(".fim-phone")) return; // in the sheet at its bottom
    const side = window.matchMedia(WIDE).matches && this.parent.closest(".fim-live")?.querySelector(".fim-side");
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

  /** @param {number} by */
  #turn(by) {
    this.goTo(this.place + by);
  }

  /** Show a card. @param {number} place the first is 0; the ends stay where they are */
  goTo(place) {
    if (Number.isNaN(place)) return;
    this.place = clamp(place, 0, this.cards.length - 1);
    const card = this.cards[this.place];
    this.#write(card);
    this.show(card);
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
    this.title.textContent = title;
    this.text.textContent = withoutNumbers(text);
    this.back.disabled = this.place === 0;
    this.next.disabled = this.place === this.cards.length - 1;
  }

  /** Fill in the numbers of the card's own run. @param {Record<string, ArrayLike<number>>} report */
  quote(report) {
    this.text.textContent = quote(this.cards[this.place].text, report).text;
  }

  /** The reader has moved on by hand: the settings are no longer the card's, and its text fades. */
  leave() {
    if (this.place < 0) return;
    this.box.classList.add("fim-left");
    window.factsRuntime?.setOption("card", "");
  }
}

/**
 * @param {HTMLElement} parent
 * @param {string} className
 * @param {{ title: string, text: string }} card
 */
function addCard(parent, className, { title, text }) {
  const box = add(parent, "span", { className });
  add(box, "b", { textContent: title });
  box.append(" ");
  add(box, "span", { textContent: text });
  return box;
}
