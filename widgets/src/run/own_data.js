/** Data of a reader's own: the numbers of a text, read as widgets/figure/own_data.py reads them. */

/** @import { OwnData } from "../types.js" */

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The numbers of a line, as texts. @param {string} line */
function cellsOf(line) {
  const wide = ["\t", ";"].find((mark) => line.includes(mark));
  return wide ? line.split(wide).map((cell) => cell.trim()) : line.split(/[\s,]+/).filter(Boolean);
}

/** The number that a cell holds, or NaN. @param {string} cell */
function numberOf(cell) {
  const text = cell.replaceAll("−", "-").replace(",", ".");
  return NUMBER.test(text) ? Number(text) : NaN;
}

/**
 * How many rows a text has, and all their numbers, up to the most that there may be; or which line is wrong, and what
 * is allowed.
 * @param {OwnData} own
 * @param {string} text
 * @returns {number[] | string}
 */
export function readRows({ low, high, columns, least, most, pad }, text) {
  /** @type {number[]} */
  const numbers = [];
  for (const [place, line] of String(text).split(/\r\n?|\n/).entries()) {
    const cells = cellsOf(line.trim());
    const row = cells.map(numberOf);
    if (!cells.length || (!numbers.length && row.every(Number.isNaN))) continue;
    const [where, wrong] = [`line ${place + 1}: `, row.findIndex(Number.isNaN)];
    if (wrong >= 0) return `${where}“${cells[wrong]}” is not a number`;
    if (row.length !== columns.length)
      return `${where}${row.length} numbers: must be ${columns.length}: ${columns.join(", ")}`;
    const outside = row.findIndex((number) => number < low || number > high);
    if (outside >= 0) return `${where}${columns[outside]} = ${cells[outside]}: must be from ${low} to ${high}`;
    numbers.push(...row);
  }
  const count = numbers.length / columns.length;
  if (count < least || count > most) return `${count} rows: must be from ${least} to ${most}`;
  return [count, ...numbers, ...Array(most * columns.length - numbers.length).fill(pad)];
}
