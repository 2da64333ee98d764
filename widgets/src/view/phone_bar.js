/**
 * The bar at a phone's bottom: it has room for one control at a time, and a list to choose which. On a wide window
 * figure.css shows all of them beside the scene, and no list.
 */

import { add } from "../draw/dom.js";

export class PhoneBar {
  /**
   * @param {HTMLElement} front that holds the controls
   * @param {HTMLElement} live the figure and its controls; its style learns how high the bar is
   */
  constructor(front, live) {
    this.controls = /** @type {HTMLElement[]} */ (Array.from(front.children));
    if (this.controls.length > 1) {
      this.list = document.createElement("select");
      this.list.className = "fim-which";
      this.list.setAttribute("aria-label", "which setting to change");
      for (const control of this.controls) add(this.list, "option", { textContent: labelOf(control) });
      this.list.addEventListener("change", () => this.#choose(this.list?.selectedIndex ?? 0));
      front.prepend(this.list);
      front.classList.add("fim-one");
      this.#choose(0);
      const links = new MutationObserver(() => this.#leaveOutHidden());
      for (const control of this.controls) links.observe(control, { attributeFilter: ["hidden"] });
      this.#leaveOutHidden();
    }
    new ResizeObserver(() => live.style.setProperty("--front", `${front.offsetHeight}px`)).observe(front);
  }

  /** Show the first control that sets one of these parameters. @param {string[]} names */
  follow(names) {
    const sets = (/** @type {Element} */ control) =>
      names.some((name) => Array.from(control.classList).some((one) => one.startsWith("url-") && one.endsWith(name)));
    const place = this.controls.findIndex(sets);
    if (place >= 0) this.#choose(place);
  }

  /** The link of a challenge may hide controls. */
  #leaveOutHidden() {
    this.controls.forEach(({ hidden }, i) => this.list?.options[i].toggleAttribute("hidden", Boolean(hidden)));
    if (this.controls[this.list?.selectedIndex ?? 0].hidden)
      this.#choose(Math.max(0, this.controls.findIndex(({ hidden }) => !hidden)));
  }

  /** @param {number} place */
  #choose(place) {
    if (!this.list) return;
    this.list.selectedIndex = place;
    this.controls.forEach((control, i) => control.classList.toggle("fim-aside", i !== place));
  }
}

/** @param {Element} control */
const labelOf = (control) =>
  control.querySelector("label, legend, .widget-label")?.textContent?.trim() ||
  control.querySelector("[aria-label]")?.getAttribute("aria-label") ||
  control.textContent?.trim() ||
  "";
