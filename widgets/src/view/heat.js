/** A table of numbers as shades of one colour. */

import { readable } from "../run/format.js";
import { fitting, Frame, hatch, keep, keepTexts, set, shareOf, widthOf } from "../draw/svg.js";

const TALLEST = 34; // pixels of a cell
const LOWEST = 5;
const LEGIBLE = 12; // pixels of a cell that can have a label
const NARROW = 44; // pixels of a cell in which a number has two digits only
const FAINTEST = 0.05;
const LABEL_SHARE = 0.34;
const MOST_SLANTED = 16; // columns; of more, only some are named
const SLANT = Math.SQRT1_2;
const SHADE = 90; // pixels of the scale below
const DARK = 0.55; // from here on a number is written in the colour of the paper

export class Heat extends Frame {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, rows: string[], columns: string[], x: string, y: string, numbers: boolean, colour: string}} panel
   */
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("cells", "frames", "cell-numbers", "names", "axis", "shades", "ticks");
    this.hatch = hatch(this.svg);
    for (const event of ["pointermove", "click"]) this.svg.addEventListener(event, (moved) => this.#point(moved));
    this.svg.addEventListener("pointerleave", () => this.#tell(""));
  }

  /** @param {{values: number[], framed: number[], domain: [number, number], text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const width = this.measure();
    const { rows, columns, x, y } = this.panel;
    const longest = Math.max(...columns.map((text) => widthOf(text)));
    const left = Math.min(LABEL_SHARE * width, 10 + Math.max(...rows.map((text) => widthOf(text))));
    const slanted = columns.length <= MOST_SLANTED && longest + 4 > (width - left) / columns.length;
    const beyond = slanted ? Math.max(0, SLANT * (longest + 8) - (width - left) / columns.length / 2) : 0;
    const cell = (width - left - 2 - beyond) / columns.length;
    const top = (y || x ? 16 : 2) + (slanted ? SLANT * longest + 12 : 16);
    const tall = Math.max(LOWEST, Math.min(TALLEST, cell, (rows.length > 24 ? 420 : 640) / rows.length));
    this.place = { left, top, cell, tall };
    const bottom = top + tall * rows.length;
    this.size(bottom + 24, drawing.text);
    this.#cells();
    this.#names(slanted);
    keepTexts(this.layer.axis, [
      { text: y && `${y} ↓`, x: 2, y: 11, anchor: "start" },
      { text: x && `${x} →`, x: Math.max(left, 12 + widthOf(`${y} ↓`)), y: 11, anchor: "start" },
    ].filter(({ text }) => text));
    this.#scale(bottom + 17, width);
  }

  #at(i) {
    const { left, top, cell, tall } = this.place;
    const across = this.panel.columns.length;
    return { x: left + (i % across) * cell, y: top + Math.floor(i / across) * tall };
  }

  #cells() {
    const { values, framed, domain } = this.drawing;
    const { cell, tall } = this.place;
    const gap = Math.min(cell, tall) > 8 ? 1 : 0;
    keep(this.layer.cells, "rect", values, (node, value, i) => {
      const there = Number.isFinite(value);
      set(node, {
        ...this.#at(i), width: cell - gap, height: tall - gap,
        style: there ? `fill: var(--fim-${this.panel.colour})` : `fill: ${this.hatch}`,
        "fill-opacity": there ? FAINTEST + (1 - FAINTEST) * shareOf(value, domain) : null,
      });
    });
    keep(this.layer.frames, "rect", framed, (node, i) => set(node, { ...this.#at(i), width: cell - gap, height: tall - gap }));
    const said = this.panel.numbers && tall >= LEGIBLE ? values : [];
    const texts = said.map((value, i) => {
      const { x, y } = this.#at(i);
      const colour = shareOf(value, domain) > DARK ? "paper" : "ink";
      return { value, text: readable(value, cell < NARROW ? 2 : 3), x: x + (cell - gap) / 2, y: y + tall / 2 + 4, colour };
    });
    keepTexts(this.layer["cell-numbers"], texts.filter(({ value, text }) => Number.isFinite(value) && widthOf(text) <= cell));
  }

  /** Labels of rows and columns; where cells are small, only some. */
  #names(slanted) {
    const { rows, columns } = this.panel;
    const { left, top, cell, tall } = this.place;
    const every = (size, room) => Math.max(1, Math.ceil(room / size));
    const down = every(tall, LEGIBLE);
    const across = slanted ? 1 : every(cell, Math.max(...columns.map((text) => widthOf(text))) + 4);
    const slope = slanted ? { anchor: "start", rotate: -45 } : {};
    keepTexts(this.layer.names, [
      ...rows.map((label, i) => ({ text: fitting(label, left - 8), x: left - 6, y: top + (i + 0.5) * tall + 4, anchor: "end" }))
        .filter((_, i) => i % down === 0),
      ...columns.map((text, i) => ({ text, x: left + (i + 0.5) * cell + (slanted ? -3 : 0), y: top - 5, ...slope }))
        .filter((_, i) => i % across === 0),
    ]);
  }

  /** Which shade is which number. */
  #scale(y, width) {
    const texts = this.drawing.domain.map((value) => readable(value, 3));
    const right = width - 4 - widthOf(texts[1]);
    const steps = 9;
    keep(this.layer.shades, "rect", Array.from({ length: steps }, (_, i) => i / (steps - 1)), (node, share, i) => set(node, {
      x: right - 6 - SHADE + (i * SHADE) / steps, y: y - 9, width: SHADE / steps, height: 10,
      style: `fill: var(--fim-${this.panel.colour})`, "fill-opacity": FAINTEST + (1 - FAINTEST) * share,
    }));
    this.below = { y, texts: [
      { text: texts[0], x: right - 12 - SHADE, y, anchor: "end" },
      { text: texts[1], x: right, y, anchor: "start" },
    ] };
    this.#tell("");
  }

  /** Say the number under the pointer. */
  #point({ offsetX, offsetY }) {
    if (!this.place) return;
    const { left, top, cell, tall } = this.place;
    const { rows, columns } = this.panel;
    const column = Math.floor((offsetX - left) / cell);
    const row = Math.floor((offsetY - top) / tall);
    const there = column >= 0 && column < columns.length && row >= 0 && row < rows.length;
    this.#tell(there ? `${rows[row]}, ${columns[column]}: ${readable(this.drawing.values[row * columns.length + column], 4)}` : "");
  }

  #tell(text) {
    if (!this.below) return;
    const said = { text, x: 2, y: this.below.y, anchor: "start", colour: "ink" };
    keepTexts(this.layer.ticks, text ? [...this.below.texts, said] : this.below.texts);
  }
}

/** From a report to what is drawn. */
export function drawHeat(panel, report) {
  const values = [...report[panel.field]];
  const finite = values.filter(Number.isFinite);
  const largest = finite.length ? Math.max(...finite) : 1;
  const domain = panel.domain ?? [Math.min(0, ...finite), largest];
  const framed = panel.emphasis ? [...report[panel.emphasis].keys()].filter((i) => report[panel.emphasis][i] > 0.5) : [];
  return { values, domain, framed, text: `${panel.title}. ${said(panel, values, finite, largest, framed)}.` };
}

const SAYABLE = 12;

function said({ rows, columns }, values, finite, largest, framed) {
  const name = (i) => `${rows[Math.floor(i / columns.length)]}, ${columns[i % columns.length]}`;
  const cell = (value, i) => `${name(i)}: ${readable(value, 3)}${framed.includes(i) ? ", framed" : ""}`;
  if (values.length <= SAYABLE) return values.map(cell).join("; ");
  if (!finite.length) return "nothing to show";
  const least = Math.min(...finite);
  const where = name(values.indexOf(largest));
  return `${rows.length} rows, ${columns.length} columns, from ${readable(least, 3)} to ${readable(largest, 3)}, the largest at ${where}`;
}
