/**
 * A page that takes part in a class: `python -m book class` serves the book, and holds the room. What is sent stands
 * in book/publish/classroom.py.
 *
 * A student's page follows the lecturer's where it is locked, sends what is drawn or chosen, and draws all answers once
 * it may. The lecturer's page has the buttons, and tells the room which page and settings it shows. Whoever is cut off
 * connects anew, with the same random id: nothing is counted twice, and nothing is lost.
 */

import { renderSVG } from "uqr";

import { add, write } from "../draw/dom.js";
import { addSvg } from "../draw/svg.js";
import { predictionOfPage } from "./collect.js";
import { decode, drawnAnswers, encode, isNear } from "./drawn_answers.js";
import style from "./room.css";
import { endSlides, present, showPrediction } from "./slides.js";
import { PREVIEW } from "./speaker_window.js";

/** @import { Prediction } from "../view/prediction.js" */
/** @import { Pair } from "../types.js" */

/**
 * What the server tells of the room; `slide` is the lecturer's, from 1, or 0.
 * @typedef {{ code: string, at: string, slide: number, locked: boolean, paused: boolean, revealed: boolean,
 *   goal: string, question: { number: number, form: "draw" | "choose" } | null, here: number, answered: number,
 *   met: number }} State
 */

const STORE = "fim-class"; // of the window: a class is forgotten with it
const FIRST_DELAY = 500; // milliseconds until a page connects anew
const LONGEST_DELAY = 5000;
const SILENCE = 25_000; // a connection that says nothing for so long is gone
const FOLLOW = 400; // how often the lecturer's page looks whether it shows something else
const ATTEMPTS = 4; // before a page that was never let in gives up
const LETTERS = ["A", "B", "C"];

/** @type {Room | null} */
let current = null;

/**
 * Take part in a class, if the address or this window knows one.
 * @param {string} code of the address; empty to go on with what the window knows
 * @param {string} key of the lecturer; empty for students
 */
export function joinClass(code, key) {
  const known = JSON.parse(sessionStorage.getItem(STORE) ?? "null");
  const id = known?.code === code || !code ? known?.id : undefined;
  const member = { code: code || known?.code, key: key || (code && known?.code !== code ? "" : known?.key) || "", id: id ?? newId() };
  if (!member.code || current || window.name === PREVIEW) return;
  sessionStorage.setItem(STORE, JSON.stringify(member));
  window.factsRuntime?.setOption("key", "");
  current = new Room(member);
}

/** 32 hexadecimal digits. */
const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

class Room {
  /** @type {State | null} */
  state = null;
  /** @type {Map<number, string | number>} by place */
  answers = new Map();
  /** The question that the answers belong to. */
  #question = 0;
  /** @type {{ question: number, value: string | number } | null} that is not known to have come */
  #unsent = null;
  #delay = FIRST_DELAY;
  #attempts = 0;
  #ended = false;
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;
  /** @type {Promise<unknown> | undefined} */
  #unfolded;
  /** When something was heard last. */
  #heard = 0;
  /** What the lecturer's page has told last. */
  #told = "";
  /** @type {HTMLElement | null | undefined} over the whole page, while students are to look up */
  paused;
  /** @type {HTMLElement | null | undefined} the three drawn answers */
  choices;
  /** Which of them is the run. */
  right = -1;
  /** @type {Record<"lock" | "pause" | "draw" | "choose" | "reveal" | "save", HTMLButtonElement> | undefined} */
  buttons;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  following;
  /** @type {string[][]} of the file that the lecturer may save */
  #rows = [["question", "form", "student", "answer"]];

  /** @param {{ code: string, key: string, id: string }} member */
  constructor(member) {
    this.member = member;
    add(document.head, "style", { textContent: style });
    this.box = add(document.body, "section", { className: "fim-meeting" });
    this.box.setAttribute("aria-label", "the class");
    this.box.dataset.address = new URL(`/${member.code}`, location.href).href; // which slides show as a code
    const height = () => document.documentElement.style.setProperty("--fim-meeting", `${this.box.offsetHeight}px`);
    new ResizeObserver(height).observe(this.box);
    add(this.box, "strong", { textContent: member.code });
    this.status = add(this.box, "span", { textContent: "connecting …" });
    this.status.setAttribute("role", "status");
    if (this.leads) this.#addButtons();
    addEventListener("fim:predicted", (event) => this.#takeSketch(event));
    addEventListener("fim:done", () => setTimeout(() => this.#tellIfMet()));
    for (const waking of ["visibilitychange", "online"]) addEventListener(waking, () => this.#wake());
    this.#connect();
  }

  get leads() {
    return Boolean(this.member.key);
  }

  get prediction() {
    return predictionOfPage();
  }

  #connect() {
    const address = new URL(`/room/${this.member.code}`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = (this.#socket = new WebSocket(address));
    socket.addEventListener("open", () => {
      this.#send({ kind: "join", id: this.member.id, ...(this.leads ? { key: this.member.key } : {}) });
      this.#told = "";
    });
    socket.addEventListener("message", ({ data }) => this.#hear(JSON.parse(data)));
    socket.addEventListener("close", () => this.#reconnect());
    this.#expectWord(); // a laptop that sleeps does not even refuse
  }

  /** Connect anew if nothing is heard for long. */
  #expectWord() {
    clearTimeout(this.#silence);
    this.#heard = Date.now();
    this.#silence = setTimeout(() => this.#socket?.close(), SILENCE);
  }

  /** A phone that slept had no timer either. */
  #wake() {
    if (!document.hidden && Date.now() - this.#heard > SILENCE) this.#socket?.close();
  }

  #reconnect() {
    clearTimeout(this.#silence);
    if (this.#ended) return;
    this.#attempts += 1;
    if (!this.state && this.#attempts >= ATTEMPTS) {
      this.#leave(`No class with the code ${this.member.code} is held here.`);
      return;
    }
    this.#say("connecting again …");
    setTimeout(() => this.#connect(), this.#delay);
    this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY);
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** @param {any} message */
  #hear(message) {
    this.#expectWord();
    this.#delay = FIRST_DELAY;
    if (message.kind === "room") this.#follow(message);
    else if (message.kind === "answers") this.#addAnswers(message);
    else if (message.kind === "problem") this.#say(message.message);
    else if (message.kind === "ended") this.#leave("The class has ended; all answers are deleted.");
  }

  /** @param {string} text */
  #say(text) {
    write(this.status, text);
  }

  /** The page goes on without the class. @param {string} text */
  #leave(text) {
    this.#ended = true;
    clearInterval(this.following);
    sessionStorage.removeItem(STORE);
    window.factsRuntime?.setOption("class", "");
    this.#pause(false);
    this.#lock(false);
    this.choices?.remove();
    this.#say(text);
    for (const button of this.box.querySelectorAll("button")) button.remove();
    const close = add(this.box, "button", { type: "button", textContent: "close" });
    close.addEventListener("click", () => this.box.remove());
  }

  /** @param {State} state */
  #follow(state) {
    const before = this.state;
    this.state = state;
    if (this.#unsent && state.question?.number === this.#unsent.question) {
      this.#send({ kind: "answer", ...this.#unsent });
      this.#unsent = null;
    }
    if (!this.leads) {
      if (this.#goTo(state)) return;
      this.#pause(state.paused);
      this.#lock(state.locked);
      if (state.locked) this.#showSlide(state.slide);
    }
    if (state.question && state.question.number !== this.#question) this.#open(state.question);
    if (state.revealed && !before?.revealed) this.#reveal();
    this.#showState(state);
  }

  /** @param {State} state */
  #showState({ here, answered, met, goal, locked, paused, revealed, question }) {
    const students = `${here} ${here === 1 ? "student" : "students"}`;
    const parts = [students];
    if (question) parts.push(`${answered} answered`);
    if (goal) parts.push(`${met} met the challenge`);
    if (question && revealed) parts.push(this.#rightShare());
    this.#say(parts.filter(Boolean).join(" · "));
    if (!this.buttons) return;
    this.buttons.lock.setAttribute("aria-pressed", String(locked));
    this.buttons.pause.setAttribute("aria-pressed", String(paused));
    this.buttons.reveal.disabled = !question || revealed;
  }

  /** A student's page goes where the lecturer's is; true if it leaves for another page. @param {State} state */
  #goTo({ at, locked }) {
    if (!locked || !at) return false;
    const [page, settings = ""] = at.split("#~");
    const wanted = settingsOf(settings);
    if (location.pathname.slice(1) !== page) {
      location.assign(`/${page}#~${join(wanted, this.member.code)}`);
      return true;
    }
    if (String(settingsOf(location.hash.replace(/^#~?/, ""))) !== String(wanted))
      location.hash = `#~${join(wanted, this.member.code)}`;
    return false;
  }

  /** @param {number} slide the lecturer's, from 1; 0 for the page itself */
  async #showSlide(slide) {
    await window.factsRuntime?.ready;
    const root = document.querySelector(".fim");
    if (!slide) endSlides();
    else if (root instanceof HTMLElement) present(root, slide);
    this.#lock(Boolean(this.state?.locked));
  }

  /** @param {boolean} locked */
  #lock(locked) {
    for (const part of document.querySelectorAll(".fim-side, .fim-front, .fim-story, .fim-bar"))
      if (part instanceof HTMLElement) part.inert = locked;
  }

  /** @param {boolean} paused */
  #pause(paused) {
    if (paused === Boolean(this.paused)) return;
    this.paused?.remove();
    this.paused = paused ? add(document.body, "div", { className: "fim-meeting-paused", textContent: "Look up, please." }) : null;
    this.paused?.setAttribute("role", "alert");
  }

  /* Questions and answers. */

  /** A new question. @param {NonNullable<State["question"]>} question */
  async #open({ number, form }) {
    this.#question = number;
    this.answers.clear();
    this.choices?.remove();
    this.choices = null;
    await window.factsRuntime?.ready;
    const { prediction } = this;
    if (!prediction) return;
    prediction.clear();
    prediction.setOthers([]);
    this.#unfold(prediction);
    prediction.details.classList.toggle("fim-choosing", form === "choose");
    if (form === "choose") this.#offer(prediction);
    prediction.details.scrollIntoView({ block: "start" });
  }

  /**
   * Show where the prediction is drawn; settled once it has begun anew, as it does when its fold says that it is open.
   * @param {Prediction} prediction
   */
  #unfold({ details }) {
    if (!details.open) {
      this.#unfolded = new Promise((resolve) => details.addEventListener("toggle", resolve, { once: true }));
      details.open = true;
    }
    showPrediction();
    return this.#unfolded;
  }

  /** Three curves to choose from, in the place of the empty chart. @param {Prediction} prediction */
  #offer(prediction) {
    const { runHeights, question } = prediction;
    if (!runHeights) return;
    const seed = this.#question + this.member.code.charCodeAt(0);
    const { curves, right } = drawnAnswers(runHeights, question.domain, seed);
    const box = (this.choices = add(prediction.details, "fieldset", { className: "fim-choices" }));
    add(box, "legend", { textContent: "Which of these is it?" });
    this.right = right;
    curves.forEach((curve, i) => {
      const button = add(box, "button", { type: "button" });
      button.setAttribute("aria-pressed", "false");
      const svg = addSvg(button, "svg", { viewBox: "0 0 100 60", preserveAspectRatio: "none", "aria-hidden": "true" });
      addSvg(svg, "path", { d: pathOf(curve, question.domain) });
      add(button, "span", { textContent: LETTERS[i] });
      button.addEventListener("click", () => {
        if (this.state?.revealed) return;
        for (const other of box.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
        this.#answer(i);
      });
    });
  }

  /** What is drawn goes to the room, and the run waits. @param {Event} event */
  #takeSketch(event) {
    const { state } = this;
    if (!(event instanceof CustomEvent) || this.#ended || state?.question?.form !== "draw" || state.revealed) return;
    event.preventDefault();
    const { heights, question } = event.detail.prediction;
    this.#answer(encode(heights, question.domain));
    event.detail.prediction.status.textContent = "Sent. Your lecturer shows the run.";
  }

  /** @param {string | number} value */
  #answer(value) {
    const answer = { question: this.#question, value };
    if (this.#socket?.readyState === WebSocket.OPEN) this.#send({ kind: "answer", ...answer });
    else this.#unsent = answer;
  }

  /** @param {{ question: number, values: [number, string | number][] }} message */
  #addAnswers({ question, values }) {
    if (question !== this.#question) return;
    for (const [place, value] of values) this.answers.set(place, value);
    if (this.state?.question?.form === "draw") this.prediction?.setOthers(this.#sketches());
    if (this.state) this.#showState(this.state);
    this.#count();
  }

  /** The students' curves. @returns {number[][]} */
  #sketches() {
    const domain = this.prediction?.question.domain;
    return domain ? [...this.answers.values()].flatMap((value) => [decode(String(value), domain) ?? []]) : [];
  }

  /** The run, over all answers. */
  async #reveal() {
    await window.factsRuntime?.ready;
    const { prediction, state } = this;
    if (!prediction || !state?.question) return;
    await this.#unfold(prediction);
    prediction.details.classList.remove("fim-choosing");
    prediction.compare();
    this.#count();
    prediction.details.scrollIntoView({ block: "start" });
  }

  /** How many chose each drawn answer, once the run is shown. */
  #count() {
    if (!this.choices || !this.state?.revealed) return;
    const chosen = [...this.answers.values()];
    this.choices.querySelectorAll("button").forEach((button, i) => {
      const count = chosen.filter((value) => value === i).length;
      write(/** @type {Element} */ (button.querySelector("span")), `${LETTERS[i]}: ${count}${i === this.right ? ", the run" : ""}`);
      if (i === this.right) button.dataset.right = "1";
    });
  }

  #rightShare() {
    const run = this.prediction?.runHeights;
    const domain = this.prediction?.question.domain;
    if (!run || !domain || !this.answers.size) return "";
    const right =
      this.state?.question?.form === "draw"
        ? this.#sketches().filter((sketch) => isNear(sketch, run, domain)).length
        : [...this.answers.values()].filter((value) => value === this.right).length;
    return `${right} of ${this.answers.size} right`;
  }

  #tellIfMet() {
    const goal = window.factsRuntime?.currentOptions().goal;
    const box = document.querySelector(".fim-goal");
    if (goal && goal === this.state?.goal && box instanceof HTMLElement && box.dataset.met === "1")
      this.#send({ kind: "met", goal });
  }

  /* The lecturer's page. */

  #addButtons() {
    /** @param {string} text @param {string} title @param {() => void} onclick */
    const button = (text, title, onclick) => add(this.box, "button", { type: "button", textContent: text, title, onclick });
    /** @param {"locked" | "paused"} name */
    const toggle = (name) => this.#send({ kind: "show", [name]: !this.state?.[name] });
    /** @param {"draw" | "choose"} form */
    const ask = (form) => {
      this.#keepRows();
      this.#send({ kind: "ask", form });
    };
    button("code", "the room’s code in large letters", () => this.#showCode());
    this.buttons = {
      lock: button("lock", "students follow this page and its settings", () => toggle("locked")),
      pause: button("pause", "students’ screens ask them to look up", () => toggle("paused")),
      draw: button("ask: draw", "students draw the curve", () => ask("draw")),
      choose: button("ask: choose", "students choose one of three drawn curves", () => ask("choose")),
      reveal: button("show the run", "the run over all answers", () => this.#send({ kind: "show", revealed: true })),
      save: button("save", "all answers as a file (CSV)", () => this.#save()),
    };
    const end = button("end", "end the class and delete all answers", () => {
      if (end.dataset.sure) this.#send({ kind: "end" });
      end.dataset.sure = "1";
      end.textContent = "end, and delete all answers?";
    });
    this.following = setInterval(() => this.#tellWhere(), FOLLOW);
  }

  /** Tell the room what this page shows, if it has changed. */
  #tellWhere() {
    const options = window.factsRuntime?.currentOptions() ?? {};
    const address = new URL(window.factsRuntime?.addressWith({ ...options, class: "", key: "", slide: "" }) ?? location.href);
    const shown = { at: address.pathname.slice(1) + address.hash, goal: options.goal ?? "", slide: Number(options.slide) || 0 };
    const told = JSON.stringify(shown);
    if (told === this.#told || this.#socket?.readyState !== WebSocket.OPEN || !this.state) return;
    this.#told = told;
    this.#send({ kind: "show", ...shown });
  }

  #showCode() {
    const { address = "" } = this.box.dataset;
    const box = add(document.body, "button", { type: "button", className: "fim-meeting-code" });
    box.setAttribute("aria-label", `students open ${address}; close`);
    box.innerHTML = renderSVG(address, { border: 2 }); // safe: the code is squares, whatever the address holds
    add(box, "span", { textContent: address.replace(/^https?:\/\//, "") });
    box.addEventListener("click", () => box.remove());
    box.focus();
  }

  /** Keep the answers to the question that is open for the file. */
  #keepRows() {
    const question = this.state?.question;
    if (!question) return;
    const domain = this.prediction?.question.domain ?? [0, 1];
    for (const [place, value] of this.answers) {
      const text = question.form === "draw" ? (decode(String(value), domain) ?? []).map((height) => height.toPrecision(3)).join(" ") : LETTERS[Number(value)];
      this.#rows.push([String(question.number), question.form, String(place + 1), text]);
    }
  }

  #save() {
    const before = this.#rows.length;
    this.#keepRows();
    const text = this.#rows.map((row) => row.join(",")).join("\n");
    this.#rows.length = before; // the question is still open
    const file = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/csv" }));
    const link = add(this.box, "a", { href: file, download: `class-${this.member.code}.csv` });
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(file));
  }
}

/** A page's settings without the class, in one order. @param {string} text */
function settingsOf(text) {
  const settings = new URLSearchParams(text);
  for (const name of ["class", "key", "slide"]) settings.delete(name);
  settings.sort();
  return settings;
}

/** @param {URLSearchParams} settings @param {string} code */
const join = (settings, code) => [String(settings), `class=${code}`].filter(Boolean).join("&");

/** A curve as a path in a box of 100 × 60. @param {number[]} curve @param {Pair} domain */
const pathOf = (curve, [low, high]) =>
  `M${curve.map((height, i) => `${(100 * i) / (curve.length - 1)} ${(58 - (56 * (height - low)) / (high - low)).toFixed(1)}`).join("L")}`;

