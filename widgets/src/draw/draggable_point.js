/**
 * A point in a drawing that a reader moves: with the mouse, a finger or the arrow keys.
 *
 * A mouse moves it from anywhere in the drawing. A finger drags the point itself or taps elsewhere, so that a page can
 * still be scrolled from inside a drawing.
 */

import { element, set } from "./svg.js";

const REACH = 22; // pixels around the point that a finger can hit
const EDGE = 10; // pixels outside the area that still count
const LEAP = 10; // steps of an arrow key with shift

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Hand {
  /**
   * @param {SVGElement} svg
   * @param {string} label what moves, for those who do not see it
   * @param {{to: function(number, number): void, step: function(number, number): void}} moves
   *   `to` a place in the drawing, or by steps to the right and up
   */
  constructor(svg, label, moves) {
    this.svg = svg;
    this.moves = moves;
    set(svg, { role: "group", class: "fim-pick" });
    this.group = element(svg, "g", { class: "fim-hand", tabindex: 0, role: "slider", "aria-label": label });
    for (const name of ["fim-reach", "fim-dot"]) element(this.group, "circle", { class: name });
    this.area = [0, 0, 0, 0];
    this.#listen();
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {[number, number, number, number]} area left, top, right and bottom of where it can be
   * @param {{now: number, min: number, max: number, text: string}} value
   */
  place(x, y, area, { now, min, max, text }) {
    this.area = area;
    const [reach, dot] = this.group.children;
    set(reach, { cx: x, cy: y, r: REACH });
    set(dot, { cx: x, cy: y, r: 6 });
    set(this.group, { "aria-valuenow": now, "aria-valuemin": min, "aria-valuemax": max, "aria-valuetext": text });
  }

  #listen() {
    const { svg, group } = this;
    svg.addEventListener("pointerdown", (event) => {
      const held = group.contains(event.target);
      if (event.button || (event.pointerType === "touch" && !held) || !(held || this.#inside(event))) return;
      svg.setPointerCapture(event.pointerId);
      this.dragging = true;
      group.focus({ preventScroll: true });
      event.preventDefault(); // no selection of text
      this.#go(event);
    });
    // a style sheet's touch-action reaches no part of an SVG
    group.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    svg.addEventListener("pointermove", (event) => this.dragging && this.#go(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => (this.dragging = false));
    svg.addEventListener("click", (event) => this.#inside(event) && this.#go(event)); // a tap
    group.addEventListener("keydown", (event) => {
      const direction = KEYS[event.key];
      if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const size = event.shiftKey ? LEAP : 1;
      this.moves.step(size * direction[0], size * direction[1]);
    });
  }

  /** Where in the drawing an event is. */
  #place({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.svg.viewBox.baseVal.width / box.width;
    return [(clientX - box.left) * scale, (clientY - box.top) * scale];
  }

  #inside(event) {
    const [x, y] = this.#place(event);
    const [left, top, right, bottom] = this.area;
    return x > left - EDGE && x < right + EDGE && y > top - EDGE && y < bottom + EDGE;
  }

  /** Once a frame is enough. */
  #go(event) {
    const waiting = this.wanted;
    this.wanted = this.#place(event);
    if (waiting) return;
    requestAnimationFrame(() => {
      const [x, y] = this.wanted;
      this.wanted = null;
      this.moves.to(x, y);
    });
  }
}
