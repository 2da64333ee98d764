/**
 * Sentences as models complete them, a block for each model: a wrong word breaks its sentence off. And a cloud of dots,
 * each ahead or behind in two ways: correct is what is ahead in both.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { makeScale } from "../../../widgets/src/draw/scales.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { percent, readable } from "../../../widgets/src/run/format.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Cloud, Dots as DotsPanel, Moment, Sentences as SentencesPanel } from "../../../widgets/src/types.js" */
/** @import { Scale } from "../../../widgets/src/draw/scales.js" */
/** @import { Label } from "../../../widgets/src/draw/svg.js" */

const NARROW = 560; // pixels, where the models stand above each other, with fewer sentences
const FEW = 3; // of these
const APART = 14; // pixels between two models
const LARGER = { least: 1, phone: 1.1, most: 1.25, share: 2 }; // letters, as multiples of the usual size
const BAR = 8; // pixels: the height of a model's share of right sentences
const GAP = 6; // between two things
const PAD = { wide: 8, tight: 4 }; // inside a word's box
const SIGN = 1.1; // room for ✓ and ✕ at its end, as a multiple of the letters' size
const RIGHT = { text: "right", room: 2.5 }; // behind a model's share, as wide as so many letters are large
const ROW = 24; // of a drawing that is not the main one

/** @typedef {{ text: string, sure: number, isRight: boolean }} Word */
/** @typedef {{ name: string, words: Word[] }} Sentence the words until it ends or breaks off */
/** @typedef {{ model: string, share: number, sentences: Sentence[] }} Block */
/** @typedef {{ blocks: Block[], text: string }} SentencesDrawing */
/** @typedef {{ x: number, y: number, width: number, height: number, word?: Word }} Box */

/** @extends {Frame<SentencesPanel, SentencesDrawing>} */
class Sentences extends Frame {
  /** @param {HTMLElement} parent @param {SentencesPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("shares", "missing", "chances", "boxes", "names", "values", "signs", "totals");
  }

  /** @param {SentencesDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { blocks } = drawing;
    const width = this.measure();
    const isNarrow = width < NARROW;
    const rows = isNarrow ? FEW : this.panel.names.length;
    this.showLegend(isNarrow ? [] : this.panel.keys.map(({ label, colour }, k) => ({ label, colour, sign: k ? "✕" : "✓" })));
    const room = isNarrow ? width : (width - APART * (blocks.length - 1)) / blocks.length;
    const [names, words] = [this.panel.names, this.panel.words].map(widest);
    const free = room - 2 * (GAP + 2 * PAD.wide + SIGN * textSize());
    const letters = textSize() * clamp(free / (names + 2 * words), isNarrow ? LARGER.phone : LARGER.least, LARGER.most);
    const isRoomy = letters > textSize();
    const pad = isRoomy ? PAD.wide : PAD.tight;
    const head = LARGER.share * textSize() + BAR + (isNarrow ? 1 : 2) * GAP;
    const row = this.isLarge ? (this.mainHeight - head) / rows : Math.max(ROW, 1.6 * letters);
    const tall = head + rows * row;
    this.resize(isNarrow ? blocks.length * (tall + GAP) : tall, drawing.text);
    const start = (names * letters) / textSize();
    const box = (room - start - 2 * GAP) / 2;
    /** @type {Box[]} */
    const boxes = [];
    /** @type {Label[]} */
    const said = [];
    /** @type {Record<string, Label[]>} */
    const texts = { names: [], signs: [], totals: [] };
    const bars = blocks.map(({ model, share, sentences }, b) => {
      const [left, top] = isNarrow ? [0, b * (tall + GAP)] : [b * (room + APART), 0];
      const line = top + LARGER.share * textSize() * 0.8;
      texts.names.push({ text: model, x: left, y: line, anchor: "start" });
      texts.totals.push({ text: percent(share), x: left + room - RIGHT.room * letters, y: line, anchor: "end" });
      texts.names.push({ text: RIGHT.text, x: left + room, y: line, anchor: "end" });
      sentences.slice(0, rows).forEach(({ name, words: spoken }, i) => {
        const y = top + head + i * row;
        const middle = y + row / 2 + 0.35 * letters;
        said.push({ text: name, x: left, y: middle, anchor: "start", colour: "subject" });
        for (const place of [0, 1]) {
          const x = left + start + GAP + place * (box + GAP);
          const word = spoken[place];
          boxes.push({ x, y: y + row * 0.08, width: box, height: row * 0.84, word });
          if (!word) continue;
          const colour = word.isRight ? "good" : "bad";
          texts.signs.push({ text: word.isRight ? "✓" : "✕", x: x + box - pad, y: middle, anchor: "end", colour });
          said.push({ text: word.text, x: x + pad, y: middle, anchor: "start" });
        }
      });
      return { x: left, y: line + GAP, width: room, share };
    });
    this.#drawBoxes(boxes);
    this.#drawBars(bars);
    for (const layer of [this.layers.values, this.layers.signs, this.layers.names])
      setAttributes(layer, { "font-size": letters });
    setAttributes(this.layers.values, { "font-weight": isRoomy ? 600 : null });
    setAttributes(this.layers.totals, { "font-size": LARGER.share * textSize() });
    updateTexts(this.layers.values, said);
    for (const [layer, labels] of Object.entries(texts)) updateTexts(this.layers[layer], labels);
  }

  /** @param {Box[]} boxes those without a word are of words that are not reached */
  #drawBoxes(boxes) {
    const { chances, boxes: outlines, missing } = this.layers;
    const spoken = boxes.flatMap(({ word, ...place }) => (word ? [{ word, place }] : []));
    /** @param {Word} word */
    const style = ({ isRight }) => `--colour: var(--fim-${isRight ? "good" : "bad"})`;
    updateChildren(outlines, "rect", spoken, (node, { word, place }) =>
      setAttributes(node, { ...place, rx: 4, style: style(word) }),
    );
    updateChildren(chances, "rect", spoken, (node, { word, place }) =>
      setAttributes(node, {
        ...{ ...place, width: place.width * word.sure },
        ...{ rx: 4, style: style(word), "data-value": word.sure },
      }),
    );
    const places = boxes.flatMap(({ word, ...place }) => (word ? [] : [place]));
    updateChildren(missing, "rect", places, (node, place) => setAttributes(node, { ...place, rx: 4 }));
  }

  /** @param {{ x: number, y: number, width: number, share: number }[]} bars */
  #drawBars(bars) {
    updateChildren(
      this.layers.shares,
      "rect",
      bars.flatMap(({ share, ...place }) => [place, { ...place, width: place.width * share, class: "fim-lit" }]),
      (node, place) => setAttributes(node, { class: null, ...place, height: BAR, rx: BAR / 2 }),
    );
  }
}

/** @param {string[]} texts */
const widest = (texts) => Math.max(...texts.map((text) => textWidth(text)));

/**
 * @param {SentencesPanel} panel
 * @param {Moment} moment
 * @returns {SentencesDrawing}
 */
function sentencesDrawing({ title, models, names, words, wanted, said, sure }, { watched }) {
  const blocks = models.map(([model, [field, component]], m) => {
    const sentences = names.map((name, i) => {
      const [first, second] = [0, 1].map((step) => {
        const [row, place] = [step * names.length + i, (2 * m + step) * names.length + i];
        const word = watched[said][place];
        return { text: words[word], sure: watched[sure][place], isRight: word === watched[wanted][row] };
      });
      return { name, words: first.isRight ? [first, second] : [first] };
    });
    return { model, share: watched[field][component], sentences };
  });
  const text = blocks
    .map(({ model, share, sentences }) => `${model}, ${percent(share)} right: ${sentences.map(inWords).join("; ")}`)
    .join(". ");
  return { blocks, text: `${title}. ${text}.` };
}

/** @param {Sentence} sentence */
const inWords = ({ name, words }) =>
  [name, ...words.map(({ text, isRight }) => (isRight ? text : `“${text}” (wrong)`))].join(" ");

const TALLEST = 230;
const EDGE = 22; // pixels above: for the name of what is drawn upwards
const TEXT_ROOM = 38; // below
const LEFT = 16;
const SMALLEST = 3; // pixels: radius of a rare dot
const LARGEST = 16; // of a dot whose weight is 1

/** @typedef {{ x: number, y: number, weight: number, colour: string }} Dot */
/** @typedef {{ label: string, colour: string, ahead: number, dots: Dot[], text: string }} DrawnCloud */
/** @typedef {{ clouds: DrawnCloud[], text: string }} DotsDrawing */

/** @extends {Frame<DotsPanel, DotsDrawing>} */
class Dots extends Frame {
  /** @param {HTMLElement} parent @param {DotsPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("quadrant", "square", "cloud", "axis");
    this.quadrant = addSvg(this.layers.quadrant, "rect");
    this.square = addSvg(this.layers.square, "rect");
    this.axes = addSvg(this.layers.square, "path");
  }

  /** @param {DotsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { reach, x_label, y_label, rivals } = this.panel;
    const width = this.measure();
    if (rivals.length)
      this.showLegend(
        drawing.clouds.map(({ label, colour, ahead }) => ({
          label: `${label}: ${percent(ahead)} correct`,
          colour,
          sign: "●",
        })),
      );
    const height = this.isLarge ? this.mainHeight - EDGE - TEXT_ROOM : Math.min(TALLEST, 0.6 * width);
    const x = makeScale("linear", reach, [LEFT, width - LEFT]);
    const y = makeScale("linear", reach, [EDGE + height, EDGE]);
    this.resize(EDGE + height + TEXT_ROOM, drawing.text);
    setAttributes(this.quadrant, { x: x(0), y: EDGE, width: width - LEFT - x(0), height: y(0) - EDGE });
    setAttributes(this.square, { x: LEFT, y: EDGE, width: width - 2 * LEFT, height });
    setAttributes(this.axes, { d: `M${LEFT},${y(0)}H${width - LEFT}M${x(0)},${EDGE}V${EDGE + height}` });
    this.#drawCloud(
      drawing.clouds.flatMap(({ dots }) => dots),
      x,
      y,
    );
    updateTexts(this.layers.axis, [
      { text: `${y_label} ↑`, x: LEFT + 4, y: EDGE - 8, anchor: "start" },
      { text: `${x_label} →`, x: width - LEFT, y: EDGE + height + 18, anchor: "end" },
    ]);
  }

  /**
   * @param {Dot[]} dots
   * @param {Scale} x
   * @param {Scale} y
   */
  #drawCloud(dots, x, y) {
    const [left, right] = x.range();
    const [bottom, top] = y.range();
    updateChildren(this.layers.cloud, "circle", dots, (node, dot) =>
      setAttributes(node, {
        cx: clamp(x(dot.x), left, right),
        cy: clamp(y(dot.y), top, bottom),
        r: SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(dot.weight),
        style: `--colour: var(--fim-${dot.colour})`,
        "data-x": dot.x,
        "data-y": dot.y,
      }),
    );
  }
}

/**
 * @param {DotsPanel} panel
 * @param {Moment} moment
 * @returns {DotsDrawing}
 */
function dotsDrawing(panel, { watched }) {
  const clouds = [panel, ...panel.rivals].map((cloud) => drawnCloud(cloud, panel, watched));
  return { clouds, text: `${panel.title}. ${clouds.map(({ text }) => text).join(" ")}` };
}

/**
 * @param {Cloud} cloud
 * @param {DotsPanel} panel
 * @param {Moment["watched"]} watched
 * @returns {DrawnCloud}
 */
function drawnCloud({ x, y, weights, label, colour }, { x_label, y_label }, watched) {
  const dots = [...watched[weights]]
    .map((weight, i) => ({ weight, x: watched[x][i], y: watched[y][i], colour }))
    .filter(({ weight }) => weight > 0);
  const ahead = dots.filter((dot) => dot.x > 0 && dot.y > 0).reduce((sum, { weight }) => sum + weight, 0);
  /** @param {number[]} values */
  const least = (values) => readable(Math.min(...values), 3);
  const extremes = `${x_label}, least ${least(dots.map((dot) => dot.x))}; ${y_label}, least ${least(dots.map((dot) => dot.y))}`;
  const text = `${label ? `${label}: ` : ""}${extremes}; ahead in both: ${readable(100 * ahead, 3)} % of them.`;
  return { dots, label, colour, ahead, text };
}

/** @type {Record<string, Kind>} */
export const kinds = {
  sentences: { Panel: Sentences, drawing: ofMoment(sentencesDrawing), moves: always },
  dots: { Panel: Dots, drawing: ofMoment(dotsDrawing), moves: always },
};
