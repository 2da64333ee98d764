/** Draws figures where there is no browser, for pages as built. In: a page's widget state; out: HTML and numbers by model id. */

import { readFileSync } from "node:fs";

import { parseHTML } from "linkedom";

import { inSentence } from "../run/format.js";
import { arrange } from "../run/parameters.js";
import { readModels } from "./models.js";

const ROOM = 650; // pixels of a scene beside its controls on a laptop
const GAP = 20;
const ONLY_LIVE = ".fim-toolbar, .fim-time, .fim-predict, .fim-curves, .fim-try-this, .fim-progress, .fim-error, .fim-kernel, .fim-hint, .fim-room, .fim-panel > button, canvas";

Math.random = () => 0.5; // two builds give the same ids
const { document, window } = parseHTML("<!doctype html><html><head></head><body></body></html>");
Object.assign(window, { innerHeight: 720, matchMedia: () => ({ matches: true, addEventListener() {} }) });
Object.assign(globalThis, {
  document,
  window,
  matchMedia: window.matchMedia,
  requestAnimationFrame: (next) => setTimeout(() => next(performance.now())),
  ResizeObserver: class { observe() {} },
  MutationObserver: class { observe() {} },
  getComputedStyle: () => ({ color: "rgb(0, 0, 0)" }),
  CustomEvent: window.CustomEvent,
});
Object.defineProperty(window.HTMLElement.prototype, "clientWidth", { get() { return widthOf(this); } });
// shades are for browsers
window.HTMLCanvasElement.prototype.getContext = () => ({ createImageData: (wide, high) => ({ data: new Uint8ClampedArray(4 * wide * high) }), putImageData() {} });
const { default: hooks } = await import(new URL("figure.js", import.meta.url));

/** The room that the style sheet would give a drawing: its column's share; nets stand side by side. */
function widthOf(box) {
  const column = box.closest(".fim-column");
  const columns = column?.parentNode.style.getPropertyValue("--columns").match(/[\d.]+fr/g)?.map(parseFloat);
  if (!columns) return ROOM;
  const share = columns[[...column.parentNode.children].indexOf(column)] / columns.reduce((sum, one) => sum + one, 0);
  const own = share * (ROOM - GAP * (columns.length - 1));
  return Math.round(box === column.firstChild ? own : (own - GAP) / Math.max(1, column.children.length - 1));
}

async function draw(model) {
  const el = document.createElement("div");
  document.body.append(el);
  await hooks().render({ model, el });
  const root = el.querySelector(".fim");
  while (root.dataset.state === "running") await new Promise((next) => setTimeout(next));
  const { run, spec } = root.live;
  const report = arrange(spec.report, run.report);
  delete root.dataset.state; // nobody shall take it for a live one
  for (const node of el.querySelectorAll(ONLY_LIVE)) node.remove();
  const numbers = Object.fromEntries(Object.entries(report).map(([name, leaf]) => [`${spec.name}.${name}`, inSentence(leaf)]));
  return { html: el.innerHTML, numbers };
}

const drawn = {};
for (const [id, model] of readModels([JSON.parse(readFileSync(0, "utf8"))])) {
  if (model.name === "AnyModel" && model.get("spec")) drawn[id] = await draw(model);
}
process.stdout.write(JSON.stringify(drawn), () => process.exit(0));
