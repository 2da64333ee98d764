/** Claims in groups: each stands right of a line while it holds and left of it while it fails, as far as it is safe. */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { clamp } from "../../../widgets/src/draw/ranges.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { textWidth, truncate } from "../../../widgets/src/draw/text_layout.js";
import { always, ofMoment } from "../../../widgets/src/view/kinds.js";

/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Claims as ClaimsPanel, Moment } from "../../../widgets/src/types.js" */

const ROW = 23; // pixels
const HEAD = 28; // of a group
const FOOT = 24; // for the names of the two sides
const DOT = 6; // its radius
const MARK = 20; // for the sign before a claim
const LABELS = 0.76; // of the width, at most
const SNUG = 0.88; // of the usual estimate: how wide a claim is, which has few capitals and no digits
const LEAST = 60; // pixels of both sides beside what is said of a claim
const ROOMY = 140; // pixels of a side that has room to say what its end is
const SIDES = "← fails, holds →; edge: ×10"; // where neither side has room for its name

/**
 * @typedef {{ label: string, value: number, said: string }} Row `value` is infinite where its time is still to come;
 * `said` tells why nothing is decided
 */
/** @typedef {{ groups: { head: string, rows: Row[] }[], text: string }} ClaimsDrawing */

/** @extends {Frame<ClaimsPanel, ClaimsDrawing>} */
class Claims extends Frame {
  /** @param {HTMLElement} parent @param {ClaimsPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.needsRoom(this.#names + this.#silent + LEAST);
    this.layers = this.addLayers("failing", "quadrant", "square", "stems", "cloud", "marks", "names", "heads", "axis");
    this.fails = addSvg(this.layers.failing, "rect");
    this.holds = addSvg(this.layers.quadrant, "rect");
    this.line = addSvg(this.layers.square, "path");
  }

  /** The width of the claims, with their signs. */
  get #names() {
    const claims = this.panel.groups.flatMap(([, said]) => said);
    return MARK + 8 + SNUG * Math.max(...claims.map((label) => textWidth(label)));
  }

  /** The width of what is said where nothing is decided. */
  get #silent() {
    return Math.max(0, ...this.panel.silent.map((said) => textWidth(said) + 8));
  }

  /** @param {ClaimsDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const names = Math.min(LABELS * width, this.#names);
    const silent = this.#silent;
    const isNarrow = width - names - silent < LEAST; // then it is said below, once
    const left = names + (isNarrow ? 0 : silent);
    const [first, ...others] = drawing.groups;
    const top = others.length ? 4 : first.head ? HEAD : 0;
    const middle = (left + width) / 2;
    const reach = (width - left) / 2 - DOT - 2;
    let y = 0;
    const heads = [];
    const rows = [];
    for (const group of drawing.groups) {
      if (group.head) {
        heads.push({ text: group.head, x: 0, y: y + 17, anchor: "start" });
        y += HEAD;
      }
      for (const row of group.rows) {
        rows.push({ ...row, y: y + ROW / 2, x: middle + reach * clamp(row.value, -1, 1) });
        y += ROW;
      }
    }
    const below = isNarrow ? [...new Set(rows.map(({ said }) => said).filter(Boolean))] : [];
    this.resize(y + (1 + below.length) * FOOT, drawing.text);
    setAttributes(this.fails, { x: left, y: top, width: middle - left, height: y - top });
    setAttributes(this.holds, { x: middle, y: top, width: width - middle, height: y - top });
    setAttributes(this.line, { d: `M${middle},${top}V${y}` });
    const judged = rows.filter(({ value }) => Number.isFinite(value));
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
      rows.map((row) => ({ text: sign(row.value), x: MARK / 2 - 2, y: row.y + 5, colour: signColour(row.value) })),
    );
    updateTexts(
      this.layers.names,
      rows.flatMap(({ label, said, y: at }) => [
        { text: fitting(label, names - MARK), x: MARK, y: at + 5, anchor: "start" },
        { text: isNarrow ? "" : said, x: names, y: at + 5, anchor: "start" },
      ]),
    );
    updateTexts(this.layers.heads, heads);
    const sides = [
      { text: "← fails", x: middle - 6, y: y + 17, anchor: "end" },
      { text: "holds →", x: middle + 6, y: y + 17, anchor: "start" },
    ];
    const ends = [
      { text: "by ten times", x: left, y: y + 17, anchor: "start" },
      { text: "by ten times, or more", x: width, y: y + 17, anchor: "end" },
    ];
    updateTexts(this.layers.axis, [
      ...(textWidth("holds →") + 6 < width - middle ? sides : [{ text: SIDES, x: width, y: y + 17, anchor: "end" }]),
      ...(first.head && reach > ROOMY ? ends : []),
      ...below.map((said, i) => ({ text: `${sign(NaN)} ${said}`, x: width, y: y + 17 + (i + 1) * FOOT, anchor: "end" })),
    ]);
  }
}

/**
 * A label, or where it has no room what stands after its colon: "low loss" of "Lemma 6: low loss".
 * @param {string} label
 * @param {number} room
 */
const fitting = (label, room) =>
  truncate(SNUG * textWidth(label) > room ? label.replace(/^.*?: /, "") : label, room / SNUG);

/** @param {number} value */
const sign = (value) => (Number.isFinite(value) ? (value > 0 ? "✓" : "✕") : "·");

/** @param {number} value */
const signColour = (value) => (Number.isFinite(value) ? (value > 0 ? "good" : "bad") : "faint");

/**
 * @param {ClaimsPanel} panel
 * @param {Moment} moment
 * @returns {ClaimsDrawing}
 */
function claimsDrawing({ title, groups, field, decided, silent }, { watched, report }) {
  let next = 0;
  /** @param {string} label @returns {Row} */
  const row = (label) => {
    const now = watched[field][next];
    const value = Number.isNaN(now) ? (report?.[decided][next] ?? Infinity) : now;
    const said = report?.[decided][next] === Infinity ? (silent[next] ?? "") : "";
    next += 1;
    return { label, value, said };
  };
  const drawn = groups.map(([head, labels]) => ({ head, rows: labels.map(row) }));
  const inWords = drawn.map(({ head, rows }) => (head && `${head}: `) + rows.map(inWordsOf).join("; "));
  return { groups: drawn, text: `${title}. ${inWords.join(". ")}.` };
}

/** @param {Row} row */
const inWordsOf = ({ label, value, said }) => {
  const verdict = Number.isFinite(value) ? (value > 0 ? "holds" : "fails") : said || "not decided yet";
  return `${label}, ${verdict}`;
};

/** @type {Record<string, Kind>} */
export const kinds = { claims: { Panel: Claims, drawing: ofMoment(claimsDrawing), moves: always } };
