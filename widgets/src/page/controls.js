/**
 * Native inputs for the kinds of ipywidgets controls.
 *
 * Every drawing function fills a frame and returns a function that brings the inputs in line with the model; it is
 * called once and after every change. What a reader does goes to `model.set`, nowhere else, and nothing is clamped: a
 * text that is no value of the control is refused in words.
 */

import { add, uniqueId } from "../draw/dom.js";
import { hasMath, writeText } from "../draw/math_text.js";
import { format } from "../run/format.js";
import { isTooLong } from "./address.js";
import { addLabel, addNumberField, identify, nameOf } from "./control_parts.js";
import { setByText } from "./read_setting.js";
import { drawSlider } from "./slider.js";

/** @import { Model } from "./models.js" */

const TOO_LONG = "Too long for a link: whoever opens a link to this page sees what stood here at first, and so do you next time.";

/** @type {Record<string, (model: Model, frame: Element) => () => void>} */
export const controls = {
  FloatSliderModel: drawSlider,
  FloatLogSliderModel: drawSlider,
  IntSliderModel: drawSlider,
  SelectionSliderModel: drawSlider,
  DropdownModel: drawDropdown,
  ToggleButtonsModel: drawChoices,
  RadioButtonsModel: drawChoices,
  ToggleButtonModel: drawToggle,
  CheckboxModel: drawCheckbox,
  FloatTextModel: drawNumber,
  IntTextModel: drawNumber,
  BoundedFloatTextModel: drawNumber,
  BoundedIntTextModel: drawNumber,
  TextModel: drawText,
  TextareaModel: drawText,
  LabelModel: drawProse,
  HTMLModel: drawProse,
  HTMLMathModel: drawProse,
};

/** @param {Model} model @param {Element} frame */
function drawNumber(model, frame) {
  const label = addLabel(model, frame);
  const { input, show } = addNumberField(model, frame);
  return () => {
    label(input);
    show(model.get("value"));
  };
}

/** @param {Model} model @param {Element} frame */
function drawText(model, frame) {
  const label = addLabel(model, frame);
  const rows = model.get("rows");
  const input = rows
    ? add(frame, "textarea", { className: "ctl-text", rows, spellcheck: false })
    : add(frame, "input", { type: "text", className: "ctl-text" });
  input.addEventListener(model.get("continuous_update") === false ? "change" : "input", () =>
    setByText(model, input.value),
  );
  const tooLong = rows ? add(frame, "p", { className: "ctl-too-long" }) : null;
  tooLong?.setAttribute("role", "status");
  return () => {
    label(input);
    if (tooLong) tooLong.textContent = isTooLong(model) ? TOO_LONG : "";
    input.placeholder = model.get("placeholder") ?? "";
    const text = model.reply?.refused ?? model.get("value");
    if (input.value !== text) input.value = text;
  };
}

/** @param {Model} model @param {Element} frame */
function drawDropdown(model, frame) {
  const label = addLabel(model, frame);
  const select = add(frame, "select", { className: "ctl-select" });
  /** @type {string[] | undefined} */
  let shownOptions;
  select.addEventListener("change", () => model.set("index", select.selectedIndex));
  return () => {
    label(select);
    /** @type {string[]} */
    const options = model.get("_options_labels");
    if (shownOptions !== options) {
      select.replaceChildren(...options.map((option) => new Option(option)));
      shownOptions = options;
    }
    select.selectedIndex = model.get("index") ?? -1;
  };
}

/**
 * Radio buttons; as toggle buttons they only look different.
 * @param {Model} model
 * @param {Element} frame
 */
function drawChoices(model, frame) {
  const group = add(frame, "fieldset", { className: "ctl-group" });
  const legend = add(group, "legend", { className: "ctl-label" });
  const name = uniqueId();
  /** @type {HTMLInputElement[]} */
  let inputs = [];
  /** @type {string[] | undefined} */
  let shownOptions;
  /** @param {string} option @param {number} index */
  const addChoice = (option, index) => {
    const choice = add(group, "label", { className: "ctl-choice", title: model.get("tooltips")?.[index] ?? "" });
    const input = add(choice, "input", { type: "radio", name });
    writeText(add(choice, "span"), option);
    input.addEventListener("change", () => model.set("index", index));
    return input;
  };
  return () => {
    writeText(legend, model.get("description"));
    if (!model.get("description") || hasMath(model.get("description"))) group.setAttribute("aria-label", nameOf(model));
    /** @type {string[]} */
    const options = model.get("_options_labels");
    if (shownOptions !== options) {
      for (const { parentElement } of inputs) parentElement?.remove();
      inputs = options.map(addChoice);
      shownOptions = options;
    }
    group.disabled = model.get("disabled");
    inputs.forEach((input, index) => (input.checked = index === model.get("index")));
  };
}

/** @param {Model} model @param {Element} frame */
function drawToggle(model, frame) {
  const button = add(frame, "button", { type: "button", className: "ctl-toggle" });
  button.addEventListener("click", () => model.set("value", !model.get("value")));
  return () => {
    writeText(button, model.get("description"));
    identify(button, model);
    button.setAttribute("aria-pressed", String(model.get("value") === true));
  };
}

/** @param {Model} model @param {Element} frame */
function drawCheckbox(model, frame) {
  const choice = add(frame, "label", { className: "ctl-choice" });
  const input = add(choice, "input", { type: "checkbox" });
  const text = add(choice, "span");
  input.addEventListener("change", () => model.set("value", input.checked));
  return () => {
    writeText(text, model.get("description"));
    identify(input, model);
    input.checked = model.get("value") === true;
  };
}

/**
 * Label, HTML and HTMLMath: words that may follow a control.
 * @param {Model} model
 * @param {Element} frame
 */
function drawProse(model, frame) {
  const label = add(frame, "span", { className: "ctl-label" });
  const body = add(frame, "div", { className: "ctl-prose" });
  const reading = { html: model.name !== "LabelModel", math: model.name !== "HTMLModel" };
  return () => {
    writeText(label, model.get("description"));
    label.hidden = !model.get("description");
    const value = model.get("value");
    writeText(body, typeof value === "number" ? format(value) : String(value), reading);
  };
}
