/** Fills the window with a slide: a scene is enlarged, and a text is set as large as it fits. */

const NATURAL_WIDTH = 760; // pixels at which a scene is drawn, before it is enlarged
const BAR = 88; // pixels of the bar and the code at the bottom
const ATTEMPTS = 5; // at a scene's size: what is drawn narrower is not always as much lower
const LARGEST = 0.025; // a text's size, as a share of the window's width: 32 pixels of 1280
const SMALLEST = 16; // pixels
const SHRINK = 0.94;
const NARROW = 960; // pixels: a window that a scene fills as it is

/** @import { Slide } from "./slide_list.js" */

/**
 * Enlarge what a slide shows; null takes it back.
 * @param {Slide | null} slide
 * @param {HTMLElement} root of the figure
 */
export async function fitSlide(slide, root) {
  const page = document.documentElement;
  const stage = /** @type {HTMLElement} */ (root.querySelector(".fim-stage"));
  page.style.fontSize = "";
  stage.style.zoom = "";
  if (!slide || window.innerWidth < NARROW) return;
  if (slide.name === "text") fitText(page, slide.elements);
  else await fitStage(stage, root);
}

/** @param {HTMLElement} page @param {Element[]} elements */
function fitText(page, elements) {
  const ends = () => Math.max(...elements.map((element) => element.getBoundingClientRect().bottom));
  const fits = () => ends() + window.scrollY <= window.innerHeight - BAR;
  let size = Math.round(LARGEST * window.innerWidth);
  do page.style.fontSize = `${size}px`;
  while (!fits() && (size *= SHRINK) > SMALLEST);
}

/**
 * Draw a scene at its natural width, enlarged to the window's, and then smaller until the words below it fit, too.
 * @param {HTMLElement} stage
 * @param {HTMLElement} root
 */
async function fitStage(stage, root) {
  const live = root.closest(".fim-live") ?? root;
  let zoom = root.clientWidth / NATURAL_WIDTH;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    stage.style.zoom = String(zoom);
    await drawn();
    const { height } = stage.getBoundingClientRect();
    const over = live.getBoundingClientRect().bottom + window.scrollY - (window.innerHeight - BAR);
    if (over <= 0 || zoom <= 1) return;
    zoom = Math.max(1, zoom * Math.min(SHRINK, 1 - over / height));
  }
}

/** Drawings follow their room in the frame after it has changed. */
const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
