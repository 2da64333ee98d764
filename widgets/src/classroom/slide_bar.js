/** What pages as slides and a tour as slides have in common: what turns them, and the bar below. */

import { add } from "../draw/dom.js";

/** So many slides a key turns, a presenter's remote included. @type {Record<string, number>} */
export const TURNS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
const SWIPE = 60; // pixels

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

/**
 * Turn slides by a finger that moves across; returns what ends it.
 * @param {HTMLElement} place
 * @param {string} dragged a selector of what a finger moves otherwise
 * @param {(by: number) => void} turn
 */
export function followSwipes(place, dragged, turn) {
  /** @type {Touch | null} */
  let begun = null;
  const begin = (/** @type {TouchEvent} */ { touches, target }) => {
    const isOurs = touches.length === 1 && !(target instanceof Element && target.closest(dragged));
    begun = isOurs ? touches[0] : null;
  };
  const end = (/** @type {TouchEvent} */ { changedTouches: [ended] }) => {
    const across = ended.clientX - (begun?.clientX ?? ended.clientX);
    const isAcross = Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(ended.clientY - (begun?.clientY ?? 0));
    begun = null;
    if (isAcross) turn(across < 0 ? 1 : -1);
  };
  place.addEventListener("touchstart", begin, { passive: true });
  place.addEventListener("touchend", end);
  return () => {
    place.removeEventListener("touchstart", begin);
    place.removeEventListener("touchend", end);
  };
}
