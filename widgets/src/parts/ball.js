/** A ball on the ground: a curve, and on it the run. */

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";

import { readable } from "../run/format.js";
import { clamp, element, Frame, keep, keepTexts, set, widen } from "../draw/svg.js";

const RADIUS = 9;
const ABOVE = 2.6 * RADIUS;
const BELOW = 40;
const DEPTH = 0.12; // of the ground's height: earth below its lowest point

export class Ball extends Frame {
  constructor(parent, panel) {
    super(parent, panel);
    this.layer = this.layers("ground", "levels", "ball", "axis", "level-labels", "says");
    this.earth = element(this.layer.ground, "path", { class: "fim-earth" });
    this.surface = element(this.layer.ground, "path", { class: "fim-surface" });
    this.ball = element(this.layer.ball, "circle", { r: RADIUS });
  }

  /** @param {{x: number[], y: number[], at: number, height: number, levels: Array<{value: number, label: string}>, text: string}} drawing */
  draw(drawing) {
    this.drawing = drawing;
    const { left, right } = this.panel;
    const width = this.measure();
    const height = Math.round(clamp(0.75 * width, 100, 190));
    const bottom = ABOVE + height;
    const x = scaleLinear(extent(drawing.x), [RADIUS, width - RADIUS]).clamp(true);
    const [low, high] = widen(extent([...drawing.y, ...drawing.levels.map(({ value }) => value)]));
    const y = scaleLinear([low - DEPTH * (high - low), high], [bottom, ABOVE]);
    this.size(bottom + BELOW, drawing.text);
    const path = line(([a]) => x(a), ([, b]) => y(b))(drawing.x.map((a, i) => [a, drawing.y[i]]));
    set(this.surface, { d: path });
    set(this.earth, { d: `${path}V${bottom}H${x.range()[0]}Z` });
    keep(this.layer.levels, "line", drawing.levels, (node, { value }) => set(node, { x1: x.range()[0], x2: x.range()[1], y1: y(value), y2: y(value) }));
    keepTexts(this.layer["level-labels"], drawing.levels.map(({ value, label }) => ({ text: label, x: x.range()[0] + 2, y: y(value) - 4, anchor: "start" })));
    set(this.ball, { cx: x(drawing.at), cy: Math.max(y(drawing.height), RADIUS + 1 + RADIUS) - RADIUS, "data-at": drawing.at, "data-height": drawing.height });
    keepTexts(this.layer.axis, [
      { text: left, x: 0, y: bottom + 16, anchor: "start" },
      { text: right, x: width, y: bottom + 16, anchor: "end" },
    ]);
    keepTexts(this.layer.says, [{ text: `loss ${readable(drawing.height, 3)}`, x: width / 2, y: bottom + 36 }]);
  }
}

export function drawBall({ title, x, y, at, height, left, right }, report, watched, levels) {
  if (!report) return null;
  const [place, now] = [watched[at][0], watched[height][0]];
  const beside = levels.filter(({ label }) => label).map(({ value, label }) => `; ${label} is ${readable(value, 3)}`).join("");
  const text = `${title}. The ball is at ${readable(place, 3)}, between ${left} and ${right}; loss ${readable(now, 3)}${beside}.`;
  return { x: [...report[x]], y: [...report[y]], at: place, height: now, levels, text };
}
