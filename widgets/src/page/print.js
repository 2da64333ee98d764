/** What paper needs in the place of sliders: the settings in words, and the address of this state, to type and to scan. */

import { renderSVG } from "uqr";

import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";

/** Write it below each figure when the page goes to print; paper is light. */
export function preparePrint() {
  const page = document.documentElement;
  let theme;
  addEventListener("beforeprint", () => {
    theme = page.dataset.theme;
    if (theme) page.dataset.theme = "light";
    for (const root of document.querySelectorAll(".fim")) if (root.live) write(root);
  });
  addEventListener("afterprint", () => {
    if (theme) page.dataset.theme = theme;
    for (const sheet of document.querySelectorAll(".fim-sheet")) sheet.remove();
  });
}

function write(root) {
  root.querySelector(".fim-sheet")?.remove();
  const { spec } = root.live;
  const sheet = add(root, "div", { className: "fim-sheet" });
  const values = root.live.values();
  const settings = spec.parameters.map(({ label, fixed }, i) => !fixed && `${label} ${readable(Number(values[i]))}`).filter(Boolean);
  add(sheet, "p", { textContent: `At these settings: ${settings.join(", ")}.` });
  const { href } = window.location;
  const code = add(sheet, "div", { className: "fim-code" });
  code.innerHTML = renderSVG(href, { border: 0 }); // an address holds no markup: the code is squares
  add(sheet, "p", { className: "fim-address", textContent: href });
}
