/** A rectangle from the middle of a square to a point: its signed area is what matters. */

import { Frame } from "../draw/frame.js";
import { clamp } from "../draw/ranges.js";
import { addSvg, setAttributes, updateTexts } from "../draw/svg.js";
import { onScale, readable } from "../run/format.js";

/** @import { Moment, Rectangle as RectanglePanel } from "../types.js" */

const LARGEST = 100; // pixels of the square
const TOP = 18;
const TEXT_ROOM = 42; // below

/** @typedef {{ sides: number[], says: string, text: string }} RectangleDrawing */

/** @extends {Frame<RectanglePanel, RectangleDrawing>} */
export class Rectangle extends Frame {
  /** @param {HTMLElement} parent @param {RectanglePanel} panel */
  constructor(parent, panel) {
    super(parent, panel);
    this.layers = this.addLayers("square", "area", "axis", "says");
    this.square = addSvg(this.layers.square, "rect");
    this.axes = addSvg(this.layers.square, "path");
    this.area = addSvg(this.layers.area, "rect");
    this.corner = addSvg(this.layers.area, "circle", { r: 5 });
  }

  /** @param {RectangleDrawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { reach, x, y, colour, other } = this.panel;
    const width = this.measure();
    const size = Math.min(0.8 * width, LARGEST);
    const [left, half] = [(width - size) / 2, size / 2];
    const [across, up] = drawing.sides.map((side) => half * clamp(side / reach, -1, 1));
    const middle = { x: left + half, y: TOP + half };
    this.resize(TOP + size + TEXT_ROOM, drawing.text);
    setAttributes(this.square, { x: left, y: TOP, width: size, height: size });
    setAttributes(this.axes, { d: `M${left},${middle.y}h${size}M${middle.x},${TOP}v${size}` });
    const style = `--colour: var(--fim-${across * up < 0 ? other : colour})`;
    setAttributes(this.area, {
      x: Math.min(middle.x, middle.x + across),
      y: Math.min(middle.y, middle.y - up),
      width: Math.abs(across),
      height: Math.abs(up),
      style,
    });
    setAttributes(this.corner, { cx: middle.x + across, cy: middle.y - up, style });
    updateTexts(this.layers.axis, [
      { text: y, x: middle.x, y: TOP - 5 },
      { text: x, x: middle.x, y: TOP + size + 16 },
    ]);
    updateTexts(this.layers.says, [{ text: drawing.says, x: middle.x, y: TOP + size + 36 }]);
  }
}

/**
 * @param {RectanglePanel} panel
 * @param {Moment} moment
 * @returns {RectangleDrawing}
 */
export function rectangleDrawing({ title, field, reach, x, y, says, times }, { watched }) {
  const [a, b] = watched[field];
  const value = onScale(times * a * b, times * reach * reach);
  const area = `${says}${value.startsWith("≈") ? "" : " ="} ${value}`;
  return { sides: [a, b], says: area, text: `${title}. ${x}: ${readable(a, 3)}; ${y}: ${readable(b, 3)}; ${area}.` };
}
