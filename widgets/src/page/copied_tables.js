/** A table that a reader copies has numbers that spreadsheets and pandas read: -0.05 where the page prints −5e−2. */

import { readingsOf } from "../run/read_number.js";

/** Listen for copies of cells of a table; other copies are left alone. */
export function followCopies() {
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    const rows = selection?.rangeCount ? selectedRows(selection.getRangeAt(0)) : [];
    if (rows.flat().length < 2) return;
    event.clipboardData?.setData("text/plain", rows.map((cells) => cells.join("\t")).join("\n"));
    event.preventDefault();
  });
}

/** The texts of the cells of a table that a selection within it touches, by rows. @param {Range} range */
function selectedRows(range) {
  const around = range.commonAncestorContainer;
  const table = (around instanceof Element ? around : around.parentElement)?.closest("table");
  return [...(table?.rows ?? [])]
    .map((row) => [...row.cells].filter((cell) => range.intersectsNode(cell)).map(textOf))
    .filter((cells) => cells.length);
}

/** What a cell says; a number, but for shares and fractions, as programs write it. @param {Element} cell */
function textOf(cell) {
  const text = (cell.textContent ?? "").replace(/\s+/g, " ").trim();
  const [number] = /^[^%/¼-¾⅐-⅞]*\d$/.test(text) ? readingsOf(text) : [];
  return number === undefined ? text : String(number);
}
