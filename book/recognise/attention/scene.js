/**
 * A sentence, and arcs from two of its words as wide as their attention to each word; a lens at their ends magnifies
 * what they differ from an even share. Beside it curves over time: a broad one, and others that may lie on it.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { makeScale, makeTicks } from "../../../widgets/src/draw/scales.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, textSize, textWidth } from "../../../widgets/src/draw/text_layout.js";
import { count, percent, readable } from "../../../widgets/src/run/format.js";
import { recordOf } from "../../../widgets/src/run/parameters.js";
import { historiesUntil, momentOf, watchedIn } from "../../../widgets/src/run/timeline.js";
import { always } from "../../../widgets/src/view/kinds.js";

/** @import { Label } from "../../../widgets/src/draw/svg.js" */
/** @import { Run } from "../../../widgets/src/run/program.js" */
/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Leaves, Lens as LensPanel, Spec, Token, Trace } from "../../../widgets/src/types.js" */

const LEAST = 13; // pixels of letters
const SENTENCE = 0.63; // of the width of the main drawing
const BETWEEN = 30; // pixels between the sentence and the curves
/** Pixels: all attention of a word, the room of its arcs, a lens's radius, a word's box and its letters. */
const [LARGE, SMALL] = [
  { all: 46, arcs: 56, lens: 20, box: 80, word: 30 },
  { all: 24, arcs: 32, lens: 13, box: 62, word: 19 },
];
const CURVES = 148; // pixels of the curves below a narrow sentence
const ALONE = 8; // other words that have an arc each; of more there is one
const LANE = 2; // pixels between arcs, at most
const [FROM, OWN] = [0.38, 0.33]; // of a word's room: from its middle to its own arcs, and to what it has of itself
const HANDLE = 9; // pixels of a lens's handle, to its side and towards the sentence
const BESIDE = 5; // pixels from a lens to what is said of it
const EVEN = 0.45; // of a lens's radius: half of an even share
const VISIBLE = 1e-13; // a smaller difference is rounding
const NONE = "even";
const PLAIN = 6; // decimals, beyond which a number has a power of ten
const BROAD = [10, 3]; // pixels of the first curve, and of the others
const FIRST = 0.3; // the time with which curves begin
const ANSWER = 1.6; // of the usual letters: how much two curves differ
const SIGN = 26; // pixels of a curve before its name
const DIGITS = 4; // of where a curve has come to, which two may have nearly in common

/** Attention of a word: its place, its shares for each token, and what these differ from even ones. */
/** @typedef {{ origin: number, shares: number[], changes: number[] }} Gaze */
/** @typedef {{ label: string, colour: string, dash: string, points: [number, number][] }} DrawnCurve */
/**
 * What is drawn: `domain` and `range` are those of the whole run’s curves; `apart` says how much the first two differ.
 * @typedef {{ gazes: Gaze[], others: number, factor: number, digits: number, curves: DrawnCurve[],
 *   domain: [number, number], range: [number, number], apart: string, text: string }} LensDrawing
 */
/** From a place to another, how high it starts and goes, and how far from there it begins to bend. */
/** @typedef {{ xs: number[], ys: number[], bend: number, wide: number, colour: string, share: number }} Arc */
/** A magnified end: words stand to its right or left, `aside`; `down` is the way to the sentence. */
/** @typedef {{ x: number, y: number, change: number, colour: string, aside: number, down: number }} Glass */
/** @typedef {{ left: number, right: number, top: number, bottom: number, size: number }} Room */

/** @extends {Frame<LensPanel, LensDrawing>} */
class Lens extends Frame {
  /** @param {HTMLElement} parent @param {LensPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers(
      ...["gazes", "tokens", "words", "handles", "rims", "magnified", "even", "changes"],
      ...["axes", "scale", "ways", "way-names"],
    );
  }

  /** @param {LensDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const [sizes, size] = [this.isLarge ? LARGE : SMALL, Math.max(textSize(), LEAST)];
    const height = 2 * (sizes.arcs + 2 * sizes.lens) + sizes.box;
    this.resize(this.isLarge ? height : height + CURVES, drawing.text);
    for (const name of ["changes", "scale", "way-names"]) setAttributes(this.layers[name], { "font-size": size });
    const wide = this.isLarge ? SENTENCE * width : width;
    this.#drawSentence(drawing, wide, height, size);
    const [left, top, high] = this.isLarge ? [wide + BETWEEN, 0, height] : [0, height, CURVES];
    this.#drawCurves(drawing, { left, right: width, top, bottom: top + high, size });
  }

  /** @param {LensDrawing} drawing @param {number} width @param {number} height @param {number} size of letters */
  #drawSentence(drawing, width, height, size) {
    const { tokens } = this.panel;
    const { gazes, others, factor } = drawing;
    const { lens, ...sizes } = this.isLarge ? LARGE : SMALL;
    const pitch = width / tokens.length;
    const drawn = gazes.map((gaze) => looking(gaze, others, tokens, pitch, { lens, ...sizes }));
    /** Above the sentence, or mirrored below it. @param {number} y @param {number} below */
    const at = (y, below) => (below ? height - y : y);
    const arcs = drawn.flatMap((one, k) => one.arcs.map((arc) => ({ ...arc, ys: arc.ys.map((y) => at(y, k)) })));
    const glasses = drawn.flatMap((one, k) =>
      one.glasses.map((glass) => ({ ...glass, y: at(glass.y, k), down: k ? -1 : 1 })),
    );
    updateChildren(this.layers.gazes, "path", arcs, (node, { xs, ys, bend, wide, colour, share }) =>
      setAttributes(node, {
        ...{ d: bent(xs, ys, bend), "stroke-width": wide, "data-weight": share },
        style: `stroke: var(--fim-${colour})`,
      }),
    );
    const longest = Math.max(...glasses.map(({ change }) => textWidth(inPercent(change, drawing.digits))));
    const isRoomy = this.isLarge && 2 * (lens + BESIDE + longest) < pitch;
    this.#drawWords(drawing, pitch, height, size, isRoomy);
    this.#drawGlasses(drawing, factor > 1 ? glasses : [], lens);
    const times = factor > 1 ? [`${isRoomy ? "lens " : ""}×${count(factor)}`] : [];
    updateTexts(this.layers.changes, [
      ...(isRoomy ? glasses.flatMap((glass) => beside(glass, lens, size, drawing.digits)) : []),
      ...times.map((text) => ({ text, x: 0, y: size, anchor: "start", colour: "ink" })),
    ]);
  }

  /**
   * The words, and in their boxes their shares, or what these differ from even ones if that has no room elsewhere.
   * @param {LensDrawing} drawing
   * @param {number} pitch
   * @param {number} height
   * @param {number} size of letters
   * @param {boolean} isRoomy
   */
  #drawWords({ gazes, others, digits }, pitch, height, size, isRoomy) {
    const { tokens } = this.panel;
    const { box, word: most } = this.isLarge ? LARGE : SMALL;
    const top = (height - box) / 2;
    updateChildren(this.layers.tokens, "rect", tokens, (node, { colour }, i) =>
      setAttributes(node, {
        ...{ x: i * pitch + 2, y: top, width: pitch - 4, height: box, rx: 8 },
        style: `stroke: var(--fim-${colour})`,
      }),
    );
    const words = tokens.map(({ word }, i) => (i === 1 ? `${others} ${word}` : word));
    const letters = words.map((word) => Math.min(most, ((pitch - 12) * textSize()) / textWidth(word, true)));
    const said = gazes.map(({ origin, shares, changes }, below) =>
      tokens.map((_, i) => ({
        text: isRoomy ? `${percent(shares[i])}${i === 1 && others > 1 ? " each" : ""}` : signed(changes[i], digits),
        y: below ? top + box - 0.5 * size : top + 1.05 * size,
        colour: tokens[origin].colour,
        size,
      })),
    );
    const labels = tokens.flatMap((_, i) => [
      { text: words[i], y: height / 2 + 0.34 * letters[i], size: letters[i], colour: "ink" },
      ...said.map((row) => row[i]),
    ]);
    const places = labels.map((label, i) => ({ ...label, x: (Math.floor(i / 3) + 0.5) * pitch }));
    updateTexts(this.layers.words, places);
  }

  /** @param {LensDrawing} drawing @param {Glass[]} glasses @param {number} radius */
  #drawGlasses({ factor }, glasses, radius) {
    updateChildren(this.layers.rims, "circle", glasses, (node, { x, y }) =>
      setAttributes(node, { cx: x, cy: y, r: radius - 1 }),
    );
    updateChildren(this.layers.magnified, "path", glasses, (node, { x, y, change, colour }) =>
      setAttributes(node, {
        d: slice(x, y, radius - 2, clamp(EVEN * radius * (1 + factor * change), 0.5, radius - 3)),
        style: `fill: var(--fim-${colour})`,
        "data-value": change,
      }),
    );
    const [high, edge] = [Math.sqrt(1 - EVEN ** 2) * (radius - 2), Math.SQRT1_2 * radius];
    updateChildren(this.layers.handles, "path", this.isLarge ? glasses : [], (node, { x, y, down }) =>
      setAttributes(node, { d: `M${x - edge},${y + down * edge}l${-HANDLE},${down * HANDLE}` }),
    );
    updateChildren(this.layers.even, "path", glasses, (node, { x, y }) =>
      setAttributes(node, { d: [-1, 1].map((side) => `M${x + side * EVEN * radius},${y - high}v${2 * high}`).join("") }),
    );
  }

  /** @param {LensDrawing} drawing @param {Room} room */
  #drawCurves({ curves, domain, range, apart }, { left, right, top, bottom, size }) {
    /** @param {number} k the middle of a line of words */
    const line = (k) => top + (k + 0.5) * LINE * size;
    const [high, low] = [line(curves.length + 1), bottom - 1.4 * LINE * size];
    const plot = { left: left + 2 * size, right: right - BROAD[0] / 2 };
    const across = makeScale("log", domain, [plot.left, plot.right]);
    const up = makeScale("linear", range, [low, high]);
    const ticks = makeTicks(up, "linear", 3).filter(({ value }) => value >= range[0] && value <= range[1]);
    updateChildren(this.layers.axes, "path", ticks, (node, { value }) =>
      setAttributes(node, { d: `M${plot.left},${up(value)}H${plot.right}`, class: value ? null : "fim-zero" }),
    );
    const times = makeTicks(across, "log", 3).filter(({ value }) => across(value) < plot.right - 7 * size);
    const says = textWidth(this.panel.says) > right - left ? this.panel.says.replace(/ \(.*/, "") : this.panel.says;
    updateTexts(this.layers.scale, [
      { text: says, x: left, y: line(0) + 0.35 * size, anchor: "start", colour: "ink" },
      ...ticks.map(({ value, text }) => ({ text, x: plot.left - 6, y: up(value) + 0.35 * size, anchor: "end" })),
      ...times.map(({ value, text }) => ({ text, x: across(value), y: bottom - 0.3 * size })),
      { text: "training time τ", x: plot.right, y: bottom - 0.3 * size, anchor: "end" },
    ]);
    updateChildren(this.layers.ways, "path", [...curves, ...curves], (node, { points, colour, dash }, i) => {
      const [k, isSign] = [i % curves.length, i >= curves.length];
      const places = points.map(([x, y]) => `${across(x)},${up(y)}`).join("L");
      setAttributes(node, {
        d: isSign ? `M${left},${line(k + 1)}h${SIGN}` : `M${places || "0,0"}`,
        "stroke-width": BROAD[Math.min(k, 1)],
        "stroke-dasharray": dash,
        class: k ? null : "fim-broad",
        style: `stroke: var(--fim-${colour})`,
      });
    });
    const names = curves.map(({ label, colour, points }, k) => {
      const last = points[points.length - 1];
      const text = last ? `${label}: ${readable(last[1], DIGITS)}` : label;
      return { text, x: left + SIGN + 8, y: line(k + 1) + 0.35 * size, anchor: "start", colour };
    });
    const pair = Math.max(...names.slice(0, 2).map(({ text }) => textWidth(text))) * (size / textSize());
    const [letters, x] = [ANSWER * size, left + SIGN + 16 + pair];
    const answer = { text: `} ${apart}`, size: letters, x, y: line(1.5) + 0.35 * letters, anchor: "start" };
    updateTexts(this.layers["way-names"], apart ? [...names, answer] : names);
  }
}

/**
 * Arcs and lenses of one word's attention as they stand above the sentence. Its own arcs begin beside its middle, the
 * nearest word's on the inside, and so that no arc crosses another; what it has of itself is on the other side.
 * @param {Gaze} gaze
 * @param {number} others
 * @param {Token[]} tokens
 * @param {number} pitch
 * @param {typeof LARGE} sizes
 * @returns {{ arcs: Arc[], glasses: Glass[] }}
 */
function looking({ origin, shares, changes }, others, tokens, pitch, { all, arcs: room, lens }) {
  const { colour } = tokens[origin];
  const side = origin < tokens.length / 2 ? 1 : -1;
  const box = room + 2 * lens;
  /** @param {number} i */
  const middle = (i) => (i + 0.5) * pitch;
  const places = tokens.flatMap((_, i) => {
    const many = i === 1 && others <= ALONE ? others : 1;
    const share = i === 1 ? (shares[i] * others) / many : shares[i];
    const pace = all * share + 1;
    return Array.from({ length: many }, (__, k) => ({ i, share, x: middle(i) + (k - (many - 1) / 2) * pace }));
  });
  const away = places.filter(({ i }) => i !== origin).sort((a, b) => side * (a.x - b.x));
  const lane = Math.min(LANE, (room - all) / (away.length + 1));
  let [x, y] = [middle(origin) + side * (FROM * pitch + all / 2), room];
  const arcs = away.map((place) => {
    const wide = all * place.share;
    const [start, high] = [x - (side * wide) / 2, y - lane - wide / 2];
    [x, y] = [x - side * wide, y - lane - wide];
    return { xs: [start, place.x], ys: [box, high], bend: room - high, wide, colour, share: place.share };
  });
  const own = middle(origin) - side * OWN * pitch;
  const wide = all * shares[origin];
  const [start, high] = [x - (side * wide) / 2, room - wide];
  arcs.push({ xs: [start, own], ys: [box, high], bend: room - high, wide, colour, share: shares[origin] });
  const glasses = tokens.map((_, i) => ({
    ...{ x: i === origin ? own : middle(i), y: box - lens, change: changes[i], colour },
    ...{ aside: side > 0 || !i ? 1 : -1, down: 1 },
  }));
  return { arcs, glasses };
}

/**
 * A line up, across and down again, with round corners.
 * @param {number[]} xs @param {number[]} ys @param {number} bend
 */
function bent([x0, x1], [y0, y1], bend) {
  const [side, down] = [Math.sign(x1 - x0) * Math.min(bend, Math.abs(x1 - x0) / 2), Math.sign(y0 - y1) * bend];
  return `M${x0},${y0}V${y1 + down}Q${x0},${y1} ${x0 + side},${y1}H${x1 - side}Q${x1},${y1} ${x1},${y1 + down}V${y0}`;
}

/**
 * The part of a circle that is at most so far to the left and right of its middle.
 * @param {number} x @param {number} y @param {number} radius @param {number} half
 */
function slice(x, y, radius, half) {
  const high = Math.sqrt(radius ** 2 - half ** 2);
  const arc = `A${radius},${radius} 0 0 1`;
  return `M${x - half},${y - high}${arc} ${x + half},${y - high}V${y + high}${arc} ${x - half},${y + high}Z`;
}

/**
 * By how much a share differs from an even one, beside a lens.
 * @param {Glass} glass @param {number} radius @param {number} size @param {number} digits
 * @returns {Label[]}
 */
function beside({ x, y, change, colour, aside }, radius, size, digits) {
  const text = inPercent(change, digits);
  const lines = [text, text === NONE ? "share" : change > 0 ? "more" : "less"];
  const place = { x: x + aside * (radius + BESIDE), anchor: aside > 0 ? "start" : "end", colour };
  return lines.map((line, k) => ({ ...place, text: line, y: y + size * (0.35 + 1.05 * (k - (lines.length - 1) / 2)) }));
}

/** @param {number} change @param {number} digits */
function signed(change, digits) {
  const text = inPercent(change, digits);
  return text === NONE ? text : `${change > 0 ? "+" : "−"}${text}`;
}

/** A share without its sign, with so many decimals. @param {number} share @param {number} digits */
function inPercent(share, digits) {
  const size = Math.abs(100 * share);
  if (!(size >= 0.5 * 10 ** -digits)) return NONE;
  return `${digits > PLAIN ? readable(size, 1) : size.toFixed(digits)}\u00a0%`;
}

/**
 * @param {LensPanel} panel
 * @param {Leaves | null} _
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 * @returns {LensDrawing}
 */
function lensDrawing({ title, tokens, others: field, above, below, curves: lines, says }, _, spec, run, share) {
  const looks = [above, below];
  /** @param {Leaves} watched @returns {Gaze[]} */
  const gazesAt = (watched) =>
    looks.map(([name, origin]) => {
      const shares = [...watched[name]];
      return { origin, shares, changes: shares.map((one) => one * (watched[field][0] + tokens.length - 1) - 1) };
    });
  /** @param {Leaves[]} watched */
  const drawn = (watched) => lines.map((line) => ({ ...line, points: pointsOf(line, watched) }));
  const [all, passed] = [run.histories, historiesUntil(run, share)].map((one) => watchedIn(one, spec.watch));
  const curves = drawn(passed);
  const whole = drawn(all).flatMap(({ points }) => points);
  const ends = curves.map(({ points }) => points[points.length - 1]?.[1] ?? NaN);
  const isOver = share === 1 && Math.min(...ends) > 0;
  const apart = isOver ? `${percent(Math.abs(ends[0] / ends[1] - 1))} apart` : "";
  const now = recordOf(spec.watch, momentOf(run, share).row);
  const gazes = gazesAt(now);
  const scale = scaleOf(all.flatMap(gazesAt));
  const seen = gazes.map(({ origin, shares, changes }) => {
    const each = shares.map((one, i) => `${tokens[i].word} ${percent(one)} ${signed(changes[i], scale.digits)}`);
    return `${tokens[origin].word} looks at ${each.join(", ")}`;
  });
  const told = curves.map(({ label }, i) => `${label} ${readable(ends[i], 3)}`);
  return {
    ...{ gazes, others: Math.round(now[field][0]), ...scale, curves, apart },
    domain: [FIRST, Math.max(10 * FIRST, ...whole.map(([time]) => time))],
    range: [Math.min(0, ...whole.map(([, value]) => value)), Math.max(1, ...whole.map(([, value]) => value))],
    text: `${title}. ${seen.join(". ")}. ${says}: ${told.join(", ")}${apart && `, ${apart}`}.`,
  };
}

/**
 * The numbers of a curve from the first time drawn on.
 * @param {Trace} line @param {Leaves[]} watched
 * @returns {[number, number][]}
 */
const pointsOf = ({ x, y, component }, watched) =>
  watched
    .map((each) => /** @type {[number, number]} */ ([each[x][0], each[y][component]]))
    .filter(([time, value]) => time >= FIRST && Number.isFinite(value));

/**
 * Decimals for the first digit, in percent, of the largest difference in a run, and a power of ten that shows it.
 * @param {Gaze[]} gazes
 */
function scaleOf(gazes) {
  const largest = Math.max(...gazes.flatMap(({ changes }) => changes.map(Math.abs)).filter(Number.isFinite));
  const power = largest > VISIBLE ? Math.floor(Math.log10(largest)) : 0;
  return { digits: Math.max(0, -power - 2), factor: 10 ** Math.max(0, -power - 1) };
}

/** @type {Record<string, Kind>} */
export const kinds = { lens: { Panel: Lens, drawing: lensDrawing, moves: always } };
