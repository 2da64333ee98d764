/**
 * A page as slides, as slide_list.js finds them. Arrow keys, a presenter's remote or a finger turn them; the bar at the
 * bottom has the other keys in its titles, and the overview has them all. The lecturer's notes stand in a second window
 * alone. The slide stands in the address as `slide=3`: slides whose page is loaded anew go on there, and the second
 * window's small pictures are the same page in frames named {@link PREVIEW}, which have no bar and no keys.
 */

import { add, write } from "../draw/dom.js";
import { drawCode } from "../draw/qr_code.js";
import { clamp } from "../draw/ranges.js";
import { fitSlide, NARROW } from "./fit_slide.js";
import { isolate } from "./isolate.js";
import { addButton, fillScreen, followSwipes, TURNS } from "./slide_bar.js";
import { slidesOf } from "./slide_list.js";
import { PREVIEW, SpeakerWindow } from "./speaker_window.js";
import style from "./slides.css";

/** @import { Figure } from "../view/figure.js" */
/** @import { Slide } from "./slide_list.js" */

// elements that use arrow keys and the space bar
const USES_KEYS = "input, select, textarea, summary, button, [tabindex]";
const DRAGGED = "input, .fim-predict svg, [role='slider']"; // a finger moves these
const ADDRESS_DELAY = 400; // milliseconds until the address has followed the slide
const DIGITS = "1234567890";
const LETTERS = "acdeghijklqrstuvxyz"; // without the keys that do something else
/** The word that begins a note on a slide, by the slide's kind. @type {Record<string, string>} */
const HEADS = { question: "Question", predict: "Predict", run: "Run", card: "Cards", theorem: "Theorem", result: "Result", why: "Why", exercise: "Exercises" };

/** @type {Slides | null} that are shown */
let current = null;

/**
 * Show the page around a figure as slides.
 * @param {HTMLElement} root of the figure
 * @param {number} [place] the slide's, from 1
 */
export function present(root, place) {
  if (!root.live) return;
  if (current?.root === root && place) current.goTo(place - 1);
  else {
    current?.end();
    current = new Slides(root, root.live, (place ?? 1) - 1);
  }
}

/** Show the page again, if it is shown as slides. */
export function endSlides() {
  current?.end();
}

/** Show the slide on which a prediction is drawn, if there are slides; from it the next turn leads back. */
export function showPrediction() {
  current?.askHere();
}

class Slides {
  #place = -1;
  /** The slide behind the prediction's on which a class was asked for one; −1 if there is none. */
  #returnPlace = -1;
  /** @type {SpeakerWindow | null} */
  #speaker = null;
  /** @type {HTMLElement | null} in the place of the slides: all of them, or nothing */
  #cover = null;
  /** @param {KeyboardEvent} event */
  #onKey = (event) => this.#handleKey(event);
  #onResize = () => this.#fit();

  /** @param {HTMLElement} root @param {Figure} figure @param {number} place */
  constructor(root, figure, place) {
    this.root = root;
    this.figure = figure;
    this.isPreview = window.name === PREVIEW;
    this.home = homeAddress();
    const { main, more } = slidesOf(root, figure);
    this.slides = [...main, ...more];
    this.last = main.length - 1;
    this.style = add(document.head, "style", { textContent: style });
    this.prediction = /** @type {HTMLDetailsElement | null} */ (root.querySelector(".fim-predict"));
    this.bar = add(document.body, "div", { className: "fim-bar", tabIndex: -1, hidden: this.isPreview });
    this.code = add(document.body, "button", { type: "button", className: "fim-qr" });
    this.code.setAttribute("aria-label", "a code of this slide’s address: larger, or small again");
    this.code.addEventListener("click", () => this.code.classList.toggle("fim-large"));
    this.count = this.#addBar();
    if (!this.isPreview) addEventListener("keydown", this.#onKey);
    addEventListener("resize", this.#onResize);
    this.endSwipes = followSwipes(document.body, DRAGGED, (by) => this.#turn(by));
    this.goTo(place);
  }

  #addBar() {
    const { bar } = this;
    addButton(bar, "◀", "the slide before (←)", () => this.#turn(-1));
    const count = add(bar, "output");
    addButton(bar, "▶", "the next slide (→)", () => this.#turn(1));
    if (this.last < this.slides.length - 1) addButton(bar, "more", "other cards, statements and exercises (m)", () => this.#showMore());
    addButton(bar, "all", "all slides (o)", () => this.#toggleOverview());
    if (window.innerWidth >= NARROW) {
      addButton(bar, "second window", "notes, clock and the next slide (w)", () => this.#openSpeaker());
      addButton(bar, "full screen", "fill the screen (f)", () => fillScreen(document.documentElement));
    }
    addButton(bar, "end", "back to the page (Esc)", () => this.end());
    return count;
  }

  get #slide() {
    return this.slides[this.#place];
  }

  /** Go on inside the slide, or to the next one; what is behind "more" does not come by itself. @param {number} by */
  #turn(by) {
    if (this.#cover || this.bar.inert) return; // a class's lecturer turns
    if (this.#slide.step?.(by)) return this.#show();
    if (by > 0 && this.#place === this.last) return;
    this.goTo(by > 0 && this.#returnPlace >= 0 ? this.#returnPlace : this.#place + by);
  }

  /** Show the prediction's slide, from which the next turn leads back. */
  askHere() {
    const [to, from] = [this.slides.findIndex(({ name }) => name === "predict"), this.#place];
    if (to < 0) return;
    this.goTo(to);
    if (from > to) this.#returnPlace = from;
  }

  /** The first slide behind "more", and from there the last one before it. */
  #showMore() {
    this.goTo(this.#place > this.last ? this.last : this.last + 1);
  }

  /** @param {number} place of a slide, from 0; one that is not there is the nearest that is */
  goTo(place) {
    this.#uncover();
    const before = this.#place;
    this.#place = clamp(place, 0, this.slides.length - 1);
    if (this.#place === before) return;
    this.#returnPlace = -1;
    const { name, enter } = this.#slide;
    document.documentElement.dataset.slide = name;
    if (this.prediction) this.prediction.open = name === "predict";
    enter?.(this.#place > before);
    if (!this.isPreview) window.factsRuntime?.setOption("slide", String(this.#place + 1));
    this.#show();
  }

  /** Show of the slide what it shows now. */
  #show() {
    const meeting = document.querySelectorAll(".fim-meeting, .fim-meeting-paused");
    isolate([...this.#slide.shown(), ...(this.isPreview ? [] : [this.bar, this.code, ...meeting])]);
    write(this.count, this.#number(this.#place));
    window.scrollTo(0, 0);
    this.bar.focus();
    this.#fit();
    this.#showSpeaker();
    setTimeout(() => this.#showCode(), ADDRESS_DELAY);
  }

  /** @param {number} place */
  #number(place) {
    const main = this.last + 1;
    return place < main ? `${place + 1} / ${main}` : `more ${place - this.last} / ${this.slides.length - main}`;
  }

  #fit() {
    fitSlide(this.#slide);
  }

  /** A code of the page as it is now, or of the way into a class; a file's address would open nothing elsewhere. */
  #showCode() {
    const { protocol } = window.location;
    const meeting = document.querySelector(".fim-meeting");
    const wayIn = meeting instanceof HTMLElement ? meeting.dataset.address : undefined;
    const options = { ...window.factsRuntime?.currentOptions(), slide: "" };
    const address = wayIn ?? window.factsRuntime?.addressWith(options) ?? "";
    this.code.hidden = protocol === "file:" || this.isPreview;
    drawCode(this.code, address, 2);
  }

  /* In the place of a slide: all of them, or nothing. */

  /** @param {string} className */
  #addCover(className) {
    this.#uncover();
    this.#cover = add(document.body, "section", { className, tabIndex: -1 });
    return this.#cover;
  }

  #uncover() {
    this.#cover?.remove();
    this.#cover = null;
    this.bar.focus();
  }

  #toggleBlack() {
    if (this.#cover?.matches(".fim-black")) return this.#uncover();
    const cover = this.#addCover("fim-black");
    cover.setAttribute("aria-label", "black: any key goes on");
    cover.addEventListener("click", () => this.#uncover());
    cover.focus();
  }

  #toggleOverview() {
    if (this.#cover?.matches(".fim-all")) return this.#uncover();
    const cover = this.#addCover("fim-all");
    cover.setAttribute("aria-label", "all slides");
    add(cover, "p", {
      textContent: "A digit or a letter goes to its slide. ← → turn, Home and End go to the first and the last, b is black, f fills the screen, w opens your window, m shows more, Esc ends.",
      className: "with-keys",
    });
    const [main, more] = [add(cover, "ol"), add(cover, "ol")];
    this.slides.forEach((slide, place) => {
      const item = add(place <= this.last ? main : more, "li");
      const button = add(item, "button", { type: "button", title: HEADS[slide.name] });
      add(button, "b", { textContent: this.#keyOf(place) });
      button.append(` ${slide.title}`);
      if (place === this.#place) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => this.goTo(place));
    });
    cover.focus();
  }

  /** The key that goes to a slide; letters do in the overview alone. @param {number} place */
  #keyOf(place) {
    return (place <= this.last ? DIGITS[place] : LETTERS[place - this.last - 1]) ?? "";
  }

  /* The second window. */

  #openSpeaker() {
    if (!this.#speaker || this.#speaker.isClosed) this.#speaker = SpeakerWindow.open(this.#onKey);
    this.#showSpeaker();
  }

  #showSpeaker() {
    if (!this.#speaker) return;
    const ahead = this.#place === this.last ? undefined : this.slides[this.#place + 1];
    /** @param {number} place */
    const addressOf = (place) => `${this.home}${this.home.includes("#~") ? "&" : "#~"}slide=${place + 1}`;
    this.#speaker.show(
      { title: `${this.#number(this.#place)}: ${this.#slide.title}`, address: addressOf(this.#place) },
      ahead ? { title: ahead.title, address: addressOf(this.#place + 1) } : null,
      notesOn(this.#slide),
      this.#slide.says?.() ?? [],
    );
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const target = event.target instanceof Element ? event.target : null;
    if (event.ctrlKey || event.metaKey || event.altKey || this.bar.inert || target?.closest("dialog")) return;
    const ours = event.key.startsWith("Page") || target === this.bar || target === this.#cover;
    const user = ours ? null : target?.closest(USES_KEYS);
    if (user?.matches("input:not([type='range']), select, textarea") && event.key !== "Escape") return;
    if (this.#cover?.matches(".fim-black")) this.#uncover();
    else if (event.key in TURNS && user) return;
    else if (!this.#follow(event.key)) return;
    event.preventDefault();
  }

  /** Do what a key asks for; false if it asks for nothing. @param {string} key */
  #follow(key) {
    if (this.#cover && LETTERS.includes(key)) {
      const place = this.last + 1 + LETTERS.indexOf(key);
      if (place < this.slides.length) this.goTo(place);
    } else if (DIGITS.includes(key)) this.goTo(Math.min(DIGITS.indexOf(key), this.last));
    else if (key in TURNS) this.#turn(TURNS[key]);
    else {
      const act = this.#keys[key];
      if (!act) return false;
      act();
    }
    return true;
  }

  /** @type {Record<string, () => void>} */
  #keys = {
    Home: () => this.goTo(0),
    End: () => this.goTo(this.last),
    m: () => this.#showMore(),
    o: () => this.#toggleOverview(),
    b: () => this.#toggleBlack(),
    ".": () => this.#toggleBlack(),
    n: () => this.#openSpeaker(), // notes are the lecturer's alone
    w: () => this.#openSpeaker(),
    f: () => fillScreen(document.documentElement),
    Escape: () => (this.#cover ? this.#uncover() : this.end()),
  };

  /** Show the page again. */
  end() {
    current = null;
    removeEventListener("keydown", this.#onKey);
    removeEventListener("resize", this.#onResize);
    this.endSwipes();
    this.#speaker?.close();
    this.#cover?.remove();
    this.bar.remove();
    this.code.remove();
    isolate([]);
    delete document.documentElement.dataset.slide;
    window.factsRuntime?.setOption("slide", "");
    if (this.prediction) this.prediction.open = false;
    fitSlide(null);
    this.style.remove();
    this.figure.draw(1);
    this.root.scrollIntoView();
  }
}

/** The page at the settings that slides begin with: those of its address, unless they are a card's. */
function homeAddress() {
  const options = window.factsRuntime?.currentOptions() ?? {};
  if (options.card) return window.location.href.split("#")[0];
  return window.factsRuntime?.addressWith({ ...options, class: "", key: "", slide: "" }) ?? "";
}

/**
 * The lecturer's notes on a slide; on the first one also those that are on none.
 * @param {Slide} slide
 * @returns {Element[]}
 */
function notesOn({ name }) {
  const notes = [...document.querySelectorAll(".admonition.lecturer li")];
  /** @param {Element} note */
  const headOf = (note) => note.querySelector("strong")?.textContent?.replace(/\.$/, "") ?? "";
  const heads = Object.values(HEADS);
  return notes.filter((note) => headOf(note) === HEADS[name] || (name === "question" && !heads.includes(headOf(note))));
}
