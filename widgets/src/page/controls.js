/**
 * Native inputs for the kinds of ipywidgets controls.
 *
 * Every drawing function fills a frame and returns `show`, which brings the inputs in line with the model; it is
 * called once and after every change. What a reader does goes to `model.set`, nowhere else, and nothing is clamped:
 * the figure says what is wrong with a value.
 */

import { add, unique } from "../draw/dom.js";
import { format, parse } from "../run/format.js";
import { hasMath, plain, write } from "../draw/math_text.js";

export const controls = {
  FloatSliderModel: slider,
  FloatLogSliderModel: slider,
  IntSliderModel: slider,
  SelectionSliderModel: slider,
  DropdownModel: dropdown,
  ToggleButtonsModel: choices,
  RadioButtonsModel: choices,
  ToggleButtonModel: toggle,
  CheckboxModel: checkbox,
  FloatTextModel: number,
  IntTextModel: number,
  BoundedFloatTextModel: number,
  BoundedIntTextModel: number,
  TextModel: words,
  LabelModel: prose,
  HTMLModel: prose,
  HTMLMathModel: prose,
};

const NOT_A_NUMBER = (text) => `“${text}” is not a number`;

const DIGITS = 11; // that an end's logarithm is written with
const widthOf = (model) => model.get("max") - model.get("min");
const stepsOf = (model) => Math.max(1, Math.round(widthOf(model) / (model.get("step") || widthOf(model) / 100)));

/** Where the thumb of a slider stands for a value, and back. */
const linear = {
  trait: "value",
  track: (model) => [model.get("min"), model.get("max"), model.get("step") || "any"],
  position: (_, value) => value,
  value: (_, position) => position,
};
const scales = {
  FloatLogSliderModel: {
    ...linear, // in whole steps, so that it reaches both ends
    track: (model) => [0, stepsOf(model), 1],
    position: (model, value) => ((Math.log(value) / Math.log(model.get("base")) - model.get("min")) / widthOf(model)) * stepsOf(model),
    value: (model, position) => {
      const value = model.get("base") ** (model.get("min") + (position / stepsOf(model)) * widthOf(model));
      return position % stepsOf(model) ? value : Number(value.toPrecision(DIGITS));
    },
  },
  SelectionSliderModel: { ...linear, trait: "index", track: (model) => [0, model.get("_options_labels").length - 1, 1] },
};

function slider(model, frame) {
  const scale = scales[model.name] ?? linear;
  const label = labelled(model, frame);
  const range = add(frame, "input", { type: "range", className: "ctl-range" });
  const readout = scale.trait === "index" ? chosenLabel(model, frame) : typed(model, frame, "value");
  const chosen = () => scale.value(model, Number(range.value));
  range.addEventListener("input", () => {
    if (model.get("continuous_update") !== false) model.set(scale.trait, chosen());
    else readout(chosen());
  });
  range.addEventListener("change", () => model.set(scale.trait, chosen()));
  return () => {
    label(range);
    [range.min, range.max, range.step] = scale.track(model);
    const value = model.get(scale.trait);
    const position = scale.position(model, value);
    range.value = Number.isFinite(position) ? position : range.min;
    range.setAttribute("aria-valuetext", readout(value));
  };
}

/** The label of the chosen option, beside a selection slider. */
function chosenLabel(model, frame) {
  const output = add(frame, "output", { className: "ctl-readout" });
  return (index) => (output.textContent = model.get("_options_labels")[index] ?? "none");
}

/** A number that can be typed; returns a function that shows one. */
function typed(model, frame, purpose) {
  const input = add(frame, "input", { type: "text", className: "ctl-readout", autocomplete: "off", spellcheck: false });
  const problem = add(frame, "span", { id: unique(), className: "ctl-problem", hidden: true });
  problem.setAttribute("role", "alert");
  input.setAttribute("aria-describedby", problem.id);
  input.inputMode = model.get("min") >= 0 && model.name !== "FloatLogSliderModel" ? "decimal" : "text";
  const complain = (message) => {
    input.setAttribute("aria-invalid", Boolean(message));
    problem.hidden = !message;
    problem.textContent = message;
  };
  input.addEventListener("change", () => {
    const value = parse(input.value);
    if (Number.isNaN(value)) complain(NOT_A_NUMBER(input.value));
    else {
      model.set("value", value);
      show(model.get("value"));
    }
  });
  input.addEventListener("keydown", (event) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!direction || purpose) return;
    event.preventDefault();
    model.set("value", Number((model.get("value") + direction * (model.get("step") ?? 1)).toPrecision(12)));
  });
  const show = (value) => {
    complain(Number.isNaN(value) ? NOT_A_NUMBER(value) : "");
    input.disabled = model.get("disabled");
    if (purpose) input.setAttribute("aria-label", `${nameOf(model)}, ${purpose}`);
    return (input.value = format(value, model.get("readout_format")));
  };
  return Object.assign(show, { input });
}

function number(model, frame) {
  const label = labelled(model, frame);
  const show = typed(model, frame);
  return () => {
    label(show.input);
    show(model.get("value"));
  };
}

function words(model, frame) {
  const label = labelled(model, frame);
  const input = add(frame, "input", { type: "text", className: "ctl-text" });
  input.addEventListener(model.get("continuous_update") === false ? "change" : "input", () => model.set("value", input.value));
  return () => {
    label(input);
    input.placeholder = model.get("placeholder") ?? "";
    if (input.value !== model.get("value")) input.value = model.get("value");
  };
}

function dropdown(model, frame) {
  const label = labelled(model, frame);
  const select = add(frame, "select", { className: "ctl-select" });
  select.addEventListener("change", () => model.set("index", select.selectedIndex));
  return () => {
    label(select);
    const options = model.get("_options_labels");
    if (select.written !== options) {
      select.replaceChildren(...options.map((option) => new Option(option)));
      select.written = options;
    }
    select.selectedIndex = model.get("index") ?? -1;
  };
}

/** Radio buttons; as toggle buttons they only look different. */
function choices(model, frame) {
  const group = add(frame, "fieldset", { className: "ctl-group" });
  const legend = add(group, "legend", { className: "ctl-label" });
  const name = unique();
  let inputs;
  const rebuild = (options) => {
    for (const { parentNode } of inputs ?? []) parentNode.remove();
    inputs = options.map((option, index) => {
      const choice = add(group, "label", { className: "ctl-choice", title: model.get("tooltips")?.[index] ?? "" });
      const input = add(choice, "input", { type: "radio", name });
      write(add(choice, "span"), option);
      input.addEventListener("change", () => model.set("index", index));
      return input;
    });
    group.written = options;
  };
  return () => {
    write(legend, model.get("description"));
    if (!model.get("description") || hasMath(model.get("description"))) group.setAttribute("aria-label", nameOf(model));
    if (group.written !== model.get("_options_labels")) rebuild(model.get("_options_labels"));
    group.disabled = model.get("disabled");
    inputs.forEach((input, index) => (input.checked = index === model.get("index")));
  };
}

function toggle(model, frame) {
  const button = add(frame, "button", { type: "button", className: "ctl-toggle" });
  button.addEventListener("click", () => model.set("value", !model.get("value")));
  return () => {
    write(button, model.get("description"));
    identify(button, model);
    button.setAttribute("aria-pressed", model.get("value") === true);
  };
}

function checkbox(model, frame) {
  const choice = add(frame, "label", { className: "ctl-choice" });
  const input = add(choice, "input", { type: "checkbox" });
  const text = add(choice, "span");
  input.addEventListener("change", () => model.set("value", input.checked));
  return () => {
    write(text, model.get("description"));
    identify(input, model);
    input.checked = model.get("value") === true;
  };
}

/** Label, HTML and HTMLMath: words that may follow a control. */
function prose(model, frame) {
  const label = add(frame, "span", { className: "ctl-label" });
  const body = add(frame, "div", { className: "ctl-prose" });
  const reading = { html: model.name !== "LabelModel", math: model.name !== "HTMLModel" };
  return () => {
    write(label, model.get("description"));
    label.hidden = !model.get("description");
    const value = model.get("value");
    write(body, typeof value === "number" ? format(value) : String(value), reading);
  };
}

/** A visible label; the function returned ties it to an input and keeps both up to date. */
function labelled(model, frame) {
  const label = add(frame, "label", { className: "ctl-label" });
  return (input) => {
    input.id ||= unique();
    label.htmlFor = input.id;
    write(label, model.get("description"), { html: model.get("description_allow_html") === true });
    identify(input, model);
  };
}

/** An accessible name where the visible label is none, or LaTeX. */
function identify(input, model) {
  const description = model.get("description");
  if (!description || hasMath(description)) input.setAttribute("aria-label", nameOf(model));
  input.disabled = model.get("disabled");
}

/** What to call a control: its description, or else its tooltip or its name in the address. */
function nameOf(model) {
  return plain(model.get("description")) || model.get("tooltip") || addressName(model) || model.name.replace("Model", "");
}

/** NAME of a class `url-NAME`, under which a control's value is kept in the page's address. */
export function addressName(model) {
  return model.get("_dom_classes")?.find((name) => name.startsWith("url-"))?.slice("url-".length);
}
