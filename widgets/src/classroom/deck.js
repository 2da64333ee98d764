/**
 * A tour of demos, or a lecture, as slides: what a page lists, one figure after the other, each with the one thing to
 * do there, and between them the places to stop.
 *
 * In: `.fim-tour`, where the button goes that begins. The demos are the items of the article's numbered lists, and each
 * has a link; a place to stop is a paragraph in italics. The slide stands in the address as `#slide=3`.
 */

import { add } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { isolate } from "./isolate.js";
import { addButton, fillScreen, TURNS } from "./slide_bar.js";
import { Ticks } from "./tour_ticks.js";
import { SENDER } from "../page/frame_height.js";

/** A demo with its title, what to do there, and its address; or a place to stop, which has no address.
 * @typedef {{ title: string, text: string, href: string }} Slide
 */

const ADDRESS = /^#slide=(\d+)$/;

/** The slides that an article lists, in its order. @param {Element} article @returns {Slide[]} */
export function slidesIn(article) {
  return [...article.querySelectorAll("ol > li, p > em:only-child")].flatMap((node) => {
    const text = ((node.querySelector(":scope > p") ?? node).textContent ?? "").trim(); // without its picture
    if (node.matches("em")) return node.parentElement?.textContent?.trim() === text ? [{ title: "", text, href: "" }] : [];
    const link = node.querySelector("a");
    if (!link) return [];
    const title = (link.textContent ?? "").trim();
    return [{ title, text: text.slice(title.length).trim(), href: link.getAttribute("href") ?? "" }];
  });
}

/** The address that shows nothing but the figure. @param {string} href */
export const embedded = (href) => (href.includes("#~") ? href.replace("#~", "#~embed=1&") : `${href}#~embed=1`);

class Deck {
  #place = 0;
  /** @param {KeyboardEvent} event */
  #onKey = (event) => this.#handleKey(event);
  /** A remote's keys, when the frame has the focus. @param {MessageEvent} event */
  #onMessage = ({ data, source }) => {
    if (data?.from === SENDER && data.key && source === this.frame.contentWindow) this.#turn(TURNS[data.key] ?? 0);
  };

  /** @param {Slide[]} slides @param {(href: string) => void} onShow told of each demo that is shown */
  constructor(slides, onShow) {
    this.slides = slides;
    this.onShow = onShow;
    this.box = add(document.body, "section", { className: "fim-deck" });
    this.box.setAttribute("aria-label", "these scenes as slides");
    this.head = add(this.box, "p", { className: "fim-deck-head" });
    this.head.setAttribute("role", "status");
    this.frame = add(this.box, "iframe");
    this.bar = add(this.box, "div", { className: "fim-deck-bar", tabIndex: -1 });
    addButton(this.bar, "◀", "the slide before (←)", () => this.#turn(-1));
    this.progress = add(this.bar, "progress", { max: this.demos });
    this.count = add(this.bar, "output");
    addButton(this.bar, "▶", "the next slide (→)", () => this.#turn(1));
    addButton(this.bar, "full screen", "fill the screen", () => fillScreen(this.box));
    addButton(this.bar, "stop here", "back to the list (Esc)", () => this.end());
    addEventListener("keydown", this.#onKey);
    addEventListener("message", this.#onMessage);
    isolate([this.box]);
  }

  /** How many of the slides are demos. */
  get demos() {
    return this.slides.filter(({ href }) => href).length;
  }

  /** @param {number} by so many slides */
  #turn(by) {
    if (by) this.show(this.#place + by);
  }

  /** @param {number} place from 0; one that is not there is the nearest that is */
  show(place) {
    this.#place = clamp(place, 0, this.slides.length - 1);
    const { title, text, href } = this.slides[this.#place];
    const seen = this.slides.slice(0, this.#place + 1).filter((slide) => slide.href).length;
    this.head.replaceChildren();
    if (title) add(this.head, "strong", { textContent: title });
    this.head.append(` ${text}`);
    // another frame, since another address of the same one would be a step of the browser's history
    const frame = Object.assign(document.createElement("iframe"), { title: "the demo of this slide", hidden: !href });
    if (href) {
      frame.src = embedded(href);
      this.onShow(href);
    }
    this.frame.replaceWith(frame);
    this.frame = frame;
    this.progress.value = seen;
    this.progress.setAttribute("aria-label", "how many scenes have been shown");
    this.count.textContent = href ? `${seen} of ${this.demos}` : `after ${seen} of ${this.demos}`;
    history.replaceState(history.state, "", `#slide=${this.#place + 1}`);
    this.bar.focus();
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target instanceof HTMLButtonElement && event.key === " ";
    if (event.key === "Escape") this.end();
    else if (event.key in TURNS && !onButton) {
      event.preventDefault();
      this.#turn(TURNS[event.key]);
    }
  }

  /** Show the list again. */
  end() {
    removeEventListener("keydown", this.#onKey);
    removeEventListener("message", this.#onMessage);
    this.box.remove();
    isolate([]);
    history.replaceState(history.state, "", location.href.split("#")[0]);
    deck = null;
  }
}

/** @type {Deck | null} that is shown */
let deck = null;

addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector(".fim-tour");
  const article = place?.closest("article") ?? document.body;
  const slides = slidesIn(article);
  if (!place || !slides.length) return;
  /** @param {number} first */
  const begin = (first) => {
    deck ??= new Deck(slides, (href) => ticks.add(href));
    deck.show(first);
  };
  const button = add(place, "button", { type: "button", textContent: "Show as slides" });
  button.addEventListener("click", () => begin(0));
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (article.querySelectorAll("ol > li a[href]"));
  const ticks = new Ticks(place, [...links]);
  const follow = () => {
    const slide = ADDRESS.exec(location.hash);
    if (slide) begin(Number(slide[1]) - 1);
  };
  addEventListener("hashchange", follow);
  follow();
});
