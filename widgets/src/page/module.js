/**
 * A figure with its controls for any page: what widgets/export.py puts before a state to make a module of it.
 *
 * In: the state as in a published page, whose kernels the module has registered. Out: anywidget's hooks, the same without a
 * model, and a run without a page. A host's model gives settings by the names of the controls; nothing of it is used but
 * `get` and `on`, since not every host has more. Styles go with the figure: a host may keep it in a shadow tree.
 */

import { assign, entryOf } from "./address.js";
import { addressName } from "./controls.js";
import { add } from "../draw/dom.js";
import figure, { doubles } from "../view/figure.js";
import { readModels } from "./models.js";
import { load, Run } from "../run/program.js";
import { know } from "../draw/math_text.js";
import { view } from "./views.js";
import styleOfControls from "./controls.css";
import styleOfFigure from "../view/figure.css";

/**
 * @param {{state: Object, root: string, figure: string, module: string, formulas: Object<string, string>}} body the state,
 *   the ids in it of all that is shown and of the figure, the name of the figure's module, and HTML by TeX
 */
export function exported({ state, root, figure: id, module, formulas }) {
  const models = () => readModels([structuredClone({ state })]);

  async function render({ model: host, el }) {
    (window.__factsESM ??= {})[module] ??= { default: figure };
    know(formulas);
    add(el, "style", { textContent: styleOfControls + styleOfFigure });
    const box = add(el, "div", { className: "ctl-root" });
    const all = models();
    await view(box, all.get(root), (model) => heed(host, model));
    return () => box.querySelector(".fim")?.live.stop();
  }

  /** Draw in an element, at these settings. */
  const show = (el, settings = {}) => render({ el, model: { get: (name) => settings[name], on() {} } });

  /** Every number of a run at the parameters' values, which are in the order of the program. */
  function numbers(values) {
    const model = models().get(id);
    const run = new Run(load(model.get("kernels"), doubles(model.get("constants"))), model.get("spec").stages, values);
    while (!run.advance(Infinity));
    return run.numbers;
  }

  return { render, show, numbers };
}

/** Keep a control where the host says, if it says so. */
function heed(host, model) {
  const name = addressName(model);
  if (!name) return;
  const entry = entryOf(model);
  const follow = () => {
    const value = host.get(name);
    if (value !== undefined) assign(entry, String(typeof value === "boolean" ? Number(value) : value));
  };
  host.on(`change:${name}`, follow);
  follow();
}
