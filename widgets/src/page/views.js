/** What a model looks like in the page: a control, a box of others, or a figure. */

import { showFigure } from "./anywidget.js";
import { controls } from "./controls.js";
import { add, report } from "../draw/dom.js";
import { write } from "../draw/math_text.js";

const containers = { BoxModel: box, VBoxModel: box, HBoxModel: box, GridBoxModel: box, AccordionModel: accordion };

/**
 * Draw a model and all it holds.
 * @param {Element} parent
 * @param {import("./models.js").Model | undefined} model
 * @param {(model: Object) => void} drawn told of every model that is drawn
 * @returns {Promise<void>} settled when every figure in it has been drawn
 */
export async function view(parent, model, drawn) {
  const kind = model?.name.replace("Model", "");
  const frame = add(parent, "div", { className: "ctl" });
  if (!(model?.name in controls || model?.name in containers || kind === "Any")) {
    report(frame, model ? `This page cannot drive ${kind} “${model.get("description")}”.` : "This widget is not in the page.");
    return;
  }
  frame.dataset.kind = kind;
  frame.classList.add(...(model.get("_dom_classes") ?? []));
  if (model.get("tooltip")) frame.title = model.get("tooltip");
  followLayout(frame, model);
  drawn(model);
  if (kind === "Any") await showFigure(frame, model);
  else if (model.name in containers) await containers[model.name](frame, model, drawn);
  else follow(model, controls[model.name](model, frame));
}

function follow(model, show) {
  show();
  model.on("change", show);
}

/** Of a layout only what hides a widget matters here; the style sheet does the rest. */
function followLayout(frame, model) {
  for (const layout of model.referred("layout")) {
    if (!layout) continue;
    follow(layout, () => {
      frame.style.display = layout.get("display") === "none" ? "none" : "";
      frame.style.visibility = layout.get("visibility") ?? "";
    });
  }
}

function box(frame, model, drawn) {
  return Promise.all(model.referred("children").map((child) => view(frame, child, drawn)));
}

/** Sections to fold, of which one is open at a time. */
function accordion(frame, model, drawn) {
  const sections = model.referred("children").map((child, index) => {
    const section = add(frame, "details");
    const title = add(section, "summary");
    const ready = view(section, child, drawn);
    section.addEventListener("toggle", () => {
      if (section.open) model.set("selected_index", index);
      else if (model.get("selected_index") === index) model.set("selected_index", null);
    });
    return { section, title, ready };
  });
  follow(model, () => {
    sections.forEach(({ section, title }, index) => {
      section.open = index === model.get("selected_index");
      write(title, model.get("titles")[index] ?? `${index + 1}`);
    });
  });
  return Promise.all(sections.map(({ ready }) => ready));
}
