/** A tick at each demo of a tour that a reader has opened: kept in the browser, with a way to start over. */

import { add, write } from "../draw/dom.js";

const keyOf = () => `facts-in-motion tour ${location.href.split("#")[0]}`;

/** The addresses that are kept; none if nothing can be. @returns {Set<string>} */
function kept() {
  try {
    const addresses = JSON.parse(localStorage.getItem(keyOf()) ?? "[]");
    return new Set(Array.isArray(addresses) ? addresses : []);
  } catch {
    return new Set();
  }
}

/** @param {Set<string>} addresses */
function keep(addresses) {
  try {
    localStorage.setItem(keyOf(), JSON.stringify([...addresses]));
  } catch {
    // full, or refused: the ticks last until the page is left
  }
}

export class Ticks {
  #done = kept();
  /** @type {{ href: string, tick: HTMLElement }[]} */
  #demos;

  /**
   * @param {Element} place where it is said how many are done
   * @param {HTMLAnchorElement[]} links to the demos
   */
  constructor(place, links) {
    this.#demos = links.map((link) => {
      const href = link.getAttribute("href") ?? "";
      const tick = document.createElement("span");
      tick.className = "fim-tick";
      link.after(tick);
      link.addEventListener("click", () => this.add(href));
      return { href, tick };
    });
    this.said = add(place, "output");
    this.again = add(place, "button", { type: "button", textContent: "start over" });
    this.again.addEventListener("click", () => {
      this.#done.clear();
      this.#changed();
    });
    this.#show();
  }

  /** @param {string} href of a demo that is done */
  add(href) {
    this.#done.add(href);
    this.#changed();
  }

  #changed() {
    keep(this.#done);
    this.#show();
  }

  #show() {
    for (const { href, tick } of this.#demos) write(tick, this.#done.has(href) ? " ✓ done" : "");
    const many = this.#demos.filter(({ href }) => this.#done.has(href)).length;
    write(this.said, many ? `${many} of ${this.#demos.length} done` : "");
    this.again.hidden = !many;
  }
}
