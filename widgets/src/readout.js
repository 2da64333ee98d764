/** Everything of the figure that is not a chart: lights, numbers, verdict, buttons, messages. */

import { add as element } from "./dom.js";
import { readable } from "./format.js";

const STATES = { 1: "holds", 0: "violated" };
const FIELD = /\{(\w+)\}/g; // in a caption: the report's number of that name
const TYPICAL = "0.00000"; // as long as such a number gets

const add = (parent, tag, className = "", textContent = "") => element(parent, tag, { className, textContent });

export class Readout {
  /**
   * @param {HTMLElement} root
   * @param {object} spec
   * @param {{try: function(object): void, reset: function(): void, play: function(): void, values: function(): number[]}} actions
   */
  constructor(root, spec, actions) {
    this.root = root;
    this.spec = spec;
    this.error = add(root, "p", "fim-error");
    this.error.setAttribute("role", "alert");
    this.error.hidden = true;
    if (spec.verdict) {
      this.verdict = roomy(add(root, "p", "fim-verdict"), spec.verdict.texts);
      this.verdict.setAttribute("role", "status");
    }
    this.panels = add(root, "div", "fim-panels");
    this.bar = add(root, "progress", "fim-progress");
    this.bar.max = 1;
    this.bar.setAttribute("aria-label", "progress of the run");
    this.caption = roomy(add(root, "figcaption", "fim-caption"), (spec.caption?.texts ?? []).map((text) => text.replace(FIELD, TYPICAL)));
    const below = add(root, "div", "fim-below");
    this.#lights(below);
    this.#numbers(below);
    this.#toolbar(root, actions);
    this.#tries(root, actions);
    this.kernelLine = add(root, "p", "fim-kernel");
    this.kernelLine.hidden = true;
  }

  #lights(parent) {
    if (!this.spec.lights.length) return;
    const box = add(parent, "div", "fim-hypotheses");
    add(box, "p", "fim-title", "Hypotheses");
    const list = add(box, "ul", "fim-lights");
    this.lights = this.spec.lights.map(({ field, label, other }) => {
      const item = add(list, "li");
      item.dataset.light = field;
      add(item, "span", "fim-lamp").setAttribute("aria-hidden", "true");
      add(item, "span", "fim-light-label", label);
      return { field, other, item, state: roomy(add(item, "span", "fim-light-state"), [...Object.values(STATES), other]) };
    });
  }

  #numbers(parent) {
    const box = add(parent, "div", "fim-numbers");
    if (this.spec.rows.length) {
      const table = add(box, "table", "fim-table");
      const head = add(add(table, "thead"), "tr");
      for (const title of ["", "predicted", "measured"]) add(head, "th", "", title).scope = "col";
      const body = add(table, "tbody");
      this.rows = this.spec.rows.map(({ label, predicted, measured, words }) => {
        const row = add(body, "tr");
        add(row, "th", "", label).scope = "row";
        return [predicted, measured].map((field) => {
          const output = add(add(row, "td"), "output");
          if (field) output.dataset.field = field;
          return { field, output, words };
        });
      });
    }
  }

  #toolbar(root, actions) {
    const bar = add(root, "div", "fim-toolbar");
    const button = (text, title, act) => {
      const node = add(bar, "button", "", text);
      node.type = "button";
      node.title = title;
      node.addEventListener("click", () => act(node));
      return node;
    };
    if (this.spec.stages.length) this.player = button("▶ play", "show the run from its start", actions.play);
    button("reset", "back to the defaults", actions.reset);
    if (window.factsRuntime) {
      button("share", "copy a link to these settings", (node) =>
        setTimeout(() => copy(window.location.href, node), 300)); // once the address has followed the controls
    }
    if (this.spec.code) {
      button("copy as Python", "copy the code of this run", (node) => copy(this.#code(actions.values()), node));
    }
  }

  #code(values) {
    const assigned = this.spec.parameters.map(({ name, boolean }, i) => `${name}=${boolean ? Number(values[i]) : values[i]}`);
    return this.spec.code.replace("{arguments}", assigned.join(", "));
  }

  #tries(root, actions) {
    if (!this.spec.tries.length) return;
    add(root, "p", "fim-title", "Try this");
    const list = add(root, "ul", "fim-tries");
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
    if (this.verdict) say(this.verdict, "");
    this.error.textContent = message;
    this.error.hidden = false;
    this.root.dataset.state = "error";
  }

  progress(share) {
    this.bar.value = share;
    this.bar.classList.toggle("fim-idle", share === 1);
  }

  playing(on) {
    this.player.textContent = on ? "❚❚ pause" : "▶ play";
  }

  kernel(text, difference = NaN) {
    this.kernelLine.hidden = !text;
    this.kernelLine.textContent = text;
    this.kernelLine.dataset.difference = difference;
  }

  /** @param {Object<string, Float64Array>} report */
  show(report) {
    this.error.hidden = true;
    for (const { field, other, item, state } of this.lights ?? []) {
      const known = STATES[report[field][0]];
      item.dataset.state = known ?? "other";
      say(state, known ?? other);
    }
    for (const { field, output, words } of (this.rows ?? []).flat()) {
      if (!field) continue;
      const numbers = [...report[field]];
      output.textContent = numbers.map((value) => words[value] ?? readable(value, numbers.length > 1 ? 3 : 4)).join(", ");
      output.dataset.value = numbers.join(",");
    }
    const { verdict, caption } = this.spec;
    if (verdict) {
      say(this.verdict, verdict.texts[report[verdict.field][0]]);
      this.verdict.dataset.tone = verdict.tones[report[verdict.field][0]];
    }
    if (caption) {
      const text = caption.texts[report[caption.field][0]];
      say(this.caption, text.replace(FIELD, (_, name) => readable(report[name][0], 3)));
    }
    for (const [name, leaf] of Object.entries(report)) {
      for (const node of document.querySelectorAll(`[data-live="${this.spec.name}.${name}"]`)) {
        node.textContent = readable(leaf[0], 4);
      }
    }
  }
}

/** Keep room in an element for the longest of what it may say, so that nothing below it moves when it says another. */
function roomy(node, texts) {
  node.classList.add("fim-roomy");
  for (const text of texts) add(node, "span", "fim-room", text).setAttribute("aria-hidden", "true");
  add(node, "span", "fim-said");
  return node;
}

function say(node, text) {
  node.lastChild.textContent = text ?? "";
}

async function copy(text, button) {
  button.dataset.label ??= button.textContent;
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = add(document.body, "textarea"); // clipboard access is refused on file:// pages
    area.value = text;
    area.select();
    copied = document.execCommand("copy");
    area.remove();
  }
  button.dataset.copied = text;
  button.textContent = copied ? "copied" : "copy failed";
  clearTimeout(button.resting);
  button.resting = setTimeout(() => (button.textContent = button.dataset.label), 1200);
}
