/** HTML elements: make one, give it an id of its own, show a problem. */

const PREFIX = `fim-${Math.random().toString(36).slice(2)}`; // a page may load this module more than once

let count = 0;

/**
 * Append a new element with these properties to a parent, and return it.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Node} parent
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [properties]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function add(parent, tag, properties = {}) {
  return parent.appendChild(Object.assign(document.createElement(tag), properties));
}

/**
 * Put a text into an element, unless it is there: screen readers say what has changed.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** An id that no other element of the page has. */
export const uniqueId = () => `${PREFIX}-${++count}`;

/**
 * Show in the page, and in the console, what went wrong.
 * @param {Element} parent
 * @param {string} message
 * @param {unknown} [error]
 */
export function showProblem(parent, message, error) {
  add(parent, "p", { className: "ctl-failure", textContent: message }).setAttribute("role", "alert");
  console.error(error ?? message);
}

/** Settled once the page is laid out anew: drawings follow their room in the frame after it has changed. */
export const laidOut = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

/** Open what is folded in a box. @param {Element} box */
export function unfold(box) {
  for (const fold of box.querySelectorAll(":scope > details")) fold.setAttribute("open", "");
}

/**
 * Load a script into the page; each call loads it anew.
 * @param {string} address
 * @returns {Promise<void>} settled once it has run
 */
export const loadScript = (address) =>
  new Promise((resolve, reject) => {
    const script = add(document.head, "script", { src: address });
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`${address} could not be loaded`)));
  });

/**
 * A finger that scrolls the page from a slider has moved nothing.
 * @param {HTMLInputElement} range
 * @param {() => number} read where it stands
 * @param {(value: number) => void} restore
 */
export function keepWhileScrolling(range, read, restore) {
  let before = 0;
  range.addEventListener("pointerdown", () => (before = read()));
  range.addEventListener("pointercancel", () => restore(before));
}

/** Whether the reader has asked for no motion. */
export const wantsNoMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The message of whatever was thrown. @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
