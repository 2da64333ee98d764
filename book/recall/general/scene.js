/**
 * Crowds of prompts, each prompt a stick that stands on its end: it falls to the right where the right answer is sure,
 * to the left where another is, and stands upright where it is a toss.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize, textWidth, wrapped } from "../../../widgets/src/draw/text_layout.js";
import { percent } from "../../../widgets/src/run/format.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Moment, Sticks as SticksPanel } from "../../../widgets/src/types.js" */

const LOW = 176; // pixels: the height where this is not the main drawing
const APART = 24; // pixels between two crowds
const LEAST = 0.4; // of the width, for a crowd
const NAME = 1.3; // letters of a crowd's name, as a multiple of the usual size
const SHARE = { large: 2.7, small: 1.8 }; // and of how many of its answers are right
const WIDEST = "> 99 %"; // of these, so that nothing moves with them
const GAP = 6; // pixels between words and sticks
const FALLEN = (72 * Math.PI) / 180; // how far a stick falls
const LENGTH = 0.7; // of a stick, of the room for it
const ASIDE = 0.8; // of that room is left free at the two edges together
const THICK = 0.18; // of its length
const MOST = 1 - 1e-6; // no more of a crowd is said to be right: none is quite sure
const TOSS = 0.05; // so near to a half no side is ahead

/** @typedef {{ name: string, note: string, share: number, right: number, sticks: number[], colour: string }} Group */
/** @typedef {{ groups: Group[], text: string }} SticksDrawing */
/** @typedef {{ left: number, width: number }} Place */

/** @extends {Frame<SticksPanel, SticksDrawing>} */
class Sticks extends Frame {
  /** @param {HTMLElement} parent @param {SticksPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("floor", "sticks", "names", "heads", "sides", "totals");
  }

  /** @param {SticksDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { groups } = drawing;
    const room = this.measure() - APART;
    const size = textSize();
    const tall = this.isLarge ? this.mainHeight : LOW;
    this.resize(tall, drawing.text);
    const first = clamp(groups[0].share, LEAST, 1 - LEAST) * room;
    /** @type {Place[]} */
    const places = [
      { left: 0, width: first },
      { left: first + APART, width: room - first },
    ];
    const large = size * (this.isLarge ? SHARE.large : SHARE.small);
    const shares = groups.map(({ right: mean }) => (Number.isNaN(mean) ? "" : percent(Math.min(mean, MOST))));
    const notes = groups.map(({ note }, i) =>
      wrapped(note, places[i].width - (this.isLarge ? (textWidth(WIDEST) * large) / size : 0)),
    );
    const named = NAME * size + LINE * size * Math.max(...notes.map(({ length }) => length));
    const top = Math.max(large, named) + GAP;
    const field = tall - top - LINE * size - GAP;
    this.#drawSticks(groups, places, top, field);
    updateTexts(
      this.layers.totals,
      shares.map((text, i) => ({
        ...{ text, size: large, anchor: "end", colour: this.panel.right.colour },
        ...{ x: places[i].left + places[i].width, y: 0.78 * large },
      })),
    );
    updateTexts(
      this.layers.names,
      notes.flatMap((lines, i) =>
        lines.map((text, k) => ({ text, x: places[i].left, y: (NAME + LINE * (k + 1)) * size, anchor: "start" })),
      ),
    );
    updateTexts(
      this.layers.heads,
      groups.map(({ name: text }, i) => ({
        ...{ text, size: NAME * size, anchor: "start", colour: "ink" },
        ...{ x: places[i].left, y: NAME * size },
      })),
    );
    updateTexts(
      this.layers.sides,
      places.flatMap(({ left, width }, i) => this.#sides(i, left, width, tall - 0.25 * size)),
    );
  }

  /**
   * What a stick says that falls to the left, if there is room to say it, and to the right.
   * @param {number} crowd @param {number} left @param {number} width @param {number} y
   */
  #sides(crowd, left, width, y) {
    const { right, crowds } = this.panel;
    const { other } = crowds[crowd];
    const [here, there] = [`← ${other.word}`, `${right.word} →`];
    const isRoomy = textWidth(here + there, true) + GAP < width;
    return [
      { text: isRoomy ? here : "←", x: left, y, anchor: "start", colour: other.colour },
      { text: there, x: left + width, y, anchor: "end", colour: right.colour },
    ];
  }

  /** @param {Group[]} groups @param {Place[]} places @param {number} top @param {number} height */
  #drawSticks(groups, places, top, height) {
    const sticks = groups.flatMap((group, i) => planted(group, places[i], top, height));
    updateChildren(this.layers.sticks, "path", sticks, (node, { x, y, long, chance, other }) => {
      const angle = FALLEN * (2 * chance - 1);
      const side = chance > 0.5 ? this.panel.right.colour : other;
      setAttributes(node, {
        d: `M${x},${y}l${long * Math.sin(angle)},${-long * Math.cos(angle)}`,
        style: `stroke: var(--fim-${Math.abs(chance - 0.5) < TOSS ? "ink" : side})`,
        "stroke-width": THICK * long,
        "data-value": chance,
      });
    });
    updateChildren(this.layers.floor, "path", places, (node, { left, width }) =>
      setAttributes(node, { d: `M${left},${top + height + GAP / 2}h${width}` }),
    );
  }
}

/**
 * The sticks of a crowd in columns, as many to each as its room is high; every other column stands half a stick lower.
 * @param {Group} group
 * @param {Place} place
 * @param {number} top of the room for sticks
 * @param {number} height
 */
function planted({ sticks, colour: other }, { left, width }, top, height) {
  const rows = Math.max(1, Math.round(Math.sqrt((sticks.length * height) / width)));
  const [across, down] = [width / (Math.ceil(sticks.length / rows) + ASIDE), height / (rows + 0.5)];
  const long = LENGTH * Math.min(across, down);
  return sticks.map((chance, i) => {
    const column = Math.floor(i / rows);
    return {
      ...{ chance, long, other },
      x: left + (column + (1 + ASIDE) / 2) * across,
      y: top + ((i % rows) + 1 + (column % 2) / 2) * down,
    };
  });
}

/**
 * @param {SticksPanel} panel
 * @param {Moment} moment
 * @returns {SticksDrawing}
 */
function sticksDrawing({ title, chances, weights, crowds, right, many }, { watched }) {
  const groups = crowds.map(({ name, note, kinds, other }) => {
    const share = kinds.reduce((sum, kind) => sum + watched[weights][kind], 0);
    const mean = kinds.reduce((sum, kind) => sum + watched[weights][kind] * watched[chances][kind], 0) / share;
    const places = divided(
      kinds.map((kind) => watched[weights][kind]),
      many,
    );
    const sticks = places.map((place) => watched[chances][kinds[place]]);
    return { name, note, share, right: mean, sticks, colour: other.colour };
  });
  const said = groups.map(
    (group) => `${group.name}, ${percent(group.share)} of prompts: ${right.word} ${percent(group.right)}`,
  );
  return { groups, text: `${title}. ${said.join(". ")}.` };
}

/**
 * Which kind each stick of a crowd is of: as many of each as its weight says, one kind after another.
 * @param {number[]} weights
 * @param {number} many sticks for a weight of 1
 * @returns {number[]}
 */
export function divided(weights, many) {
  let sum = 0;
  return weights.flatMap((weight, kind) => {
    const before = Math.round(many * sum);
    sum += weight;
    return Array.from({ length: Math.round(many * sum) - before }, () => kind);
  });
}

/** @type {Record<string, Kind>} */
export const kinds = { sticks: { Panel: Sticks, drawing: ofMoment(sticksDrawing), moves: always } };
