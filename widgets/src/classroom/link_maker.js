/** Makes links for a class: which controls are free, locked or hidden, in a frame or not, and with which challenge. */

import { copy } from "../draw/clipboard.js";
import { add, uniqueId } from "../draw/dom.js";
import { SENDER } from "../page/frame_height.js";
import { COMPARISONS, describeCondition, parseCondition } from "../run/goal.js";
import { nameInAddress } from "../run/parameters.js";
import { OUTCOME_WORDS } from "../run/verdict.js";
import { addCollector } from "./collect.js";
import { figureRoots } from "./link_options.js";
import { printWorksheet } from "./worksheet.js";

/** @import { Options } from "../page/address.js" */
/** @import { Spec } from "../types.js" */

const LONGEST_AIM = 100; // letters
const STATES = { free: "free", lock: "locked", hide: "hidden" };

/** @param {string} text */
const escapeAttribute = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/**
 * The code of a frame.
 * @param {string} href
 * @param {string} title
 * @param {number} height in pixels
 */
const frameCode = (href, title, height) =>
  `<iframe src="${escapeAttribute(href)}" title="${escapeAttribute(title)}" style="width: 100%; height: ${height}px; border: 0" allow="clipboard-write"></iframe>`;

/** Goes with a frame, and makes it as high as its figure; a page that allows no scripts does without. */
const FOLLOW_HEIGHT = `
<script>addEventListener("message", ({ data, source }) => {
  const frame = [...document.querySelectorAll("iframe")].find((one) => one.contentWindow === source);
  if (frame && data?.from === "${SENDER}") frame.style.height = data.height + "px";
});</script>`;

/** Open the maker of links for a figure. @param {HTMLElement} root of the figure */
export function openLinkMaker(root) {
  const runtime = window.factsRuntime; // which has the page's address
  if (root.live && runtime) new LinkMaker(root, root.live.spec, runtime).open();
}

class LinkMaker {
  /**
   * @param {HTMLElement} root of a figure
   * @param {Spec} spec
   * @param {NonNullable<typeof window.factsRuntime>} runtime
   */
  constructor(root, spec, runtime) {
    this.runtime = runtime;
    const options = this.runtime.currentOptions();
    this.spec = spec;
    this.place = 1 + figureRoots().findIndex((figureRoot) => figureRoot.contains(root));
    this.height = (root.closest(".ctl-root") ?? root).scrollHeight;
    this.conditions = (options.goal ?? "").split(",").filter(Boolean);
    this.dialog = add(document.body, "dialog", { className: "fim-class" });
    this.dialog.setAttribute("aria-label", "A link for a class");
    this.dialog.addEventListener("close", () => this.dialog.remove());
    add(this.dialog, "h2", { textContent: "A link for a class" });
    add(this.dialog, "p", { textContent: "It opens this page at the settings you stand at." });
    this.states = this.#addStates(root, options);
    this.embed = addField(this.dialog, "only the figure, for a frame in another page", "input", {
      type: "checkbox",
      checked: Boolean(options.embed),
    });
    if (spec.scene.predict)
      this.predict = addField(this.dialog, "ask for a prediction first, and for its address", "input", {
        type: "checkbox",
        checked: Boolean(options.predict),
      });
    add(this.dialog, "h3", { textContent: "A challenge" });
    this.aim = addField(this.dialog, "its title", "input", { value: options.aim ?? "", maxLength: LONGEST_AIM });
    this.aim.placeholder = "what to find";
    this.list = add(this.dialog, "ul");
    this.#addConditionForm();
    this.link = addOutput(this.dialog, "link");
    this.frame = addOutput(this.dialog, "code of a frame");
    this.bareFrame = addOutput(this.dialog, "code of a frame without a script");
    add(this.dialog, "h3", { textContent: "On paper" });
    add(this.dialog, "button", { type: "button", textContent: "print a worksheet" }).addEventListener("click", () => {
      this.dialog.close();
      printWorksheet(root);
    });
    addCollector(this.dialog);
    add(add(this.dialog, "form", { method: "dialog" }), "button", { textContent: "close" });
    this.dialog.addEventListener("change", () => this.#write());
  }

  open() {
    this.#write();
    this.dialog.showModal();
  }

  /**
   * For each control of the figure whether it is free, locked or hidden.
   * @param {HTMLElement} root
   * @param {Options} options
   */
  #addStates(root, options) {
    const box = add(this.dialog, "div", { className: "fim-class-controls" });
    return controlsOf(root).map(({ name, label }) => {
      const state = Object.keys(STATES).find((option) => (options[option] ?? "").split(",").includes(name)) ?? "free";
      return { name, select: addChoice(box, label, STATES, state) };
    });
  }

  /** Fields for another condition of the challenge: a verdict, or a limit of a number. */
  #addConditionForm() {
    const { statements, goals } = this.spec;
    const form = add(this.dialog, "form", { className: "fim-class-goal" });
    const name = addChoice(form, "what", { ...(statements.length ? { verdict: statements[0].name } : {}), ...goals });
    const sign = addChoice(form, "how", COMPARISONS);
    const number = addField(form, "number", "input", { type: "number", step: "any", value: "0" });
    const verdict = addChoice(form, "verdict", OUTCOME_WORDS);
    add(form, "button", { type: "submit", textContent: "add" });
    const showFields = () => {
      const isVerdict = name.value === "verdict";
      for (const field of [sign, number]) hideField(field, isVerdict);
      hideField(verdict, !isVerdict);
    };
    name.addEventListener("change", showFields);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.conditions.push(
        name.value === "verdict" ? `verdict=${verdict.value}` : `${name.value}${sign.value}${Number(number.value)}`,
      );
      this.#write();
    });
    showFields();
  }

  /** Write the link, the code of a frame and the conditions as they now are. */
  #write() {
    /** @param {string} state */
    const namesIn = (state) =>
      this.states
        .filter(({ select }) => select.value === state)
        .map(({ name }) => name)
        .join(",");
    const goal = this.conditions.join(",");
    const [aim, predict] = [goal ? this.aim.value.trim() : "", this.predict?.checked ? "1" : ""];
    const options = { hide: namesIn("hide"), lock: namesIn("lock"), goal, aim, predict };
    const framed = this.runtime.addressWith({ ...options, embed: String(this.place) });
    this.link.value = this.embed.checked ? framed : this.runtime.addressWith(options);
    this.bareFrame.value = frameCode(framed, document.title, this.height);
    this.frame.value = this.bareFrame.value + FOLLOW_HEIGHT;
    this.list.replaceChildren();
    this.conditions.forEach((text, i) => this.#addCondition(text, i));
  }

  /** @param {string} text @param {number} i */
  #addCondition(text, i) {
    const condition = parseCondition(text);
    const item = add(this.list, "li");
    // an address may ask for what is not there
    item.append(`${(condition && describeCondition(condition, this.spec)) || text} `);
    add(item, "button", { type: "button", textContent: "remove" }).addEventListener("click", () => {
      this.conditions.splice(i, 1);
      this.#write();
    });
  }
}

/** The controls drawn with a figure, by their names in the address. @param {HTMLElement} root */
function controlsOf(root) {
  return [...(root.closest(".fim-live")?.querySelectorAll(".ctl[class*='url-']") ?? [])].map((frame) => ({
    name: nameInAddress(frame.classList) ?? "",
    label: frame.querySelector("label, legend, button")?.textContent ?? "",
  }));
}

/**
 * Add an input with a label.
 * @template {"input" | "select" | "textarea"} Tag
 * @param {Element} parent
 * @param {string} text of the label
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 */
function addField(parent, text, tag, properties) {
  const field = add(parent, "div", { className: "fim-field" });
  const id = uniqueId();
  add(field, "label", { htmlFor: id, textContent: text });
  return add(field, tag, { id, ...properties });
}

/** @param {HTMLElement} input @param {boolean} hidden */
function hideField(input, hidden) {
  /** @type {HTMLElement} */ (input.parentElement).hidden = hidden;
}

/**
 * Add a choice of options, by their values.
 * @param {Element} parent
 * @param {string} text
 * @param {Record<string, string>} options
 * @param {string} [value]
 */
function addChoice(parent, text, options, value) {
  const select = addField(parent, text, "select", {});
  for (const [key, textContent] of Object.entries(options)) add(select, "option", { value: key, textContent });
  if (value) select.value = value;
  return select;
}

/**
 * Add a text to copy.
 * @param {Element} parent
 * @param {string} text
 */
function addOutput(parent, text) {
  const area = addField(parent, text, "textarea", { readOnly: true, rows: 2, className: "fim-class-text" });
  const button = add(parent, "button", { type: "button", textContent: `copy ${text}` });
  button.addEventListener("click", () => copy(area.value, button));
  return area;
}
