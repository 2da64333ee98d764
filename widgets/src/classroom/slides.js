/**
 * A page as slides, as slide_list.js finds them. Arrow keys or a presenter's remote turn them, `f` fills the screen,
 * `n` shows the lecturer's notes, `w` opens them in a second window, Escape ends; `p` begins.
 */

import { renderSVG } from "uqr";

import { add } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { fitSlide, NARROW } from "./fit_slide.js";
import { isolate } from "./isolate.js";
import { addButton, fillScreen, TURNS } from "./slide_bar.js";
import { slidesOf } from "./slide_list.js";
import { SpeakerWindow } from "./speaker_window.js";

/** @import { Figure } from "../view/figure.js" */

// elements that use arrow keys and the space bar
const USES_KEYS = "input, select, textarea, summary, button, [tabindex]";
const ADDRESS_DELAY = 400; // milliseconds until the address has followed the slide

/** @type {Slides | null} that are shown */
let current = null;

/** Show the page around a figure as slides. @param {HTMLElement} root of the figure */
export function present(root) {
  current?.end();
  if (root.live) current = new Slides(root, root.live);
}

class Slides {
  #place = 0;
  #showsNotes = false;
  /** @type {SpeakerWindow | null} */
  #speaker = null;
  /** @param {KeyboardEvent} event */
  #onKey = (event) => this.#handleKey(event);
  #onResize = () => this.#fit();

  /** @param {HTMLElement} root @param {Figure} figure */
  constructor(root, figure) {
    this.root = root;
    this.figure = figure;
    this.slides = slidesOf(root, figure);
    this.notes = document.querySelector(".admonition.lecturer");
    this.prediction = /** @type {HTMLDetailsElement | null} */ (root.querySelector(".fim-predict"));
    this.bar = add(document.body, "div", { className: "fim-bar", tabIndex: -1 });
    this.code = add(document.body, "button", { type: "button", className: "fim-qr" });
    this.code.setAttribute("aria-label", "a code of this slide’s address: larger, or small again");
    this.code.addEventListener("click", () => this.code.classList.toggle("fim-large"));
    addButton(this.bar, "◀", "the slide before", () => this.#turn(-1));
    this.count = add(this.bar, "output");
    addButton(this.bar, "▶", "the next slide", () => this.#turn(1));
    if (this.notes) addButton(this.bar, "notes", "notes for the lecturer (n)", () => this.#toggleNotes());
    if (window.innerWidth >= NARROW) {
      addButton(this.bar, "second window", "notes, clock and the next slide (w)", () => this.#openSpeaker());
      addButton(this.bar, "full screen", "fill the screen (f)", () => fillScreen(document.documentElement));
    }
    addButton(this.bar, "end", "back to the page (Esc)", () => this.end());
    addEventListener("keydown", this.#onKey);
    addEventListener("resize", this.#onResize);
    this.#turn(0);
  }

  /** @param {number} by so many slides */
  #turn(by) {
    this.#place = clamp(this.#place + by, 0, this.slides.length - 1);
    const { name, elements, enter } = this.slides[this.#place];
    document.documentElement.dataset.slide = name;
    if (this.prediction) this.prediction.open = name === "predict";
    isolate([...elements, this.bar, this.code, ...(this.#showsNotes && this.notes ? [this.notes] : [])]);
    enter?.();
    this.count.textContent = `${this.#place + 1} / ${this.slides.length}`;
    window.scrollTo(0, 0);
    this.bar.focus();
    this.#fit();
    this.#showSpeaker();
    setTimeout(() => this.#showCode(), ADDRESS_DELAY);
  }

  #fit() {
    fitSlide(this.slides[this.#place], this.root);
  }

  /** A code that opens the page as it is now; a file's address would open nothing elsewhere. */
  #showCode() {
    const { href, protocol } = window.location;
    this.code.hidden = protocol === "file:";
    this.code.innerHTML = renderSVG(href, { border: 2 }); // safe: the code is squares, whatever the address holds
  }

  #toggleNotes() {
    this.#showsNotes = !this.#showsNotes;
    this.notes?.classList.remove("toggle-hidden");
    this.#turn(0);
  }

  #openSpeaker() {
    this.#speaker ??= SpeakerWindow.open(this.notes, this.#onKey);
    if (this.#speaker?.isClosed) this.#speaker = SpeakerWindow.open(this.notes, this.#onKey);
    this.#showSpeaker();
  }

  #showSpeaker() {
    const [now, next] = [0, 1].map((ahead) => this.slides[this.#place + ahead]?.title ?? "");
    this.#speaker?.show(`${this.count.textContent}: ${now}`, next || "the end");
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const target = event.target instanceof Element ? event.target : null;
    if (event.ctrlKey || event.metaKey || event.altKey || target?.closest("dialog")) return;
    const user = event.key.startsWith("Page") || target === this.bar ? null : target?.closest(USES_KEYS);
    const typing = user?.matches("input, textarea");
    if (event.key === "Escape") this.end();
    else if (event.key === "n" && this.notes && !typing) this.#toggleNotes();
    else if (event.key === "w" && !typing) this.#openSpeaker();
    else if (event.key === "f" && !typing) fillScreen(document.documentElement);
    else if (event.key in TURNS && !user) {
      event.preventDefault();
      this.#turn(TURNS[event.key]);
    }
  }

  /** Show the page again. */
  end() {
    current = null;
    removeEventListener("keydown", this.#onKey);
    removeEventListener("resize", this.#onResize);
    this.#speaker?.close();
    this.bar.remove();
    this.code.remove();
    isolate([]);
    delete document.documentElement.dataset.slide;
    if (this.prediction) this.prediction.open = false;
    fitSlide(null, this.root);
    this.figure.draw(1);
    this.root.scrollIntoView();
  }
}
