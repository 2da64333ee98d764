/**
 * Draws figures where there is no browser, for pages as built. In: a page's widget state; out, by model id: the HTML
 * of the figure, and by their names its numbers, the small figures for the steps of an argument, and the maps of where
 * its statements are true. With `moments`, only small pictures of the first figure that has a scene, by their names.
 */

import "./same_ids.js"; // before all that draws

import { readFileSync } from "node:fs";

import { parseHTML } from "linkedom";

import { add } from "../draw/dom.js";
import { quotable } from "../run/format.js";
import { recordOf } from "../run/parameters.js";
import { readModels } from "./models.js";

/** @import { Model } from "./models.js" */
/** @import { Figure } from "../view/figure.js" */
/** @import { Parameter, Spec } from "../types.js" */

const WIDTH = 1182; // pixels of a scene on a laptop
const GAP = 20;
const [COLUMNS, MAIN] = [12, 9]; // of a scene, and of its main drawing, as figure.css has them
const STEP_WIDTH = 256; // of a small figure beside a step, as figure.css has it
const PICTURE_WIDTH = 320; // of a picture of a demo
const AROUND = 8; // pixels around a chart's window in such a picture, which has no words
const ONLY_LIVE =
  ".fim-toolbar, .fim-closer, .fim-time > *, .fim-predict, .fim-curves:not(.fim-check), .fim-story, .fim-progress, .fim-error, .fim-kernel, .fim-hint, .fim-room, .fim-panel > button, canvas";

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
const { addPanel } = await import("../view/panels.js"); // which need the document above
const { TruthMap } = await import("../view/truth_map.js");

/**
 * The room that the style sheet would give a drawing.
 * @param {HTMLElement} box
 */
function widthOf(box) {
  if (box.closest(".fim-step")) return STEP_WIDTH;
  if (box.closest(".fim-picture")) return PICTURE_WIDTH;
  const column = box.closest(".fim-column");
  if (!column || column.parentElement?.querySelectorAll(".fim-column").length !== 2) return WIDTH;
  const columns = column.previousElementSibling ? COLUMNS - MAIN : MAIN;
  return Math.round((columns / COLUMNS) * (WIDTH + GAP) - GAP);
}

/** Show a figure, and wait until its run is finished. @param {Model} model */
async function show(model) {
  const el = add(document.body, "div");
  await hooks().render({ model, el });
  const figure = /** @type {Figure} */ (/** @type {HTMLElement} */ (el.querySelector(".fim")).live);
  await finished(figure);
  return figure;
}

/** @param {Figure} figure */
async function finished({ root }) {
  while (root.dataset.state === "running") await new Promise((next) => setTimeout(next));
}

/** @param {Model} model */
async function draw(model) {
  /** @type {Spec} */
  const { name, why } = model.get("spec");
  const places = why.map((step) => add(document.body, "div", { className: `fim-step ${name}-${step.name}` }));
  const { root, run, spec } = await show(model);
  const el = /** @type {HTMLElement} */ (root.parentElement);
  const report = recordOf(spec.report, run?.report ?? []);
  delete root.dataset.state; // which tells of a live figure
  removeLive([el, ...places]);
  const numbers = quotable(spec.name, report);
  const steps = Object.fromEntries(places.map((place) => [place.className.split(" ")[1], place.innerHTML]));
  const stored = spec.map?.stored;
  const maps = await Promise.all(
    (stored ? spec.statements : []).map(async (_, place) => [spec.statements[place].id, await mapOf(spec, place)]),
  );
  return { html: el.innerHTML, numbers, steps, maps: Object.fromEntries(maps) };
}

/** @param {HTMLElement[]} boxes */
function removeLive(boxes) {
  for (const node of boxes.flatMap((box) => [...box.querySelectorAll(ONLY_LIVE)])) node.remove();
}

/**
 * Small pictures of a figure, by their names: "map" is that of its first statement; "3" is the main drawing at the
 * third card of its story, "0" at the defaults, and "3.2" the second drawing there.
 * @param {Model} model
 * @param {string[]} moments
 */
async function pictures(model, moments) {
  const figure = await show(model);
  const { spec, scene } = figure;
  const { main, beside } = spec.scene;
  const parts = [...(main ? [main] : []), ...beside, ...spec.panels];
  /** @type {Record<string, string>} */
  const drawn = {};
  for (const moment of moments) {
    const [card, part = 1] = moment.split(".").map(Number);
    if (moment === "map") {
      drawn[moment] = (await mapOf(spec, 0)).replace(/<figcaption>.*/s, "");
    } else {
      if (card) figure.story?.goTo(card - 1);
      await finished(figure);
      const place = add(document.body, "div", { className: "fim-picture" });
      if (figure.run) addPanel(place, parts[part - 1], spec, scene.actions).show(figure.run, scene.share);
      removeLive([place]);
      crop(place);
      drawn[moment] = place.innerHTML;
      place.remove();
    }
  }
  return drawn;
}

/** Leave of a chart only what is inside its axes. @param {HTMLElement} place */
function crop(place) {
  const inside = place.querySelector("clipPath rect");
  if (!inside) return;
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(inside.getAttribute(name)));
  const box = [x - AROUND, y - AROUND, width + 2 * AROUND, height + 2 * AROUND];
  place.querySelector("svg")?.setAttribute("viewBox", box.join(" "));
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

const { state, moments } = JSON.parse(readFileSync(0, "utf8"));
/** @type {Record<string, unknown>} */
const drawn = {};
for (const [id, model] of readModels([{ state }])) {
  const spec = model.name === "AnyModel" && model.get("spec");
  if (!spec) continue;
  if (!moments) drawn[id] = await draw(model);
  else if (spec.scene && !drawn.pictures) drawn.pictures = await pictures(model, moments);
}
process.stdout.write(JSON.stringify(moments ? drawn.pictures : drawn), () => process.exit(0));
