/** How a truth map draws each outcome: told apart by sign and pattern as well as by colour. */

import { uniqueId } from "../draw/dom.js";
import { addSvg } from "../draw/svg.js";
import OUTCOMES from "../run/outcomes.json";

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

const { holds, contradicted, ...others } = OUTCOMES;

/**
 * Each in words, its sign, the same as a line from the middle of its cell, its colour and the cell's opacity, and the
 * lines of a tile. A map has hundreds of signs: one path of them costs a browser far less than as many texts.
 * @type {Record<CellKind, typeof holds>}
 */
export const PATTERNS = {
  holds,
  contradicted,
  allowed: {
    ...contradicted,
    words: "its hypotheses hold and its conclusion fails here, as it allows of single choices or starts",
    colour: "warn",
  },
  ...others,
};

/**
 * Put the patterns into a drawing; returns the value of the `fill` property of each.
 * @param {SVGElement} svg
 * @returns {Record<CellKind, string>}
 */
export function addPatterns(svg) {
  const defs = addSvg(svg, "defs");
  const fills = Object.entries(PATTERNS).map(([outcome, { colour, opacity, lines }]) => {
    const id = uniqueId();
    const tile = addSvg(defs, "pattern", { id, width: TILE, height: TILE, patternUnits: "userSpaceOnUse" });
    const style = `fill: var(--fim-${colour}); stroke: var(--fim-${colour})`;
    addSvg(tile, "rect", { width: TILE, height: TILE, style: `${style}; stroke: none`, "fill-opacity": opacity });
    addSvg(tile, "path", { d: lines, style });
    return [outcome, `url(#${id})`];
  });
  return Object.fromEntries(fills);
}
