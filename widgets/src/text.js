/** Descriptions and other words from the notebook, with LaTeX typeset by the page's MathJax where there is one. */

const MATH = /\$([^$]+)\$|\\\((.+?)\\\)/g;

/** Words for a label that cannot hold LaTeX: "temperature $\beta$" becomes "temperature beta". */
export function plain(text) {
  return text.replace(MATH, (_, dollars, brackets) => (dollars ?? brackets).replace(/[\\{}]/g, "")).trim();
}

export const hasMath = (text) => text.search(MATH) >= 0;

/**
 * Show text in an element, unless it is there already.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {{html?: boolean, math?: boolean}} reading what the text may hold besides words
 */
export function write(element, text, { html = false, math = true } = {}) {
  if (element.written === text) return;
  element.written = text;
  const typeset = math && hasMath(text);
  if (typeset) text = window.MathJax ? text.replace(MATH, (_, dollars, brackets) => `\\(${dollars ?? brackets}\\)`) : plain(text);
  if (html) element.innerHTML = text;
  else element.textContent = text;
  if (typeset && window.MathJax) typesetLater(element);
}

/** MathJax leaves the page alone but for elements of this class; before its own start it finds them itself. */
function typesetLater(element) {
  element.classList.add("mathjax_process");
  const { startup } = window.MathJax;
  startup?.promise?.then(() => {
    window.MathJax.typesetClear([element]);
    return window.MathJax.typesetPromise([element]);
  });
}
