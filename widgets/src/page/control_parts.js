/** Parts that several kinds of controls have: a label, an accessible name, a number that can be typed. */

import { add, uniqueId, write } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { hasMath, withoutMath, writeText } from "../draw/math_text.js";
import { format } from "../run/format.js";
import { addressName } from "./address.js";
import { rangeOf, setByText } from "./read_setting.js";

/** @import { Model } from "./models.js" */

/**
 * What to call a control: its description, or else its tooltip or its name in the address.
 * @param {Model} model
 * @returns {string}
 */
export function nameOf(model) {
  return (
    withoutMath(model.get("description")) ||
    model.get("tooltip") ||
    addressName(model) ||
    model.name.replace("Model", "")
  );
}

/**
 * Set the accessible name of an input where the visible label is none, or LaTeX, and whether it can be used.
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement} input
 * @param {Model} model
 */
export function identify(input, model) {
  const description = model.get("description");
  if (!description || hasMath(description)) input.setAttribute("aria-label", nameOf(model));
  input.disabled = model.get("disabled");
}

/**
 * Add a visible label; the function returned ties it to an input and brings both in line with the model.
 * @param {Model} model
 * @param {Element} frame
 * @returns {(input: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement) => void}
 */
export function addLabel(model, frame) {
  const label = add(frame, "label", { className: "ctl-label" });
  return (input) => {
    input.id ||= uniqueId();
    label.htmlFor = input.id;
    writeText(label, model.get("description"), { html: model.get("description_allow_html") === true });
    identify(input, model);
  };
}

/**
 * Add a field for a number.
 * @param {Model} model
 * @param {Element} frame
 * @param {string} [purpose] of a field beside another input, which then has the arrow keys
 * @returns {{ input: HTMLInputElement, show: (value: number) => string }} `show` returns the number as it is shown
 */
export function addNumberField(model, frame, purpose) {
  const input = add(frame, "input", { type: "text", className: "ctl-readout", autocomplete: "off", spellcheck: false });
  input.inputMode = model.get("min") >= 0 && model.name !== "FloatLogSliderModel" ? "decimal" : "text";
  /** @param {number} value */
  const show = (value) => {
    input.disabled = model.get("disabled");
    if (purpose) input.setAttribute("aria-label", `${nameOf(model)}, ${purpose}`);
    const text = format(value, model.get("readout_format"));
    input.value = model.reply?.refused ?? text;
    return text;
  };
  input.addEventListener("change", () => {
    const { note } = setByText(model, input.value);
    show(model.get("value"));
    if (note) model.answer({ sentence: note });
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    model.set("value", model.get("value")); // which takes back what was said of another
    show(model.get("value"));
  });
  if (!purpose) input.addEventListener("keydown", (event) => moveByArrow(event, model));
  return { input, show };
}

/**
 * Add a line for what is said of a text that a reader typed, or came with; the function returned shows it.
 * @param {Model} model
 * @param {Element} frame that holds the control
 */
export function addReply(model, frame) {
  const line = add(frame, "span", { id: uniqueId(), className: "ctl-problem", hidden: true });
  line.setAttribute("role", "alert");
  const fields = ["input.ctl-readout", "input, select, textarea", "button"];
  const field = fields.map((selector) => frame.querySelector(selector)).find(Boolean);
  field?.setAttribute("aria-describedby", line.id);
  return () => {
    const isRefused = model.reply?.refused !== undefined;
    field?.setAttribute("aria-invalid", String(isRefused));
    line.classList.toggle("ctl-note", !isRefused);
    line.hidden = !model.reply;
    write(line, model.reply?.sentence ?? "");
  };
}

/** @param {KeyboardEvent} event @param {Model} model */
function moveByArrow(event, model) {
  const direction = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
  if (!direction) return;
  event.preventDefault();
  const moved = Number((model.get("value") + direction * (model.get("step") ?? 1)).toPrecision(12));
  const [low, high] = rangeOf(model);
  model.set("value", clamp(moved, low, high));
}
