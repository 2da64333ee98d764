/** SVG elements that are updated in place. */

import { uniqueId } from "./dom.js";
import { textSize } from "./text_layout.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/**
 * A text of a drawing; its anchor is "middle" by default, and its letters have the size of those around it.
 * @typedef {{ text: string, x: number, y: number, anchor?: string, colour?: string, rotate?: number,
 *   size?: number }} Label
 */

/**
 * Append a new SVG element to a parent, and return it.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Element} parent
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function addSvg(parent, tag, attributes = {}) {
  const node = document.createElementNS(NAMESPACE, tag);
  setAttributes(node, attributes);
  parent.append(node);
  return node;
}

/**
 * Set attributes; null, undefined and NaN remove one. Values that have not changed are not set again, since a browser
 * computes the layout anew after each that is set.
 * @param {Element} node
 * @param {Attributes} attributes
 */
export function setAttributes(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || Number.isNaN(value)) node.removeAttribute(key);
    else if (key === "style") setStyle(node, String(value));
    else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, String(value));
  }
}

/**
 * In a browser by its own interface, which a policy against inline styles allows; it ends what it has with a semicolon.
 * @param {Element} node
 * @param {string} css
 */
function setStyle(node, css) {
  const written = node.getAttribute("style");
  if (written === css || written === `${css};`) return;
  if (globalThis.CSSStyleSheet) /** @type {SVGElement} */ (node).style.cssText = css;
  else node.setAttribute("style", css);
}

/**
 * Keep as many children of a parent as there are items, and update each in place.
 * @template {keyof SVGElementTagNameMap} Tag
 * @template Item
 * @param {Element} parent
 * @param {Tag} tag
 * @param {Item[]} items
 * @param {(node: SVGElementTagNameMap[Tag], item: Item, i: number) => void} update
 */
export function updateChildren(parent, tag, items, update) {
  while (parent.children.length > items.length) parent.lastChild?.remove();
  while (parent.children.length < items.length) addSvg(parent, tag);
  const children = /** @type {HTMLCollectionOf<SVGElementTagNameMap[Tag]>} */ (parent.children);
  items.forEach((item, i) => update(children[i], item, i));
}

/**
 * Keep a text for each label, updated in place.
 * @param {Element} parent
 * @param {Label[]} labels
 */
export function updateTexts(parent, labels) {
  updateChildren(parent, "text", labels, (node, { text, x, y, anchor = "middle", colour, rotate, size }) => {
    setAttributes(node, {
      x,
      y,
      "font-size": size,
      "text-anchor": anchor,
      style: colour ? `fill: var(--fim-${colour})` : null,
      transform: rotate ? `rotate(${rotate} ${x} ${y})` : null,
    });
    if (node.textContent !== text) node.textContent = text;
  });
}

/**
 * Fill for what there is no number for: thin slanted lines. Returns the value of the `fill` property.
 * @param {SVGElement} svg
 */
export function addHatching(svg) {
  const id = uniqueId();
  const pattern = addSvg(addSvg(svg, "defs"), "pattern", {
    id,
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  });
  addSvg(pattern, "line", { x1: 0, y1: 0, x2: 0, y2: 6, class: "fim-hatch" });
  return `url(#${id})`;
}

/** How far below an axis the numbers along it stand, in pixels. */
export const tickOffset = () => textSize() + 8;
