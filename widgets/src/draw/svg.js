/** SVG elements that are updated in place, and the box that every panel stands in. */

import { add, unique } from "./dom.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const LETTER = 0.558; // of a text's size: what a letter takes on average
const ROOMY = globalThis.matchMedia?.("(min-width: 60rem)");
const BOLD = 1.16; // how much wider bold ones are

/** The number of [low, high] nearest to this one. */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Where between the ends of a domain a number lies, from 0 to 1. */
export const shareOf = (value, [low, high]) => (high > low ? clamp((value - low) / (high - low), 0, 1) : 0);

/** A new SVG element inside a parent. */
export function element(parent, name, attributes = {}) {
  const node = document.createElementNS(NAMESPACE, name);
  set(node, attributes);
  parent.append(node);
  return node;
}

/** Set attributes; null takes one away, and so does NaN. What is as it was is left alone: a browser lays out again whatever is set. */
export function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || Number.isNaN(value)) node.removeAttribute(key);
    else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
  }
}

/** Children of `parent` kept as a list that grows and shrinks with the data, each updated in place. */
export function keep(parent, name, items, update) {
  while (parent.children.length > items.length) parent.lastChild.remove();
  while (parent.children.length < items.length) element(parent, name);
  items.forEach((item, i) => update(parent.children[i], item, i));
}

/** Texts kept as a list. */
export function keepTexts(parent, items) {
  keep(parent, "text", items, (node, { text, x, y, anchor = "middle", colour, rotate }) => {
    set(node, {
      x, y, "text-anchor": anchor,
      style: colour ? `fill: var(--fim-${colour})` : null,
      transform: rotate ? `rotate(${rotate} ${x} ${y})` : null,
    });
    if (node.textContent !== text) node.textContent = text;
  });
}

/** The size of texts in drawings, as figure.css has it. */
export const textSize = () => (ROOMY?.matches ? 14 : 12);

/** About how wide a text is, in pixels. */
export const widthOf = (text, bold = false) => textSize() * LETTER * (bold ? BOLD : 1) * [...String(text)].length;

/** Where a text stands that keeps a distance from a place: to its right, or to its left. */
export const beside = (x, distance, left) => (left ? { x: x - distance, anchor: "end" } : { x: x + distance, anchor: "start" });

/** As much of a text as there is room for. */
export function fitting(text, room) {
  const letters = [...text];
  const most = Math.floor(room / widthOf("m"));
  return letters.length <= most ? text : `${letters.slice(0, Math.max(1, most - 1)).join("")}…`;
}

/** Those of the ticks, in the order of their places, whose texts do not touch; none goes beyond the right edge. */
export function apart(ticks, edge, room = 8) {
  let end = -Infinity;
  return ticks.map((tick) => ({ ...tick, x: Math.min(tick.x, edge - widthOf(tick.text) / 2) })).filter(({ x, text }) => {
    const half = widthOf(text) / 2;
    if (x - half < end + room) return false;
    end = x + half;
    return true;
  });
}

/** Push labels apart so that none overlap, keeping their order and staying inside [low, high]. */
export function spread(wanted, low, high, gap = textSize() + 2) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [];
  let floor = low;
  for (const i of order) {
    placed[i] = Math.max(wanted[i], floor);
    floor = placed[i] + gap;
  }
  let ceiling = high;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i], ceiling);
    ceiling = placed[i] - gap;
  }
  return placed;
}

/** A domain that has a width. */
export function widen([low, high]) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** A heading, perhaps a hint, and one SVG that is drawn again when the room for it changes. */
export class Frame {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string}} panel
   */
  constructor(parent, panel) {
    this.panel = panel;
    this.box = add(parent, "div", { className: "fim-panel" });
    if (panel.title) add(this.box, "p", { className: "fim-title", textContent: panel.title });
    this.canvas = add(this.box, "div", { className: "fim-drawing" });
    this.svg = element(this.canvas, "svg", { role: "img" });
    this.width = 0;
    new ResizeObserver(() => {
      const before = this.width;
      this.width = 0;
      if (this.measure() !== before && this.drawing) this.draw(this.drawing);
    }).observe(this.box);
  }

  /** Groups of the SVG, from the back to the front. */
  layers(...names) {
    return Object.fromEntries(names.map((name) => [name, element(this.svg, "g", { class: `fim-${name}` })]));
  }

  /** A line of small words between the heading and the drawing. */
  hint(text) {
    this.canvas.before(Object.assign(document.createElement("p"), { className: "fim-hint", textContent: text }));
  }

  /** Names of colours above the drawing, where there is no room for them inside. */
  legend(items) {
    this.names ??= Object.assign(document.createElement("ul"), { className: "fim-legend" });
    if (!this.names.isConnected) this.canvas.before(this.names);
    this.names.hidden = !items.length;
    const key = JSON.stringify(items);
    if (this.names.dataset.key === key) return;
    this.names.dataset.key = key;
    this.names.replaceChildren();
    for (const { label, colour, sign = "▬" } of items) {
      const item = add(this.names, "li");
      set(add(item, "span", { textContent: sign }), { style: `color: var(--fim-${colour})`, "aria-hidden": "true" });
      item.append(` ${label}`);
    }
  }

  /** The size for this drawing, and what a reader hears of it. */
  size(height, text) {
    set(this.svg, { viewBox: `0 0 ${this.width} ${height}`, width: this.width, height, "aria-label": text });
  }

  /** The room's width, looked up only when it may have changed: that makes a browser lay out all that was drawn before. */
  measure() {
    this.width ||= Math.round(this.box.clientWidth) || 360;
    return this.width;
  }
}

/** A fill of thin slanted lines, for what there is no number for; returns what to put into `fill`. */
export function hatch(svg) {
  const id = unique();
  const pattern = element(element(svg, "defs"), "pattern", {
    id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
  });
  element(pattern, "line", { x1: 0, y1: 0, x2: 0, y2: 6, class: "fim-hatch" });
  return `url(#${id})`;
}
