/**
 * The slides that a page has, made from what it holds, in the order of a lesson: the question, the prediction, the run
 * from stop to stop, cards that change a setting, and then the theorem, what the run shows of it, and why. Those are at
 * most ten. Other cards and statements, and the exercises, stand behind "more".
 */

import { unfold, wantsNoMotion } from "../draw/dom.js";
import { recordOf } from "../run/parameters.js";
import { quote } from "../view/captions.js";
import { NARROW } from "./fit_slide.js";

/** @import { Figure } from "../view/figure.js" */
/** @import { StoryCard } from "../types.js" */

const MOST = 10; // slides before "more"
const NEAR = 2e-3; // shares of a run: what is so near is there

/**
 * @typedef {object} Slide
 * @property {"question" | "predict" | "run" | "card" | "theorem" | "result" | "why" | "exercise"} name
 * @property {string} title
 * @property {() => Element[]} shown what it shows now
 * @property {() => string[]} [says] what the page says of it, for whoever presents
 * @property {(forward: boolean) => void} [enter] what is done when it comes
 * @property {(by: number) => boolean} [step] go on, or back, inside the slide; false where it goes no further
 */

/**
 * @param {HTMLElement} root
 * @param {Figure} figure
 * @returns {{ main: Slide[], more: Slide[] }}
 */
export function slidesOf(root, figure) {
  const article = /** @type {Element} */ (root.closest("article, body"));
  const { story } = figure.spec;
  const cards = story.flatMap((card, place) =>
    card.goal || isOfTheRun(card, figure) ? [] : [cardSlide(root, figure, place)],
  );
  const [theorem, ...statements] = [...article.querySelectorAll(".proof:has(p.verdict)")].map(statementSlide);
  const before = [questionSlide(root, article), ...predictSlides(root, figure), runSlide(root, figure)];
  const after = [...(theorem ? [theorem] : []), resultSlide(root, figure), ...whySlides(article)];
  const room = MOST - before.length - after.length;
  const exercises = [...article.querySelectorAll(".exercise")].map(exerciseSlide);
  return {
    main: [...before, ...cards.slice(0, room), ...after],
    more: [...cards.slice(room), ...statements, ...exercises],
  };
}

/** Whether a card shows a moment of the run that is there anyway. @param {StoryCard} card @param {Figure} figure */
const isOfTheRun = ({ values, stop, goal }, { spec }) =>
  !goal && !Object.keys(values).length && ["", "start", ...spec.scene.stops.map(({ name }) => name)].includes(stop);

/** The figure with its controls. @param {HTMLElement} root */
const liveOf = (root) => /** @type {Element} */ (root.closest(".fim-live"));

/**
 * The page's heading and what follows it, up to the figure.
 * @param {HTMLElement} root
 * @param {Element} article
 * @returns {Slide}
 */
function questionSlide(root, article) {
  const heading = article.querySelector("h1");
  const first = heading?.nextElementSibling;
  const parts = [heading, first?.matches("p") && !first.contains(root) ? first : null].filter((element) => element !== null);
  const elements = parts.length ? parts : [liveOf(root)];
  return { name: "question", title: textOf(heading), shown: () => elements };
}

/** @param {HTMLElement} root @param {Figure} figure @returns {Slide[]} */
function predictSlides(root, figure) {
  const { prediction } = figure.scene;
  if (!prediction) return [];
  const title = `Predict: ${prediction.question.question}`;
  const says = () => (figure.spec.mistaken ?? []).map((answer) => answer.says);
  return [{ name: "predict", title, shown: () => [liveOf(root)], says }];
}

/**
 * The run at the settings that the slides begin with: it waits for *Train*, or goes from stop to stop.
 * @param {HTMLElement} root
 * @param {Figure} figure
 * @returns {Slide}
 */
function runSlide(root, figure) {
  const { scene, spec } = figure;
  const restore = settingsOf(figure);
  const cards = spec.story.filter((card) => isOfTheRun(card, figure));
  return {
    name: "run",
    title: "The run",
    shown: () => [liveOf(root)],
    says: () => cards.map(({ title, text }) => `${title} ${quoted(figure, text)}`),
    enter: (forward) => {
      restore();
      if (forward && scene.timeline) scene.wait();
    },
    step: (by) => {
      if (!scene.timeline || !scene.run?.report) return false;
      if (scene.arrive()) return true;
      const places = [scene.start, ...scene.stops.map(({ share }) => share), 1].sort((a, b) => a - b);
      const { share } = scene;
      const before = places.findLast((place) => place < share - NEAR);
      const to = by < 0 ? before : places.find((place) => place > share + NEAR);
      if (to === undefined) return false;
      scene.goTo(by < 0 || wantsNoMotion() ? to : share);
      if (scene.share < to) scene.lead(share, to, () => {});
      return true;
    },
  };
}

/** @param {HTMLElement} root @param {Figure} figure @param {number} place @returns {Slide} */
function cardSlide(root, figure, place) {
  const { title } = figure.spec.story[place];
  return { name: "card", title, shown: () => [liveOf(root)], enter: () => figure.story?.goTo(place) };
}

/** What the run says of the theorem. @param {HTMLElement} root @param {Figure} figure @returns {Slide} */
function resultSlide(root, figure) {
  const restore = settingsOf(figure);
  return {
    name: "result",
    title: "What the run shows",
    shown: () => [liveOf(root)],
    says: () => [figure.readout.caption.lastChild?.textContent ?? ""],
    enter: () => {
      restore();
      figure.scene.goTo(1);
    },
  };
}

/** A statement, unfolded. @param {Element} box @returns {Slide} */
const statementSlide = (box) => ({ name: "theorem", title: textOf(box), shown: () => [box], enter: () => unfold(box) });

/**
 * The steps of the page's argument, one at a time, each with its drawing; on a phone, which scrolls, all of them.
 * @param {Element} article
 * @returns {Slide[]}
 */
function whySlides(article) {
  const steps = [...article.querySelectorAll("li:has(> .fim-step)")];
  if (!steps.length) return [];
  let place = 0;
  const isNarrow = () => window.innerWidth < NARROW;
  return [
    {
      name: "why",
      title: "Why it is true",
      shown: () => (isNarrow() ? steps : [steps[place]]),
      says: () => [`${place + 1} of ${steps.length}: ${steps[place].querySelector("strong")?.textContent ?? ""}`],
      enter: (forward) => (place = forward ? 0 : steps.length - 1),
      step: (by) => {
        if (isNarrow() || !steps[place + by]) return false;
        place += by;
        return true;
      },
    },
  ];
}

/** An exercise, and then its solution below it. @param {Element} exercise @returns {Slide} */
function exerciseSlide(exercise) {
  const next = exercise.nextElementSibling;
  const solution = next?.matches(".solution") ? next : null;
  let shown = [exercise];
  return {
    name: "exercise",
    title: `Exercise: ${exercise.querySelector("strong")?.textContent?.replace(/\.$/, "") ?? ""}`,
    shown: () => shown,
    enter: () => {
      shown = [exercise];
      solution?.classList.remove("toggle-hidden");
    },
    step: (by) => {
      const after = by > 0 && solution ? [exercise, solution] : [exercise];
      if (after.length === shown.length) return false;
      shown = after;
      return true;
    },
  };
}

/**
 * What sets a figure back to where the slides begin: where it stands, or at its defaults if a card has set it.
 * @param {Figure} figure
 */
function settingsOf(figure) {
  if (window.factsRuntime?.currentOptions().card) return () => figure.set(figure.defaults());
  const values = figure.values();
  const placeOf = (/** @type {string} */ name) => figure.spec.parameters.findIndex((one) => one.name === name);
  const moved = figure.moving.map(({ name }) => [name, values[placeOf(name)]]);
  const own = figure.own.map(({ name }) => [name, figure.model.get(name)]);
  const settings = Object.fromEntries([...moved, ...own]);
  return () => figure.set(settings);
}

/** A text with the numbers of the run. @param {Figure} figure @param {string} text */
const quoted = ({ run, spec }, text) => quote(text, recordOf(spec.report, run?.report ?? [])).text;

/** The first line of a heading or a box. @param {Element | null} element */
function textOf(element) {
  const line = element?.matches("h1") ? element : element?.querySelector(".admonition-title");
  return line?.textContent?.replace(/#$/, "").trim() ?? "";
}
