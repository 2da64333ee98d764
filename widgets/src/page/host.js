/**
 * What an exported figure takes from the page around it, and tells it: light or dark, and settings.
 *
 * Nothing here asks for more of a host than it has to give: a model has `get` and `on`, and may have `set`.
 */

import { addressName, entryOf, standingOf } from "./address.js";
import { setByText } from "./read_setting.js";

/** @import { Model } from "./models.js" */
/** @typedef {{ get(trait: string): unknown, on(event: string, listener: () => void): void,
 *   set?(trait: string, value: unknown): void, save_changes?(): void }} Host */

const LIGHT_TEXT = 0.5; // luminance from which on a text is a light one on a dark page

/**
 * Keep a box light or dark as its surroundings are, by the colour of the text there.
 * @param {HTMLElement} box with the attribute `data-theme` from then on
 * @returns {() => void} what ends it
 */
export function followTheme(box) {
  const update = () => {
    const around = /** @type {Element} */ (box.parentElement ?? document.body);
    const dark = luminance(getComputedStyle(around).color) > LIGHT_TEXT;
    box.dataset.theme = dark ? "dark" : "light";
    box.style.setProperty("--pst-color-background", backgroundOf(around));
  };
  const observer = new MutationObserver(update);
  for (const node of ancestors(box)) observer.observe(node, { attributeFilter: ["class", "style", "data-theme"] });
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", update);
  document.addEventListener("transitionend", update);
  update();
  return () => {
    observer.disconnect();
    system.removeEventListener("change", update);
    document.removeEventListener("transitionend", update);
  };
}

/** The elements around one, out of shadow trees, too. @param {Element} element */
function* ancestors(element) {
  /** @type {Node | null} */
  let node = element.parentNode;
  while (node) {
    if (node instanceof Element) yield node;
    node = node instanceof ShadowRoot ? node.host : node.parentNode;
  }
}

/** The colour behind an element, as CSS. @param {Element} element */
function backgroundOf(element) {
  for (const node of [element, ...ancestors(element)]) {
    const colour = getComputedStyle(node).backgroundColor;
    if (colour !== "transparent" && pixelOf(colour)[3] > 0) return colour;
  }
  return "Canvas";
}

/** Red, green, blue and opacity of any colour of CSS, 0 to 255. @param {string} colour */
function pixelOf(colour) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

/** From 0, black, to 1, white. @param {string} colour */
function luminance(colour) {
  const [red, green, blue] = pixelOf(colour);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

/**
 * Keep a control and the host's setting of its name alike: what the host says from the start on, and what a reader
 * moves, if the host can be told.
 * @param {Host} host
 * @param {Model} model
 */
export function shareSetting(host, model) {
  const name = addressName(model);
  if (!name) return;
  const entry = entryOf(model);
  const follow = () => {
    const value = host.get(name);
    if (value !== undefined) setByText(model, String(value));
  };
  host.on(`change:${name}`, follow);
  follow();
  if (!("set" in host)) return;
  model.on(`change:${entry.trait}`, () => {
    const value = standingOf(entry);
    if (host.get(name) === value) return;
    host.set?.(name, value);
    if ("save_changes" in host) host.save_changes?.();
  });
}
