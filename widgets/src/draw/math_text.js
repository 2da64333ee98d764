/** Descriptions and other words from the notebook, with the formulas that the page was built with. */

const MATH = /\$([^$]+)\$|\\\((.+?)\\\)/g;
let formulas; // HTML by TeX as it is escaped in HTML

/** Words for a label that cannot hold LaTeX: "temperature $\beta$" becomes "temperature beta". */
export function plain(text) {
  return text.replace(MATH, (_, dollars, brackets) => (dollars ?? brackets).replace(/[\\{}]/g, "")).trim();
}

export const hasMath = (text) => text.search(MATH) >= 0;

/** Take these formulas, where no page was built with any. */
export function know(html) {
  formulas = { ...formulas, ...html };
}

/** The HTML of a formula, or words for it where the page has none. */
function typeset(found, dollars, brackets) {
  formulas ??= JSON.parse(document.getElementById("facts-formulas")?.textContent ?? "{}");
  return formulas[(dollars ?? brackets).trim()] ?? plain(found);
}

/**
 * Show text in an element, unless it is there already.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {{html?: boolean, math?: boolean}} reading what the text may hold besides words
 */
export function write(element, text, { html = false, math = true } = {}) {
  if (element.written === text) return;
  element.written = text;
  element[html ? "innerHTML" : "textContent"] = text;
  if (math && hasMath(text)) element.innerHTML = element.innerHTML.replace(MATH, typeset);
}
