/** A page of which only some elements are shown. */

const HIDDEN = "data-away"; // the style sheet hides what has it

/**
 * Show these elements, with all that contains them and all that they contain, and hide the rest; without any, show
 * all again.
 * @param {Element[]} elements
 */
export function isolate(elements) {
  for (const element of document.querySelectorAll(`[${HIDDEN}]`)) element.removeAttribute(HIDDEN);
  if (!elements.length) return;
  /** @type {Set<Element>} the elements, and what contains them */
  const path = new Set();
  for (const element of elements) {
    for (
      let node = /** @type {Element | null} */ (element);
      node && node !== document.documentElement;
      node = node.parentElement
    )
      path.add(node);
  }
  const shownWhole = new Set(
    elements.filter((element) => !elements.some((other) => other !== element && element.contains(other))),
  );
  for (const node of path) {
    if (shownWhole.has(node)) continue;
    for (const child of node.children) if (!path.has(child)) child.setAttribute(HIDDEN, "");
  }
}
