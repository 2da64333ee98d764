/** How a truth map draws each outcome: told apart by sign and pattern as well as by colour. */

import { uniqueId } from "../draw/dom.js";
import { addSvg } from "../draw/svg.js";
import OUTCOMES from "../run/verdicts.json";

/** @import { Outcome } from "../types.js" */
/** An outcome; "allowed" is a contradiction of one choice or one random start, which the statement allows.
 * @typedef {Outcome | "allowed"} CellKind
 */

const TILE = 8; // pixels

/**
 * How a map shows what a trial comes to.
 * @param {{ outcomes: Outcome[], exists: boolean }} statement
 * @param {{ outcome: number }} judged
 * @returns {CellKind}
 */
export function kindOf({ outcomes, exists }, judged) {
  const outcome = outcomes[judged.outcome];
  return outcome === "contradicted" && exists ? "allowed" : outcome;
}

/**
 * The sign of each outcome, the same as a line from the middle of its cell, its colour, how much of it the ground has,
 * and the lines of a tile. A map has hundreds of signs: one path of them costs a browser far less than as many texts.
 * @type {Record<CellKind, { sign: string, stroke: string, colour: string, ground: number, lines: string }>}
 */
export const PATTERNS = {
  holds: { sign: "✓", stroke: "m-4.5 .5l3 4l6-8", colour: "good", ground: 0.55, lines: "" },
  contradicted: { sign: "✕", stroke: "m-4-4l8 8m0-8l-8 8", colour: "bad", ground: 0.3, lines: "M0 0L8 8M8 0L0 8" },
  allowed: { sign: "✕", stroke: "m-4-4l8 8m0-8l-8 8", colour: "warn", ground: 0.3, lines: "M0 0L8 8M8 0L0 8" },
  outside: { sign: "○", stroke: "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", colour: "faint", ground: 0.12, lines: "M0 8L8 0" },
  beyond: { sign: "+", stroke: "m-4.5 0h9m-4.5-4.5v9", colour: "good", ground: 0.12, lines: "M2 4H6M4 2V6" },
  undecided: { sign: "…", stroke: "m-4.5 3h.01m4.5 0h.01m4.5 0h.01", colour: "faint", ground: 0, lines: "M3.5 4H4.5" },
};

/** Each in words. @type {Record<CellKind, string>} */
export const WORDS = {
  ...OUTCOMES,
  allowed: "its hypotheses hold and its conclusion fails here, as it allows of single choices or starts",
};

/**
 * Put the patterns into a drawing; returns the value of the `fill` property of each.
 * @param {SVGElement} svg
 * @returns {Record<CellKind, string>}
 */
export function addPatterns(svg) {
  const defs = addSvg(svg, "defs");
  const fills = Object.entries(PATTERNS).map(([outcome, { colour, ground, lines }]) => {
    const id = uniqueId();
    const tile = addSvg(defs, "pattern", { id, width: TILE, height: TILE, patternUnits: "userSpaceOnUse" });
    const style = `fill: var(--fim-${colour}); stroke: var(--fim-${colour})`;
    addSvg(tile, "rect", { width: TILE, height: TILE, style: `${style}; stroke: none`, "fill-opacity": ground });
    addSvg(tile, "path", { d: lines, style });
    return [outcome, `url(#${id})`];
  });
  return Object.fromEntries(fills);
}
