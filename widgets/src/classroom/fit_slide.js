/** Fills the window with a slide: a scene is enlarged, as far on each slide, and words are set as large as they fit. */

const NATURAL_WIDTH = 760; // pixels at which a scene is drawn, before it is enlarged
const BAR = 88; // pixels of the bar and the code at the bottom
const WORDS = 0.2; // of the window's height, for the words beside a scene
const ATTEMPTS = 5; // at a scene's size: what is drawn narrower is not always as much lower
const LARGEST = 0.025; // a text's size, as a share of the window's width: 32 pixels of 1280
const SMALLEST = 16; // pixels
const SHRINK = 0.94;
export const NARROW = 960; // pixels: a window that a scene fills as it is

/** @import { Slide } from "./slide_list.js" */

/** How far scenes are enlarged, in a window of this size. */
let enlarged = { window: "", zoom: 1 };

/**
 * Enlarge what a slide shows; null takes it back.
 * @param {Slide | null} slide
 * @param {HTMLElement} root of the figure
 */
export async function fitSlide(slide, root) {
  const page = document.documentElement;
  const stage = /** @type {HTMLElement} */ (root.querySelector(".fim-stage"));
  page.style.fontSize = "";
  page.style.removeProperty("--fim-words");
  stage.style.zoom = "";
  if (!slide) enlarged.window = "";
  if (!slide || window.innerWidth < NARROW) return;
  if (slide.name === "text") fitWords(slide.elements, (size) => (page.style.fontSize = size));
  else {
    await fitStage(stage, root);
    fitWords(slide.elements, (size) => page.style.setProperty("--fim-words", size));
  }
}

/**
 * Set words as large as they fit.
 * @param {Element[]} elements that hold them
 * @param {(size: string) => void} set
 */
function fitWords(elements, set) {
  const ends = () => Math.max(...elements.map((element) => element.getBoundingClientRect().bottom));
  const fits = () => ends() + window.scrollY <= window.innerHeight - BAR;
  let size = Math.round(LARGEST * window.innerWidth);
  do set(`${size}px`);
  while (!fits() && (size *= SHRINK) > SMALLEST);
}

/**
 * Draw a scene at its natural width, enlarged to the window's, and then smaller until it leaves room for words.
 * @param {HTMLElement} stage
 * @param {HTMLElement} root
 */
async function fitStage(stage, root) {
  const { innerWidth, innerHeight } = window;
  const now = `${innerWidth} ${innerHeight}`;
  if (enlarged.window !== now) enlarged = { window: now, zoom: root.clientWidth / NATURAL_WIDTH };
  const most = (1 - WORDS) * innerHeight - BAR;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    stage.style.zoom = String(enlarged.zoom);
    await drawn();
    const { height } = stage.getBoundingClientRect();
    if (height <= most || enlarged.zoom <= 1) return;
    enlarged.zoom = Math.max(1, enlarged.zoom * Math.min(SHRINK, most / height));
  }
}

/** Drawings follow their room in the frame after it has changed. */
const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
