/** A table of short texts whose cells glow. */

import { add } from "./dom.js";
import { readable } from "./format.js";
import { clamp } from "./svg.js";

export class Tiles {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, rows: string[], columns: string[], texts: string[][], colour: string, toggles: string}} panel
   *   `toggles` is the parameter whose bits a click on the cells turns over, "" for none
   * @param {object} hands see figure.js
   */
  constructor(parent, panel, hands) {
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
        const inside = panel.toggles ? add(cell, "button", { type: "button" }) : cell;
        add(inside, "span", { textContent: text });
        return { cell, inside, value: add(inside, "small") };
      });
    });
    this.cells.forEach(({ inside }, i) => {
      if (panel.toggles) inside.addEventListener("click", () => hands.set({ [panel.toggles]: turned(hands.value(panel.toggles), i) }));
    });
  }

  /** @param {{values: number[]}} drawing */
  draw({ values }) {
    this.cells.forEach(({ cell, inside, value }, i) => {
      const glow = Number.isFinite(values[i]) ? clamp(values[i], 0, 1) : 0;
      cell.style.setProperty("--glow", `${(100 * glow).toFixed(1)}%`);
      cell.classList.toggle("fim-none", !Number.isFinite(values[i]));
      cell.dataset.value = values[i];
      if (inside !== cell) inside.setAttribute("aria-pressed", glow > 0.5);
      value.textContent = readable(values[i], 2);
    });
  }
}

/** A whole number with one of its bits turned over. */
export const turned = (number, bit) => number + (Math.floor(number / 2 ** bit) % 2 ? -1 : 1) * 2 ** bit;

export const drawTiles = (panel, report) => ({ values: [...report[panel.field]] });
