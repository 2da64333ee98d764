/** What a map of where a statement is true shows, in a sentence: pure. */

import { count } from "./format.js";

/** @import { Sheet } from "../types.js" */

/**
 * What a map shows, in a sentence: at how many cells the statement holds; where it says that there is a choice, and one
 * axis is that choice, for how many values of the other axis some choice works.
 * @param {Pick<Sheet, "name" | "choices" | "mapped">} statement
 * @param {(string | undefined)[][]} kinds row by row
 * @param {Record<string, number>} counts of cells by kind
 * @param {{ name: string, label?: string }[]} axes across and upwards
 */
export function summary({ name, choices, mapped }, kinds, counts, axes) {
  const { holds, allowed, contradicted, beyond, outside, undecided } = counts;
  const [x, y] = axes.map(({ name }) => choices.includes(name));
  const lines = (x ? kinds : kinds[0].map((_, i) => kinds.map((row) => row[i]))).filter(
    (line) => line.includes("holds") || line.includes("allowed"),
  );
  const works = lines.filter((line) => line.includes("holds")).length;
  const [along, choice] = (x ? axes.toReversed() : axes).map(({ name, label = name }) => label);
  /** @type {Record<string, number>} */
  const numbers = {
    holds,
    inside: holds + contradicted + allowed,
    beyond,
    outside: beyond + outside,
    works,
    lines: lines.length,
    early: undecided,
  };
  const promised = works < lines.length ? mapped.some : mapped.every;
  /** @type {Record<string, string>} */
  const words = { name, along, choice };
  const sentence = x !== y && lines.length ? promised : mapped.cells;
  return (sentence + (undecided ? mapped.early : "")).replace(/{(\w+)}/g, (_, key) => words[key] ?? count(numbers[key]));
}
