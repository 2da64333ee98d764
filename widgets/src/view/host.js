/**
 * What a figure takes from a page that is not the book's: light or dark, as the paper it stands on. And what it keeps
 * from it: the keys of its own parts.
 *
 * The page may change its paper, or take the figure into its tree later.
 */

const LIGHT = 0.5; // luminance from which on paper is light, and a text stands on dark paper
const CLEAR = "rgba(0, 0, 0, 0)";
const BLANK = "Canvas"; // the paper of a page that has no colour, in CSS
/** The paper of hosts that show it through a frame without one: VS Code's. */
const PAPERS = ["--vscode-editor-background"];

/**
 * Have a box with a figure live in a page that is not the book's.
 * @param {HTMLElement} box with the class `fim-host` and the attribute `data-theme` from then on
 * @returns {() => void} what ends it
 */
export function liveInHost(box) {
  box.classList.add("fim-host");
  box.addEventListener("keydown", keepKey);
  const endPaper = followPaper(box);
  return () => {
    box.removeEventListener("keydown", keepKey);
    endPaper();
  };
}

/**
 * In JupyterLab a "b" would insert a cell, also where a button has the focus; Escape leads back to the notebook.
 * @param {KeyboardEvent} event
 */
function keepKey(event) {
  if (!event.ctrlKey && !event.metaKey && !event.altKey && event.key !== "Escape") event.stopPropagation();
}

/**
 * Keep a box light or dark as the paper behind it is.
 * @param {HTMLElement} box
 * @returns {() => void} what ends it
 */
function followPaper(box) {
  /** @type {Element[]} */
  let around = [];
  const observer = new MutationObserver(() => follow());
  const follow = () => {
    const now = [...ancestors(box)];
    if (now.length !== around.length || now.some((node, i) => node !== around[i])) {
      around = now;
      observer.disconnect();
      for (const node of around) observer.observe(node, { attributes: true, childList: true });
      // taken out and put elsewhere before the next frame, a box has never had another size
      if (!box.isConnected) observer.observe(document, { childList: true, subtree: true });
      observer.observe(document.head, { attributes: true, childList: true, characterData: true, subtree: true });
    }
    if (box.isConnected) show(box, around);
  };
  /** @param {Event} event */
  const heed = ({ target }) => {
    if (target instanceof HTMLLinkElement || (target instanceof Element && around.includes(target))) follow();
  };
  const attached = new ResizeObserver(follow); // which tells of a box that was in no page, too
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  attached.observe(box);
  system.addEventListener("change", follow);
  document.addEventListener("transitionend", heed);
  document.addEventListener("load", heed, true);
  follow();
  return () => {
    observer.disconnect();
    attached.disconnect();
    system.removeEventListener("change", follow);
    document.removeEventListener("transitionend", heed);
    document.removeEventListener("load", heed, true);
  };
}

/** @param {HTMLElement} box @param {Element[]} around */
function show(box, around) {
  const { colour, isDark } = paperOf(around);
  const theme = isDark ? "dark" : "light";
  if (box.dataset.theme !== theme) box.dataset.theme = theme;
  if (box.style.getPropertyValue("--pst-color-background") !== colour)
    box.style.setProperty("--pst-color-background", colour);
}

/** The elements around one, as they are drawn: also those around a shadow tree. @param {Element} element */
function* ancestors(element) {
  /** @type {Node | null} */
  let node = element.assignedSlot ?? element.parentNode;
  while (node) {
    if (node instanceof Element) yield node;
    node = node instanceof ShadowRoot ? node.host : ((node instanceof Element && node.assignedSlot) || node.parentNode);
  }
}

/**
 * The colours behind a box, one upon the other. Where none of them covers the page, its text tells what is below.
 * @param {Element[]} around the inner ones first
 */
function paperOf(around) {
  /** @type {string[]} */
  const layers = [];
  for (const node of around) {
    const { backgroundColor } = getComputedStyle(node);
    if (backgroundColor !== CLEAR) layers.unshift(backgroundColor);
    if (pixelOf(backgroundColor)[3] === 255) break;
  }
  const [red, green, blue, alpha] = pixelOf(...layers);
  if (alpha === 255) return { colour: `rgb(${red}, ${green}, ${blue})`, isDark: luminance(...layers) <= LIGHT };
  const root = getComputedStyle(document.documentElement);
  const known = PAPERS.map((name) => root.getPropertyValue(name).trim()).find(Boolean);
  if (known) return { colour: known, isDark: luminance(known, ...layers) <= LIGHT };
  return { colour: BLANK, isDark: luminance(getComputedStyle(around[0]).color) > LIGHT };
}

/** @type {CanvasRenderingContext2D | undefined} */
let pixel;
/**
 * Red, green, blue and opacity of colours of CSS that are laid one upon the other, 0 to 255.
 * @param {string[]} colours
 */
function pixelOf(...colours) {
  if (!pixel) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    pixel = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  }
  pixel.clearRect(0, 0, 1, 1);
  for (const colour of colours) {
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
  }
  return pixel.getImageData(0, 0, 1, 1).data;
}

/** From 0, black, to 1, white. @param {string[]} colours */
function luminance(...colours) {
  const [red, green, blue] = pixelOf(...colours);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}
