/** Parts that several kinds of controls have: a label, an accessible name, a number that can be typed. */

import { add, uniqueId } from "../draw/dom.js";
import { hasMath, withoutMath, writeText } from "../draw/math_text.js";
import { format, parse } from "../run/format.js";
import { addressName } from "./address.js";

/** @import { Model } from "./models.js" */

/** @param {unknown} text */
const notANumber = (text) => `“${text}” is not a number`;

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
  const problem = add(frame, "span", { id: uniqueId(), className: "ctl-problem", hidden: true });
  problem.setAttribute("role", "alert");
  input.setAttribute("aria-describedby", problem.id);
  input.inputMode = model.get("min") >= 0 && model.name !== "FloatLogSliderModel" ? "decimal" : "text";
  /** @param {string} message */
  const showProblem = (message) => {
    input.setAttribute("aria-invalid", String(Boolean(message)));
    problem.hidden = !message;
    problem.textContent = message;
  };
  /** @param {number} value */
  const show = (value) => {
    showProblem(Number.isNaN(value) ? notANumber(value) : "");
    input.disabled = model.get("disabled");
    if (purpose) input.setAttribute("aria-label", `${nameOf(model)}, ${purpose}`);
    return (input.value = format(value, model.get("readout_format")));
  };
  input.addEventListener("change", () => {
    const value = parse(input.value);
    if (Number.isNaN(value)) {
      showProblem(notANumber(input.value));
      return;
    }
    model.set("value", value);
    show(model.get("value"));
  });
  if (!purpose) input.addEventListener("keydown", (event) => moveByArrow(event, model));
  return { input, show };
}

/** @param {KeyboardEvent} event @param {Model} model */
function moveByArrow(event, model) {
  const direction = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
  if (!direction) return;
  event.preventDefault();
  model.set("value", Number((model.get("value") + direction * (model.get("step") ?? 1)).toPrecision(12)));
}
