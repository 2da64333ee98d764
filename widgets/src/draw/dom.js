/** Elements, the short way. */

const SPACE = `fim-${Math.random().toString(36).slice(2)}`; // a page may load this module more than once

let count = 0;

/**
 * A new element with these properties, inside a parent.
 * @param {Element} parent
 * @param {string} tag
 * @param {Object} [properties]
 */
export function add(parent, tag, properties = {}) {
  return parent.appendChild(Object.assign(document.createElement(tag), properties));
}

/** An id that no other element of the page has. */
export const unique = () => `${SPACE}-${++count}`;

/** Say in the page, and in the console, what went wrong. */
export function report(parent, message, error) {
  add(parent, "p", { className: "ctl-failure", textContent: message }).setAttribute("role", "alert");
  console.error(error ?? message);
}
