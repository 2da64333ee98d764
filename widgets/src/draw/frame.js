/** The box that every panel stands in. */

import { add } from "./dom.js";
import { addSvg, setAttributes } from "./svg.js";
import { isLargeScreen } from "./text_layout.js";

const USUAL_WIDTH = 360; // pixels, where the browser knows none
const MAIN_HEIGHT = 264; // of the main drawing on a laptop: title, run and verdict fit the screen with it
const LINE_ROOM = 24; // of that for a legend above it, and as much for a hint
export const THUMB = 8; // half of what is dragged in the play bar: where its track begins
export const NO_TIME = 40; // as much more where no run is played below it
/** Signs in a legend that are drawn as lines. @type {Record<string, string>} */
const LINES = { "▬": "fim-stroke", "╌": "fim-stroke fim-dashed" };

/** @typedef {{ label: string, colour: string, sign?: string }} LegendEntry */

/**
 * A heading, perhaps a hint and a legend, and one SVG that is drawn again when the room for it changes.
 * @template {{ title: string }} Panel
 * @template {object} Drawing what `draw` takes
 */
export class Frame {
  /** @type {Drawing | undefined} the latest */
  drawing;
  /** In pixels; 0 when it must be measured again. */
  width = 0;
  /** @type {HTMLUListElement | undefined} */
  #legend;
  /** The ends of the play bar's track in the drawing, and the width for which they were measured. */
  #bar = { width: 0, left: 0, right: 0 };

  /**
   * @param {HTMLElement} parent
   * @param {Panel} panel
   */
  constructor(parent, panel) {
    this.panel = panel;
    this.isMain = parent.matches(".fim-column:first-child");
    this.isBeside = parent.matches(".fim-column + .fim-column");
    this.box = add(parent, "div", { className: "fim-panel" });
    this.heading = panel.title ? add(this.box, "p", { className: "fim-title", textContent: panel.title }) : null;
    this.canvas = add(this.box, "div", { className: "fim-drawing" });
    this.svg = addSvg(this.canvas, "svg", { role: "img" });
    new ResizeObserver(() => {
      if (!this.box.clientWidth) return; // while it is hidden, it stays as it is
      const before = this.width;
      this.width = 0;
      if (this.measure() !== before && this.drawing) this.draw(this.drawing);
    }).observe(this.box);
  }

  /**
   * Show a drawing; each kind of panel has its own.
   * @param {Drawing} drawing
   */
  draw(drawing) {
    this.drawing = drawing;
  }

  /**
   * Groups of the SVG by name, from the back to the front.
   * @param {string[]} names
   * @returns {Record<string, SVGGElement>}
   */
  addLayers(...names) {
    return Object.fromEntries(names.map((name) => [name, addSvg(this.svg, "g", { class: `fim-${name}` })]));
  }

  /** Whether this is the main drawing of a scene on a laptop, which has the most room. */
  get isLarge() {
    return this.isMain && isLargeScreen();
  }

  /** The height of such a drawing: with its legend and its hint all are alike. */
  get mainHeight() {
    const lines = [...this.box.children].filter((line) => line.matches(".fim-hint, .fim-legend:not([hidden])"));
    return MAIN_HEIGHT - LINE_ROOM * lines.length;
  }

  /** From where to where the track of the play bar below goes; the edges, where nothing is measured. */
  get bar() {
    const width = this.measure();
    if (this.#bar.width === width) return this.#bar;
    const bar = this.box.closest(".fim-stage")?.querySelector(".fim-scrubber")?.getBoundingClientRect();
    const own = this.box.getBoundingClientRect();
    if (!bar?.width || !own.width) return { left: 0, right: width };
    const scale = width / own.width;
    this.#bar = { width, left: (bar.left - own.left) * scale + THUMB, right: (bar.right - own.left) * scale - THUMB };
    return this.#bar;
  }

  /** Whether it stands beside that one, and has room for less than its height. */
  get isSmall() {
    return this.isBeside && isLargeScreen();
  }

  /** Whether no other drawing stands beside the main one. */
  get isAlone() {
    return this.box.closest(".fim-scene")?.querySelectorAll(".fim-column + .fim-column > .fim-panel").length === 1;
  }

  /** Stand beside others only where there is so much room. @param {number} width in pixels */
  needsRoom(width) {
    this.box.style.minWidth = `min(100%, ${Math.ceil(width)}px)`;
  }

  /** A line of small words between the heading and the drawing, once in a row of drawings. @param {string} text */
  addHint(text) {
    const said = [...(this.box.closest(".fim-scene, .fim-panels")?.querySelectorAll(".fim-hint") ?? [])];
    if (said.some(({ textContent }) => textContent === text)) return;
    this.canvas.before(Object.assign(document.createElement("p"), { className: "fim-hint", textContent: text }));
  }

  /**
   * Names of colours above the drawing, where there is no room for them inside.
   * @param {LegendEntry[]} entries
   */
  showLegend(entries) {
    const legend = (this.#legend ??= Object.assign(document.createElement("ul"), { className: "fim-legend" }));
    if (!legend.isConnected) this.canvas.before(legend);
    legend.hidden = !entries.length;
    const key = JSON.stringify(entries);
    if (legend.dataset.key === key) return;
    legend.dataset.key = key;
    legend.replaceChildren();
    for (const { label, colour, sign = "▬" } of entries) {
      const item = add(legend, "li");
      setAttributes(add(item, "span", { textContent: sign, className: LINES[sign] ?? "" }), {
        style: `color: var(--fim-${colour})`,
        "aria-hidden": "true",
      });
      item.append(` ${label}`);
    }
  }

  /**
   * Set the height of the drawing, and its description for a screen reader.
   * @param {number} height
   * @param {string} text
   */
  resize(height, text) {
    setAttributes(this.svg, { viewBox: `0 0 ${this.width} ${height}`, width: this.width, height, "aria-label": text });
  }

  /** The width of the room, read only when it may have changed: reading makes a browser compute the layout. */
  measure() {
    this.width ||= Math.round(this.box.clientWidth) || USUAL_WIDTH;
    return this.width;
  }
}
