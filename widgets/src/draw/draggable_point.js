/**
 * A point in a drawing that a reader moves: with the mouse, a finger or the arrow keys.
 *
 * A mouse moves it from anywhere in the drawing. A finger drags the point itself or taps elsewhere, so that a page can
 * still be scrolled from inside a drawing.
 */

import { addSvg, setAttributes } from "./svg.js";

const REACH = 22; // pixels around the point that a finger can hit
const EDGE = 10; // pixels outside the area that still count
const LEAP = 10; // steps of an arrow key with shift

/** @type {Record<string, [number, number]>} steps to the right and up */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * What follows a move: to a place in the drawing, or by steps to the right and up.
 * @typedef {{ to: (x: number, y: number) => void, step: (right: number, up: number) => void }} Moves
 */

export class DraggablePoint {
  /** @type {[number, number, number, number]} left, top, right and bottom of where it can be */
  #area = [0, 0, 0, 0];
  #dragging = false;
  /** @type {[number, number] | null} where it is to go in the next frame */
  #target = null;

  /**
   * @param {SVGSVGElement} svg
   * @param {string} label what moves, for a screen reader
   * @param {Moves} moves
   */
  constructor(svg, label, moves) {
    this.svg = svg;
    this.moves = moves;
    setAttributes(svg, { role: "group", class: "fim-pick" });
    this.group = addSvg(svg, "g", { class: "fim-hand", tabindex: 0, role: "slider", "aria-label": label });
    this.reach = addSvg(this.group, "circle", { class: "fim-reach" });
    this.dot = addSvg(this.group, "circle", { class: "fim-dot" });
    this.#listen();
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {[number, number, number, number]} area left, top, right and bottom of where it can be
   * @param {{now: number, min: number, max: number, text: string}} value for a screen reader
   */
  place(x, y, area, { now, min, max, text }) {
    this.#area = area;
    setAttributes(this.reach, { cx: x, cy: y, r: REACH });
    setAttributes(this.dot, { cx: x, cy: y, r: 6 });
    setAttributes(this.group, {
      "aria-valuenow": now,
      "aria-valuemin": min,
      "aria-valuemax": max,
      "aria-valuetext": text,
    });
  }

  #listen() {
    const { svg, group } = this;
    svg.addEventListener("pointerdown", (event) => {
      const onPoint = group.contains(/** @type {Node} */ (event.target));
      if (event.button || (event.pointerType === "touch" && !onPoint) || !(onPoint || this.#inArea(event))) return;
      svg.setPointerCapture(event.pointerId);
      this.#dragging = true;
      group.focus({ preventScroll: true });
      event.preventDefault(); // no selection of text
      this.#follow(event);
    });
    // touch-action in a style sheet has no effect on parts of an SVG
    group.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    svg.addEventListener("pointermove", (event) => this.#dragging && this.#follow(event));
    svg.addEventListener("pointerup", () => (this.#dragging = false));
    svg.addEventListener("pointercancel", () => (this.#dragging = false));
    svg.addEventListener("click", (event) => this.#inArea(event) && this.#follow(event)); // a tap
    group.addEventListener("keydown", (event) => this.#step(event));
  }

  /** @param {KeyboardEvent} event */
  #step(event) {
    const direction = ARROWS[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const size = event.shiftKey ? LEAP : 1;
    this.moves.step(size * direction[0], size * direction[1]);
  }

  /**
   * Where in the drawing an event is.
   * @param {MouseEvent} event
   * @returns {[number, number]}
   */
  #placeOf({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.svg.viewBox.baseVal.width / box.width;
    return [(clientX - box.left) * scale, (clientY - box.top) * scale];
  }

  /** @param {MouseEvent} event */
  #inArea(event) {
    const [x, y] = this.#placeOf(event);
    const [left, top, right, bottom] = this.#area;
    return x > left - EDGE && x < right + EDGE && y > top - EDGE && y < bottom + EDGE;
  }

  /** Move to where an event is, at most once a frame. @param {MouseEvent} event */
  #follow(event) {
    const waiting = this.#target;
    this.#target = this.#placeOf(event);
    if (waiting) return;
    requestAnimationFrame(() => {
      const [x, y] = /** @type {[number, number]} */ (this.#target);
      this.#target = null;
      this.moves.to(x, y);
    });
  }
}
