/**
 * A second window for whoever presents: this slide and the next one, what to say, the time, and how much is left of it.
 * The small pictures are the page itself, in frames that show a slide by its address.
 */

import { add, write } from "../draw/dom.js";
import style from "./speaker_window.css";

const SECOND = 1000; // milliseconds
const SIZE = "width=1100,height=760";
/** The name of a frame in which slides have no bar. */
export const PREVIEW = "facts-in-motion-preview";
const PROJECTOR = 1280; // pixels wide, as the style sheet has it
const MINUTES = 50; // of a lesson

/** @typedef {{ title: string, address: string }} Shown */

export class SpeakerWindow {
  /**
   * @param {(event: KeyboardEvent) => void} onKey what keys do here, too
   * @returns {SpeakerWindow | null} null where the browser opens no window
   */
  static open(onKey) {
    const opened = window.open("", "facts-in-motion-notes", SIZE);
    return opened && new SpeakerWindow(opened, onKey);
  }

  /** @param {Window} opened @param {(event: KeyboardEvent) => void} onKey */
  constructor(opened, onKey) {
    this.window = opened;
    this.begun = Date.now();
    const { document } = opened;
    document.title = "Notes";
    document.documentElement.lang = window.document.documentElement.lang;
    document.body.replaceChildren();
    document.head.replaceChildren();
    add(document.head, "title", { textContent: "Notes" });
    add(document.head, "style", { textContent: style });
    const head = add(document.body, "header");
    this.clock = add(head, "time");
    this.left = add(head, "output");
    const label = add(head, "label", { textContent: "minutes " });
    this.minutes = add(label, "input", { type: "number", min: "1", max: "300", value: String(MINUTES) });
    add(head, "button", { type: "button", textContent: "start again" }).addEventListener("click", () => {
      this.begun = Date.now();
      this.#showTime();
    });
    this.minutes.addEventListener("input", () => this.#showTime());
    const main = add(document.body, "main");
    this.slides = [add(main, "section"), add(main, "section")].map((box) => ({
      title: add(box, "h1"),
      frame: add(add(box, "div"), "iframe", { name: PREVIEW, tabIndex: -1 }),
      box,
    }));
    this.notes = add(document.body, "ul");
    opened.addEventListener("keydown", (event) => event.target === this.minutes || onKey(event));
    opened.addEventListener("resize", () => this.#scale());
    this.#scale();
    this.timer = setInterval(() => this.#showTime(), SECOND);
    this.#showTime();
  }

  get isClosed() {
    return this.window.closed;
  }

  /** Frames have a projector's size, and are as small as there is room for them. */
  #scale() {
    for (const { frame } of this.slides) {
      const room = /** @type {HTMLElement} */ (frame.parentElement);
      frame.style.transform = `scale(${room.clientWidth / PROJECTOR})`;
    }
  }

  #showTime() {
    const gone = Math.floor((Date.now() - this.begun) / (60 * SECOND));
    const left = Number(this.minutes.value) - gone;
    this.clock.textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    write(this.left, left >= 0 ? `${left} ${left === 1 ? "minute" : "minutes"} left` : `${-left} over`);
    this.left.dataset.over = String(Number(left < 0));
  }

  /**
   * @param {Shown} now
   * @param {Shown | null} next null at the end
   * @param {Element[]} notes of the lecturer on this slide
   * @param {string[]} says what the page says of it
   */
  show(now, next, notes, says) {
    [now, next].forEach((slide, i) => {
      const { title, frame, box } = this.slides[i];
      write(title, i ? `Next: ${slide?.title ?? "the end"}` : (slide?.title ?? ""));
      box.classList.toggle("empty", !slide);
      frame.title = title.textContent ?? "";
      if (slide && frame.src !== slide.address) frame.src = slide.address;
    });
    this.notes.replaceChildren(...notes.map((note) => this.window.document.importNode(note, true)));
    for (const textContent of says.filter(Boolean)) add(this.notes, "li", { textContent, className: "page" });
  }

  close() {
    clearInterval(this.timer);
    this.window.close();
  }
}
