/**
 * A page as slides, made from what it holds: the question, the scene, the prediction, the statements, each stop of
 * the run, the verdict, the exercises. Arrow keys or a presenter's remote turn them, `n` shows the lecturer's notes,
 * Escape ends; `p` begins.
 */

import { add } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { isolate } from "./isolate.js";

/** @import { Figure } from "../view/figure.js" */

/** @type {Record<string, number>} */
const TURNS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
const TYPED_IN = "input, select, textarea, dialog";
// elements that use arrow keys and the space bar
const USES_KEYS = "input, select, textarea, summary, button, [tabindex]";
const MOST_INTRODUCTORY = 4; // elements after the heading

/**
 * What a slide shows, and what is done when it is shown.
 * @typedef {{ name: string, elements: Element[], enter?: () => void }} Slide
 */

/** @type {Slides | null} that are shown */
let current = null;

addEventListener("keydown", (event) => {
  const root = document.querySelector(".fim");
  const typing = event.target instanceof Element && event.target.closest(TYPED_IN);
  if (event.key === "p" && !current && !typing && !hasModifier(event) && root instanceof HTMLElement) present(root);
});

/** @param {KeyboardEvent} event */
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** @type {Record<string, string>} */
const NEIGHBOURS = { "[": "prev", "]": "next" };

// the bar that leads from demo to demo, by keys
addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest(TYPED_IN);
  const link = document.querySelector(`.fim-demos [rel="${NEIGHBOURS[event.key]}"]`);
  if (link instanceof HTMLElement && !typing && !current && !hasModifier(event)) link.click();
});

/** Show the page around a figure as slides. @param {HTMLElement} root of the figure */
export function present(root) {
  current?.end();
  if (root.live) current = new Slides(root, root.live);
}

class Slides {
  #place = 0;
  #showsNotes = false;
  /** @param {KeyboardEvent} event */
  #onKey = (event) => this.#handleKey(event);

  /** @param {HTMLElement} root @param {Figure} figure */
  constructor(root, figure) {
    this.root = root;
    this.figure = figure;
    this.slides = slidesOf(root, figure);
    this.notes = document.querySelector(".admonition.lecturer");
    this.prediction = /** @type {HTMLDetailsElement | null} */ (root.querySelector(".fim-predict"));
    this.bar = add(document.body, "div", { className: "fim-bar", tabIndex: -1 });
    this.#addButton("◀", "the slide before", () => this.#turn(-1));
    this.count = add(this.bar, "output");
    this.#addButton("▶", "the next slide", () => this.#turn(1));
    if (this.notes) this.#addButton("notes", "notes for the lecturer (n)", () => this.#toggleNotes());
    this.#addButton("end", "back to the page (Esc)", () => this.end());
    addEventListener("keydown", this.#onKey);
    this.#turn(0);
  }

  /**
   * @param {string} textContent
   * @param {string} title
   * @param {() => void} onclick
   */
  #addButton(textContent, title, onclick) {
    add(this.bar, "button", { type: "button", textContent, title, onclick });
  }

  /** @param {number} by so many slides */
  #turn(by) {
    this.#place = clamp(this.#place + by, 0, this.slides.length - 1);
    const { name, elements, enter } = this.slides[this.#place];
    document.documentElement.dataset.slide = name;
    if (this.prediction) this.prediction.open = name === "predict";
    isolate([...elements, this.bar, ...(this.#showsNotes && this.notes ? [this.notes] : [])]);
    enter?.();
    this.count.textContent = `${this.#place + 1} / ${this.slides.length}`;
    window.scrollTo(0, 0);
    this.bar.focus();
  }

  #toggleNotes() {
    this.#showsNotes = !this.#showsNotes;
    this.notes?.classList.remove("toggle-hidden");
    this.#turn(0);
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const target = event.target instanceof Element ? event.target : null;
    if (hasModifier(event) || target?.closest("dialog")) return;
    const user = event.key.startsWith("Page") || target === this.bar ? null : target?.closest(USES_KEYS);
    if (event.key === "Escape") this.end();
    else if (event.key === "n" && this.notes && !user?.matches("input, textarea")) this.#toggleNotes();
    else if (event.key in TURNS && !user) {
      event.preventDefault();
      this.#turn(TURNS[event.key]);
    }
  }

  /** Show the page again. */
  end() {
    current = null;
    removeEventListener("keydown", this.#onKey);
    this.bar.remove();
    isolate([]);
    delete document.documentElement.dataset.slide;
    if (this.prediction) this.prediction.open = false;
    this.figure.draw(1);
    this.root.scrollIntoView();
  }
}

/**
 * @param {HTMLElement} root
 * @param {Figure} figure
 * @returns {Slide[]}
 */
function slidesOf(root, figure) {
  const article = /** @type {Element} */ (root.closest("article, body"));
  const cell = root.closest(".cell") ?? root.closest(".ctl-root");
  const heading = article.querySelector("h1");
  const live = /** @type {Element} */ (root.closest(".fim-live"));
  const { scene } = figure;
  const start = scene.timeline ? scene.start : 1;
  /**
   * @param {string} name
   * @param {number} share
   * @returns {Slide}
   */
  const moment = (name, share) => ({ name, elements: [live], enter: () => figure.draw(share) });
  /** @param {number} place @returns {Slide} */
  const card = (place) => ({ name: "card", elements: [live], enter: () => figure.story?.goTo(place) });
  /** @type {Slide[]} */
  const prediction = scene.prediction ? [{ name: "predict", elements: [live] }] : [];
  return [
    text(...(heading ? [heading, ...elementsBetween(heading, cell)] : [])),
    moment("scene", start),
    ...prediction,
    ...[...article.querySelectorAll(".proof:has(> p.verdict)")].map((box) => text(box)),
    ...scene.stops.map(({ share }) => moment("scene", share)),
    ...figure.spec.story.map((_, i) => card(i)),
    moment("verdict", 1),
    ...[...article.querySelectorAll(".exercise")].flatMap(exerciseSlides),
  ];
}

/** @param {Element[]} elements @returns {Slide} */
const text = (...elements) => ({ name: "text", elements });

/**
 * An exercise, and then the same with its solution.
 * @param {Element} exercise
 * @returns {Slide[]}
 */
function exerciseSlides(exercise) {
  const solution = exercise.nextElementSibling;
  if (!solution?.matches(".solution")) return [text(exercise)];
  return [text(exercise), { ...text(exercise, solution), enter: () => solution.classList.remove("toggle-hidden") }];
}

/**
 * The first elements after a heading, up to what holds the figure.
 * @param {Element} heading
 * @param {Element | null} cell
 */
function elementsBetween(heading, cell) {
  const elements = [];
  for (
    let node = heading.nextElementSibling;
    node && !node.contains(cell) && elements.length < MOST_INTRODUCTORY;
    node = node.nextElementSibling
  ) {
    elements.push(node);
  }
  return elements;
}
