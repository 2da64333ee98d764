/** Kinds of sentences as cards: what each word adds stands in signed blocks, and a card tilts while it is wrong. */

import { readable } from "../run/format.js";
import { element, Frame, keepTexts, set } from "../draw/svg.js";

const GAP = 12;
const TALL = 190; // pixels of a card's blocks
const HEAD = 22; // for its name
const FOOT = 44; // for its sum and how common it is
const LEAST = 0.2; // of the axis: the first small steps stay small
const SAFE = 0.92; // of the half of a card that the largest stack takes

export class Cards extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("cards");
    this.cards = panel.cards.map(({ holds }) => {
      const group = element(this.layer.cards, "g");
      const sheet = element(group, "rect", { class: "fim-sheet", rx: 8 });
      const blocks = [...holds, panel.rest].map(() => element(group, "rect", { class: "fim-block" }));
      return { group, sheet, blocks, zero: element(group, "path", { class: "fim-zero" }), sum: element(group, "path", { class: "fim-sum" }), texts: element(group, "g") };
    });
    this.legend([...panel.words, panel.rest].map(({ word, symbol, colour }) => ({ label: `${word} ${symbol}`, colour, sign: "■" })));
  }

  /** @param {{adds: number[][], margins: number[], text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { cards, words, rest } = this.panel;
    const width = this.measure();
    const pitch = (width + GAP) / cards.length;
    const tall = Math.min(TALL, 0.5 * width);
    const stacks = drawing.adds.map(stack);
    const most = Math.max(LEAST, ...stacks.flatMap(({ low, high }) => [-low, high]));
    const zero = HEAD + tall / 2;
    const y = (value) => zero - (SAFE * value * tall) / 2 / most;
    this.size(HEAD + tall + FOOT, drawing.text);
    this.cards.forEach(({ group, sheet, blocks, zero: line, sum, texts }, i) => {
      const [left, wide] = [i * pitch + 2, pitch - GAP - 4];
      const wrong = !(drawing.margins[i] > 0);
      group.classList.toggle("fim-wrong", wrong);
      group.dataset.margin = drawing.margins[i];
      set(sheet, { x: left, y: HEAD, width: wide, height: tall });
      blocks.forEach((block, k) => {
        const { from, to } = stacks[i].blocks[k];
        set(block, {
          x: left + 0.2 * wide, width: 0.6 * wide, y: y(Math.max(from, to)), height: Math.abs(y(from) - y(to)),
          style: `--colour: var(--fim-${(words[cards[i].holds[k]] ?? rest).colour})`, "data-value": to - from,
        });
      });
      set(line, { d: `M${left},${zero}h${wide}` });
      set(sum, { d: `M${left + 0.1 * wide},${y(stacks[i].sum)}h${0.8 * wide}` });
      const middle = left + wide / 2;
      keepTexts(texts, [
        { text: cards[i].name, x: middle, y: HEAD - 7 },
        { text: `${wrong ? "✕" : "✓"} ${sign(stacks[i].sum)} ${cards[i].label > 0 ? "> 0" : "< 0"}${wrong ? "?" : ""}`, x: middle, y: HEAD + tall + 18, colour: wrong ? "bad" : "good" },
        { text: cards[i].note, x: middle, y: HEAD + tall + 38 },
      ]);
    });
  }
}

const sign = (value) => readable(Math.abs(value) < 1e-9 ? 0 : value, 2);

/** Numbers stacked away from zero, those above it upwards, those below it downwards. */
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

/** What each word of a card adds, and what is left of its output for all its other words together. */
const adding = ({ holds, label }, values, margin) => {
  const named = holds.map((word) => values[word]);
  return [...named, label * margin - named.reduce((sum, value) => sum + value, 0)];
};

export function drawCards({ title, words, cards, field, margins }, _, watched) {
  const [values, found] = [[...watched[field]], [...watched[margins]]];
  const said = cards.map(({ name }, i) => `${name}: margin ${readable(found[i], 3)}, ${found[i] > 0 ? "correct" : "wrong"}`);
  const each = words.map(({ word }, i) => `${word} adds ${readable(values[i], 3)}`);
  return { adds: cards.map((card, i) => adding(card, values, found[i])), margins: found, text: `${title}. ${each.join(", ")}. ${said.join("; ")}.` };
}
