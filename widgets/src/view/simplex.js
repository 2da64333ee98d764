/** A triangle of three masses with a point to drag in it. */

import { ticks } from "d3-array";

import { readable } from "../run/format.js";
import { Hand } from "../draw/draggable_point.js";
import { around, Labels } from "../draw/labels.js";
import { clamp, element, Frame, keep, keepTexts, set, shareOf, widthOf } from "../draw/svg.js";

const WIDEST = 420; // pixels of the drawing
const SIDE_ROOM = 26;
const TOP = 24;
const BOTTOM = 26;
const SLOPE = Math.sqrt(3) / 2;
const GRID = [0.25, 0.5, 0.75];
const CONTOURS = 5;
const COARSE = 2; // pixels of the page in one of the shading
const FAINTEST = 0.06;
const DARKEST = 0.75;

export class Simplex extends Frame {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, total: string, share: string, corners: Array<{label: string, colour: string}>}} panel
   * @param {object} hands see figure.js
   */
  constructor(parent, panel, hands) {
    super(parent, panel);
    this.hands = hands;
    const touch = matchMedia("(pointer: coarse)").matches;
    this.hint(`Drag the ring${touch ? ", or tap" : " or click"} in the triangle.`);
    this.shading = this.canvas.insertBefore(document.createElement("canvas"), this.svg);
    this.layer = this.layers("grid", "contours", "edges", "guides", "corners", "marks", "mark-labels");
    this.labels = new Labels();
    this.hand = new Hand(this.svg, `${panel.title}: ${panel.corners.map(({ label }) => label).join(", ")}`, {
      to: (x, y) => this.#to(x, y),
      step: (right, up) => this.#step(right, up),
    });
    this.masses = element(this.svg, "text", { class: "fim-masses" });
    new MutationObserver(() => this.drawing && this.#shade()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  aim() {
    if (this.drawing) this.#point();
  }

  /** @param {{values: number[] | null, domain: [number, number], marks: Array<{masses: number[], label: string, colour: string}>, text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    this.measure();
    this.side = Math.min(this.width, WIDEST) - 2 * SIDE_ROOM;
    this.left = (this.width - this.side) / 2;
    this.base = TOP + SLOPE * this.side;
    this.size(this.base + BOTTOM, drawing.text);
    this.#frame();
    this.#shade();
    keep(this.layer.contours, "path", this.#contours(), (node, d) => set(node, { d }));
    this.#drawMarks();
    this.#point();
  }

  /** Where three masses stand. */
  #at([first, second, third]) {
    return [this.left + this.side * (second + third / 2), this.base - SLOPE * this.side * third];
  }

  /** The masses nearest to a place in the drawing. */
  #massesAt(x, y) {
    const third = (this.base - y) / (SLOPE * this.side);
    const second = (x - this.left) / this.side - third / 2;
    const inside = [1 - second - third, second, third].map((mass) => Math.max(0, mass));
    const sum = inside[0] + inside[1] + inside[2];
    return inside.map((mass) => mass / sum);
  }

  get #chosen() {
    const { total, share } = this.panel;
    const [sum, part] = [this.hands.value(total), this.hands.value(share)];
    return [sum * part, sum * (1 - part), 1 - sum];
  }

  #frame() {
    const through = (...points) => `M${points.map((masses) => this.#at(masses).join()).join("L")}`;
    const lines = GRID.flatMap((m) => [
      through([m, 1 - m, 0], [m, 0, 1 - m]), through([1 - m, m, 0], [0, m, 1 - m]), through([1 - m, 0, m], [0, 1 - m, m]),
    ]);
    keep(this.layer.grid, "path", lines, (node, d) => set(node, { d }));
    keep(this.layer.edges, "path", [`${through([1, 0, 0], [0, 1, 0], [0, 0, 1])}Z`], (node, d) => set(node, { d }));
    const [left, right, top] = this.panel.corners;
    this.corners = [
      { ...this.#corner(left, [1, 0, 0], 17), anchor: "start", x: Math.max(0, this.left - SIDE_ROOM) },
      { ...this.#corner(right, [0, 1, 0], 17), anchor: "end", x: Math.min(this.width, this.left + this.side + SIDE_ROOM) },
      this.#corner(top, [0, 0, 1], -9),
    ];
    keepTexts(this.layer.corners, this.corners);
  }

  #corner({ label, colour }, masses, below) {
    const [x, y] = this.#at(masses);
    return { text: label, colour, x, y: y + below };
  }

  /** The field over the triangle, pixel by pixel, as shades of one colour. */
  #shade() {
    const { values } = this.drawing;
    this.shading.hidden = !values;
    if (!values) return;
    const size = this.side / COARSE;
    const [wide, high] = [Math.ceil(size), Math.ceil(SLOPE * size)];
    Object.assign(this.shading, { width: wide, height: high });
    const [left, top, width, height] = [this.left, this.base - COARSE * high, COARSE * wide, COARSE * high].map((at) => `${at}px`);
    Object.assign(this.shading.style, { left, top, width, height });
    const [red, green, blue] = colourOf(this.svg, "accent");
    const pen = this.shading.getContext("2d");
    const image = pen.createImageData(wide, high);
    const steps = sideOf(values.length);
    for (let py = 0, p = 0; py < high; py++) {
      const k = (steps * (high - 0.5 - py)) / (SLOPE * size);
      for (let px = 0; px < wide; px++, p += 4) {
        const value = between(values, steps, (steps * (px + 0.5)) / size - k / 2, k);
        if (Number.isNaN(value)) continue;
        const share = shareOf(value, this.drawing.domain);
        image.data[p] = red;
        image.data[p + 1] = green;
        image.data[p + 2] = blue;
        image.data[p + 3] = 255 * (FAINTEST + (DARKEST - FAINTEST) * share);
      }
    }
    pen.putImageData(image, 0, 0);
  }

  /** Lines of equal value, as path data. */
  #contours() {
    const { values, domain } = this.drawing;
    if (!values) return [];
    const steps = sideOf(values.length);
    const point = (j, k) => ({ value: values[place(steps, j, k)], at: this.#at([1 - (j + k) / steps, j / steps, k / steps]) });
    const triangles = [];
    for (let k = 0; k < steps; k++) {
      for (let j = 0; j < steps - k; j++) {
        triangles.push([point(j, k), point(j + 1, k), point(j, k + 1)]);
        if (j < steps - k - 1) triangles.push([point(j + 1, k), point(j + 1, k + 1), point(j, k + 1)]);
      }
    }
    return ticks(...domain, CONTOURS).map((level) => triangles.map((corners) => crossing(corners, level)).join("")).filter(Boolean);
  }

  #drawMarks() {
    const marks = this.drawing.marks.map((mark) => ({ ...mark, at: this.#at(mark.masses) }));
    keep(this.layer.marks, "circle", marks, (node, { at: [cx, cy], colour }) => set(node, { cx, cy, r: 4.5, style: `fill: var(--fim-${colour})` }));
    this.labels.begin(() => marks.map(({ at }) => [at]), [0, 0, this.width, this.base + BOTTOM]);
    for (const { text, ...place } of this.corners) this.labels.place(text, [place], true);
    keepTexts(this.layer["mark-labels"], marks.map(({ at: [x, y], label, colour }) => ({ colour, ...this.labels.place(label, around(x, y, 8), true) })));
  }

  /** The point, lines to the edges, and its masses in the corners' colours. */
  #point() {
    const masses = this.#chosen;
    const { corners, total, share } = this.panel;
    const [x, y] = this.#at(masses);
    const [a, b, c] = masses;
    const feet = [[a, 1 - a, 0], [0, b, 1 - b], [1 - c, 0, c]]; // along each, one mass stays the same
    keep(this.layer.guides, "path", feet.map((foot) => `M${x},${y}L${this.#at(foot).join()}`), (node, d) => set(node, { d }));
    const said = masses.map((mass) => readable(mass, 3));
    const wide = widthOf(said.join(" · "), true);
    const left = clamp(x - wide / 2, 2, this.width - wide - 2);
    const places = (y < TOP + 40 ? [24, 42, -14] : [-14, -32, 24]).map((below) => ({ x: left, y: y + below, anchor: "start" }));
    set(this.masses, { x: left, y: this.labels.place(said.join(" · "), places, true).y });
    this.labels.boxes.pop(); // the point moves on, the marks stay
    while (this.masses.children.length < 5) element(this.masses, "tspan");
    [said[0], " · ", said[1], " · ", said[2]].forEach((text, i) => {
      const span = this.masses.children[i];
      span.textContent = text;
      set(span, { style: `fill: var(--fim-${i % 2 ? "faint" : corners[i / 2].colour})` });
    });
    const text = corners.map(({ label }, i) => `${label} ${said[i]}`).join(", ");
    this.hand.place(x, y, [this.left, TOP, this.left + this.side, this.base], { now: this.hands.value(total), min: 0, max: 1, text });
    const settings = [total, share].map((name) => `${name} = ${readable(this.hands.value(name), 4)}`).join(", ");
    set(this.svg, { "aria-label": `${this.drawing.text} The point is at ${text} (${settings}).` });
  }

  #to(x, y) {
    const [first, second, third] = this.#massesAt(x, y);
    const { total, share } = this.panel;
    const wanted = { [total]: 1 - third };
    if (first + second > 1e-6) wanted[share] = first / (first + second);
    this.hands.to(wanted);
  }

  /** Left and right between the first two corners, up and down from and to the third. */
  #step(right, up) {
    this.hands.by({ [this.panel.share]: -right, [this.panel.total]: -up });
  }
}

/** How many steps an edge of the grid has. */
const sideOf = (count) => (Math.sqrt(8 * count + 1) - 3) / 2;

/** Where the point with k steps towards the third and j towards the second corner is listed: simplex_grid of panels.py. */
const place = (steps, j, k) => k * (steps + 1) - (k * (k - 1)) / 2 + j;

/** The field at a place between the points of the grid; NaN outside. */
function between(values, steps, j, k) {
  if (j < 0 || k < 0 || j + k > steps) return NaN;
  const [row, column] = [Math.min(Math.floor(k), steps - 1), Math.floor(j)];
  const [u, v] = [j - column, k - row];
  const at = (dj, dk) => values[place(steps, Math.min(column + dj, steps - row - dk), row + dk)];
  if (u + v <= 1) return at(0, 0) + u * (at(1, 0) - at(0, 0)) + v * (at(0, 1) - at(0, 0));
  return at(1, 1) + (1 - u) * (at(0, 1) - at(1, 1)) + (1 - v) * (at(1, 0) - at(1, 1));
}

/** The piece of a contour inside a triangle. */
function crossing(corners, level) {
  const cuts = [];
  corners.forEach((from, i) => {
    const to = corners[(i + 1) % 3];
    if (from.value < level === to.value < level || !Number.isFinite(from.value + to.value)) return;
    const share = (level - from.value) / (to.value - from.value);
    cuts.push(from.at.map((at, d) => (at + share * (to.at[d] - at)).toFixed(1)).join());
  });
  return cuts.length === 2 ? `M${cuts[0]}L${cuts[1]}` : "";
}

/** A token's red, green and blue on the present page. */
function colourOf(svg, token) {
  const probe = element(svg, "g", { style: `color: var(--fim-${token})` });
  const channels = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  probe.remove();
  return channels;
}

/** From a report to what is drawn. */
export function drawSimplex(panel, report) {
  const values = panel.field ? [...report[panel.field]] : null;
  const finite = values?.filter(Number.isFinite) ?? [];
  const domain = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
  const marks = panel.marks
    .map(({ field, label, colour }) => ({ masses: [...report[field]], label, colour }))
    .filter(({ masses }) => masses.every(Number.isFinite));
  const named = marks.map(({ label, masses }) => `${label} at ${masses.map((mass) => readable(mass, 3)).join(", ")}`);
  const shades = values ? [`shades from ${readable(domain[0], 3)} to ${readable(domain[1], 3)}`] : [];
  const corners = `a triangle between ${panel.corners.map(({ label }) => label).join(", ")}`;
  return { values, domain, marks, text: `${panel.title}: ${[corners, ...shades, ...named].join("; ")}.` };
}
