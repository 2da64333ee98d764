/**
 * The first step of fine-tuning as bands from the words that are read to what may be said next, each as wide as its
 * share of the step's squared norm; below, the people whose facts come out after such steps.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent } from "../../../widgets/src/run/format.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Label } from "../../../widgets/src/draw/svg.js" */
/** @import { Flow as FlowPanel, Moment, Token } from "../../../widgets/src/types.js" */

const LEAST = 13; // pixels of letters
const NARROW = 560; // pixels, where of "Kim’s birthplace" only the name is said
const NAMED = 3; // words that have a line each; the others share one
const GAP = 10; // pixels between words and bands
const APART = 46; // and between the kinds, each of which has two lines of words
const TRUNK = 0.68; // of the way: so far what runs through the common word stays together
const [THINNEST, SEEN] = [0.8, 0.1]; // pixels of a band, and of what is too thin for one
const GATE = 12; // its width
const NODE = 6; // of a kind's bar
const BIG = { most: 44, share: 0.66, said: 1.5 }; // letters of a share, at most and of its band; of what it is
const MARK = 0.8; // letters of the common word, of its band
const SHARED = ["through the mark that all share, ", "through "];
const ROOMY = 1.2; // times a text: the length of bands above which it stands at their end
const LOW = 170; // the height of the bands where the drawing is not the main one
const ROW = 34; // of people in the main drawing
const RESULT = 26; // letters of what comes of it there
const NOW = "now"; // above what comes of them
const PERSON = { wide: 0.62, pitch: 1.25 }; // its width over its height, and from one to the next over its width

/** @typedef {{ word: string, whole: number[], strongest: number[], remaining: number[] }} Word to each kind */
/** @typedef {{ label: string, colour: string, share: number, most: number }} Outcome */
/**
 * @typedef {{ words: Word[], common: Word, isOpen: boolean, directions: string, outcomes: Outcome[], people: number,
 *   text: string }} FlowDrawing
 */
/** @typedef {{ d: string, colour: string, value: number }} Band */

/**
 * Where the step is drawn: letters, the edges of its bands and where the trunk ends, pixels for the whole squared norm,
 * the words as they are said and their lines, and the upper edges of the trunk and of each kind.
 * @typedef {{ size: number, left: number, right: number, fork: number, scale: number, labels: string[],
 *   lines: number[], trunk: number, kinds: number[] }} Layout
 */

/** @extends {Frame<FlowPanel, FlowDrawing>} */
class Flow extends Frame {
  /** @param {HTMLElement} parent @param {FlowPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("streams", "gate", "words", "says", "on-streams", "people", "rows", "results");
  }

  /** @param {FlowDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const size = Math.max(textSize(), LEAST);
    const [head, row] = [LINE * size + 6, this.isLarge ? ROW : 2 * LINE * size + 8];
    const foot = head + row * drawing.outcomes.length;
    const height = this.isLarge ? this.mainHeight - foot : LOW;
    this.resize(height + foot, drawing.text);
    const layout = arrange(drawing, this.panel.kinds, width, height, size);
    this.#drawBands(drawing, layout);
    this.#drawWords(drawing, layout);
    this.#drawShares(drawing, layout);
    this.#drawOutcomes(drawing, width, height + head, row, size);
  }

  /** @param {FlowDrawing} drawing @param {Layout} layout */
  #drawBands(drawing, layout) {
    const { right, fork, scale, trunk, kinds: tops } = layout;
    const { words, common, isOpen } = drawing;
    const { kinds } = this.panel;
    updateChildren(this.layers.streams, "path", bandsOf(drawing, kinds, layout), (node, { d, colour, value }) =>
      setAttributes(node, { d, style: `--colour: var(--fim-${colour})`, "data-value": value }),
    );
    const all = [...words, common];
    const top = trunk - scale * shareOf(words, "strongest");
    const gate = { x: fork, y: top, wide: GATE, high: scale * shareOf(all, "strongest"), colour: "ink" };
    const ends = kinds.map(({ colour }, k) => {
      return { x: right + NODE / 2, y: tops[k], wide: NODE, high: scale * into(all, "whole", k), colour };
    });
    updateChildren(this.layers.gate, "rect", isOpen ? [...ends, gate] : ends, (node, { x, y, wide, high, colour }) =>
      setAttributes(node, {
        ...{ x: x - wide / 2, y, width: wide, height: high },
        style: `--colour: var(--fim-${colour})`,
      }),
    );
  }

  /**
   * The words, and the kinds with what becomes of them.
   * @param {FlowDrawing} drawing
   * @param {Layout} layout
   */
  #drawWords({ words, common }, { size, left, right, scale, labels, lines, trunk, kinds: tops }) {
    const high = scale * shareOf([common], "whole");
    const names = labels.map((text, i) => ({ text, y: lines[i] + 0.35 * size, size, colour: "subject" }));
    const large = Math.max(MARK * high, size);
    const mark = { text: common.word, y: trunk + high / 2 + 0.33 * large, size: large, colour: "ink" };
    updateTexts(this.layers.words, [
      ...[...names, ...(high ? [mark] : [])].map((label) => ({ ...label, x: left - GAP, anchor: "end" })),
      ...this.panel.kinds.flatMap(({ word, symbol, colour }, k) => {
        const lowest = trunk + high - size - 2 * (this.panel.kinds.length - 1 - k) * LINE * size;
        const y = Math.min(tops[k] + (scale * into([...words, common], "whole", k)) / 2, lowest);
        return [word, symbol].map((text, line) => ({
          ...{ text, size, colour, x: right + NODE + GAP, y: y + (LINE * line - 0.25) * size, anchor: "start" },
        }));
      }),
    ]);
  }

  /**
   * What runs through the common word, or the gate, and what through the other words, or past it.
   * @param {FlowDrawing} drawing
   * @param {Layout} layout
   */
  #drawShares({ words, common, isOpen, directions }, { size, left, right, fork, scale, trunk }) {
    const all = [...words, common];
    const [most, rest] = isOpen
      ? [shareOf(all, "strongest"), shareOf(all, "remaining")]
      : [shareOf([common], "whole"), shareOf(words, "whole")];
    const high = scale * (isOpen ? most : common.whole[0]);
    const said = isOpen ? ["in ", ""].map((way) => way + directions) : SHARED.map((way) => `${way}“${common.word}”`);
    const [x, middle] = [left + 2 * GAP, trunk + high / 2];
    const share = isOpen ? percent(most) : ""; // the words' shares are nearly these, and would be taken for them
    updateTexts(this.layers["on-streams"], labelled(share, said, x, middle, { wide: fork - x - GAP, high }, size));
    const [short, long] = isOpen ? [`${percent(rest)} left`, ": each person’s own"] : ["", "through the names"];
    const text = right - left > ROOMY * textWidth(short + long) ? short + long : short;
    updateTexts(this.layers.says, scale * rest > SEEN ? [{ text, x: right, y: size, size, anchor: "end" }] : []);
  }

  /**
   * A row of people for each kind of steps.
   * @param {FlowDrawing} drawing
   * @param {number} width
   * @param {number} top
   * @param {number} row
   * @param {number} size of letters
   */
  #drawOutcomes({ outcomes, people }, width, top, row, size) {
    const large = this.isLarge;
    const names = Math.max(...outcomes.map(({ label }) => textWidth(label))) * (size / textSize()) + GAP;
    const result = large ? RESULT : size;
    const [from, to] = large ? [names, width - 3 * result] : [0, width];
    const pitch = Math.min((to - from) / people, (row - 6) * PERSON.wide * PERSON.pitch);
    const high = Math.min(pitch / PERSON.pitch / PERSON.wide, large ? row - 6 : row - LINE * size - 8);
    const [line, feet] = large ? [(row + 0.7 * size) / 2, (row + high) / 2] : [size, row - 6];
    updateChildren(
      this.layers.people,
      "path",
      outcomes.flatMap(({ colour, share, most: best }, i) =>
        Array.from({ length: people }, (_, place) => {
          const [isLit, wasLit] = [share, best].map((part) => place < Math.round(part * people));
          return { colour, i, place, lit: isLit ? "fim-lit" : wasLit ? "fim-was-lit" : null };
        }),
      ),
      (node, { colour, i, place, lit }) =>
        setAttributes(node, {
          d: person(from + (place + 0.5) * pitch, top + i * row + feet, high),
          class: lit,
          style: `--colour: var(--fim-${colour})`,
        }),
    );
    updateTexts(this.layers.rows, [
      { text: this.panel.says, x: 0, y: top - 8, size, anchor: "start", colour: "faint" },
      ...(large ? [{ text: NOW, x: width, y: top - 8, size, anchor: "end", colour: "faint" }] : []),
      ...outcomes.map(({ label, colour }, i) => {
        return { text: label, x: 0, y: top + i * row + line, size, anchor: "start", colour };
      }),
    ]);
    updateTexts(
      this.layers.results,
      outcomes.map(({ share, colour }, i) => {
        const y = top + i * row + line + 0.25 * (result - size);
        return { text: percent(share), x: width, y, size: result, anchor: "end", colour };
      }),
    );
  }
}

/** @param {number} total @param {number} value */
const add = (total, value) => total + value;

/**
 * The share of the squared norm that leads from words to one kind.
 * @param {Word[]} words
 * @param {"whole" | "strongest" | "remaining"} part
 * @param {number} kind
 */
const into = (words, part, kind) => words.map((word) => word[part][kind]).reduce(add, 0);

/** From words to all kinds. @param {Word[]} words @param {"whole" | "strongest" | "remaining"} part */
const shareOf = (words, part) => words.flatMap((word) => word[part]).reduce(add, 0);

/**
 * Names of the words on the left: the first ones, and how many more there are.
 * @param {Word[]} words
 */
const labelsOf = (words, isNarrow = false) => [
  ...words.slice(0, NAMED).map(({ word }) => (isNarrow ? word.split("’")[0] : word)),
  ...(words.length > NAMED ? [`${words.length - NAMED} more`] : []),
];

/**
 * A share in large letters on its band, and what it is: beside it, or else below it, in the first words that fit.
 * @param {string} share @param {string[]} said
 * @param {number} x @param {number} y its middle
 * @param {{ wide: number, high: number }} room
 * @param {number} size of other letters
 * @returns {Label[]}
 */
function labelled(share, said, x, y, { wide, high }, size) {
  /** Of letters of one pixel. @param {string} text */
  const length = (text) => textWidth(text) / textSize();
  const big = Math.min(BIG.most, BIG.share * high, wide / Math.max(length(share), 1));
  const after = share ? length(share) * big + GAP : 0;
  const anchor = "start";
  const [beside] = said.filter((text) => size * length(text) < wide - after);
  const [below] = 2 * LINE * size < high ? said.filter((text) => size * length(text) < wide) : [];
  if (big < size) return [];
  if (!beside && below)
    return [
      { text: share, x, y, size: Math.min(BIG.most, BIG.share * high), anchor },
      { text: below, x, y: y + LINE * size, size, anchor },
    ];
  const letters = beside ? Math.min(BIG.said * size, (wide - after) / length(beside)) : size;
  return [
    { text: share, x, y: y + 0.36 * big, size: big, anchor },
    ...(beside ? [{ text: beside, x: x + after, y: y + 0.36 * letters, size: letters, anchor }] : []),
  ];
}

/**
 * The whole squared norm has the same height in each drawing; the words have what the common one leaves them.
 * @param {FlowDrawing} drawing
 * @param {Token[]} kinds
 * @param {number} width
 * @param {number} height
 * @param {number} size of letters
 * @returns {Layout}
 */
function arrange({ words, common }, kinds, width, height, size) {
  const labels = labelsOf(words, width < NARROW);
  const wide = size / textSize();
  const scale = height - GAP - size / 2 - (NAMED + 1) * LINE * size;
  const high = scale * shareOf([common], "whole");
  const trunk = height - high;
  const top = size / 2;
  const line = (trunk - GAP - top) / Math.max(labels.length, 1);
  const left = Math.max(...labels.map((text) => textWidth(text, true) * wide), 0.6 * MARK * high) + GAP;
  const said = kinds.map(({ symbol }) => textWidth(symbol, true) * wide);
  const right = width - Math.max(...said) - NODE - GAP;
  const all = [...words, common];
  const last = height - scale * into(all, "whole", 1);
  return {
    ...{ size, left, right, scale, trunk, fork: left + TRUNK * (right - left) },
    labels,
    lines: labels.map((_, i) => top + (i + 0.5) * line),
    kinds: [Math.max(1.5 * LINE * size, last - APART - scale * into(all, "whole", 0)), last],
  };
}

/**
 * The bands of a drawing, as wide as their shares: whole ones, or what runs through the gate and what goes past it.
 * @param {FlowDrawing} drawing
 * @param {Token[]} kinds
 * @param {Layout} layout
 * @returns {Band[]}
 */
function bandsOf({ words, common, isOpen, outcomes }, kinds, { left, right, fork, scale, lines, trunk, kinds: tops }) {
  const ends = [...tops]; // where the next band to a kind arrives
  const others = words.slice(NAMED);
  const fan = Math.max(0.8 * (lines[1] - lines[0] || 0), scale * shareOf(others, "whole")) / others.length;
  /** The middle of where a word's band begins. @param {number} i */
  const placeOf = (i) => (i < NAMED ? lines[i] : lines[NAMED] + (i - NAMED - (others.length - 1) / 2) * fan);
  const starts = [...words.map((word, i) => placeOf(i) - (scale * shareOf([word], "whole")) / 2), trunk];
  /** @type {Band[]} */
  const bands = [];
  /**
   * @param {number} value @param {string} colour
   * @param {number} from @param {number} start @param {number} to @param {number} end its upper edge at both sides
   */
  const lead = (value, colour, from, start, to, end, bend = from) => {
    const high = scale * value;
    if (high > SEEN) bands.push({ value, colour, d: ribbon(from, start, to, end, Math.max(THINNEST, high), bend) });
  };
  /** Bands from a word to all kinds. @param {Word} word @param {number} i @param {"whole" | "remaining"} part */
  const reach = (word, i, part, colour = "", bend = left) =>
    kinds.forEach((kind, k) => {
      const value = word[part][k];
      lead(value, colour || kind.colour, left, starts[i], right, ends[k], bend);
      starts[i] += scale * value;
      ends[k] += scale * value;
    });
  words.forEach((word, i) => reach(word, i, isOpen ? "remaining" : "whole", isOpen ? "subject" : ""));
  if (!isOpen) {
    reach(common, words.length, "whole", "", fork);
    return bands;
  }
  const colour = outcomes[outcomes.length - 1].colour;
  let gate = trunk - scale * shareOf(words, "strongest");
  let out = gate;
  [...words, common].forEach((word, i) => {
    const value = shareOf([word], "strongest");
    lead(value, colour, left, starts[i], fork, gate);
    gate += scale * value;
  });
  kinds.forEach((kind, k) => {
    const value = into([...words, common], "strongest", k);
    lead(value, kind.colour, fork, out, right, ends[k]);
    out += scale * value;
  });
  return bands;
}

/**
 * A band of one width between two upper edges, straight until it bends.
 * @param {number} from @param {number} start @param {number} to @param {number} end
 * @param {number} high @param {number} bend
 */
function ribbon(from, start, to, end, high, bend) {
  const middle = (bend + to) / 2;
  const back = `L${to},${end + high}C${middle},${end + high} ${middle},${start + high} ${bend},${start + high}H${from}Z`;
  return `M${from},${start}H${bend}C${middle},${start} ${middle},${end} ${to},${end}${back}`;
}

/**
 * A person standing at a place.
 * @param {number} x of the middle @param {number} feet @param {number} high
 */
function person(x, feet, high) {
  const [shoulder, head] = [(PERSON.wide / 2) * high, 0.22 * high];
  const [side, arc] = [0.18 * high, `a${shoulder},${shoulder} 0 0 1 ${2 * shoulder},0`];
  const half = `a${head},${head} 0 1 1`;
  const above = `M${x - head},${feet - high + head}${half} ${2 * head},0${half} ${-2 * head},0z`;
  return `M${x - shoulder},${feet}v${-side}${arc}v${side}z${above}`;
}

/**
 * @param {FlowPanel} panel
 * @param {Moment} moment
 * @returns {FlowDrawing}
 */
function flowDrawing(panel, { watched }) {
  const { title, kinds, kinds_of_steps: steps } = panel;
  /** @param {string} field @param {number} i */
  const partOf = (field, i) => [...watched[field]].slice(i * kinds.length, (i + 1) * kinds.length);
  const all = panel.words.map((word, i) => ({
    word,
    whole: partOf(panel.whole, i),
    strongest: partOf(panel.strongest, i),
    remaining: partOf(panel.remaining, i),
  }));
  const common = all[all.length - 1];
  const words = all.slice(0, -1).filter((word) => shareOf([word], "whole") > 0);
  const isOpen = watched[panel.opened][0] > 0;
  const [many] = watched[panel.directions];
  const directions = many > 1 ? `${many} directions` : "one direction";
  const outcomes = steps.map(({ field, component, label, colour }, i) => ({
    ...{ label: label.replace("{directions}", directions), colour },
    ...{ share: watched[field][component], most: watched[panel.best][i] },
  }));
  const shares = [
    `Through “${common.word}”: ${kinds.map(({ word }, k) => `to ${word} ${percent(common.whole[k])}`).join(", ")}`,
    `Through ${labelsOf(words).join(", ") || "no name"}: ${percent(shareOf(words, "whole"))}`,
    ...(isOpen
      ? [`In ${directions}: ${percent(shareOf(all, "strongest"))}; left ${percent(shareOf(all, "remaining"))}`]
      : []),
    `${panel.says}: ${outcomes.map(inWords).join(", ")}`,
  ];
  return { words, common, isOpen, directions, outcomes, people: watched[panel.people][0], text: `${title}. ${shares.join(". ")}.` };
}

/** @param {Outcome} outcome */
const inWords = ({ label, share, most }) => `${label} ${percent(share)}, at best ${percent(most)}`;

/** @type {Record<string, Kind>} */
export const kinds = { flow: { Panel: Flow, drawing: ofMoment(flowDrawing), moves: always } };
