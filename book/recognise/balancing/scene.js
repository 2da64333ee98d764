/** Shares of a whole as a stream: a band is as wide as its share, and dashed lines say where theory has it end. */

import { Frame } from "../../../widgets/src/draw/frame.js";
import { makeScale, makeTicks } from "../../../widgets/src/draw/scales.js";
import { setAttributes, updateChildren, updateTexts } from "../../../widgets/src/draw/svg.js";
import { LINE, spreadApart, textSize, textWidth, withoutOverlaps } from "../../../widgets/src/draw/text_layout.js";
import { percent } from "../../../widgets/src/run/format.js";
import { recordOf } from "../../../widgets/src/run/parameters.js";
import { historiesUntil, momentOf, sharesOf, watchedIn } from "../../../widgets/src/run/timeline.js";
import { clockOf } from "../../../widgets/src/view/clock.js";
import { always } from "../../../widgets/src/view/kinds.js";

/** @import { Run } from "../../../widgets/src/run/program.js" */
/** @import { Clock } from "../../../widgets/src/view/clock.js" */
/** @import { Kind } from "../../../widgets/src/view/kinds.js" */
/** @import { Leaves, Spec, Stream as StreamPanel } from "../../../widgets/src/types.js" */

const TALLEST = 200; // pixels of the stream on a phone
const FRONT = 10; // pixels of the present shares, ahead of the stream
/** @type {[string, number][]} along the side of the stream */
const HEIGHTS = [["100\u00a0%", 1], ["50\u00a0%", 0.5], ["0", 0]];
const NEAR = 8; // pixels from them to what they are
const THEORY = "theory"; // above the first dashed line, once the stream reaches as far

/**
 * `rows` are the times that have passed and the shares at each; `domain` is that of the whole run.
 * @typedef {{ rows: { time: number, shares: number[] }[], shares: number[], goal: number[] | null,
 *   domain: [number, number], clock: { shares: number[], x: number[] }, text: string }} StreamDrawing
 */

/** @extends {Frame<StreamPanel, StreamDrawing>} */
class Stream extends Frame {
  /** @type {Clock | null} */
  clock = null;

  /** @param {HTMLElement} parent @param {StreamPanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("stream", "crest", "expected", "share-names", "scale");
  }

  /** @param {StreamDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { rows, shares, goal, domain, text } = drawing;
    const { tokens, x: name } = this.panel;
    const size = textSize();
    const width = this.measure();
    const line = LINE * size;
    const foot = 2 * line;
    const height = this.isLarge ? this.mainHeight - foot : TALLEST;
    this.resize(height + foot, text);
    const said = tokens.map(({ word }, i) => `${percent(shares[i])} ${word}`);
    const right = width - NEAR - FRONT - Math.max(...tokens.map(({ word }) => textWidth(`100\u00a0% ${word}`)));
    const left = this.isLarge ? this.bar.left : 0;
    const across = makeScale("log", domain, [left, right]);
    this.clock = this.isLarge ? clockOf(across, drawing.clock) : null;
    const front = rows.length ? across(rows[rows.length - 1].time) : left;
    const borders = rows.map((row) => ({ x: across(row.time), at: bordersOf(row.shares) }));
    /** @param {number} border */
    const y = (border) => border * height;
    updateChildren(this.layers.stream, "path", tokens, (node, { colour }, i) => {
      const above = borders.map(({ x, at }) => `${x},${y(at[i])}`);
      const below = borders.map(({ x, at }) => `${x},${y(at[i + 1])}`).reverse();
      setAttributes(node, {
        d: above.length ? `M${[...above, ...below].join("L")}Z` : null,
        style: `fill: var(--fim-${colour})`,
      });
    });
    const now = bordersOf(shares);
    updateChildren(this.layers.crest, "rect", tokens, (node, { colour }, i) =>
      setAttributes(node, {
        ...{ x: front, y: y(now[i]), width: FRONT, height: y(now[i + 1] - now[i]), "data-value": shares[i] },
        style: `fill: var(--fim-${colour})`,
      }),
    );
    const theory = goal ? bordersOf(goal).slice(1, -1) : [];
    updateChildren(this.layers.expected, "path", theory, (node, border) =>
      setAttributes(node, { d: `M${left},${y(border)}H${front}` }),
    );
    const named = theory.slice(0, front - left > textWidth(THEORY) + 2 * NEAR ? 1 : 0);
    const middles = tokens.map((_, i) => y((now[i] + now[i + 1]) / 2));
    const places = spreadApart(middles, tokens.map(() => line), 0, height);
    updateTexts(
      this.layers["share-names"],
      tokens.map(({ colour }, i) => ({
        ...{ text: said[i], x: front + FRONT + NEAR, y: places[i] + 0.35 * size, anchor: "start", colour },
      })),
    );
    const ticks = makeTicks(across, "log", 8).map(({ value, text: number }) => ({ x: across(value), text: number }));
    updateTexts(this.layers.scale, [
      ...withoutOverlaps(ticks, right).map((tick) => ({ ...tick, y: height + line })),
      { text: name, x: (left + right) / 2, y: height + 2 * line - 3 },
      ...named.map((border) => ({ text: THEORY, x: left + NEAR, y: y(border) - 5, anchor: "start", colour: "ink" })),
      ...(left ? HEIGHTS : []).map(([text, at]) => ({ text, x: left - NEAR, y: y(1 - at) + 0.7 * size * at, anchor: "end" })),
    ]);
  }
}

/**
 * Where each share begins and the last one ends, between 0 and 1.
 * @param {number[]} shares
 */
function bordersOf(shares) {
  const all = shares.reduce((sum, share) => sum + share, 0);
  let border = 0;
  return [0, ...shares.map((share) => (border += share / all))];
}

/**
 * @param {StreamPanel} panel
 * @param {Leaves | null} report
 * @param {Spec} spec
 * @param {Run} run
 * @param {number} share
 * @returns {StreamDrawing}
 */
function streamDrawing({ title, tokens, shares: field, clock, goal: end, since }, report, spec, run, share) {
  /** @param {{ rows: Float64Array[][] }[]} histories */
  const rowsOf = (histories) =>
    watchedIn(histories, spec.watch)
      .map((watched) => ({ time: watched[clock][0], shares: [...watched[field]] }))
      .filter(({ time, shares }) => time >= since && shares.every(Number.isFinite));
  const all = rowsOf(run.histories);
  const now = [...recordOf(spec.watch, momentOf(run, share).row)[field]];
  const goal = report && [...report[end]];
  const told = tokens.map(({ word }, i) => `${word} ${percent(now[i])}${goal ? `, in theory ${percent(goal[i])}` : ""}`);
  return {
    rows: rowsOf(historiesUntil(run, share)),
    shares: now,
    goal: goal?.every(Number.isFinite) ? goal : null,
    domain: [all[0]?.time ?? since, Math.max(10 * since, ...all.map(({ time }) => time))],
    clock: { shares: sharesOf(run).flat(), x: watchedIn(run.histories, spec.watch).map((each) => each[clock][0]) },
    text: `${title}. ${told.join("; ")}.`,
  };
}

/** @type {Record<string, Kind>} */
export const kinds = { stream: { Panel: Stream, drawing: streamDrawing, moves: always } };
