/** What a figure says to those who listen, to read: its drawings in words, where its run stands, and what is said of it. */

import { add } from "../draw/dom.js";

const SAYS = "svg[aria-label], .fim-scrubber, .fim-verdict, .fim-caption, .fim-error:not([hidden])";
const KINDS = { svg: "picture", INPUT: "slider, place in the run", FIGCAPTION: "caption" };
const NEWS = "said as soon as it changes";

export class Aloud {
  /** @param {HTMLElement} root of the figure */
  constructor(root) {
    this.root = root;
    this.fold = add(root, "details", { className: "fim-curves fim-aloud" }); // away where the curves are
    add(this.fold, "summary", { textContent: "As it is read aloud" });
    this.list = add(this.fold, "ol");
    this.fold.addEventListener("toggle", () => this.write());
  }

  /** Follow the figure, while someone looks. */
  write() {
    if (!this.fold.open) return;
    const said = [...this.root.querySelectorAll(SAYS)].filter((node) => node.checkVisibility()).map((node) => {
      const parts = node.querySelectorAll(":scope > .fim-unseen, .fim-said");
      const words = parts.length ? [...parts].map((part) => part.textContent).join("") : node.textContent;
      const text = node.getAttribute("aria-valuetext") ?? node.getAttribute("aria-label") ?? words;
      return `${KINDS[node.tagName] ?? NEWS}: ${text}`;
    });
    if (said.join("\n") === this.said) return;
    this.said = said.join("\n");
    this.list.replaceChildren();
    for (const textContent of said) add(this.list, "li", { textContent });
  }
}
