/** How a model is drawn in the page: as a control, as a box of others, or as a figure. */

import { add, showProblem } from "../draw/dom.js";
import { writeText } from "../draw/math_text.js";
import { drawAnyWidget } from "./anywidget.js";
import { addReply } from "./control_parts.js";
import { controls } from "./controls.js";

/** @import { Model } from "./models.js" */

const INPUT = "input, select, textarea, button";

/** @typedef {(model: Model) => void} OnDrawn called with every model that is drawn */

/** @type {Record<string, (frame: HTMLElement, model: Model, onDrawn: OnDrawn) => Promise<unknown>>} */
const containers = {
  BoxModel: drawBox,
  VBoxModel: drawBox,
  HBoxModel: drawBox,
  GridBoxModel: drawBox,
  AccordionModel: drawAccordion,
};

/**
 * Draw a model and all it holds.
 * @param {Element} parent
 * @param {Model | undefined} model
 * @param {OnDrawn} onDrawn
 * @returns {Promise<void>} settled when every figure in it has been drawn
 */
export async function drawWidget(parent, model, onDrawn) {
  const frame = add(parent, "div", { className: "ctl" });
  if (!model) {
    showProblem(frame, "This widget is not in the page.");
    return;
  }
  const kind = model.name.replace("Model", "");
  if (!(model.name in controls || model.name in containers || kind === "Any")) {
    showProblem(frame, `This page cannot drive ${kind} “${model.get("description")}”.`);
    return;
  }
  frame.dataset.kind = kind;
  frame.classList.add(...(model.get("_dom_classes") ?? []));
  if (model.get("tooltip")) frame.title = model.get("tooltip");
  followLayout(frame, model);
  onDrawn(model);
  if (kind === "Any") await drawAnyWidget(frame, model);
  else if (model.name in containers) await containers[model.name](frame, model, onDrawn);
  else {
    follow(model, controls[model.name](model, frame));
    if (frame.querySelector(INPUT)) follow(model, addReply(model, frame));
  }
}

/**
 * Call a function now, and after every change of the model.
 * @param {Model} model
 * @param {() => void} show
 */
function follow(model, show) {
  show();
  model.on("change", show);
}

/**
 * Of a layout only what hides a widget matters here; the style sheet does the rest.
 * @param {HTMLElement} frame
 * @param {Model} model
 */
function followLayout(frame, model) {
  for (const layout of model.referred("layout")) {
    if (!layout) continue;
    follow(layout, () => {
      frame.style.display = layout.get("display") === "none" ? "none" : "";
      frame.style.visibility = layout.get("visibility") ?? "";
    });
  }
}

/**
 * @param {HTMLElement} frame
 * @param {Model} model
 * @param {OnDrawn} onDrawn
 */
function drawBox(frame, model, onDrawn) {
  return Promise.all(model.referred("children").map((child) => drawWidget(frame, child, onDrawn)));
}

/**
 * Sections to fold, of which one is open at a time.
 * @param {HTMLElement} frame
 * @param {Model} model
 * @param {OnDrawn} onDrawn
 */
function drawAccordion(frame, model, onDrawn) {
  const sections = model.referred("children").map((child, index) => {
    const section = add(frame, "details");
    const title = add(section, "summary");
    const ready = drawWidget(section, child, onDrawn);
    section.addEventListener("toggle", () => {
      if (section.open) model.set("selected_index", index);
      else if (model.get("selected_index") === index) model.set("selected_index", null);
    });
    return { section, title, ready };
  });
  follow(model, () => {
    sections.forEach(({ section, title }, index) => {
      section.open = index === model.get("selected_index");
      writeText(title, model.get("titles")[index] ?? `${index + 1}`);
    });
  });
  return Promise.all(sections.map(({ ready }) => ready));
}
