/** Kinds of sentences as cards: what each word adds stands in signed blocks, and a card tilts while it is wrong. */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { addSvg, setAttributes, updateTexts } from "../../../widgets/src/draw/svg.js";
import { readable } from "../../../widgets/src/run/format.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Card, Cards as CardsPanel, Moment } from "../../../widgets/src/types.js" */

const GAP = 12;
const TALLEST = 190; // pixels of a card's blocks
const NAME_ROOM = 22;
const FOOT_ROOM = 48; // for a card's sum and how common it is
const LEAST_AXIS = 0.2; // so that the first small steps stay small
const USED = 0.92; // of the half of a card that the largest stack takes
const LEAN = Math.sin((5 * Math.PI) / 180); // of a card that is wrong, to the left, as figure.css has it
const ZERO = 1e-9; // numbers nearer to zero are written as zero

/** @typedef {{ blocks: { from: number, to: number }[], high: number, low: number, sum: number }} Stack */
/** @typedef {{ stacks: Stack[], margins: number[], text: string }} CardsDrawing */
/**
 * @typedef {{ left: number, width: number, height: number, middle: number, y: (value: number) => number }} Geometry
 *   of a card; `middle` is the height of zero
 */

/** @extends {Frame<CardsPanel, CardsDrawing>} */
class Cards extends Frame {
  /** @param {HTMLElement} parent @param {CardsPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    const layer = this.addLayers("cards").cards;
    this.cards = panel.cards.map((card) => newCard(layer, card));
    const words = [...panel.words, panel.rest].map(({ word, colour }) => ({ label: word, colour, sign: "■" }));
    this.showLegend([...words, { label: "sum", colour: "ink", sign: "▬" }]);
  }

  /** @param {CardsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const height = this.isLarge ? this.mainHeight - NAME_ROOM - FOOT_ROOM : Math.min(TALLEST, 0.5 * width);
    const inset = LEAN * (NAME_ROOM + height + FOOT_ROOM); // so that no card leans out of the drawing
    const pitch = (width - inset + GAP) / this.panel.cards.length;
    const most = Math.max(LEAST_AXIS, ...drawing.stacks.flatMap(({ low, high }) => [-low, high]));
    const middle = NAME_ROOM + height / 2;
    /** @param {number} value */
    const y = (value) => middle - (USED * value * height) / 2 / most;
    this.resize(NAME_ROOM + height + FOOT_ROOM, drawing.text);
    drawing.stacks.forEach((stack, i) => {
      const geometry = { left: inset + i * pitch + 2, width: pitch - GAP - 4, height, middle, y };
      this.#drawCard(i, stack, geometry);
      this.#write(i, stack.sum, geometry);
    });
  }

  /**
   * @param {number} i
   * @param {Stack} stack
   * @param {Geometry} geometry
   */
  #drawCard(i, stack, { left, width, height, middle, y }) {
    const { words, rest, cards } = this.panel;
    const { group, sheet, blocks, zero, sum } = this.cards[i];
    setAttributes(sheet, { x: left, y: NAME_ROOM, width, height });
    blocks.forEach((block, k) => {
      const { from, to } = stack.blocks[k];
      setAttributes(block, {
        x: left + 0.2 * width,
        width: 0.6 * width,
        y: y(Math.max(from, to)),
        height: Math.abs(y(from) - y(to)),
        style: `--colour: var(--fim-${(words[cards[i].holds[k]] ?? rest).colour})`,
        "data-value": to - from,
      });
    });
    setAttributes(zero, { d: `M${left},${middle}h${width}` });
    setAttributes(sum, { d: `M${left + 0.1 * width},${y(stack.sum)}h${0.8 * width}` });
    group.classList.toggle("fim-wrong", this.#isWrong(i));
    group.dataset.margin = String(this.drawing?.margins[i]);
  }

  /**
   * @param {number} i
   * @param {number} sum
   * @param {Geometry} geometry
   */
  #write(i, sum, { left, width, height }) {
    const { name, label, note } = this.panel.cards[i];
    const x = left + width / 2;
    const wrong = this.#isWrong(i);
    const number = readable(Math.abs(sum) < ZERO ? 0 : sum, 2);
    updateTexts(this.cards[i].texts, [
      { text: name, x, y: NAME_ROOM - 7 },
      {
        text: `${wrong ? "✕" : "✓"} ${number} ${label > 0 ? "> 0" : "< 0"}${wrong ? "?" : ""}`,
        x,
        y: NAME_ROOM + height + 18,
        colour: wrong ? "bad" : "good",
      },
      { text: note, x, y: NAME_ROOM + height + 42 },
    ]);
  }

  /** A margin of NaN is wrong, too. @param {number} i */
  #isWrong(i) {
    return !((this.drawing?.margins[i] ?? NaN) > 0);
  }
}

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
  const sum = addSvg(group, "path", { class: "fim-sum" });
  return { group, sheet, blocks, zero, sum, texts: addSvg(group, "g") };
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
