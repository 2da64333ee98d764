/** Words on the left, words on the right, and links between them as wide as a number says. */

import { Frame } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { LINE, textSize, textWidth, wrapped } from "../draw/text_layout.js";
import { percent, readable } from "../run/format.js";

/** @import { Moment, Net as NetPanel } from "../types.js" */

const ROW = 27; // pixels from one word to the next
const CAPTION_ROOM = 22;
const WIDEST = 12; // of a link
const FAINTEST = 0.15; // opacity of a link to what is hardly ever said
const GAP = 11; // between a word and its links
const LEAST_LINK = 12; // pixels: the length of a link
const SLACK = 8; // pixels by which a word of wide letters exceeds its width as estimated

/** `chances` go from 0 to 1, the most probable. */
/** @typedef {{ values: number[], chances: number[], words: string[], says: string, text: string }} NetDrawing */

/** @extends {Frame<NetPanel, NetDrawing>} */
export class Net extends Frame {
  /** @param {HTMLElement} parent @param {NetPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.needsRoom(LEAST_LINK + 2 * GAP + SLACK + this.#roomOnLeft() + this.#roomOnRight());
    this.layers = this.addLayers("links", "words", "says");
  }

  /** In pixels. */
  #roomOnLeft() {
    return widest(this.panel.left.map(({ word }) => word));
  }

  /** Whatever the shares are, in pixels. */
  #roomOnRight() {
    return widest(this.panel.right.map(({ word }) => (this.panel.shares ? `${word} > 99 %` : word)));
  }

  /** @param {NetDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { left, right, links, full, shares } = this.panel;
    const width = this.measure();
    const height = Math.max(left.length, right.length) * ROW;
    /** @param {number} i */
    const y = (i) => (i + 0.5) * ROW;
    const letters = this.#roomOnLeft() + this.#roomOnRight();
    const scale = Math.min(1, (width - LEAST_LINK - 2 * GAP - SLACK) / letters); // long words get smaller
    const from = scale * this.#roomOnLeft() + GAP;
    const to = width - scale * this.#roomOnRight() - SLACK - GAP;
    setAttributes(this.layers.words, { "font-size": scale < 1 ? (scale * textSize()).toFixed(1) : null });
    const says = wrapped(drawing.says, width, true);
    const line = LINE * textSize();
    this.resize(height + (drawing.says ? CAPTION_ROOM + (says.length - 1) * line : 0), drawing.text);
    updateChildren(this.layers.links, "path", links, (node, link, i) => {
      const [start, end] = [y(link.left), y(link.right)];
      setAttributes(node, {
        d: `M${from},${start}C${(from + to) / 2},${start} ${(from + to) / 2},${end} ${to},${end}`,
        style: `stroke: var(--fim-${link.colour})`,
        "stroke-opacity": shares ? FAINTEST + (1 - FAINTEST) * drawing.chances[link.right] : null,
        "stroke-width": 1 + WIDEST * clamp(drawing.values[i] / full, 0, 1),
        "data-value": drawing.values[i],
      });
    });
    updateTexts(this.layers.words, [
      ...left.map(({ word, colour }, i) => ({ text: word, colour, x: from - GAP, y: y(i) + 5, anchor: "end" })),
      ...right.map(({ colour }, i) => ({ text: drawing.words[i], colour, x: to + GAP, y: y(i) + 5, anchor: "start" })),
    ]);
    updateTexts(this.layers.says, says.map((text, i) => ({ text, x: width / 2, y: height + 15 + i * line })));
  }
}

/** The width of the longest of some words, in pixels. @param {string[]} words */
const widest = (words) => Math.max(...words.map((word) => textWidth(word, true)));

/**
 * @param {NetPanel} panel
 * @param {Moment} moment
 * @returns {NetDrawing}
 */
export function netDrawing({ title, left, right, links, field, share, says, shares }, { watched }) {
  const values = [...watched[field]];
  const linksInWords = links.map(
    (link, i) => `${left[link.left].word} – ${right[link.right].word} ${readable(values[i], 3)}`,
  );
  const words = right.map(({ word }, i) => (shares ? `${word} ${percent(watched[shares][i])}` : word));
  const caption = share ? `${says} ${percent(watched[share[0]][share[1]])}` : "";
  const description = [linksInWords.join(", "), caption, ...(shares ? [words.join(", ")] : [])]
    .filter(Boolean)
    .join("; ");
  const chances = shares ? [...watched[shares]] : [];
  const most = Math.max(...chances);
  return { values, chances: chances.map((chance) => chance / most), words, says: caption, text: `${title}. ${description}.` };
}
