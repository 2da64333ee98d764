/** Where texts of a drawing fit: their size and width, and places at which they do not overlap. */

const LETTER = 0.558; // of a text's size: the average width of a letter
const BOLD = 1.16; // how much wider bold letters are
/** A window as wide as a laptop's. */
export const LARGE_SCREEN = globalThis.matchMedia?.("(min-width: 60rem)");

/** Whether the window is as wide as a laptop's. */
export const isLargeScreen = () => Boolean(LARGE_SCREEN?.matches);

/** The size of texts in drawings on a page, as view/figure.css has it. */
export const usualTextSize = () => (isLargeScreen() ? 16 : 12);

/**
 * A size of texts of a slide, as classroom/fit_slide.js asks for; 0 or NaN on a page.
 * @param {"label" | "least"} name
 */
const slideSize = (name) =>
  isLargeScreen() ? parseFloat(document.documentElement.style.getPropertyValue(`--slide-${name}`)) : 0;

/** The size of texts in drawings: a slide's, or the usual one. */
export const textSize = () => slideSize("label") || usualTextSize();

/** How many pixels larger than usual texts are. */
export const extraTextSize = () => textSize() - usualTextSize();

/** The height of a line of text, of its size. */
export const LINE = 1.2;

/** The least size that can be read. */
export const leastTextSize = () => slideSize("least") || (isLargeScreen() ? 14 : 11);

/** About how wide a text is, in pixels. @param {unknown} text */
export const textWidth = (text, bold = false) => textSize() * LETTER * (bold ? BOLD : 1) * [...String(text)].length;

/**
 * Where a text stands that keeps a distance from a place: to its right, or to its left.
 * @param {number} x
 * @param {number} distance
 * @param {boolean} left
 */
export const beside = (x, distance, left) =>
  left ? { x: x - distance, anchor: "end" } : { x: x + distance, anchor: "start" };

/**
 * As much of a text as there is room for.
 * @param {string} text
 * @param {number} room
 */
export function truncate(text, room) {
  const letters = [...text];
  const most = Math.floor(room / textWidth("m"));
  return letters.length <= most ? text : `${letters.slice(0, Math.max(1, most - 1)).join("")}…`;
}

/**
 * A text in lines for which there is room, broken between words.
 * @param {string} text
 * @param {number} room
 */
export function wrapped(text, room, bold = false) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && textWidth(longer, bold) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * The name of an axis about its middle; on a slide, where nothing goes beyond the screen, moved and shortened to fit.
 * @param {string} name
 * @param {number} middle
 * @param {number} width of the drawing
 */
export function axisName(name, middle, width) {
  if (!slideSize("label")) return { text: name, x: middle };
  const text = truncate(name, width);
  const half = textWidth(text) / 2;
  return { text, x: Math.max(half, Math.min(middle, width - half)) };
}

/**
 * Those of the ticks, in the order of their places, whose texts do not touch; none goes beyond the right edge.
 * @template {{ x: number, text: string }} Tick
 * @param {Tick[]} ticks
 * @param {number} edge
 */
export function withoutOverlaps(ticks, edge, room = 8) {
  let end = -Infinity;
  return ticks
    .map((tick) => ({ ...tick, x: Math.min(tick.x, edge - textWidth(tick.text) / 2) }))
    .filter(({ x, text }) => {
      const half = textWidth(text) / 2;
      if (x - half < end + room) return false;
      end = x + half;
      return true;
    });
}

/**
 * Middles of labels near to the wanted ones at which no two overlap, in the same order and inside [low, high].
 * @param {number[]} wanted
 * @param {number[]} sizes of the labels, with what is to be left between them
 * @param {number} low
 * @param {number} high
 */
export function spreadApart(wanted, sizes, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  /** @type {number[]} */
  const placed = [];
  let floor = low;
  for (const i of order) {
    placed[i] = Math.max(wanted[i], floor + sizes[i] / 2);
    floor = placed[i] + sizes[i] / 2;
  }
  let ceiling = high;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i], ceiling - sizes[i] / 2);
    ceiling = placed[i] - sizes[i] / 2;
  }
  return placed;
}
