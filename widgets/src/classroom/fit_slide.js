/**
 * Fills the window with a slide: words have the size of a hall, drawings are enlarged as far as there is room for them,
 * their labels at least to that size if it can be had, and what room is left stands above and below alike.
 */

import { laidOut } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { usualTextSize } from "../draw/text_layout.js";

const HALL = 28; // pixels of words, in a window of this width; others in proportion
const HALL_LABEL = 24.4; // of a drawing's labels: 36 of a projector's 1080 lines, and a hair more for rounding
const HALL_WIDTH = 1280;
const BAR = 60; // pixels of the bar and the code at the bottom
const ATTEMPTS = 10; // at a drawing's size: what is drawn narrower is not always as much lower
const SPARE = 24; // pixels that may stay free
const CLOSE = 0.06; // so near sizes are one
const LARGER_LABELS = 1.15; // of their usual size: so much more their places allow
const SHRINK = 0.95;
const LEAST = 16; // pixels of words
const REFITS = 4; // of a slide whose contents grow: a run may end with more words than it began with
export const NARROW = 960; // pixels: a window that a scene fills as it is
/** How large words are, of the hall’s size, where they have most of a slide. @type {Record<string, number>} */
const LARGER = { question: 1.6, why: 1.2 };
const STAGE = ".fim-stage";
/** What is enlarged, by the slide's kind. @type {Record<string, string>} */
const DRAWINGS = { run: STAGE, card: STAGE, result: STAGE, predict: ".fim-predict", why: ".fim-step" };

/** @import { Slide } from "./slide_list.js" */

let round = 0;
/** @type {ResizeObserver | undefined} */
let growth;

/**
 * Enlarge what a slide shows; null takes it back.
 * @param {Slide | null} slide
 */
export async function fitSlide(slide) {
  const ours = (round += 1);
  growth?.disconnect();
  setStyle({ words: "", zoom: "", label: "", least: "", above: "", text: "" });
  if (!slide || window.innerWidth < NARROW) return;
  const elements = slide.shown();
  let [refits, isFitting] = [0, false];
  const fit = async () => {
    refits += 1;
    isFitting = true;
    await fitOnce(slide.name, elements, () => ours === round);
    isFitting = false;
  };
  await fit();
  if (ours !== round) return;
  growth = new ResizeObserver(() => {
    if (isFitting) return;
    if (bottomOf(elements) <= room() + 1) centre(elements);
    else if (refits < REFITS) fit();
  });
  for (const element of elements) growth.observe(element);
}

/**
 * @param {string} name of the slide's kind
 * @param {Element[]} elements
 * @param {() => boolean} isShown whether the slide still is
 */
async function fitOnce(name, elements, isShown) {
  const isText = name === "theorem" || name === "exercise";
  const hall = (HALL * window.innerWidth) / HALL_WIDTH;
  const largest = hall * (LARGER[name] ?? 1);
  const drawing = DRAWINGS[name] && elements.map((element) => element.querySelector(DRAWINGS[name])).find(Boolean);
  setStyle({ words: `${largest}px`, above: "", text: isText ? `${largest}px` : "" });
  if (drawing) {
    const usual = usualTextSize();
    const wanted = (HALL_LABEL * window.innerWidth) / HALL_WIDTH;
    /** @param {number} zoom */
    const draw = (zoom) => {
      const label = clamp(wanted / zoom, usual, LARGER_LABELS * usual);
      setStyle({ zoom: String(zoom), label: `${label}px`, least: `${wanted / zoom}px` });
      return laidOut();
    };
    const least = Math.max(1, wanted / (LARGER_LABELS * usual)); // rather than smaller drawings there are smaller words
    let zoom = (HALL_WIDTH / NARROW) * (hall / usual);
    let [fits, exceeds] = [0, zoom];
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await draw(zoom);
      if (!isShown()) return;
      const over = bottomOf(elements) - room();
      if (over <= 0 || zoom <= least) fits = zoom;
      else exceeds = zoom;
      if (fits && (exceeds - fits < CLOSE || (over <= 0 && over > -SPARE))) break;
      const { height } = drawing.getBoundingClientRect();
      zoom = fits ? (fits + exceeds) / 2 : Math.max(least, zoom * Math.min(SHRINK, 1 - over / height));
    }
    if (zoom !== fits) await draw(fits || least);
    if (!isShown()) return;
  }
  for (let size = largest; bottomOf(elements) > room() && size > LEAST; size *= SHRINK)
    setStyle({ words: `${size}px`, text: isText ? `${size}px` : "" });
  centre(elements);
}

/** Leave as much room above as below. @param {Element[]} elements */
function centre(elements) {
  setStyle({ above: "" });
  setStyle({ above: `${Math.max(0, (room() - bottomOf(elements)) / 2)}px` });
}

const room = () => window.innerHeight - BAR;

/** Where what is shown ends: formulas reach below their box. @param {Element[]} elements */
function bottomOf(elements) {
  const shown = elements.flatMap((element) => [element, ...element.querySelectorAll("p, mjx-container")]);
  return Math.max(...shown.map((element) => element.getBoundingClientRect().bottom)) + window.scrollY;
}

/** @param {Record<string, string>} values of the style sheet's variables; "text" is the size of all text */
function setStyle({ text, ...values }) {
  const { style } = document.documentElement;
  if (text !== undefined) style.fontSize = text;
  for (const [name, value] of Object.entries(values)) style.setProperty(`--slide-${name}`, value);
}
