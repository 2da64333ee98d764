/**
 * What a screen reader says of a figure, to read: its drawings in words, where its run stands, its verdicts and
 * caption.
 */

import { add } from "../draw/dom.js";

const READ_ALOUD = "svg[aria-label], .fim-scrubber, .fim-verdict, .fim-caption, .fim-error:not([hidden])";
/** @type {Record<string, string>} */
const KINDS = { svg: "picture", INPUT: "slider, place in the run", FIGCAPTION: "caption" };
const LIVE_REGION = "said as soon as it changes";

export class ScreenReaderText {
  #shown = "";

  /** @param {HTMLElement} root of the figure @param {HTMLElement} parent */
  constructor(root, parent) {
    this.root = root;
    this.details = add(parent, "details", { className: "fim-curves fim-aloud" });
    add(this.details, "summary", { textContent: "As it is read aloud" });
    this.list = add(this.details, "ol");
    this.details.addEventListener("toggle", () => this.update());
  }

  /** Bring the text up to date, while it is open. */
  update() {
    if (!this.details.open) return;
    const all = this.root.closest(".fim-live") ?? this.root; // on a phone the time of the run is below the figure
    const elements = [...all.querySelectorAll(READ_ALOUD)].filter((element) => element.checkVisibility());
    const entries = elements.map((element) => `${KINDS[element.tagName] ?? LIVE_REGION}: ${readAloud(element)}`);
    if (entries.join("\n") === this.#shown) return;
    this.#shown = entries.join("\n");
    this.list.replaceChildren();
    for (const textContent of entries) add(this.list, "li", { textContent });
  }
}

/**
 * The text of an element: where room is reserved for other texts, only what is shown.
 * @param {Element} element
 */
function readAloud(element) {
  const parts = [...element.querySelectorAll(":scope > .fim-unseen, .fim-said")];
  const text = parts.length ? parts.map((part) => part.textContent).join("") : element.textContent;
  return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-label") ?? text;
}
