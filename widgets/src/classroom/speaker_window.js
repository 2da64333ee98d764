/** A second window for whoever presents: the time, the slide and the next one, and the lecturer's notes. */

import { add } from "../draw/dom.js";

const SECOND = 1000; // milliseconds
const SIZE = "width=640,height=720";

export class SpeakerWindow {
  /**
   * @param {Element | null} notes of the page, if it has some
   * @param {(event: KeyboardEvent) => void} onKey what keys do here, too
   * @returns {SpeakerWindow | null} null where the browser opens no window
   */
  static open(notes, onKey) {
    const opened = window.open("", "facts-in-motion-notes", SIZE);
    return opened && new SpeakerWindow(opened, notes, onKey);
  }

  /** @param {Window} opened @param {Element | null} notes @param {(event: KeyboardEvent) => void} onKey */
  constructor(opened, notes, onKey) {
    this.window = opened;
    this.begun = Date.now();
    const { document } = opened;
    document.title = "Notes";
    document.body.replaceChildren();
    document.body.style.font = "20px/1.4 system-ui, sans-serif";
    this.time = add(document.body, "p");
    this.now = add(document.body, "h1");
    this.now.style.fontSize = "1.2em";
    this.next = add(document.body, "p");
    if (notes) document.body.append(withoutButtons(document.importNode(notes, true)));
    opened.addEventListener("keydown", onKey);
    this.timer = setInterval(() => this.#showTime(), SECOND);
    this.#showTime();
  }

  get isClosed() {
    return this.window.closed;
  }

  #showTime() {
    const minutes = Math.floor((Date.now() - this.begun) / (60 * SECOND));
    const clock = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    this.time.textContent = `${clock}, ${minutes} ${minutes === 1 ? "minute" : "minutes"} gone`;
  }

  /** @param {string} now the slide's number and title @param {string} next the next one's title */
  show(now, next) {
    this.now.textContent = now;
    this.next.textContent = `Next: ${next}`;
  }

  close() {
    clearInterval(this.timer);
    this.window.close();
  }
}

/** The notes are open here: nothing folds them. @param {Element} notes */
function withoutButtons(notes) {
  for (const button of notes.querySelectorAll("button")) button.remove();
  return notes;
}
