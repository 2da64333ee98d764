/** Descriptions and other texts from the notebook, with the formulas that the page was built with. */

const MATH = /\$([^$]+)\$|\\\((.+?)\\\)/g;

/** @type {Record<string, string> | undefined} HTML by TeX, which is escaped as in HTML */
let formulas;

/** @type {WeakMap<Element, string>} the text that each element was last given */
const shownTexts = new WeakMap();

/**
 * Words for a label that cannot hold LaTeX: "temperature $\beta$" becomes "temperature beta".
 * @param {string} text
 */
export function withoutMath(text) {
  return text.replace(MATH, (_, dollars, brackets) => (dollars ?? brackets).replace(/[\\{}]/g, "")).trim();
}

/** @param {string} text */
export const hasMath = (text) => text.search(MATH) >= 0;

/** Use these formulas where the page was built without any. @param {Record<string, string>} html by TeX */
export function addFormulas(html) {
  formulas = { ...formulas, ...html };
}

/**
 * The HTML of a formula, or words for it where the page has none.
 * @param {string} match
 * @param {string | undefined} dollars
 * @param {string} brackets
 */
function typeset(match, dollars, brackets) {
  formulas ??= JSON.parse(document.getElementById("facts-formulas")?.textContent ?? "{}");
  return /** @type {Record<string, string>} */ (formulas)[(dollars ?? brackets).trim()] ?? withoutMath(match);
}

/**
 * Show a text in an element, unless it is there already.
 * @param {Element} element
 * @param {string} text
 * @param {{html?: boolean, math?: boolean}} [reading] what the text may hold besides words
 */
export function writeText(element, text, { html = false, math = true } = {}) {
  if (shownTexts.get(element) === text) return;
  shownTexts.set(element, text);
  element[html ? "innerHTML" : "textContent"] = text;
  if (math && hasMath(text)) element.innerHTML = element.innerHTML.replace(MATH, typeset);
}
