/** A rectangle from the middle of a square to a point: its area is what matters. */

import { readable } from "../run/format.js";
import { clamp, element, Frame, keepTexts, set } from "../draw/svg.js";

const LARGEST = 190; // pixels of the square
const BELOW = 42;

export class Rectangle extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("square", "area", "axis", "says");
    this.square = element(this.layer.square, "rect");
    this.axes = element(this.layer.square, "path");
    this.area = element(this.layer.area, "rect");
    this.corner = element(this.layer.area, "circle", { r: 5 });
  }

  /** @param {{sides: number[], text: string, says: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { reach, x, y, colour, other } = this.panel;
    const width = this.measure();
    const size = Math.min(0.8 * width, LARGEST);
    const [left, top, half] = [(width - size) / 2, 18, size / 2];
    const [across, up] = drawing.sides.map((side) => half * clamp(side / reach, -1, 1));
    const middle = { x: left + half, y: top + half };
    this.size(top + size + BELOW, drawing.text);
    set(this.square, { x: left, y: top, width: size, height: size });
    set(this.axes, { d: `M${left},${middle.y}h${size}M${middle.x},${top}v${size}` });
    const style = `--colour: var(--fim-${across * up < 0 ? other : colour})`;
    set(this.area, {
      x: Math.min(middle.x, middle.x + across), y: Math.min(middle.y, middle.y - up), width: Math.abs(across), height: Math.abs(up), style,
    });
    set(this.corner, { cx: middle.x + across, cy: middle.y - up, style });
    keepTexts(this.layer.axis, [{ text: y, x: middle.x, y: top - 5 }, { text: x, x: middle.x, y: top + size + 16 }]);
    keepTexts(this.layer.says, [{ text: drawing.says, x: middle.x, y: top + size + 36 }]);
  }
}

export function drawRectangle({ title, field, x, y, says, times }, _, watched) {
  const [a, b] = watched[field];
  const area = `${says} ${readable(times * a * b, 3)}`;
  return { sides: [a, b], says: area, text: `${title}. ${x}: ${readable(a, 3)}; ${y}: ${readable(b, 3)}; ${area}.` };
}
