/** A table of short texts whose cells glow. */

import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { clamp } from "../draw/svg.js";

export class Tiles {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, rows: string[], columns: string[], texts: string[][], colour: string}} panel
   */
  constructor(parent, panel) {
    const box = add(parent, "div", { className: "fim-panel" });
    const table = add(box, "table", { className: "fim-tiles" });
    table.style.setProperty("--colour", `var(--fim-${panel.colour})`);
    add(table, "caption", { className: "fim-title", textContent: panel.title });
    const head = add(add(table, "thead"), "tr");
    for (const title of ["", ...panel.columns]) add(head, "th", { scope: "col", textContent: title });
    const body = add(table, "tbody");
    this.cells = panel.rows.flatMap((title, i) => {
      const row = add(body, "tr");
      add(row, "th", { scope: "row", textContent: title });
      return panel.texts[i].map((text) => {
        const cell = add(row, "td");
        add(cell, "span", { textContent: text });
        return { cell, value: add(cell, "small") };
      });
    });
  }

  /** @param {{values: number[]}} drawing */
  draw({ values }) {
    this.cells.forEach(({ cell, value }, i) => {
      const glow = Number.isFinite(values[i]) ? clamp(values[i], 0, 1) : 0;
      cell.style.setProperty("--glow", `${(100 * glow).toFixed(1)}%`);
      cell.classList.toggle("fim-none", !Number.isFinite(values[i]));
      cell.dataset.value = values[i];
      value.textContent = readable(values[i], 2);
    });
  }
}

export const drawTiles = (panel, report) => ({ values: [...report[panel.field]] });
