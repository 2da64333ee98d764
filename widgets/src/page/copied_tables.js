/** A table that a reader copies has numbers that spreadsheets and pandas read: 5e-2 where the page prints 5e−2. */

import { parse } from "../run/format.js";

/** Listen for copies; those that are not of a table are left alone. */
export function followCopies() {
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    const range = selection?.rangeCount ? selection.getRangeAt(0) : undefined;
    const rows = range ? selectedRows(range) : [];
    if (!event.clipboardData || rows.flat().length < 2) return;
    event.clipboardData.setData("text/plain", rows.map((cells) => cells.join("\t")).join("\n"));
    event.clipboardData.setData("text/html", asTable(rows).outerHTML);
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

/** What a cell says, a number as programs write it. @param {Element} cell */
function textOf(cell) {
  const text = (cell.textContent ?? "").replace(/\s+/g, " ").trim();
  const number = parse(text);
  return Number.isNaN(number) || text.endsWith("%") ? text : String(number);
}

/** @param {string[][]} rows */
function asTable(rows) {
  const table = document.createElement("table");
  for (const cells of rows) {
    const row = table.insertRow();
    for (const text of cells) row.insertCell().textContent = text;
  }
  return table;
}
