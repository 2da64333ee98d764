/** Sliders: a native range, and the number it stands at, to read and to type. */

import { add, keepWhileScrolling } from "../draw/dom.js";
import { addLabel, addNumberField } from "./control_parts.js";

/** @import { Model } from "./models.js" */

/**
 * Between a trait and the position of the thumb; `track` gives the least and the largest position, and a step.
 * @typedef {{ trait: string, track: (model: Model) => [number, number, number | "any"],
 *   position: (model: Model, value: number) => number, value: (model: Model, position: number) => number }} Scale
 */

const DIGITS = 11; // with which the value at an end of a logarithmic slider is written

/** @param {Model} model */
const widthOf = (model) => model.get("max") - model.get("min");

/** How many steps a slider has. @param {Model} model */
const stepsOf = (model) => Math.max(1, Math.round(widthOf(model) / (model.get("step") || widthOf(model) / 100)));

/** @type {Scale} */
const linear = {
  trait: "value",
  track: (model) => [model.get("min"), model.get("max"), model.get("step") || "any"],
  position: (_, value) => value,
  value: (_, position) => position,
};

/** @type {Scale} the positions are whole steps, so that the thumb reaches both ends */
const logarithmic = {
  trait: "value",
  track: (model) => [0, stepsOf(model), 1],
  position: (model, value) =>
    ((Math.log(value) / Math.log(model.get("base")) - model.get("min")) / widthOf(model)) * stepsOf(model),
  value: (model, position) => {
    const value = model.get("base") ** (model.get("min") + (position / stepsOf(model)) * widthOf(model));
    return position % stepsOf(model) ? value : Number(value.toPrecision(DIGITS));
  },
};

/** @type {Scale} */
const selection = { ...linear, trait: "index", track: (model) => [0, model.get("_options_labels").length - 1, 1] };

/** @type {Record<string, Scale>} */
const scales = { FloatLogSliderModel: logarithmic, SelectionSliderModel: selection };

/**
 * @param {Model} model
 * @param {Element} frame
 * @returns {() => void}
 */
export function drawSlider(model, frame) {
  const scale = scales[model.name] ?? linear;
  const label = addLabel(model, frame);
  const range = add(frame, "input", { type: "range", className: "ctl-range" });
  const showValue = scale.trait === "index" ? addChosenLabel(model, frame) : addNumberField(model, frame, "value").show;
  const chosen = () => scale.value(model, Number(range.value));
  range.addEventListener("input", () => {
    if (model.get("continuous_update") !== false) model.set(scale.trait, chosen());
    else range.setAttribute("aria-valuetext", showValue(chosen()));
  });
  range.addEventListener("change", () => model.set(scale.trait, chosen()));
  keepWhileScrolling(range, () => model.get(scale.trait), (value) => model.set(scale.trait, value));
  return () => {
    label(range);
    [range.min, range.max, range.step] = scale.track(model).map(String);
    const value = model.get(scale.trait);
    const position = scale.position(model, value);
    range.value = Number.isFinite(position) ? String(position) : range.min;
    range.setAttribute("aria-valuetext", showValue(value));
  };
}

/**
 * The label of the chosen option, beside a selection slider.
 * @param {Model} model
 * @param {Element} frame
 */
function addChosenLabel(model, frame) {
  const output = add(frame, "output", { className: "ctl-readout" });
  /** @param {number} index @returns {string} */
  return (index) => (output.textContent = model.get("_options_labels")[index] ?? "none");
}
