/**
 * What a page does when it is printed, loaded once its figures are there: in the place of sliders it writes the
 * settings in words, and the address of this state, to type and to scan; it takes the light theme, and a run that waits
 * for a reader is drawn to its end.
 */

import { add } from "../draw/dom.js";
import { drawCode } from "../draw/qr_code.js";
import { readable } from "../run/format.js";

/** @import { Parameter } from "../types.js" */
/** @import { Figure } from "../view/figure.js" */

const CLOSED_NUMBERS = ":is(details.fim-check, .proof > details):not([open])";

/** @type {string | undefined} */
let theme;
/** @type {HTMLDetailsElement[]} that paper could not open */
let opened = [];
/** @type {Figure[]} */
let waiting = [];

addEventListener("beforeprint", () => {
  const page = document.documentElement;
  theme = page.dataset.theme;
  if (theme) page.dataset.theme = "light";
  waiting = [...figureRoots()].flatMap(({ live }) => (live?.scene.waiting ? [live] : []));
  for (const { scene } of waiting) scene.goTo(1);
  for (const { live } of figureRoots()) live?.scene.arrive();
  for (const root of figureRoots()) {
    if (!root.live) continue;
    root.live.steps.drawAll();
    addSettings(root, root.live);
  }
  opened = [...document.querySelectorAll(CLOSED_NUMBERS)].filter((fold) => fold instanceof HTMLDetailsElement);
  for (const fold of opened) fold.open = true;
});
addEventListener("afterprint", () => {
  if (theme) document.documentElement.dataset.theme = theme;
  for (const sheet of document.querySelectorAll(".fim-sheet")) sheet.remove();
  for (const fold of opened) fold.open = false;
  for (const { scene } of waiting) scene.wait();
});

/** @returns {NodeListOf<HTMLElement>} */
const figureRoots = () => document.querySelectorAll(".fim");

/**
 * What a setting stands at, as its control shows it.
 * @param {Parameter} parameter
 * @param {number} value
 */
function inWords({ name, boolean, choices }, value) {
  if (boolean) return value ? "yes" : "no";
  const select = choices && document.querySelector(`.ctl.url-${CSS.escape(name)} select`);
  return (select instanceof HTMLSelectElement && select.selectedOptions[0]?.text) || readable(value);
}

/** @param {HTMLElement} root @param {Figure} figure */
function addSettings(root, figure) {
  root.querySelector(".fim-sheet")?.remove();
  const sheet = add(root, "div", { className: "fim-sheet" });
  const values = figure.values();
  const settings = figure.spec.parameters
    .map((parameter, i) => !parameter.fixed && `${parameter.label}: ${inWords(parameter, Number(values[i]))}`)
    .filter(Boolean);
  add(sheet, "p", { textContent: `At these settings: ${settings.join("; ")}.` });
  const { href } = window.location;
  const code = add(sheet, "div", { className: "fim-code" });
  drawCode(code, href);
  add(sheet, "p", { className: "fim-address", textContent: href });
}
