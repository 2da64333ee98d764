/**
 * A page as slides, made from what stands in it: the question, the scene, the prediction, the statements, each stop of
 * the run, the verdict, the exercises. Arrow keys or a presenter's remote turn them, `n` shows the lecturer's notes,
 * Escape ends; `p` begins.
 */

import { add } from "../draw/dom.js";
import { only } from "./isolate.js";

const TURNS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
const OWN_KEYS = "input, select, textarea, summary, button, [tabindex]"; // elements that have a use for arrows and the space bar

let stop; // ends the slides that are shown

addEventListener("keydown", (event) => {
  const root = document.querySelector(".fim");
  const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, dialog"));
  if (event.key === "p" && plain && !stop && root) present(root);
});

/** Show the page around a figure as slides. */
export function present(root) {
  stop?.();
  const slides = slidesOf(root);
  const bar = add(document.body, "div", { className: "fim-bar" });
  const notes = document.querySelector(".admonition.lecturer");
  const predict = root.querySelector(".fim-predict");
  let place = 0;
  const button = (textContent, title, act) => add(bar, "button", { type: "button", textContent, title, onclick: act });
  const turn = (by) => {
    place = Math.min(Math.max(place + by, 0), slides.length - 1);
    const { name, nodes, enter } = slides[place];
    document.documentElement.dataset.slide = name;
    if (predict) predict.open = name === "predict";
    only([...nodes, bar, ...(noting && notes ? [notes] : [])]);
    enter?.();
    count.textContent = `${place + 1} / ${slides.length}`;
    window.scrollTo(0, 0);
    bar.focus();
  };
  let noting = false;
  const note = () => {
    noting = !noting;
    notes?.classList.remove("toggle-hidden");
    turn(0);
  };
  button("◀", "the slide before", () => turn(-1));
  const count = add(bar, "output");
  button("▶", "the next slide", () => turn(1));
  if (notes) button("notes", "notes for the lecturer (n)", note);
  button("end", "back to the page (Esc)", () => stop());
  bar.tabIndex = -1;

  const keys = (event) => {
    const own = event.key.startsWith("Page") || event.target === bar ? null : event.target.closest?.(OWN_KEYS);
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog")) return;
    if (event.key === "Escape") stop();
    else if (event.key === "n" && notes && !own?.matches("input, textarea")) note();
    else if (event.key in TURNS && !own) {
      event.preventDefault();
      turn(TURNS[event.key]);
    }
  };
  addEventListener("keydown", keys);
  stop = () => {
    stop = null;
    removeEventListener("keydown", keys);
    bar.remove();
    only([]);
    delete document.documentElement.dataset.slide;
    if (predict) predict.open = false;
    root.live.draw(1);
    root.scrollIntoView();
  };
  turn(0);
}

/** @returns {{name: string, nodes: Element[], enter?: function(): void}[]} */
function slidesOf(root) {
  const article = root.closest("article, body");
  const cell = root.closest(".cell") ?? root.closest(".ctl-root");
  const heading = article.querySelector("h1");
  const question = [heading, ...before(heading, cell)];
  const figure = root.closest(".fim-live");
  const { scene } = root.live;
  const scenes = [
    { name: "scene", nodes: [figure], enter: () => root.live.draw(scene.from ?? 1) },
    ...(root.querySelector(".fim-predict") ? [{ name: "predict", nodes: [figure] }] : []),
  ];
  const statements = [...article.querySelectorAll(".proof:has(> p.verdict)")];
  const stops = [...(scene.stops?.children ?? [])].map(({ share }) => ({ name: "scene", nodes: [figure], enter: () => root.live.draw(share) }));
  const exercises = [...article.querySelectorAll(".exercise")].flatMap((box) => {
    const solution = box.nextElementSibling?.matches(".solution") ? box.nextElementSibling : null;
    const opened = () => solution.classList.remove("toggle-hidden");
    return [{ name: "text", nodes: [box] }, ...(solution ? [{ name: "text", nodes: [box, solution], enter: opened }] : [])];
  });
  return [
    { name: "text", nodes: question },
    ...scenes,
    ...statements.map((box) => ({ name: "text", nodes: [box] })),
    ...stops,
    { name: "verdict", nodes: [figure], enter: () => root.live.draw(1) },
    ...exercises,
  ];
}

/** What follows a heading, up to what holds the figure. */
function before(heading, cell) {
  const found = [];
  for (let at = heading?.nextElementSibling; at && !at.contains(cell) && found.length < 4; at = at.nextElementSibling) found.push(at);
  return found;
}
