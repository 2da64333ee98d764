/** Two views of a figure, one at a time: the run, and where its statement is true. */

import { add, uniqueId } from "../draw/dom.js";

/** @typedef {{ name: string, panel: HTMLElement }} View */

const KEYS = ["ArrowLeft", "ArrowRight"];

export class Tabs {
  /** The place of the view that is shown. */
  place = 0;
  /** @type {HTMLButtonElement[]} */
  buttons = [];

  /**
   * @param {HTMLElement} bar that stands above the views
   * @param {View[]} views
   * @param {(place: number) => void} show called when another is chosen
   */
  constructor(bar, views, show) {
    this.views = views;
    this.show = show;
    bar.classList.add("fim-tabs");
    bar.setAttribute("role", "tablist");
    bar.setAttribute("aria-label", "views of this figure");
    for (const [place, { name, panel }] of views.entries()) {
      const button = add(bar, "button", { type: "button", textContent: name, id: uniqueId() });
      panel.id ||= uniqueId();
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", button.id);
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", panel.id);
      button.addEventListener("click", () => this.choose(place));
      this.buttons.push(button);
    }
    bar.addEventListener("keydown", ({ key }) => {
      if (!KEYS.includes(key)) return;
      this.choose((this.place + 1) % views.length);
      this.buttons[this.place].focus();
    });
    this.#mark();
  }

  /** @param {number} place */
  choose(place) {
    if (place === this.place) return;
    this.place = place;
    this.#mark();
    this.show(place);
  }

  #mark() {
    this.views.forEach(({ panel }, i) => (panel.hidden = i !== this.place));
    this.buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === this.place));
      button.tabIndex = i === this.place ? 0 : -1;
    });
  }
}
