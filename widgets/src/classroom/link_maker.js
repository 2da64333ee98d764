/** Makes links for a class: which controls are free, locked or hidden, in a frame or not, and with which challenge. */

import { addressWith, optionsNow } from "../page/address.js";
import { figureRoots, FRAME } from "./link_options.js";
import { copy } from "../draw/clipboard.js";
import { add, unique } from "../draw/dom.js";
import { COMPARED, parse, wordsOf } from "./challenge.js";
import verdicts from "../run/verdicts.json";

const STATES = { free: "free", lock: "locked", hide: "hidden" };
const framed = (href, title) => `<iframe src="${escaped(href)}" title="${escaped(title)}" style="width: 100%; height: 640px; border: 0" allow="clipboard-write"></iframe>
<script>addEventListener("message", ({ data, source }) => {
  const frame = [...document.querySelectorAll("iframe")].find((one) => one.contentWindow === source);
  if (frame && data?.from === "${FRAME}") frame.style.height = data.height + "px";
});</script>`;

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/** Open the maker of links for a figure. */
export function forClass(root) {
  const { spec } = root.live;
  const dialog = add(document.body, "dialog", { className: "fim-class" });
  dialog.setAttribute("aria-label", "A link for a class");
  dialog.addEventListener("close", () => dialog.remove());
  add(dialog, "h2", { textContent: "A link for a class" });
  add(dialog, "p", { textContent: "It opens this page at the settings you stand at." });

  const now = optionsNow();
  const within = (list, name) => (now[list] ?? "").split(",").includes(name);
  const controls = add(dialog, "div", { className: "fim-class-controls" });
  const states = controlsOf(root).map(({ name, label }) => {
    const at = Object.keys(STATES).find((state) => within(state, name)) ?? "free";
    return { name, select: choice(controls, label, STATES, at) };
  });
  const embed = labelled(dialog, "only the figure, for a frame in another page", { type: "checkbox", checked: Boolean(now.embed) });

  const conditions = (now.goal ?? "").split(",").filter(Boolean);
  add(dialog, "h3", { textContent: "A challenge" });
  const list = add(dialog, "ul");
  const form = add(dialog, "form", { className: "fim-class-goal" });
  const what = choice(form, "what", { ...(spec.statements.length ? { verdict: spec.statements[0].name } : {}), ...spec.goals });
  const sign = choice(form, "how", COMPARED);
  const number = labelled(form, "number", { type: "number", step: "any", value: 0 });
  const verdict = choice(form, "verdict", verdicts);
  add(form, "button", { type: "submit", textContent: "add" });
  const asked = () => {
    const judged = what.value === "verdict";
    for (const [node, shown] of [[sign, !judged], [number, !judged], [verdict, judged]]) node.parentNode.hidden = !shown;
  };
  what.addEventListener("change", asked);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    conditions.push(what.value === "verdict" ? `verdict=${verdict.value}` : `${what.value}${sign.value}${Number(number.value)}`);
    write();
  });

  const link = output(dialog, "link");
  const frame = output(dialog, "code of a frame");
  add(add(dialog, "form", { method: "dialog" }), "button", { textContent: "close" });
  const write = () => {
    const those = (state) => states.filter(({ select }) => select.value === state).map(({ name }) => name).join(",");
    const place = 1 + figureRoots().findIndex((one) => one.contains(root));
    const options = { hide: those("hide"), lock: those("lock"), goal: conditions.join(",") };
    link.value = addressWith({ ...options, embed: embed.checked ? place : "" });
    frame.value = framed(addressWith({ ...options, embed: place }), document.title);
    list.replaceChildren(...conditions.map((text, at) => {
      const condition = parse(text);
      const item = document.createElement("li");
      item.append(`${(condition && wordsOf(condition, spec)) || text} `); // an address may ask for what is not there
      add(item, "button", { type: "button", textContent: "remove" }).addEventListener("click", () => {
        conditions.splice(at, 1);
        write();
      });
      return item;
    }));
  };
  dialog.addEventListener("change", write);
  asked();
  write();
  dialog.showModal();
}

/** The controls drawn with a figure, by their names in the address. */
const controlsOf = (root) => [...root.closest(".fim-live").querySelectorAll(".ctl[class*='url-']")].map((frame) => ({
  name: [...frame.classList].find((one) => one.startsWith("url-")).slice("url-".length),
  label: frame.querySelector("label, legend, button")?.textContent ?? "",
}));

function labelled(parent, text, properties, tag = "input") {
  const field = add(parent, "div", { className: "fim-field" });
  const id = unique();
  add(field, "label", { htmlFor: id, textContent: text });
  return add(field, tag, { id, ...properties });
}

function choice(parent, text, options, value) {
  const select = labelled(parent, text, {}, "select");
  for (const [key, textContent] of Object.entries(options)) add(select, "option", { value: key, textContent });
  if (value) select.value = value;
  return select;
}

/** A text to copy. */
function output(parent, text) {
  const area = labelled(parent, text, { readOnly: true, rows: 2, className: "fim-class-text" }, "textarea");
  const button = add(parent, "button", { type: "button", textContent: `copy ${text}` });
  button.addEventListener("click", () => copy(area.value, button));
  return area;
}
