/**
 * A figure with its controls for any page: what widgets/export.py puts before a state to make a module of it.
 *
 * In: the state as in a published page, whose kernels the module has registered. Out: anywidget's hooks, the same
 * without a model, and a run without a page. A host's model gives settings by the names of the controls, and takes
 * those that a reader moves. Styles go with the figure: a host may keep it in a shadow tree.
 */

import { add, showProblem } from "../draw/dom.js";
import { addFormulas } from "../draw/math_text.js";
import { adoptStyles } from "../draw/styles.js";
import { loadKernels, Run } from "../run/program.js";
import figure from "../view/figure.js";
import { liveInHost } from "../view/host.js";
import { float64s } from "../view/kernel_check.js";
import { addressName } from "./address.js";
import { tellHeight } from "./frame_height.js";
import { shareSetting } from "./host.js";
import { readModels } from "./models.js";
import { drawWidget } from "./views.js";
import styleOfFigure from "../view/figure.css";
import styleOfControls from "./controls.css";

/** @import { Host } from "./host.js" */
/** @import { Model, ModelState } from "./models.js" */
/** @typedef {Record<string, string | number | boolean>} Settings by the names of the controls */

/**
 * The ids in the state of all that is shown and of the figure, the name of the figure's module, and HTML by TeX.
 * @typedef {{ state: Record<string, ModelState>, root: string, figure: string, module: string, formulas:
 *   Record<string, string> }} Body
 */

/** @param {Body} body */
export function exported({ state, root, figure: figureId, module, formulas }) {
  const newModels = () => readModels([structuredClone({ state })]);

  /** @param {{ model: Host, el: Element }} widget */
  async function render({ model: host, el }) {
    (window.__factsESM ??= {})[module] ??= { default: figure };
    addFormulas(formulas);
    for (const style of [styleOfControls, styleOfFigure]) adoptStyles(el, style);
    const box = add(el, "div");
    const ends = [liveInHost(box), tellHeight()];
    await drawWidget(add(box, "div", { className: "ctl-root" }), newModels().get(root), (model) => {
      ends.push(shareSetting(host, model));
    });
    return () => {
      for (const end of ends) end();
      /** @type {HTMLElement | null} */ (box.querySelector(".fim"))?.live?.stop();
      box.remove();
    };
  }

  /**
   * Draw in an element, at these settings.
   * @param {Element} el
   * @param {Settings} settings
   */
  async function show(el, settings = {}) {
    if (typeof el?.getRootNode !== "function") throw new TypeError(`show(element, settings): element = ${el}: must be an element of the page`);
    const known = [...newModels().values()].flatMap((model) => addressName(model) ?? []);
    const unknown = Object.keys(settings).filter((name) => !known.includes(name));
    if (unknown.length) showProblem(el, `${unknown.join(", ")}: no such setting: must be among ${known.join(", ")}`);
    return render({ el, model: { get: (name) => settings[name], on() {} } });
  }

  /**
   * Every number of a run at the parameters' values, which are in the order of the program.
   * @param {number[]} values
   */
  function numbers(values) {
    const model = /** @type {Model} */ (newModels().get(figureId));
    const run = new Run(
      loadKernels(model.get("kernels"), float64s(model.get("constants"))),
      model.get("spec").stages,
      values,
    );
    run.advance(Infinity);
    return run.numbers;
  }

  return { render, show, numbers };
}
