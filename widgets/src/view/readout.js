/** Everything of the figure that is not a chart: statements, caption, numbers, buttons, messages. */

import { Aloud } from "./screen_reader.js";
import { possible, spoken } from "./captions.js";
import { Claim } from "./statement.js";
import { copy } from "../draw/clipboard.js";
import { add as element } from "../draw/dom.js";
import { inSentence, readable } from "../run/format.js";
import { roomy, say, table } from "../draw/fixed_size_text.js";

const add = (parent, tag, className = "", textContent = "") => element(parent, tag, { className, textContent });

export class Readout {
  /**
   * @param {HTMLElement} root
   * @param {object} spec
   * @param {{try: function(object): void, reset: function(): void, values: function(): number[]}} actions
   */
  constructor(root, spec, actions) {
    this.root = root;
    this.spec = spec;
    this.error = add(root, "p", "fim-error");
    this.error.setAttribute("role", "alert");
    this.error.hidden = true;
    this.stage = add(root, "div", "fim-stage");
    this.bar = add(root, "progress", "fim-progress");
    this.bar.max = 1;
    this.bar.setAttribute("aria-label", "progress of the run");
    const above = add(root, "div");
    this.caption = roomy(add(root, "figcaption", "fim-caption"), possible(spec.caption));
    this.#tries(root, actions);
    this.#curves(root);
    const below = add(root, "div", "fim-below");
    this.claims = spec.statements.map((sheet, place) => new Claim(above, below, sheet, spec.verdicts[place]));
    this.#numbers(below);
    this.#toolbar(root, actions);
    this.aloud = new Aloud(root);
    this.kernelLine = add(root, "p", "fim-kernel");
    this.kernelLine.hidden = true;
  }

  #numbers(parent) {
    if (!this.spec.rows.length) return;
    const body = table(add(parent, "div", "fim-numbers"), ["", "predicted", "measured"]);
    this.rows = this.spec.rows.map(({ label, predicted, measured, words, of }) => {
      const row = add(body, "tr");
      add(row, "th", "", label).scope = "row";
      return [predicted, measured].map((field) => {
        const output = add(add(row, "td"), "output");
        if (field) output.dataset.field = field;
        return { field, output, words, of };
      });
    });
  }

  /** The charts that are not in the scene, folded away. */
  #curves(root) {
    if (!this.spec.panels.length) return;
    this.curves = element(root, "details", { className: "fim-curves" });
    element(this.curves, "summary", { textContent: "All curves" });
    this.panels = add(this.curves, "div", "fim-panels");
  }

  #toolbar(root, actions) {
    const bar = add(root, "div", "fim-toolbar");
    const button = (text, title, act) => {
      const node = add(bar, "button", "", text);
      node.type = "button";
      node.title = title;
      node.addEventListener("click", () => act(node));
    };
    button("reset", "back to the defaults", actions.reset);
    if (window.factsRuntime) {
      button("share", "copy a link to these settings", (node) =>
        setTimeout(() => copy(window.location.href, node), 300)); // once the address has followed the controls
      button("for a class", "a link that hides or locks controls, a frame for another page, a challenge", () => window.factsRuntime.forClass(this.root));
      button("present", "this page as slides", () => window.factsRuntime.present(this.root));
    }
    if (this.spec.code) {
      button("copy as Python", "copy the code of this run", (node) => copy(this.#code(actions.values()), node));
    }
  }

  /** The code of a run, with the parameters that do not stand where Python would leave them. */
  #code(values) {
    const assigned = this.spec.parameters.map(({ name, usual }, i) => Number(values[i]) !== usual && `${name}=${Number(values[i])}`);
    return this.spec.code.replace("{arguments}", assigned.filter(Boolean).join(", "));
  }

  #tries(root, actions) {
    if (!this.spec.tries.length) return;
    const box = add(root, "div", "fim-try-this");
    add(box, "p", "fim-title", "Try this");
    const list = add(box, "ul", "fim-tries");
    for (const { action, values, look } of this.spec.tries) {
      const item = add(list, "li");
      const button = add(item, "button", "fim-try", action);
      button.type = "button";
      button.addEventListener("click", () => actions.try(values));
      item.append(` ${look}`);
    }
  }

  fail(message) {
    this.progress(1);
    for (const claim of this.claims) claim.clear();
    this.error.textContent = message;
    this.error.hidden = false;
    this.root.dataset.state = "error";
    this.aloud.write();
  }

  /** A run begins: whatever was wrong is mended. */
  begin() {
    this.error.hidden = true;
  }

  progress(share) {
    this.bar.value = share;
    this.bar.classList.toggle("fim-idle", share === 1);
  }

  kernel(text, difference = NaN) {
    this.kernelLine.hidden = !text;
    this.kernelLine.textContent = text;
    this.kernelLine.dataset.difference = difference;
  }

  /** @param {Object<string, Float64Array>} report */
  show(report) {
    for (const claim of this.claims) claim.show(report);
    for (const { field, output, words, of } of (this.rows ?? []).flat()) {
      if (!field) continue;
      const numbers = [...report[field]];
      const said = of ? (share) => counted(share, report[of][0]) : (value) => words[value] ?? readable(value, numbers.length > 1 ? 3 : 4);
      output.textContent = numbers.map(said).join(", ");
      output.dataset.value = numbers.join(",");
    }
    if (this.spec.caption.length) {
      const { text, defects } = spoken(this.spec.caption, report);
      say(this.caption, text);
      this.caption.dataset.defects = defects.join(" ");
    }
    for (const [name, leaf] of Object.entries(report)) {
      for (const node of document.querySelectorAll(`[data-live="${this.spec.name}.${name}"]`)) {
        node.textContent = inSentence(leaf);
      }
    }
  }
}

/** A share of so many things, as a count of them. */
const counted = (share, whole) => (Number.isFinite(share) ? `${readable(share * whole, 3)} of ${readable(whole)}` : readable(NaN));
