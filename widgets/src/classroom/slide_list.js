/**
 * The slides that a page has, made from what it holds: the question above the scene, the prediction, each stop of the
 * run, the verdict, the first statement, the cards, the other statements one by one, the exercises.
 */

import { unfold } from "../draw/dom.js";

/** @import { Figure } from "../view/figure.js" */

const MOST_INTRODUCTORY = 1; // elements after the heading

/**
 * What a slide shows, what it is about, and what is done when it is shown.
 * @typedef {{ name: "text" | "question" | "scene" | "predict" | "card" | "verdict", title: string, elements: Element[],
 *   enter?: () => void }} Slide
 */

/**
 * @param {HTMLElement} root
 * @param {Figure} figure
 * @returns {Slide[]}
 */
export function slidesOf(root, figure) {
  const article = /** @type {Element} */ (root.closest("article, body"));
  const cell = root.closest(".cell") ?? root.closest(".ctl-root");
  const heading = article.querySelector("h1");
  const live = /** @type {Element} */ (root.closest(".fim-live"));
  const { scene } = figure;
  const start = scene.timeline ? scene.start : 1;
  /**
   * @param {"scene" | "verdict"} name
   * @param {string} title
   * @param {number} share
   * @returns {Slide}
   */
  const moment = (name, title, share) => ({ name, title, elements: [live], enter: () => scene.goTo(share) });
  /** @type {Slide[]} */
  const prediction = scene.prediction
    ? [{ name: "predict", title: figure.spec.scene.predict?.question ?? "", elements: [live] }]
    : [];
  const asked = heading ? [heading, ...elementsBetween(heading, cell)] : [];
  /** @type {Slide} */
  const question = { name: "question", title: headingOf(heading), elements: [...asked, live], enter: () => scene.goTo(start) };
  const statements = [...article.querySelectorAll(".proof:has(p.verdict)")].map(statementSlide);
  return [
    question,
    moment("scene", "The start of the run", start),
    ...prediction,
    ...scene.stops.map(({ name, share }) => moment("scene", name, share)),
    moment("verdict", "What comes of it", 1),
    ...statements.slice(0, 1),
    ...figure.spec.story.map(({ title }, i) => ({
      name: /** @type {const} */ ("card"),
      title,
      elements: [live],
      enter: () => figure.story?.goTo(i),
    })),
    ...statements.slice(1),
    ...[...article.querySelectorAll(".exercise")].flatMap(exerciseSlides),
  ];
}

/** @param {Element[]} elements @returns {Slide} */
const text = (...elements) => ({ name: "text", title: headingOf(elements[0]), elements });

/** A statement, unfolded. @param {Element} box @returns {Slide} */
const statementSlide = (box) => ({ ...text(box), enter: () => unfold(box) });

/** The first line of what a slide shows. @param {Element | null | undefined} element */
const headingOf = (element) =>
  (element?.matches("h1") ? element : element?.querySelector(".admonition-title"))?.textContent?.replace(/#$/, "").trim() ?? "";

/**
 * An exercise, and then the same with its solution.
 * @param {Element} exercise
 * @returns {Slide[]}
 */
function exerciseSlides(exercise) {
  const solution = exercise.nextElementSibling;
  if (!solution?.matches(".solution")) return [text(exercise)];
  const shown = text(exercise);
  return [
    shown,
    {
      ...text(exercise, solution),
      title: `${shown.title}, with its solution`,
      enter: () => solution.classList.remove("toggle-hidden"),
    },
  ];
}

/**
 * The first elements after a heading, up to what holds the figure.
 * @param {Element} heading
 * @param {Element | null} cell
 */
function elementsBetween(heading, cell) {
  const elements = [];
  for (
    let node = heading.nextElementSibling;
    node && !node.contains(cell) && elements.length < MOST_INTRODUCTORY;
    node = node.nextElementSibling
  ) {
    elements.push(node);
  }
  return elements;
}
