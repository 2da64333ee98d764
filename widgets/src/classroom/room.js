/**
 * A page that takes part in a class: `python -m book class` serves the book, and holds the room. What is sent stands
 * in book/publish/classroom.py.
 *
 * A student's page follows the lecturer's where it is locked, and goes where a question is asked: the question brings
 * its settings and its curves, so that all pages show the same. It sends what is drawn or chosen, and draws all answers
 * once it may. The lecturer's page has the buttons, and tells the room which page and settings it shows; another page,
 * slide or challenge closes the question. Whoever is cut off connects anew, with the same random id: nothing is counted
 * twice, and nothing is lost.
 */

import { add, laidOut, write } from "../draw/dom.js";
import { drawCode } from "../draw/qr_code.js";
import { addSvg } from "../draw/svg.js";
import { readable } from "../run/format.js";
import { isNear } from "../run/nearness.js";
import { LETTERS, recordAsText } from "./class_record.js";
import { askingFigure } from "./collect.js";
import { decode, drawnAnswers, encode } from "./drawn_answers.js";
import style from "./room.css";
import { endSlides, present, showPrediction } from "./slides.js";
import { PREVIEW } from "./speaker_window.js";

/** @import { Question } from "./class_record.js" */
/** @import { Prediction } from "../view/prediction.js" */
/** @import { Pair } from "../types.js" */

/**
 * What the server tells of the room; `slide` is the lecturer's, from 1, or 0, and `moment` the share of the run that is
 * shown there, −1 before it is trained.
 * @typedef {{ code: string, at: string, slide: number, moment: number, locked: boolean, paused: boolean,
 *   overlaid: boolean, revealed: boolean, goal: string, question: Question | null, here: number, answered: number,
 *   met: number }} State
 */
/**
 * What this window knows of the class: beside who it is, the last question and challenge that it has shown, and where
 * the lecturer's page was when it asked.
 * @typedef {{ code: string, key: string, id: string, question?: number, goal?: string, place?: string }} Member
 */

/** @typedef {"lock" | "pause" | "draw" | "choose" | "overlay" | "reveal" | "save"} ButtonName */

const STORE = "fim-class"; // of the window: a class is forgotten with it
const FIRST_DELAY = 500; // milliseconds until a page connects anew
const LONGEST_DELAY = 5000;
const SILENCE = 25_000; // a connection that says nothing for so long is gone
const FOLLOW = 400; // how often the lecturer's page looks whether it shows something else
const SAME_MOMENT = 0.001; // of a run: what is so near is shown
const ATTEMPTS = 4; // before a page that was never let in gives up

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
  const others = known && (!code || known.code === code) ? known : {};
  const member = { ...others, code: code || known?.code, key: key || others.key || "", id: id ?? newId() };
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
  /** The number of the question that the answers belong to. */
  #question = 0;
  /** @type {Promise<void> | undefined} settled once the question is shown */
  #opening;
  /** What the prediction's button is called without a question. */
  #commit = "";
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
  #sent = "";
  /** @type {HTMLElement | null | undefined} over the whole page, while students are to look up */
  paused;
  /** @type {HTMLElement | null | undefined} the three drawn answers */
  choices;
  /** @type {Record<ButtonName, HTMLButtonElement> | undefined} */
  buttons;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  following;

  /** @param {Member} member */
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
    this.box.toggleAttribute("data-leads", this.leads);
    if (this.leads) this.#addButtons();
    else this.#wait();
    addEventListener("fim:predicted", (event) => this.#takeSketch(event));
    addEventListener("fim:done", () => setTimeout(() => (this.#tellIfMet(), this.#followRun())));
    for (const waking of ["visibilitychange", "online"]) addEventListener(waking, () => this.#wake());
    this.#connect();
  }

  get leads() {
    return Boolean(this.member.key);
  }

  get figure() {
    return askingFigure();
  }

  get prediction() {
    return this.figure?.scene.prediction;
  }

  /** Keep for this window's next page what it is to know. @param {Partial<Member>} known */
  #remember(known) {
    Object.assign(this.member, known);
    if (!this.#ended) sessionStorage.setItem(STORE, JSON.stringify(this.member));
  }

  /** Until a question is asked a student's page keeps the end of the run to itself. */
  async #wait() {
    await window.factsRuntime?.ready;
    await laidOut();
    const { card, goal, slide } = window.factsRuntime?.currentOptions() ?? {};
    if (!card && !goal && !slide && !this.state?.question && !this.#ended) this.figure?.scene.wait();
  }

  #connect() {
    const address = new URL(`/room/${this.member.code}`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = (this.#socket = new WebSocket(address));
    socket.addEventListener("open", () => {
      this.#send({ kind: "join", id: this.member.id, ...(this.leads ? { key: this.member.key } : {}) });
      this.#sent = "";
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
    else if (message.kind === "record") this.#save(recordAsText(message));
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
    this.#close();
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
      if (this.#goWhereAsked(state)) return;
      this.#pause(state.paused);
      this.#lock(state.locked);
      if (state.locked && !state.question) this.#showSlide(state.slide);
      this.#followRun();
      if (state.goal && state.goal !== before?.goal && !state.question) this.#showGoal();
    }
    const { question } = state;
    if (!question) this.#close();
    else if (question.number !== this.#question) this.#opening = this.#open(question);
    const wasRevealed = before?.revealed && before.question?.number === question?.number;
    if (question && state.revealed && !wasRevealed) this.#reveal();
    else if (question && state.overlaid !== before?.overlaid) this.#drawAnswers();
    this.#showState(state);
  }

  /** @param {State} state */
  #showState({ here, answered, met, goal, locked, paused, overlaid, revealed, question }) {
    const students = `${here} ${here === 1 ? "student" : "students"}`;
    const parts = [students];
    if (question) parts.push(`${answered} answered`);
    if (goal) parts.push(`${met} met the challenge`);
    if (question && revealed) parts.push(this.#rightShare());
    if (locked && !this.leads) parts.push("locked: this page follows your lecturer’s");
    this.#say(parts.filter(Boolean).join(" · "));
    if (!this.buttons) return;
    this.buttons.overlay.hidden = this.buttons.reveal.hidden = !question || revealed;
    this.buttons.overlay.setAttribute("aria-pressed", String(overlaid));
    this.buttons.lock.setAttribute("aria-pressed", String(locked));
    this.buttons.pause.setAttribute("aria-pressed", String(paused));
  }

  /**
   * A student's page goes where a new question or challenge is, and where a locked one is to be; true if it leaves for
   * another page.
   * @param {State} state
   */
  #goWhereAsked({ at, goal, locked, question }) {
    const isNewGoal = Boolean(goal) && goal !== this.member.goal;
    const isNewQuestion = question !== null && question.number !== this.member.question;
    const mayLeave = locked || isNewGoal || isNewQuestion;
    this.#remember({ goal, ...(question ? { question: question.number } : {}) });
    if (question && (mayLeave || question.number !== this.#question)) return this.#goTo(question.at, mayLeave);
    return (locked || isNewGoal) && at ? this.#goTo(at, true) : false;
  }

  /** @param {string} at a page with its settings @param {boolean} mayLeave for another page */
  #goTo(at, mayLeave) {
    const [page, settings = ""] = at.split("#~");
    const wanted = settingsOf(settings);
    if (!isAt(page)) {
      if (mayLeave) location.assign(`/${page}#~${join(wanted, this.member.code)}`);
      return mayLeave;
    }
    if (String(settingsOf(location.hash.replace(/^#~?/, ""))) !== String(wanted))
      location.hash = `#~${join(wanted, this.member.code)}`;
    return false;
  }

  /** A new challenge is in sight. */
  async #showGoal() {
    await window.factsRuntime?.ready;
    await laidOut();
    document.querySelector(".fim-goal")?.scrollIntoView({ block: "start" });
  }

  /** @param {number} slide the lecturer's, from 1; 0 for the page itself */
  async #showSlide(slide) {
    await window.factsRuntime?.ready;
    const root = document.querySelector(".fim");
    if (!slide) endSlides();
    else if (root instanceof HTMLElement) present(root, slide);
    this.#lock(Boolean(this.state?.locked));
  }

  /** A locked page shows the moment of the run that the lecturer's does, once it has the same run. */
  #followRun() {
    const { locked, question, moment } = this.state ?? {};
    const root = document.querySelector(".fim");
    const scene = root instanceof HTMLElement && root.dataset.state === "done" && root.live?.scene;
    if (this.leads || !locked || question || moment === undefined || !scene) return;
    if (moment < 0 && !scene.waiting) scene.wait();
    else if (moment >= 0 && (scene.waiting || Math.abs(scene.share - moment) > SAME_MOMENT)) scene.goTo(moment);
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

  /** A new question. @param {Question} question */
  async #open(question) {
    const { number, form, at } = question;
    this.#close();
    this.#question = number;
    const [page] = at.split("#");
    const isElsewhere = this.member.question === number ? this.member.place !== placeNow() : !isAt(page);
    if (this.leads && isElsewhere) return this.#send({ kind: "close" });
    await window.factsRuntime?.ready;
    const { prediction } = this;
    if (!prediction || !isAt(page) || this.#question !== number) return;
    prediction.clear();
    prediction.setOthers([]);
    document.documentElement.dataset.question = "open";
    prediction.details.classList.toggle("fim-choosing", form === "choose");
    this.#commit = prediction.commit.textContent ?? "";
    if (!this.leads) prediction.commit.textContent = "send";
    await this.#unfold(prediction);
    if (this.#question !== number) return; // it was closed meanwhile
    prediction.ask(question.text);
    if (form === "choose") this.#offer(prediction, question);
    if (this.leads) this.#remember({ question: number, place: placeNow() });
    await this.#bringIntoSight(prediction);
  }

  /** @param {Prediction} prediction */
  async #bringIntoSight({ details }) {
    await laidOut();
    if (!this.leads || !document.documentElement.dataset.slide) details.scrollIntoView({ block: "start" });
  }

  /** The question is closed: the page is as before. */
  #close() {
    if (!this.#question) return;
    this.#question = 0;
    this.answers.clear();
    this.choices?.remove();
    this.choices = null;
    const root = document.documentElement;
    const wasShown = root.dataset.question === "shown";
    delete root.dataset.question;
    const { prediction, figure } = this;
    if (!prediction) return;
    if (this.#commit) prediction.commit.textContent = this.#commit;
    prediction.ask();
    prediction.details.classList.remove("fim-choosing");
    prediction.setOthers([]);
    if (root.dataset.slide !== "predict") prediction.details.open = false;
    if (!this.leads && !wasShown) figure?.scene.wait();
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

  /**
   * Three curves to choose from, in the place of the chart; on the lecturer's page they are there to be seen. With the
   * run each says what who draws it thinks.
   * @param {Prediction} prediction
   * @param {Question} question
   */
  #offer(prediction, { curves, domain }) {
    const box = (this.choices = add(prediction.details, "fieldset", { className: "fim-choices" }));
    const [low, high] = domain.map((end) => readable(end, 3));
    add(box, "legend", { textContent: `Which of these is it? Each is drawn from ${low} to ${high}.` });
    curves.forEach((curve, i) => {
      const button = add(box, "button", { type: "button", disabled: this.leads });
      button.setAttribute("aria-pressed", "false");
      const svg = addSvg(button, "svg", { viewBox: "0 0 100 60", preserveAspectRatio: "none", "aria-hidden": "true" });
      addSvg(svg, "path", { d: pathOf(decode(curve, domain) ?? [], domain) });
      add(button, "span", { textContent: LETTERS[i] });
      add(button, "small");
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
    if (!(event instanceof CustomEvent) || this.#ended || this.leads || state?.question?.form !== "draw" || state.revealed) return;
    event.preventDefault();
    const { heights, domain } = event.detail.prediction;
    this.#answer(encode(heights, domain));
    event.detail.prediction.say("Sent. Your lecturer shows the run.");
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
    this.#drawAnswers();
    if (this.state) this.#showState(this.state);
  }

  /** Draw the answers over each other, or count them, while the lecturer shows them. */
  async #drawAnswers() {
    await this.#opening;
    const { state, prediction } = this;
    const { question } = state ?? {};
    if (!state || !question || !prediction) return;
    const isShown = state.overlaid || state.revealed;
    if (question.form === "draw") prediction.setOthers(isShown ? this.#sketches(question) : []);
    const chosen = [...this.answers.values()];
    this.choices?.querySelectorAll("button").forEach((button, i) => {
      const count = isShown ? `: ${chosen.filter((value) => value === i).length}` : "";
      const isRight = state.revealed && i === question.right;
      write(/** @type {Element} */ (button.querySelector("span")), `${LETTERS[i]}${count}${isRight ? ", the run" : ""}`);
      write(/** @type {Element} */ (button.querySelector("small")), (state.revealed && question.says[i]) || "");
      if (isRight) button.dataset.right = "1";
    });
  }

  /** The students' curves. @param {Question} question @returns {number[][]} */
  #sketches({ domain }) {
    return [...this.answers.values()].flatMap((value) => [decode(String(value), domain) ?? []]);
  }

  /** The run, over all answers. */
  async #reveal() {
    await this.#opening;
    const { prediction, state } = this;
    const { question } = state ?? {};
    if (!prediction || !question || !isAt(question.at.split("#")[0])) return;
    await this.#unfold(prediction);
    document.documentElement.dataset.question = "shown";
    if (question.form === "draw") {
      prediction.runHeights = decode(question.curves[question.right], question.domain) ?? undefined;
      prediction.compare();
      if (!prediction.heights.some(Number.isFinite)) prediction.say(this.leads ? "" : "You drew nothing this time.");
    }
    await this.#drawAnswers();
    await this.#bringIntoSight(prediction);
  }

  #rightShare() {
    const { question } = this.state ?? {};
    const run = question && decode(question.curves[question.right] ?? "", question.domain);
    if (!question || !run || !this.answers.size) return "";
    const right =
      question.form === "draw"
        ? this.#sketches(question).filter((sketch) => isNear(sketch, run, question.domain)).length
        : [...this.answers.values()].filter((value) => value === question.right).length;
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
    /** @param {"locked" | "paused" | "overlaid"} name */
    const toggle = (name) => this.#send({ kind: "show", [name]: !this.state?.[name] });
    button("code", "the room’s code in large letters", () => this.#showCode());
    this.buttons = {
      lock: button("lock", "students follow this page and its settings", () => toggle("locked")),
      pause: button("pause", "students’ screens ask them to look up", () => toggle("paused")),
      draw: button("ask: draw", "students draw the curve", () => this.#ask("draw")),
      choose: button("ask: choose", "students choose one of three drawn curves", () => this.#ask("choose")),
      overlay: button("show the answers", "all answers, before the run is shown", () => toggle("overlaid")),
      reveal: button("show the run", "the run over all answers", () => this.#send({ kind: "show", revealed: true })),
      save: button("save", "all answers of this class as a file (CSV)", () => this.#send({ kind: "save" })),
    };
    this.buttons.overlay.hidden = this.buttons.reveal.hidden = true;
    const end = button("end the class", "end the class and delete all answers", () => {
      if (end.dataset.sure) this.#send({ kind: "end" });
      end.dataset.sure = "1";
      end.textContent = "end, and delete all answers?";
    });
    this.following = setInterval(() => this.#tellWhere(), FOLLOW);
  }

  /** Ask for a prediction of this page's run, at the settings that it shows. @param {"draw" | "choose"} form */
  async #ask(form) {
    const { figure, prediction } = this;
    if (!figure || !prediction) return this.#say("This page has no prediction to ask for.");
    if (!figure.run?.report || !prediction.runHeights) return this.#say("The run is not finished: ask in a moment.");
    const { question: { question: text }, domain, runHeights } = prediction;
    const { card } = window.factsRuntime?.currentOptions() ?? {};
    const title = card && figure.story?.cards[Number(card) - 1]?.title;
    const put = title ? `${title} ${text[0].toUpperCase()}${text.slice(1)}` : `Predict first: ${text}`;
    const question = { kind: "ask", form, at: addressNow({ card: "", view: "" }), text: put, domain };
    const { curves, says, right } =
      form === "draw"
        ? { curves: [runHeights], says: [""], right: 0 }
        : await drawnAnswers(figure, prediction, Math.floor(LETTERS.length * Math.random()));
    this.#send({ ...question, curves: curves.map((curve) => encode(curve, domain)), says, right });
  }

  /** Tell the room what this page shows, if it has changed; elsewhere, the question is closed. */
  #tellWhere() {
    const options = window.factsRuntime?.currentOptions() ?? {};
    const { question, place } = this.member;
    const isOpen = this.state?.question?.number === question && question === this.#question;
    if (isOpen && place !== placeNow()) this.#send({ kind: "close" });
    const root = document.querySelector(".fim");
    const { waiting, share } = (root instanceof HTMLElement && root.live?.scene) || { waiting: false, share: 1 };
    const moment = waiting ? -1 : Math.round(share / SAME_MOMENT) * SAME_MOMENT;
    const shown = { at: addressNow(), goal: options.goal ?? "", slide: Number(options.slide) || 0, moment };
    const message = JSON.stringify(shown);
    if (message === this.#sent || this.#socket?.readyState !== WebSocket.OPEN || !this.state) return;
    this.#sent = message;
    this.#send({ kind: "show", ...shown });
  }

  #showCode() {
    const { address = "" } = this.box.dataset;
    const box = add(document.body, "button", { type: "button", className: "fim-meeting-code" });
    box.setAttribute("aria-label", `students open ${address}; close`);
    drawCode(box, address, 2);
    add(box, "span", { textContent: address.replace(/^https?:\/\//, "") });
    box.addEventListener("click", () => box.remove());
    box.addEventListener("keydown", (event) => {
      event.stopPropagation(); // slides have keys of their own
      if (event.key === "Escape") box.remove();
    });
    box.focus();
  }

  /** @param {string} text */
  #save(text) {
    const file = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    const link = add(this.box, "a", { href: file, download: `class-${this.member.code}.csv` });
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(file));
  }
}

/** Whether this is that page of the book. @param {string} page */
const isAt = (page) => location.pathname.slice(1) === page;

/** This page with its settings, as the room knows it. @param {Record<string, string>} [others] options */
function addressNow(others) {
  const options = { ...window.factsRuntime?.currentOptions(), class: "", key: "", slide: "", ...others };
  const { pathname, hash } = new URL(window.factsRuntime?.addressWith(options) ?? location.href.split("#")[0]);
  return pathname.slice(1) + hash;
}

/** Where the lecturer is: a question is closed elsewhere. */
function placeNow() {
  const { slide = "", goal = "" } = window.factsRuntime?.currentOptions() ?? {};
  return [location.pathname, slide, goal].join(" ");
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

