/** A triangle of three masses with a point to drag in it. */

import { DraggablePoint } from "../draw/draggable_point.js";
import { Frame, NO_TIME } from "../draw/frame.js";
import { LabelPlacer, placesAround } from "../draw/label_placement.js";
import { clamp } from "../draw/ranges.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { textWidth } from "../draw/text_layout.js";
import { percent, readable } from "../run/format.js";
import { contours, shade } from "./simplex_field.js";

/** @import { Corner, Leaves, Pair, ParameterActions, Simplex as SimplexPanel } from "../types.js" */
/** @import { Label } from "../draw/svg.js" */

const WIDEST = 420; // pixels of the drawing
const SIDE_ROOM = 26;
const TOP = 24;
const BOTTOM = 26;
const SLOPE = Math.sqrt(3) / 2;
const GRID = [0.25, 0.5, 0.75];
const PIXEL = 2; // pixels of the page in one of the shading

/** @typedef {[number, number, number]} Masses */
/** @typedef {{ masses: Masses, label: string, colour: string }} DrawnMark */
/** @typedef {{ values: number[] | null, domain: Pair, marks: DrawnMark[], text: string }} SimplexDrawing */

/** @extends {Frame<SimplexPanel, SimplexDrawing>} */
export class Simplex extends Frame {
  /** The length of a side, and the left and lower edge of the triangle, in pixels. */
  side = 0;
  left = 0;
  base = 0;

  /**
   * @param {HTMLElement} parent
   * @param {SimplexPanel} panel
   * @param {ParameterActions} actions
   */
  constructor(parent, panel, actions) {
    super(parent, panel);
    this.actions = actions;
    const touch = matchMedia("(pointer: coarse)").matches;
    this.addHint(`Drag the ring${touch ? ", or tap" : " or click"} in the triangle.`);
    this.shading = this.canvas.insertBefore(document.createElement("canvas"), this.svg);
    this.layers = this.addLayers("grid", "contours", "edges", "guides", "corners", "marks", "mark-labels");
    this.labels = new LabelPlacer();
    this.point = new DraggablePoint(this.svg, `${panel.title}: ${panel.corners.map(({ label }) => label).join(", ")}`, {
      to: (x, y) => this.#moveTo(x, y),
      step: (right, up) => this.#moveBy(right, up),
    });
    this.massesText = addSvg(this.svg, "text", { class: "fim-masses" });
    this.massesSpans = Array.from({ length: 5 }, () => addSvg(this.massesText, "tspan"));
    const themes = new MutationObserver(() => this.drawing && this.#shade(this.drawing));
    for (const themed of [document.documentElement, parent.closest(".fim-host")])
      if (themed) themes.observe(themed, { attributeFilter: ["data-theme"] });
  }

  /** Follow the parameters before the run is finished. */
  aim() {
    if (this.drawing) this.#drawPoint(this.drawing);
  }

  /** @param {SimplexDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    this.measure();
    const highest = this.isLarge ? (this.mainHeight + NO_TIME - TOP - BOTTOM) / SLOPE : Infinity;
    this.side = Math.min(highest, Math.min(this.width, WIDEST) - 2 * SIDE_ROOM);
    this.left = (this.width - this.side) / 2;
    this.base = TOP + SLOPE * this.side;
    this.resize(this.base + BOTTOM, drawing.text);
    this.#drawTriangle();
    this.#shade(drawing);
    const paths = drawing.values ? contours(drawing.values, drawing.domain, (masses) => this.#placeOf(masses)) : [];
    updateChildren(this.layers.contours, "path", paths, (node, d) => setAttributes(node, { d }));
    const corners = this.#cornerLabels();
    updateTexts(this.layers.corners, corners);
    this.#drawMarks(drawing, corners);
    this.#drawPoint(drawing);
  }

  /**
   * Where three masses are in the drawing.
   * @param {Masses} masses
   * @returns {[number, number]}
   */
  #placeOf([, second, third]) {
    return [this.left + this.side * (second + third / 2), this.base - SLOPE * this.side * third];
  }

  /**
   * The masses nearest to a place in the drawing.
   * @param {number} x
   * @param {number} y
   * @returns {Masses}
   */
  #massesAt(x, y) {
    const third = (this.base - y) / (SLOPE * this.side);
    const second = (x - this.left) / this.side - third / 2;
    const [a, b, c] = [1 - second - third, second, third].map((mass) => Math.max(0, mass));
    const sum = a + b + c;
    return [a / sum, b / sum, c / sum];
  }

  /** The masses that the parameters stand for. @returns {Masses} */
  get #masses() {
    const { total, share } = this.panel;
    const [sum, part] = [this.actions.value(total), this.actions.value(share)];
    return [sum * part, sum * (1 - part), 1 - sum];
  }

  /** The edges, and lines along which one mass is a quarter, a half and three quarters. */
  #drawTriangle() {
    /** @param {Masses[]} points */
    const through = (...points) => `M${points.map((masses) => this.#placeOf(masses).join()).join("L")}`;
    const lines = GRID.flatMap((m) => [
      through([m, 1 - m, 0], [m, 0, 1 - m]),
      through([1 - m, m, 0], [0, m, 1 - m]),
      through([1 - m, 0, m], [0, 1 - m, m]),
    ]);
    updateChildren(this.layers.grid, "path", lines, (node, d) => setAttributes(node, { d }));
    updateChildren(this.layers.edges, "path", [`${through([1, 0, 0], [0, 1, 0], [0, 0, 1])}Z`], (node, d) =>
      setAttributes(node, { d }),
    );
  }

  /** @returns {Label[]} */
  #cornerLabels() {
    const [left, right, top] = this.panel.corners;
    /**
     * @param {Corner} corner
     * @param {Masses} masses
     * @param {number} below
     */
    const labelAt = ({ label, colour }, masses, below) => {
      const [x, y] = this.#placeOf(masses);
      return { text: label, colour, x, y: y + below };
    };
    return [
      { ...labelAt(left, [1, 0, 0], 17), anchor: "start", x: Math.max(0, this.left - SIDE_ROOM) },
      { ...labelAt(right, [0, 1, 0], 17), anchor: "end", x: Math.min(this.width, this.left + this.side + SIDE_ROOM) },
      labelAt(top, [0, 0, 1], -9),
    ];
  }

  /** The field over the triangle, pixel by pixel, as shades of one colour. @param {SimplexDrawing} drawing */
  #shade({ values, domain }) {
    this.shading.hidden = !values;
    const pen = this.shading.getContext("2d");
    if (!values || !pen) return;
    const size = this.side / PIXEL;
    const [width, height] = [Math.ceil(size), Math.ceil(SLOPE * size)];
    Object.assign(this.shading, { width, height });
    Object.assign(this.shading.style, {
      left: `${this.left}px`,
      top: `${this.base - PIXEL * height}px`,
      width: `${PIXEL * width}px`,
      height: `${PIXEL * height}px`,
    });
    const image = pen.createImageData(width, height);
    shade(image, values, domain, size, channelsOf(this.svg, "accent"));
    pen.putImageData(image, 0, 0);
  }

  /** @param {SimplexDrawing} drawing @param {Label[]} corners */
  #drawMarks(drawing, corners) {
    const marks = drawing.marks.map((mark) => ({ ...mark, at: this.#placeOf(mark.masses) }));
    updateChildren(this.layers.marks, "circle", marks, (node, { at: [cx, cy], colour }) =>
      setAttributes(node, { cx, cy, r: 4.5, style: `fill: var(--fim-${colour})` }),
    );
    this.labels.begin(() => marks.map(({ at }) => [at]), [0, 0, this.width, this.base + BOTTOM]);
    for (const { text, ...place } of corners) this.labels.place(text, [place], true);
    updateTexts(
      this.layers["mark-labels"],
      marks.map(({ at: [x, y], label, colour }) => ({
        colour,
        ...this.labels.place(label, placesAround(x, y, 8), true),
      })),
    );
  }

  /**
   * The point, lines to the edges, and its masses in the corners' colours.
   * @param {SimplexDrawing} drawing
   */
  #drawPoint({ text: description }) {
    const masses = this.#masses;
    const { corners, total, share } = this.panel;
    const [x, y] = this.#placeOf(masses);
    const [a, b, c] = masses;
    /** @type {Masses[]} along the line to each, one mass stays the same */
    const feet = [
      [a, 1 - a, 0],
      [0, b, 1 - b],
      [1 - c, 0, c],
    ];
    updateChildren(
      this.layers.guides,
      "path",
      feet.map((foot) => `M${x},${y}L${this.#placeOf(foot).join()}`),
      (node, d) => setAttributes(node, { d }),
    );
    const numbers = masses.map((mass) => readable(mass, 3));
    this.#writeMasses(masses.map(percent), x, y);
    const text = corners.map(({ label }, i) => `${label} ${numbers[i]}`).join(", ");
    this.point.place(x, y, [this.left, TOP, this.left + this.side, this.base], {
      now: this.actions.value(total),
      min: 0,
      max: 1,
      text,
    });
    const settings = [total, share].map((name) => `${name} = ${readable(this.actions.value(name), 4)}`).join(", ");
    setAttributes(this.svg, { "aria-label": `${description} The point is at ${text} (${settings}).` });
  }

  /**
   * @param {string[]} numbers
   * @param {number} x
   * @param {number} y of the point
   */
  #writeMasses(numbers, x, y) {
    const text = numbers.join(" · ");
    const width = textWidth(text, true);
    const left = clamp(x - width / 2, 2, this.width - width - 2);
    const places = (y < TOP + 40 ? [24, 42, -14, 60] : [-14, -32, 24, 42, -50]).map((below) => ({
      x: left,
      y: y + below,
      anchor: "start",
    }));
    setAttributes(this.massesText, { x: left, y: this.labels.placeBriefly(text, places, true).y });
    [numbers[0], " · ", numbers[1], " · ", numbers[2]].forEach((part, i) => {
      this.massesSpans[i].textContent = part;
      setAttributes(this.massesSpans[i], {
        style: `fill: var(--fim-${i % 2 ? "faint" : this.panel.corners[i / 2].colour})`,
      });
    });
  }

  /** @param {number} x @param {number} y */
  #moveTo(x, y) {
    const [first, second, third] = this.#massesAt(x, y);
    const { total, share } = this.panel;
    this.actions.moveTo({ [total]: 1 - third, ...(first + second > 1e-6 && { [share]: first / (first + second) }) });
  }

  /**
   * Left and right between the first two corners, up and down to and from the third.
   * @param {number} right
   * @param {number} up
   */
  #moveBy(right, up) {
    this.actions.moveBy({ [this.panel.share]: -right, [this.panel.total]: -up });
  }
}

/**
 * The red, green and blue of a role of colours on the present page.
 * @param {SVGElement} svg
 * @param {string} role
 */
function channelsOf(svg, role) {
  const probe = addSvg(svg, "g", { style: `color: var(--fim-${role})` });
  const channels = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
  probe.remove();
  return channels;
}

/**
 * @param {SimplexPanel} panel
 * @param {Leaves} report
 * @returns {SimplexDrawing}
 */
export function simplexDrawing(panel, report) {
  const values = panel.field ? [...report[panel.field]] : null;
  const finite = values?.filter(Number.isFinite) ?? [];
  /** @type {Pair} */
  const domain = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
  const marks = panel.marks
    .map(({ field, label, colour }) => ({ masses: /** @type {Masses} */ ([...report[field]]), label, colour }))
    .filter(({ masses }) => masses.every(Number.isFinite));
  const marksInWords = marks.map(
    ({ label, masses }) => `${label} at ${masses.map((mass) => readable(mass, 3)).join(", ")}`,
  );
  const shades = values ? [`shades from ${readable(domain[0], 3)} to ${readable(domain[1], 3)}`] : [];
  const corners = `a triangle between ${panel.corners.map(({ label }) => label).join(", ")}`;
  return { values, domain, marks, text: `${panel.title}: ${[corners, ...shades, ...marksInWords].join("; ")}.` };
}
