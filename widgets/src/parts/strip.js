/**
 * A prompt's tokens in a row, and arcs from one of them as wide as its attention to each; a second one's hang below.
 */

import { Frame } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { leastTextSize, textSize, textWidth } from "../draw/text_layout.js";
import { percent } from "../run/format.js";

/** @import { Moment, Strip as StripPanel } from "../types.js" */

const TALL_TOKEN = 44; // pixels
const LOW_TOKEN = 26; // of a token without its symbol
const [GAP, NARROW_GAP] = [6, 1];
const NARROW = 60; // pixels: tokens that are narrower stand closer
const WEIGHTS_ROOM = 24;
const CAPTION_ROOM = 22;
const WIDEST = 16; // of an arc, half as wide again in the main drawing
const LARGE = { token: 62, word: 28, share: 20, room: 34, loop: 40 }; // there: of a token, letters, a row of shares
const LEAST_WEIGHT = 0.004; // arcs of less are not drawn
const EDGE = 9; // between the highest arc's middle and the edge
const LOOP = 11; // half the width of the arc from a token to itself

/** @typedef {{ weights: number[], below: number[] | null, says: string, text: string }} StripDrawing */

/**
 * The attention of one token: its weights, its number, the height and rise of its arcs, and where the shares stand.
 * @typedef {{ weights: number[], origin: number, y: number, rise: number, sharesY: number }} Attention
 */

/** @extends {Frame<StripPanel, StripDrawing>} */
export class Strip extends Frame {
  /** @param {HTMLElement} parent @param {StripPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.needsRoom(panel.tokens.length * (NARROW_GAP + Math.max(...panel.tokens.map(({ word }) => textWidth(word)))));
    this.layers = this.addLayers("arcs", "tokens", "words", "symbols", "weights", "says");
  }

  /** @param {StripDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { tokens, origin, below } = this.panel;
    const width = this.measure();
    const gap = width / tokens.length < NARROW ? NARROW_GAP : GAP;
    const pitch = (width + gap) / tokens.length;
    /** @param {number} i */
    const middle = (i) => i * pitch + (pitch - gap) / 2;
    const { tokenHeight, arcRoom, sharesRoom } = this.#sizes(width, Boolean(drawing.says));
    const top = Math.round(arcRoom + (below ? sharesRoom : 0));
    const foot = top + tokenHeight + sharesRoom;
    const end = below ? foot + arcRoom : foot;
    this.resize(end + (drawing.says ? CAPTION_ROOM : 0), drawing.text);
    /** @type {Attention[]} */
    const attentions =
      below && drawing.below
        ? [
            { weights: drawing.weights, origin, y: top - sharesRoom, rise: EDGE - arcRoom, sharesY: top - 6 },
            { weights: drawing.below, origin: below[1], y: foot, rise: arcRoom - EDGE, sharesY: foot - 9 },
          ]
        : [{ weights: drawing.weights, origin, y: top - 3, rise: 12 - top, sharesY: foot - 5 }];
    this.#drawArcs(attentions, middle);
    this.#drawTokens(middle, pitch - gap, top, tokenHeight);
    updateTexts(
      this.layers.weights,
      attentions.flatMap((attention) =>
        attention.weights.map((weight, i) => ({
          text: percent(weight),
          x: middle(i),
          y: attention.sharesY,
          colour: below ? tokens[attention.origin].colour : undefined,
        })),
      ),
    );
    updateTexts(this.layers.says, [{ text: drawing.says, x: width / 2, y: end + 15 }]);
  }

  /**
   * The heights of a token, of its arcs and of a row of shares.
   * @param {number} width
   * @param {boolean} says whether a caption stands below
   */
  #sizes(width, says) {
    const { below } = this.panel;
    if (this.isLarge) {
      const [tokenHeight, sharesRoom] = [below ? LARGE.token - 22 : LARGE.token, LARGE.room];
      const rows = below ? 2 : 1;
      const arcRoom = (this.mainHeight - tokenHeight - rows * sharesRoom - (says ? CAPTION_ROOM : 0)) / rows;
      return { tokenHeight, arcRoom, sharesRoom };
    }
    return {
      tokenHeight: below ? LOW_TOKEN : TALL_TOKEN,
      arcRoom: below ? clamp(0.13 * width, 36, 64) : clamp(0.22 * width, 64, 104),
      sharesRoom: WEIGHTS_ROOM,
    };
  }

  /** @param {Attention[]} attentions @param {(i: number) => number} middle */
  #drawArcs(attentions, middle) {
    const arcs = attentions.flatMap(({ weights, origin, y, rise }) =>
      weights.map((weight, i) => ({
        weight,
        i,
        d: arc(middle(origin), middle(i), y, rise, this.isLarge ? LARGE.loop : LOOP),
      })),
    );
    updateChildren(
      this.layers.arcs,
      "path",
      arcs.filter(({ weight }) => weight > LEAST_WEIGHT),
      (node, { weight, i, d }) =>
        setAttributes(node, {
          d,
          style: `stroke: var(--fim-${this.panel.tokens[i].colour})`,
          "stroke-width": 0.5 + (this.isLarge ? 1.5 : 1) * WIDEST * weight,
          "data-weight": weight,
        }),
    );
  }

  /**
   * @param {(i: number) => number} middle
   * @param {number} width
   * @param {number} top
   * @param {number} height
   */
  #drawTokens(middle, width, top, height) {
    const { tokens, below } = this.panel;
    updateChildren(this.layers.tokens, "rect", tokens, (node, { colour }, i) =>
      setAttributes(node, {
        x: middle(i) - width / 2 + 1,
        y: top,
        width: width - 2,
        height,
        rx: 7,
        style: `stroke: var(--fim-${colour})`,
      }),
    );
    const longest = Math.max(...tokens.map(({ word }) => word.length));
    const size = clamp((1.75 * width) / longest, leastTextSize(), this.isLarge ? LARGE.word : textSize());
    setAttributes(this.layers.words, { "font-size": size.toFixed(1) });
    setAttributes(this.layers.weights, { "font-size": this.isLarge ? LARGE.share : null });
    const line = below ? (height + 0.7 * size) / 2 : 0.43 * height + 0.1 * (this.isLarge ? size : 0);
    updateTexts(
      this.layers.words,
      tokens.map(({ word }, i) => ({
        text: width < NARROW ? word.replace(/ .*/, "") : word, // as much as there is room for
        x: middle(i),
        y: top + line,
      })),
    );
    updateTexts(
      this.layers.symbols,
      below ? [] : tokens.map(({ symbol, colour }, i) => ({ text: symbol, colour, x: middle(i), y: top + height - 9 })),
    );
  }
}

/**
 * From one place to another, by way of `rise` above (below zero) or below; from a place to itself a small loop.
 * @param {number} from
 * @param {number} to
 * @param {number} y
 * @param {number} rise
 * @param {number} width half that of a loop
 */
function arc(from, to, y, rise, width) {
  const loop = from === to ? width : 0;
  const bend = y + (loop ? 0.45 : 0.5 + 0.5 * Math.min(1, Math.abs(from - to) / 400)) * rise * 1.33;
  return `M${from - loop},${y}C${from - 1.6 * loop},${bend} ${to + 1.6 * loop},${bend} ${to + loop},${y}`;
}

/**
 * @param {StripPanel} panel
 * @param {Moment} moment
 * @returns {StripDrawing}
 */
export function stripDrawing({ title, tokens, field, origin, below, says, share }, { watched }) {
  /** @param {number[]} weights */
  const inWords = (weights) => tokens.map(({ word }, i) => `${word} ${percent(weights[i])}`).join(", ");
  const weights = [...watched[field]];
  const weightsBelow = below && [...watched[below[0]]];
  const attention =
    below && weightsBelow
      ? `From ${tokens[origin].word}: ${inWords(weights)}. From ${tokens[below[1]].word}: ${inWords(weightsBelow)}`
      : inWords(weights);
  const caption = share ? `${says} ${percent(watched[share[0]][share[1]])}` : "";
  return {
    weights,
    below: weightsBelow,
    says: caption,
    text: `${[title, attention, caption].filter(Boolean).join(". ")}.`,
  };
}
