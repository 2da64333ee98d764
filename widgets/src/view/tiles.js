/** A table of short texts whose cells glow. */

import { add } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { readable } from "../run/format.js";

/** @import { Leaves, Tiles as TilesPanel } from "../types.js" */

/** @typedef {{ values: number[] }} TilesDrawing row by row */

export class Tiles {
  /** @param {HTMLElement} parent @param {TilesPanel} panel */
  constructor(parent, { title, columns, rows, texts, colour }) {
    const box = add(parent, "div", { className: "fim-panel" });
    const table = add(box, "table", { className: "fim-tiles" });
    table.style.setProperty("--colour", `var(--fim-${colour})`);
    add(table, "caption", { className: "fim-title", textContent: title });
    const head = add(add(table, "thead"), "tr");
    for (const textContent of ["", ...columns]) add(head, "th", { scope: "col", textContent });
    const body = add(table, "tbody");
    this.cells = rows.flatMap((textContent, i) => {
      const row = add(body, "tr");
      add(row, "th", { scope: "row", textContent });
      return texts[i].map((text) => {
        const cell = add(row, "td");
        add(cell, "span", { textContent: text });
        return { cell, value: add(cell, "small") };
      });
    });
  }

  /** @param {TilesDrawing} drawing */
  draw({ values }) {
    this.cells.forEach(({ cell, value }, i) => {
      const isNumber = Number.isFinite(values[i]);
      const glow = isNumber ? clamp(values[i], 0, 1) : 0;
      cell.style.setProperty("--glow", `${(100 * glow).toFixed(1)}%`);
      cell.classList.toggle("fim-none", !isNumber);
      cell.dataset.value = String(values[i]);
      value.textContent = readable(values[i], 2);
    });
  }
}

/**
 * @param {TilesPanel} panel
 * @param {Leaves} report
 * @returns {TilesDrawing}
 */
export const tilesDrawing = (panel, report) => ({ values: [...report[panel.field]] });
