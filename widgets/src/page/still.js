/**
 * Draws figures where there is no browser, for pages as built. In: a page's widget state; out, by model id: the HTML
 * of the figure, and by their names its numbers, the small figures for the steps of an argument, and the maps of where
 * its statements are true.
 */

import { readFileSync } from "node:fs";

import { parseHTML } from "linkedom";

import { add } from "../draw/dom.js";
import { quotable } from "../run/format.js";
import { recordOf } from "../run/parameters.js";
import { readModels } from "./models.js";

/** @import { Model } from "./models.js" */
/** @import { Parameter, Spec } from "../types.js" */

const WIDTH = 898; // pixels of a scene beside its controls on a laptop
const GAP = 20;
const MAIN = 2 / 3; // of it for the main drawing, as figure.css has it
const STEP_WIDTH = 256; // of a small figure beside a step, as figure.css has it
const ONLY_LIVE =
  ".fim-toolbar, .fim-time, .fim-predict, .fim-curves:not(.fim-check), .fim-story, .fim-progress, .fim-error, .fim-kernel, .fim-hint, .fim-room, .fim-panel > button, canvas";

Math.random = () => 0.5; // two builds give the same ids
const { document, window } = parseHTML("<!doctype html><html><head></head><body></body></html>");
Object.assign(window, { innerHeight: 720, matchMedia: () => ({ matches: true, addEventListener() {} }) });
Object.assign(globalThis, {
  document,
  window,
  matchMedia: window.matchMedia,
  requestAnimationFrame: (/** @type {(now: number) => void} */ next) => setTimeout(() => next(performance.now())),
  ResizeObserver: class {
    observe() {}
  },
  IntersectionObserver: class {
    /** @param {(seen: { target: Element, isIntersecting: boolean }[]) => void} see */
    constructor(see) {
      this.see = see;
    }
    /** @param {Element} target */
    observe(target) {
      this.see([{ target, isIntersecting: true }]);
    }
    unobserve() {}
    disconnect() {}
  },
  MutationObserver: class {
    observe() {}
  },
  getComputedStyle: () => ({ color: "rgb(0, 0, 0)" }),
  CustomEvent: window.CustomEvent,
});
Object.defineProperty(window.HTMLElement.prototype, "clientWidth", {
  get() {
    return widthOf(this);
  },
});
Object.assign(window.HTMLCanvasElement.prototype, { getContext: () => null }); // shades are for browsers
const { default: hooks } = await import(new URL("figure.js", import.meta.url).href);
const { TruthMap } = await import("../view/truth_map.js"); // which needs the document above

/**
 * The room that the style sheet would give a drawing: its column's share; below the first drawing, the others share it.
 * @param {HTMLElement} box
 */
function widthOf(box) {
  if (box.closest(".fim-step")) return STEP_WIDTH;
  const column = box.closest(".fim-column");
  const scene = column?.parentElement;
  if (!column || !scene) return WIDTH;
  const share = column === scene.firstChild ? MAIN : 1 - MAIN;
  const columnWidth = scene.children.length > 1 ? share * (WIDTH - GAP) : WIDTH;
  const others = Math.max(1, column.children.length - 1);
  return Math.round(box === column.firstChild ? columnWidth : (columnWidth - GAP) / others);
}

/** @param {Model} model */
async function draw(model) {
  const el = document.createElement("div");
  document.body.append(el);
  /** @type {Spec} */
  const { name, why } = model.get("spec");
  const places = why.map((step) => add(document.body, "div", { className: `fim-step ${name}-${step.name}` }));
  await hooks().render({ model, el });
  const root = /** @type {HTMLElement} */ (el.querySelector(".fim"));
  while (root.dataset.state === "running") await new Promise((next) => setTimeout(next));
  const { run, spec } = /** @type {import("../view/figure.js").Figure} */ (root.live);
  const report = recordOf(spec.report, run?.report ?? []);
  delete root.dataset.state; // which tells of a live figure
  for (const node of [el, ...places].flatMap((box) => [...box.querySelectorAll(ONLY_LIVE)])) node.remove();
  const numbers = quotable(spec.name, report);
  const steps = Object.fromEntries(places.map((place) => [place.className.split(" ")[1], place.innerHTML]));
  const stored = spec.map?.stored;
  const maps = await Promise.all(
    (stored ? spec.statements : []).map(async (_, place) => [spec.statements[place].id, await mapOf(spec, place)]),
  );
  return { html: el.innerHTML, numbers, steps, maps: Object.fromEntries(maps) };
}

/**
 * The map of one statement, as far as the page brings it, with what it shows in words.
 * @param {Spec} spec
 * @param {number} place of the statement
 */
async function mapOf(spec, place) {
  const { map, statements, verdicts, parameters } = spec;
  if (!map?.stored) return "";
  /** @param {string} name */
  const parameter = (name) => /** @type {Parameter} */ (parameters.find((parameter) => parameter.name === name));
  const judged = [map.stored.judged[place]];
  const alone = {
    ...spec,
    statements: [statements[place]],
    verdicts: [verdicts[place]],
    map: { ...map, stored: { ...map.stored, judged } },
  };
  const still = { parameter, value: (/** @type {string} */ name) => parameter(name).default, set() {} };
  const box = add(document.body, "div");
  const makesNone = { make: async () => false, stop() {}, each: 0 };
  const drawing = new TruthMap(box, alone, still, makesNone);
  drawing.follow(parameters.map((parameter) => parameter.default));
  drawing.toggle(true);
  for (let frame = 0; frame < 2; frame += 1) await new Promise((next) => setTimeout(next)); // until it has drawn
  const { svg, summary, legend } = drawing;
  box.remove();
  return `${svg.outerHTML}<figcaption><p>${summary.innerHTML}</p>${legend.outerHTML}</figcaption>`;
}

/** @type {Record<string, Awaited<ReturnType<typeof draw>>>} */
const stills = {};
for (const [id, model] of readModels([JSON.parse(readFileSync(0, "utf8"))])) {
  if (model.name === "AnyModel" && model.get("spec")) stills[id] = await draw(model);
}
process.stdout.write(JSON.stringify(stills), () => process.exit(0));
