/** Sentences as cards: what each word adds stands in signed blocks, and a card tilts while its answer is wrong. */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { isLargeScreen, LINE, textSize, textWidth, wrapped } from "../../../widgets/src/draw/text_layout.js";
import { readable } from "../../../widgets/src/run/format.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Label } from "../../../widgets/src/draw/svg.js" */
/** @import { Card, Cards as CardsPanel, Moment } from "../../../widgets/src/types.js" */

const GAP = 12;
const TALLEST = 190; // pixels of a card's blocks
const MARGIN = 6; // between a card and the words around it
/** Where a card's blocks begin and end, and the column of their sum: parts of its width. */
const BLOCKS = [0.06, 0.62];
const SUM = [0.71, 0.87];
const LEAST_AXIS = 0.2; // so that the first small steps stay small
const USED = 0.92; // of the half of a card that the largest stack takes
const LEAN = Math.sin((5 * Math.PI) / 180); // of a card that is wrong, to the left, as figure.css has it
const ZERO = 1e-9; // numbers nearer to zero are written as zero

/** @typedef {{ blocks: { from: number, to: number }[], high: number, low: number, sum: number }} Stack */
/** @typedef {{ stacks: Stack[], margins: number[], text: string }} CardsDrawing */
/**
 * @typedef {{ left: number, top: number, width: number, height: number, middle: number,
 *   y: (value: number) => number }} Geometry of a card; `middle` is the height of zero
 */

/** @extends {Frame<CardsPanel, CardsDrawing>} */
class Cards extends Frame {
  /** @param {HTMLElement} parent @param {CardsPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    const layer = this.addLayers("cards").cards;
    this.cards = panel.cards.map((card) => newCard(layer, card));
    this.words = [...panel.words, panel.rest];
  }

  /** @param {CardsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const line = LINE * textSize();
    const pitch = (width + GAP) / this.panel.cards.length; // before there is room for cards that lean
    const sentences = this.panel.cards.map(({ name }) => wrapped(name, pitch - GAP));
    const top = line * Math.max(...sentences.map((lines) => lines.length)) + MARGIN;
    const notes = this.panel.cards.map(({ note }) => wrapped(note, pitch - GAP));
    const foot = line * (1 + Math.max(...notes.map((lines) => lines.length))) + MARGIN;
    const height = this.isLarge ? this.mainHeight - top - foot : Math.min(TALLEST, 0.44 * width);
    const inset = LEAN * (top + height + foot); // so that no card leans out of the drawing
    const most = Math.max(LEAST_AXIS, ...drawing.stacks.flatMap(({ low, high }) => [-low, high]));
    const middle = top + height / 2;
    /** @param {number} value */
    const y = (value) => middle - (USED * value * height) / 2 / most;
    this.resize(top + height + foot, drawing.text);
    const room = (width - inset + GAP) / drawing.stacks.length;
    drawing.stacks.forEach((stack, i) => {
      const geometry = { left: inset + i * room + 2, top, width: room - GAP - 4, height, middle, y };
      this.#drawCard(i, stack, geometry);
      this.#write(i, stack, geometry, sentences[i], notes[i]);
    });
  }

  /**
   * @param {number} i
   * @param {Stack} stack
   * @param {Geometry} geometry
   */
  #drawCard(i, stack, { left, top, width, height, middle, y }) {
    const { group, sheet, blocks, zero, sum } = this.cards[i];
    setAttributes(sheet, { x: left, y: top, width, height });
    blocks.forEach((block, k) => {
      const { from, to } = stack.blocks[k];
      setAttributes(block, {
        ...columnOf(BLOCKS, left, width),
        y: y(Math.max(from, to)),
        height: Math.abs(y(from) - y(to)),
        style: `--colour: var(--fim-${this.#word(i, k).colour})`,
        "data-value": to - from,
      });
    });
    setAttributes(zero, { d: `M${left},${middle}h${width}` });
    const [high, low] = [y(Math.max(0, stack.sum)), y(Math.min(0, stack.sum))];
    setAttributes(sum, { ...columnOf(SUM, left, width), y: high, height: low - high });
    group.classList.toggle("fim-wrong", this.#isWrong(i));
    group.dataset.margin = String(this.drawing?.margins[i]);
  }

  /**
   * The word whose block is the k-th of a card: the last one is the rest's.
   * @param {number} i
   * @param {number} k
   */
  #word(i, k) {
    return this.panel.words[this.panel.cards[i].holds[k]] ?? this.panel.rest;
  }

  /**
   * The sentence above its card, in the colours of its words; the words on their blocks, and the sum across the zero
   * line from its column; the answer below.
   * @param {number} i
   * @param {Stack} stack
   * @param {Geometry} geometry
   * @param {string[]} sentence its lines
   * @param {string[]} note its lines
   */
  #write(i, stack, { left, top, width, height, middle, y }, sentence, note) {
    const x = left + width / 2;
    const line = LINE * textSize();
    const { texts, lines } = this.cards[i];
    updateChildren(lines, "text", sentence, (node, words, k) => {
      setAttributes(node, { x, y: top - MARGIN - 0.25 * textSize() - line * (sentence.length - 1 - k), "text-anchor": "middle" });
      updateChildren(node, "tspan", words.split(" "), (span, word, place) => {
        const { colour } = this.words.find((known) => known.word === word) ?? this.panel.rest;
        setAttributes(span, { style: `fill: var(--fim-${colour})` });
        span.textContent = place ? ` ${word}` : word;
      });
    });
    const said = stack.sum > 0 ? "yes" : "no";
    const wrong = this.#isWrong(i);
    const isZero = Math.abs(stack.sum) < ZERO;
    const number = readable(isZero ? 0 : stack.sum, 2);
    const answer = { text: `${wrong ? "✕" : "✓"} “${said}”`, colour: wrong ? "bad" : "good" };
    const column = columnOf(SUM, left, width);
    const below = top + height + MARGIN + 0.75 * textSize();
    updateTexts(texts, [
      ...this.#blockNames(i, stack, columnOf(BLOCKS, left, width), y),
      {
        text: isLargeScreen() ? `sum ${number}` : number,
        x: column.x + column.width / 2,
        y: stack.sum > 0 ? middle + textSize() : middle - MARGIN,
      },
      { ...(isZero ? { text: "undecided" } : answer), x, y: below },
      ...note.map((text, k) => ({ text, x, y: below + line * (k + 1) })),
    ]);
  }

  /**
   * The words that there is room for on their blocks.
   * @param {number} i
   * @param {Stack} stack
   * @param {{ x: number, width: number }} column
   * @param {(value: number) => number} y
   * @returns {Label[]}
   */
  #blockNames(i, stack, { x, width }, y) {
    return stack.blocks.flatMap(({ from, to }, k) => {
      const { word } = this.#word(i, k);
      const fits = Math.abs(y(from) - y(to)) > textSize() && textWidth(word) < width;
      const middle = (y(from) + y(to)) / 2 + 0.35 * textSize();
      return fits ? [{ text: word, x: x + width / 2, y: middle }] : [];
    });
  }

  /** A margin of NaN is wrong, too. @param {number} i */
  #isWrong(i) {
    return !((this.drawing?.margins[i] ?? NaN) > 0);
  }
}

/**
 * The place and width of a column, from the parts of a card's width at which it begins and ends.
 * @param {number[]} parts
 * @param {number} left
 * @param {number} width
 */
const columnOf = ([from, to], left, width) => ({ x: left + from * width, width: (to - from) * width });

/**
 * The elements of a card.
 * @param {SVGElement} layer
 * @param {Card} card
 */
function newCard(layer, { holds }) {
  const group = addSvg(layer, "g");
  const sheet = addSvg(group, "rect", { class: "fim-card", rx: 8 });
  // the last for the rest
  const blocks = Array.from({ length: holds.length + 1 }, () => addSvg(group, "rect", { class: "fim-block" }));
  const zero = addSvg(group, "path", { class: "fim-zero" });
  const sum = addSvg(group, "rect", { class: "fim-sum" });
  const lines = addSvg(group, "g", { class: "fim-sentence" });
  return { group, sheet, blocks, zero, sum, lines, texts: addSvg(group, "g") };
}

/**
 * Numbers stacked away from zero, those above it upwards, those below it downwards.
 * @param {number[]} values
 * @returns {Stack}
 */
function stack(values) {
  let [high, low] = [0, 0];
  const blocks = values.map((value) => {
    const from = value > 0 ? high : low;
    if (value > 0) high += value;
    else low += value;
    return { from, to: from + value };
  });
  return { blocks, high, low, sum: high + low };
}

/**
 * What each word of a card adds, and last what is left of its output for all its other words together.
 * @param {Card} card
 * @param {number[]} values
 * @param {number} margin
 */
function contributions({ holds, label }, values, margin) {
  const named = holds.map((word) => values[word]);
  return [...named, label * margin - named.reduce((sum, value) => sum + value, 0)];
}

/**
 * @param {CardsPanel} panel
 * @param {Moment} moment
 * @returns {CardsDrawing}
 */
function cardsDrawing({ title, words, cards, field, margins }, { watched }) {
  const [values, cardMargins] = [[...watched[field]], [...watched[margins]]];
  const inWords = cards.map(
    ({ name }, i) => `${name}: margin ${readable(cardMargins[i], 3)}, ${cardMargins[i] > 0 ? "correct" : "wrong"}`,
  );
  const added = words.map(({ word }, i) => `${word} adds ${readable(values[i], 3)}`);
  return {
    stacks: cards.map((card, i) => stack(contributions(card, values, cardMargins[i]))),
    margins: cardMargins,
    text: `${title}. ${added.join(", ")}. ${inWords.join("; ")}.`,
  };
}

/** @type {Record<string, Kind>} */
export const kinds = { cards: { Panel: Cards, drawing: ofMoment(cardsDrawing), moves: always } };
