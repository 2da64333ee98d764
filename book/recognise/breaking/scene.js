/**
 * Claims in groups, a lamp each. With grounds they stand on stones: from a stone that is broken a thread leads to each
 * lamp that is out, and a claim stands right of a line while it holds and left of it while it fails, as far as it is
 * safe.
 */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { textWidth, truncate } from "../../../widgets/src/draw/text_layout.js";
import { quote } from "../../../widgets/src/view/captions.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Claims as ClaimsPanel, Moment } from "../../../widgets/src/types.js" */

const ROW = 23; // pixels
const HEAD = 28; // of a group
const FOOT = 24; // for the names of the two sides
const DOT = 6; // its radius
const MARK = 20; // for the sign before a claim
const SNUG = 0.88; // of the usual estimate: how wide a claim is, which has few capitals and no digits
const LEAST = 60; // pixels of both sides beside what is said of a claim
const ROOMY = 140; // pixels of a side that has room to say what its end is
const STONE = 26; // pixels: how high a stone is, and how far from one to the next
const PITCH = 30;
const CRACK = 26; // of its right end, which sinks when it breaks
const THREADS = 64; // between stones and lamps
const LAMP = 10; // the radius of a lamp
const GLOW = 13;

/**
 * @typedef {{ label: string, value: number, said: string }} Row `value` is infinite where its time is still to come;
 * `said` tells why nothing is decided
 */
/** @typedef {{ text: string, kept: boolean }} Stone */
/** @typedef {{ groups: { head: string, rows: Row[] }[], stones: Stone[], text: string }} ClaimsDrawing */

/** @extends {Frame<ClaimsPanel, ClaimsDrawing>} */
class Claims extends Frame {
  /** @param {HTMLElement} parent @param {ClaimsPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    if (panel.grounds.length) this.needsRoom(this.#names + LEAST);
    this.layers = this.addLayers(
      ...["failing", "quadrant", "square", "strands", "stones", "glows", "bulbs", "stems", "cloud", "marks", "names"],
      ...["stone-names", "heads", "axis"],
    );
    this.fails = addSvg(this.layers.failing, "rect");
    this.holds = addSvg(this.layers.quadrant, "rect");
    this.line = addSvg(this.layers.square, "path");
  }

  /** The width of the claims, with their signs. */
  get #names() {
    const claims = this.panel.groups.flatMap(([, said]) => said);
    return MARK + 20 + SNUG * Math.max(...claims.map((label) => textWidth(label)));
  }

  /** The width of the stones. */
  get #stones() {
    const said = this.panel.grounds.flatMap(({ kept, broken }) => [kept, broken]);
    return MARK + 14 + CRACK + SNUG * Math.max(...said.map((text) => textWidth(text.replace(/\{.*?\}/, "10,000"))));
  }

  /** @param {{ value: number, x: number, y: number }[]} lamps */
  #drawLamps(lamps) {
    const lit = lamps.filter(({ value }) => isLit(value));
    updateChildren(this.layers.glows, "circle", lit, (node, { x, y }) => setAttributes(node, { cx: x, cy: y, r: GLOW }));
    updateChildren(this.layers.bulbs, "circle", lamps, (node, { value, x, y }) =>
      setAttributes(node, {
        ...{ cx: x, cy: y, r: LAMP, class: isLit(value) ? "fim-lit" : null },
        style: `--colour: var(--fim-${signColour(value)})`,
      }),
    );
  }

  /**
   * The stones, those that are broken with a crack; from each of them a thread to each claim that fails.
   * @param {Stone[]} stones
   * @param {{ value: number, y: number }[]} rows
   * @param {number} begin of the lamps; 0 where they stand below the stones
   */
  #drawStones(stones, rows, begin) {
    const width = this.#stones;
    const placed = stones.map((stone, i) => ({ ...stone, y: HEAD + i * PITCH }));
    updateChildren(this.layers.stones, "path", placed, (node, { kept, y }) =>
      setAttributes(node, { d: kept ? whole(width, y) : cracked(width, y), class: kept ? null : "fim-broken" }),
    );
    updateTexts(
      this.layers["stone-names"],
      placed.map(({ text, kept, y }) => ({
        ...{ text: `${kept ? "✓" : "✕"} ${text}`, x: 10, y: y + STONE / 2 + 5, anchor: "start" },
        colour: kept ? "ink" : "bad",
      })),
    );
    const broken = begin ? placed.filter(({ kept }) => !kept) : [];
    const fallen = rows.filter(({ value }) => value <= 0);
    const threads = broken.flatMap(({ y }) => fallen.map((row) => ({ from: y + STONE / 2, to: row.y })));
    const [from, to] = [width + 2, begin + MARK / 2 - GLOW];
    updateChildren(this.layers.strands, "path", threads, (node, thread) =>
      setAttributes(node, {
        d: `M${from},${thread.from}C${(from + to) / 2},${thread.from} ${(from + to) / 2},${thread.to} ${to},${thread.to}`,
      }),
    );
  }

  /** @param {ClaimsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const hasGrounds = this.panel.grounds.length > 0;
    const beside = hasGrounds ? this.#stones + THREADS : 0;
    const isWide = this.isLarge && width - beside - this.#names > LEAST; // else the stones stand above
    const begin = isWide ? beside : 0;
    const left = hasGrounds ? begin + Math.min(width - begin - LEAST, this.#names) : width;
    const [first, ...others] = drawing.groups;
    const stones = isWide ? drawing.stones : inShort(drawing.stones);
    const base = hasGrounds && !isWide ? HEAD + PITCH * stones.length : 0; // below the stones
    const top = base + (others.length ? 4 : first.head ? HEAD : 0);
    const middle = (left + width) / 2;
    const reach = (width - left) / 2 - DOT - 2;
    let y = base;
    const heads = [];
    const rows = [];
    for (const group of drawing.groups) {
      if (group.head) {
        heads.push({ text: group.head, x: begin, y: y + 17, anchor: "start" });
        y += HEAD;
      }
      for (const row of group.rows) {
        rows.push({ ...row, y: y + ROW / 2, x: middle + reach * clamp(row.value, -1, 1) });
        y += ROW;
      }
    }
    const below = [...new Set(rows.map(({ said }) => said).filter(Boolean))];
    const most = new Set(this.panel.silent.filter(Boolean)).size;
    this.resize(y + (Number(hasGrounds) + most) * FOOT, drawing.text);
    setAttributes(this.fails, { x: left, y: top, width: middle - left, height: y - top });
    setAttributes(this.holds, { x: middle, y: top, width: width - middle, height: y - top });
    setAttributes(this.line, { d: hasGrounds ? `M${middle},${top}V${y}` : null });
    const judged = hasGrounds ? rows.filter(({ value }) => Number.isFinite(value)) : [];
    /** @param {Row} row */
    const colour = ({ value }) => `--colour: var(--fim-${value > 0 ? "good" : "bad"})`;
    updateChildren(this.layers.stems, "path", judged, (node, row) =>
      setAttributes(node, { d: `M${middle},${row.y}H${row.x}`, style: colour(row) }),
    );
    updateChildren(this.layers.cloud, "circle", judged, (node, row) =>
      setAttributes(node, { cx: row.x, cy: row.y, r: DOT, style: colour(row), "data-value": row.value }),
    );
    updateTexts(
      this.layers.marks,
      rows.map(({ value, y: at }) => {
        const colour = isLit(value) ? "paper" : signColour(value);
        return { text: sign(value), x: begin + MARK / 2, y: at + 5, colour };
      }),
    );
    const room = left - begin - MARK;
    const short = rows.some(({ label }) => SNUG * textWidth(label) > room);
    const names = rows.map(({ label, y: at }) => ({
      text: truncate(short ? label.replace(/^.*?: /, "") : label, room / SNUG),
      x: begin + MARK + 4,
      y: at + 5,
      anchor: "start",
    }));
    const silent = below.map((said, i) => ({ text: `${sign(NaN)} ${said}`, x: 0, y: y + 17 + i * FOOT, anchor: "start" }));
    updateTexts(this.layers.names, [...names, ...silent]);
    this.#drawLamps(rows.map(({ value, y: at }) => ({ value, x: begin + MARK / 2, y: at })));
    if (hasGrounds) {
      this.#drawStones(stones, rows, begin);
      heads.unshift({ text: "What they rest on", x: 0, y: 17, anchor: "start" });
    }
    updateTexts(this.layers.heads, heads);
    const sides = [
      { text: "← fails", x: middle - 6, y: y + 17, anchor: "end" },
      { text: "holds →", x: middle + 6, y: y + 17, anchor: "start" },
    ];
    const ends = [
      { text: "by far", x: left, y: y + 17, anchor: "start" },
      { text: "by far", x: width, y: y + 17, anchor: "end" },
    ];
    const fits = textWidth("holds →") + 6 < width - middle;
    updateTexts(this.layers.axis, fits ? [...sides, ...(reach > ROOMY ? ends : [])] : []);
  }
}

/**
 * The stones that are broken, and in one the others.
 * @param {Stone[]} stones
 * @returns {Stone[]}
 */
function inShort(stones) {
  const broken = stones.filter(({ kept }) => !kept);
  const others = stones.length - broken.length;
  return [...broken, { text: `${others} assumption${others === 1 ? "" : "s"} kept`, kept: true }];
}

/** The outline of a stone. @param {number} width @param {number} y */
const whole = (width, y) => `M1,${y}h${width - 2}v${STONE}H1Z`;

/** In two parts, the right one of which has sunk. @param {number} width @param {number} y */
function cracked(width, y) {
  const [at, side, high] = [width - CRACK, 5, STONE / 4];
  const zigzag = [side, -side, side, -side].map((by) => `l${by},${high}`).join("");
  return `M1,${y}H${at}${zigzag}H1ZM${at + 6},${y + 3}H${width - 1}v${STONE}H${at + 6}l${side},${-high}l${-side},${-high}l${side},${-high}Z`;
}

/** @param {number} value */
const isLit = (value) => value > 0 && Number.isFinite(value);

/** @param {number} value */
const sign = (value) => (Number.isFinite(value) ? (value > 0 ? "✓" : "✕") : "·");

/** @param {number} value */
const signColour = (value) => (Number.isFinite(value) ? (value > 0 ? "good" : "bad") : "faint");

/**
 * @param {ClaimsPanel} panel
 * @param {Moment} moment
 * @returns {ClaimsDrawing}
 */
function claimsDrawing({ title, groups, field, decided, silent, grounds, kept }, { watched, report }) {
  let next = 0;
  /** @param {string} label @returns {Row} */
  const row = (label) => {
    const now = watched[field][next];
    const value = Number.isNaN(now) ? (report?.[decided][next] ?? Infinity) : now;
    const said = Number.isNaN(now) && report?.[decided][next] === Infinity ? (silent[next] ?? "") : "";
    next += 1;
    return { label, value, said };
  };
  const drawn = groups.map(([head, labels]) => ({ head, rows: labels.map(row) }));
  const stones = grounds.map((ground, i) => {
    const isKept = watched[kept][i] > 0;
    return { text: quote(isKept ? ground.kept : ground.broken, watched).text, kept: isKept };
  });
  const inWords = drawn.map(({ head, rows }) => (head && `${head}: `) + rows.map(inWordsOf).join("; "));
  const restsOn = stones.map(({ text, kept: isKept }) => `${isKept ? "kept" : "broken"}, ${text}`).join("; ");
  return { groups: drawn, stones, text: `${[title, ...inWords, ...(restsOn ? [`They rest on: ${restsOn}`] : [])].join(". ")}.` };
}

/** @param {Row} row */
const inWordsOf = ({ label, value, said }) => {
  const verdict = Number.isFinite(value) ? (value > 0 ? "holds" : "fails") : said || "not decided yet";
  return `${label}, ${verdict}`;
};

/** @type {Record<string, Kind>} */
export const kinds = { claims: { Panel: Claims, drawing: ofMoment(claimsDrawing), moves: always } };
