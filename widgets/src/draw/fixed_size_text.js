/** Texts that change while nothing below them moves. */

import { add } from "./dom.js";

/** Keep room in an element for the longest of what it may say, so that nothing below it moves when it says another. */
export function roomy(node, texts) {
  node.classList.add("fim-roomy");
  for (const text of texts) add(node, "span", { className: "fim-room", textContent: text }).setAttribute("aria-hidden", "true");
  add(node, "span", { className: "fim-said" });
  return node;
}

/** Say something in an element that is {@link roomy}. */
export function say(node, text) {
  node.lastChild.textContent = text ?? "";
}

/** A table with these column heads; returns its body. */
export function table(parent, heads) {
  const node = add(parent, "table", { className: "fim-table" });
  const head = add(add(node, "thead"), "tr");
  for (const textContent of heads) add(head, "th", { scope: "col", textContent });
  return add(node, "tbody");
}

/** A list of lamps: for each its words and the states that it may be said to be in. */
export function lamps(parent, entries) {
  const list = add(parent, "ul", { className: "fim-lights" });
  return entries.map(([textContent, states]) => {
    const item = add(list, "li");
    add(item, "span", { className: "fim-lamp" }).setAttribute("aria-hidden", "true");
    add(item, "span", { className: "fim-light-label", textContent });
    return { item, state: roomy(add(item, "span", { className: "fim-light-state" }), states) };
  });
}
