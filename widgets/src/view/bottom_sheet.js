/**
 * The sheet at a phone's bottom, and all that sticks there: the story's card or, in its place, one setting at a time,
 * and below them the time of the run. Until the figure is trained it is a bar with the button for that. On any other
 * window these parts stand where the figure and its controls have them.
 */

import { add, wantsNoMotion, write } from "../draw/dom.js";
import { sets } from "../run/parameters.js";

/** @import { Scene } from "./scene.js" */
/** @import { Story } from "./story.js" */
/** @import { StoryCard } from "../types.js" */
/** @typedef {Scene["boxes"][number]} Drawn */

const PHONE = "screen and (max-width: 39.99rem) and (min-height: 33rem), screen and (max-width: 59.99rem) and (min-height: 36rem)"; // what is wider or lower has room beside the scene
const TEXTS = ":scope > .fim-caption, :scope > div > :is(.fim-predict, .fim-statement)";
const LINES = 110; // pixels between scene and sheet: what scrolls there can be read, and the scene may stay above it

export class BottomSheet {
  #phone = window.matchMedia(PHONE);
  /** @type {Drawn[]} the panels of the scene, the first to be opened first */
  #order;
  /** @type {HTMLElement | undefined} the text that stands lower than it would, so that it is not cut */
  #pushed;

  /**
   * @param {HTMLElement} live the figure and its controls; its style learns how high the sheet is
   * @param {HTMLElement} front that holds the first controls
   * @param {HTMLElement} stage of the scene
   * @param {{ scene: Scene, story: Story | null }} parts
   */
  constructor(live, front, stage, { scene, story }) {
    this.live = live;
    this.front = front;
    this.stage = stage;
    this.scene = scene;
    this.story = story;
    this.time = scene.timeline?.box;
    this.#order = scene.boxes;
    this.texts = /** @type {HTMLElement[]} */ (Array.from(stage.parentElement?.querySelectorAll(TEXTS) ?? []));
    this.controls = /** @type {HTMLElement[]} */ (Array.from(front.children));
    for (const control of this.controls) control.classList.add("fim-control");
    this.statement = stage.parentElement?.querySelector(".fim-statement");
    if (this.statement) {
      this.verdict = add(front, "p", { className: "fim-sheet-verdict" });
      this.verdict.setAttribute("aria-hidden", "true"); // it is announced where it stands in full
    }
    if (this.controls.length > 1) this.#addList();
    if (story) this.#addSwitch(story);
    this.#arrange();
    this.#phone.addEventListener("change", () => {
      this.#arrange();
      if (!scene.rests) stage.scrollIntoView(); // a phone was turned while the run is played
    });
    const slides = new MutationObserver(() => this.#arrange());
    slides.observe(document.documentElement, { attributeFilter: ["data-slide"] });
    const sizes = new ResizeObserver(() => this.#fit());
    for (const part of [stage, front, ...this.texts]) sizes.observe(part);
    window.addEventListener("resize", () => this.#fit());
    front.addEventListener("pointerdown", () => this.showScene());
    scene.timeline?.player.addEventListener("click", () => this.showScene());
  }

  /** Whether there is a sheet: on a phone that is held upright; not on a slide, or in a frame as high as its page. */
  get sticks() {
    return this.#phone.matches && window.parent === window && !document.documentElement.dataset.slide;
  }

  /** The height of what sticks to the window's top, in pixels. */
  get #header() {
    return parseFloat(getComputedStyle(this.stage).top);
  }

  /** Gather the parts in the sheet, or put them back. */
  #arrange() {
    this.live.classList.toggle("fim-phone", this.sticks);
    this.story?.page.setAttribute("tabindex", this.sticks ? "0" : "-1"); // a long card is scrolled there, by keys, too
    if (this.sticks) {
      if (this.story) this.front.prepend(this.story.box);
      if (this.time) this.front.append(this.time);
    } else {
      this.story?.findPlace();
      if (this.time) this.stage.append(this.time);
    }
  }

  /**
   * Open as many panels of the scene as fit above the sheet; the others are folded to their titles. The scene stays in
   * sight if what scrolls below it can still be read.
   */
  #fit() {
    const { stage, front } = this;
    for (const { box } of this.#order) box.classList.remove("fim-folded");
    this.#pushed?.style.removeProperty("margin-top");
    if (!this.sticks) return;
    this.live.style.setProperty("--sheet", `${front.offsetHeight}px`);
    const room = window.innerHeight - this.#header - front.offsetHeight;
    const fits = () => stage.offsetHeight <= room;
    const [, ...others] = this.#order;
    if (!this.scene.waiting && !fits()) {
      for (const part of others) this.#fold(part);
      for (const part of others) {
        part.box.classList.remove("fim-folded");
        if (!fits()) this.#fold(part);
      }
    }
    stage.classList.toggle("fim-low", stage.offsetHeight <= room - LINES);
    if (!this.scene.waiting) this.#keepWhole(room);
  }

  /** No text below the scene is cut by the sheet: what would be begins below its edge. @param {number} room */
  #keepWhole(room) {
    const tabs = /** @type {HTMLElement} */ (this.stage.previousElementSibling);
    const above = tabs.offsetHeight && tabs.offsetHeight + parseFloat(getComputedStyle(tabs).marginBottom);
    const edge = (this.stage.parentElement?.getBoundingClientRect().top ?? 0) + above + room;
    this.#pushed = this.texts.find((text) => {
      const { top, bottom } = text.getBoundingClientRect();
      if (top >= edge || bottom <= edge) return false;
      text.style.marginTop = `${edge - top + parseFloat(getComputedStyle(text).marginTop)}px`;
      return true;
    });
  }

  /** Leave of a panel its title, which opens it before any other. @param {Drawn} part */
  #fold(part) {
    const { box, title } = part;
    box.classList.add("fim-folded");
    let opener = box.querySelector(":scope > .fim-opener");
    if (!opener) {
      opener = add(box, "button", { type: "button", className: "fim-opener" });
      opener.addEventListener("click", () => {
        box.classList.remove("fim-dim");
        this.#order = [part, ...this.#order.filter((other) => other !== part)];
        this.#fit();
      });
    }
    opener.textContent = box.querySelector(".fim-title")?.textContent ?? title; // some follow the run
  }

  /** Repeat the first statement's verdict where a thumb is: what came out, if that is told apart. */
  say() {
    if (!this.verdict || !this.statement) return;
    const [name, sentence, said] = [".fim-claim-name > *", ".fim-verdict", ".fim-verdict .fim-said"].map((part) => this.statement?.querySelector(part));
    const parts = Array.from(said?.childNodes ?? []);
    const from = Math.max(0, parts.findIndex((part) => part instanceof HTMLElement && part.tagName === "EM"));
    const words = parts.slice(from).filter((part) => !(part instanceof Element && part.matches(".fim-unseen")));
    write(this.verdict, `${name?.textContent}: ${words.map(({ textContent }) => textContent).join("")}`);
    this.verdict.dataset.tone = sentence?.getAttribute("data-tone") ?? "";
  }

  /** Show as much of the scene as fits above the sheet. */
  showScene() {
    if (!this.sticks) return;
    const { top, bottom } = this.stage.getBoundingClientRect();
    const isHidden = top < this.#header - 1 || bottom > this.front.getBoundingClientRect().top + 1;
    if (isHidden) this.stage.scrollIntoView({ behavior: wantsNoMotion() ? "auto" : "smooth" });
  }

  /**
   * Show a card: what it speaks of comes before other panels, and the first control that it sets before other controls.
   * @param {StoryCard} card
   */
  follow({ values, lights }) {
    const { boxes } = this.scene;
    this.#order = [
      ...boxes.filter(({ title }) => lights.includes(title)),
      ...boxes.filter(({ title }) => !lights.includes(title)),
    ];
    this.#show(false);
    const names = Object.keys(values);
    const place = this.controls.findIndex((control) => names.some((name) => sets(control, name)));
    if (place >= 0) this.#choose(place);
    this.#fit();
    this.showScene();
  }

  /** A list of the controls, to choose which is shown. */
  #addList() {
    this.list = document.createElement("select");
    this.list.className = "fim-which";
    this.list.setAttribute("aria-label", "which setting to change");
    for (const control of this.controls) add(this.list, "option", { textContent: labelOf(control) });
    this.list.addEventListener("change", () => this.#choose(this.list?.selectedIndex ?? 0));
    this.front.prepend(this.list);
    this.front.classList.add("fim-one");
    this.#choose(0);
    const links = new MutationObserver(() => this.#leaveOutHidden());
    for (const control of this.controls) links.observe(control, { attributeFilter: ["hidden"] });
    this.#leaveOutHidden();
  }

  /** A button that exchanges card and settings. @param {Story} story */
  #addSwitch(story) {
    this.switch = add(story.bar, "button", { type: "button", textContent: "⚙ settings", className: "fim-switch" });
    this.switch.addEventListener("click", () => this.#show(!this.front.classList.contains("fim-settings")));
    this.#show(false);
  }

  /** @param {boolean} settings */
  #show(settings) {
    this.front.classList.toggle("fim-settings", settings);
    this.switch?.setAttribute("aria-pressed", String(settings));
  }

  /** The link of a challenge may hide controls. */
  #leaveOutHidden() {
    this.controls.forEach(({ hidden }, i) => this.list?.options[i].toggleAttribute("hidden", Boolean(hidden)));
    if (this.controls[this.list?.selectedIndex ?? 0].hidden)
      this.#choose(Math.max(0, this.controls.findIndex(({ hidden }) => !hidden)));
  }

  /** @param {number} place */
  #choose(place) {
    if (!this.list) return;
    this.list.selectedIndex = place;
    this.controls.forEach((control, i) => control.classList.toggle("fim-aside", i !== place));
  }
}

/** @param {Element} control */
const labelOf = (control) =>
  control.querySelector("label, legend, .widget-label")?.textContent?.trim() ||
  control.querySelector("[aria-label]")?.getAttribute("aria-label") ||
  control.textContent?.trim() ||
  "";
