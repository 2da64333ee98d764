/** What pages as slides and a tour as slides have in common: the keys that turn them, and the bar below. */

import { add } from "../draw/dom.js";

/** So many slides a key turns, a presenter's remote included. @type {Record<string, number>} */
export const TURNS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };

/**
 * @param {HTMLElement} bar
 * @param {string} textContent
 * @param {string} title
 * @param {() => void} onclick
 */
export function addButton(bar, textContent, title, onclick) {
  add(bar, "button", { type: "button", textContent, title, onclick });
}

/** Have an element fill the screen, or no longer. @param {Element} element */
export function fillScreen(element) {
  if (document.fullscreenElement) document.exitFullscreen();
  else element.requestFullscreen();
}
