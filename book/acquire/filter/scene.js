/**
 * A sentence as a model hears it, and what it says next: each word is as large as its share, and small where many share
 * in it. What was heard early on stays, line by line, above what is heard now.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent } from "../../../widgets/src/run/format.js";
import { recordOf } from "../../../widgets/src/run/parameters.js";
import { momentOf } from "../../../widgets/src/run/timeline.js";
import { always } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Label } from "../../../widgets/src/draw/svg.js" */
/** @import { Run } from "../../../widgets/src/run/program.js" */
/** @import { Heard, Leaves, Spec, Voices as VoicesPanel } from "../../../widgets/src/types.js" */

const NARROW = 560; // pixels, where what is said stands below what is heard, and the earliest moment is left out
const LEAST = 13; // pixels of letters
const HEARD = 0.6; // of the width, for moments and what is heard
const ARROW = 1.8; // letters of the arrow, as a multiple of the usual size
const BETWEEN = 12; // pixels between two words
const LETTER = { box: 1.26, spare: 4, line: 0.76 }; // of a word's size, its height; pixels of it; where words stand
const LOW = 54; // pixels: the height of a moment where this is not the main drawing
const [NOW, END] = ["now", "end"];

/** @typedef {{ word: string, share: number, colour: string, isRest?: boolean }} Voice many words together are a rest */
/** @typedef {{ name: string, heard: Voice[], said: Voice }} Line one without a name belongs to the one above */
/** @typedef {{ lines: Line[], text: string }} VoicesDrawing */

/** @extends {Frame<VoicesPanel, VoicesDrawing>} */
class Voices extends Frame {
  /** @param {HTMLElement} parent @param {VoicesPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("floor", "voices", "heads", "weights");
  }

  /** @param {VoicesDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { words, prompts, early } = this.panel;
    const width = this.measure();
    const isNarrow = width < NARROW;
    const many = early.length + prompts.length - Number(isNarrow);
    const size = Math.max(textSize(), LEAST);
    const tall = this.isLarge ? this.mainHeight / many : LOW;
    this.resize(many * tall, drawing.text);
    const names = [...early.map(([name]) => name), NOW, END];
    const start = size * Math.max(...names.map(letters)) + BETWEEN;
    const [left, answers] = [isNarrow ? 0 : start, isNarrow ? start : HEARD * width];
    const high = isNarrow ? tall / 2 : tall;
    const largest = (high + LETTER.spare) / LETTER.box;
    const room = (isNarrow ? width : answers - start) - BETWEEN * words.length;
    const full = Math.min(room / Math.hypot(...words.map(({ word }) => letters(word))), largest);
    const arrow = ARROW * size;
    const free = width - answers - arrow - size * letters("100 %") - 3 * BETWEEN;
    const answer = prompts.flatMap(({ said }) => said);
    const loudest = Math.min(free / Math.max(...answer.map(({ word }) => letters(word))), largest);
    /** @type {Record<string, Label[]>} */
    const texts = { voices: [], heads: [], weights: [] };
    drawing.lines.slice(-many).forEach(({ name, heard, said }, i) => {
      const line = i * tall + LETTER.line * high; // where words stand
      const y = isNarrow ? line + high : line;
      const large = said.isRest ? size : loudest * Math.sqrt(said.share);
      const x = answers + arrow + BETWEEN;
      texts.voices.push(...inLine(heard, full, left, size).map((label) => ({ ...label, y: line })));
      texts.voices.push({ text: said.word, size: large, x, y, colour: said.colour });
      const together = said.isRest ? ", all together" : "";
      const after = x + large * letters(said.word) + BETWEEN;
      texts.weights.push({ text: percent(said.share) + together, size, x: after, y });
      texts.heads.push({ text: name, size, x: 0, y }, { text: "→", size: arrow, x: answers, y });
    });
    for (const [layer, labels] of Object.entries(texts))
      updateTexts(
        this.layers[layer],
        labels.map((label) => ({ ...label, anchor: "start" })),
      );
    const floors = early.slice(Number(isNarrow)).map((_, i) => (i + 1) * tall);
    updateChildren(this.layers.floor, "path", floors, (node, y) => setAttributes(node, { d: `M0,${y}H${width}` }));
  }
}

/** How wide a word is, of its size. @param {string} word */
const letters = (word) => textWidth(word) / textSize();

/**
 * Words beside each other, each as large as its share; one that is too small to be read is said with its share.
 * @param {Voice[]} voices
 * @param {number} full the size of a word that is heard alone
 * @param {number} left where they begin
 * @param {number} size of the smallest letters
 */
function inLine(voices, full, left, size) {
  let x = left;
  return voices.map(({ word, share, colour }) => {
    const large = full * Math.sqrt(share);
    const label =
      large < size ? { text: `${word} ${percent(share)}`, size, x, colour } : { text: word, size: large, x, colour };
    x += letters(label.text) * label.size + BETWEEN;
    return label;
  });
}

/**
 * @param {VoicesPanel} panel
 * @param {Leaves | null} _
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 * @returns {VoicesDrawing}
 */
function voicesDrawing(panel, _, spec, run, share) {
  const { stage, step, row } = momentOf(run, share);
  const [{ steps, rows }] = run.histories;
  const { early, prompts } = panel;
  const past = early.filter(([, at]) => (stage || step >= at) && steps.includes(at));
  /** @param {string} name @param {Float64Array[]} watched @param {Heard} prompt */
  const line = (name, watched, prompt) => ({ name, ...heardIn(panel, prompt, recordOf(spec.watch, watched)) });
  const lines = past.map(([name, at]) => line(name, rows[steps.indexOf(at)], prompts[prompts.length - 1]));
  if (stage || step > early[early.length - 1][1])
    lines.push(...prompts.map((prompt, i) => line(i ? "" : share === 1 ? END : NOW, row, prompt)));
  /** @param {Voice} voice */
  const told = ({ word, share: part }) => `${word} ${percent(part)}`;
  const text = lines.map(({ name, heard, said }) => `${name || "then"}: ${heard.map(told).join(", ")} → ${told(said)}`);
  return { lines, text: `${panel.title}. ${text.join(". ")}.` };
}

/**
 * What is heard and said at one moment, as it is watched.
 * @param {VoicesPanel} panel
 * @param {Heard} prompt
 * @param {Leaves} watched
 */
function heardIn({ words, rest }, { words: many, field, said: answers, chances }, watched) {
  const heard = words.slice(0, many).map((token, i) => ({ ...token, share: watched[field][i] }));
  const known = answers.map((token, i) => ({ ...token, share: watched[chances][i] }));
  const others = { ...rest, isRest: true, share: 1 - known.reduce((sum, { share }) => sum + share, 0) };
  const said = [...known, others].reduce((loudest, voice) => (voice.share > loudest.share ? voice : loudest));
  return { heard, said };
}

/** @type {Record<string, Kind>} */
export const kinds = { voices: { Panel: Voices, drawing: voicesDrawing, moves: always } };
