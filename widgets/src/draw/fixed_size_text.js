/** Texts that change while nothing below them moves, and the tables and lists that hold them. */

import { add } from "./dom.js";

/**
 * Reserve room in an element for the longest of these texts, so that nothing below it moves when its text changes.
 * @template {HTMLElement} Node
 * @param {Node} node
 * @param {string[]} texts
 */
export function reserveRoom(node, texts) {
  node.classList.add("fim-roomy");
  for (const text of texts)
    add(node, "span", { className: "fim-room", textContent: text }).setAttribute("aria-hidden", "true");
  add(node, "span", { className: "fim-said" });
  return node;
}

/**
 * Show a text in an element that {@link reserveRoom} has prepared.
 * @param {Element} node
 * @param {string | undefined} text
 */
export function showText(node, text) {
  /** @type {ChildNode} */ (node.lastChild).textContent = text ?? "";
}

/**
 * Add a table with these column heads; returns its body.
 * @param {Element} parent
 * @param {string[]} heads
 */
export function addTable(parent, heads) {
  const table = add(parent, "table", { className: "fim-table" });
  const head = add(add(table, "thead"), "tr");
  for (const textContent of heads) add(head, "th", { scope: "col", textContent });
  return add(table, "tbody");
}

/**
 * Add a list of lamps: for each its label, and the states that it may be in.
 * @param {Element} parent
 * @param {[string, string[]][]} entries
 */
export function addLamps(parent, entries) {
  const list = add(parent, "ul", { className: "fim-lights" });
  return entries.map(([textContent, states]) => {
    const item = add(list, "li");
    add(item, "span", { className: "fim-lamp" }).setAttribute("aria-hidden", "true");
    add(item, "span", { className: "fim-light-label", textContent });
    return { item, state: reserveRoom(add(item, "span", { className: "fim-light-state" }), states) };
  });
}
