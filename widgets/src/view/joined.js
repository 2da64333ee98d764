/**
 * What a page says, joined to what its figure shows. Who points at a symbol of a formula, or taps it, reads what it is
 * and at what it stands, and its control lights up; who points at a control sees its symbol in the statements. An
 * emphasized word lights up where the drawing has it.
 */

import { add } from "../draw/dom.js";
import { BOUNDLESS, count, readable } from "../run/format.js";

/** @import { Figure } from "./figure.js" */
/** @import { Parameter } from "../types.js" */

const IN_LABEL = /(?<=[\s(|])(\p{L}\p{No}?)(?=[)|√]|\s=|$)/gu; // T of "temperature T", K of "phrases per fact (K)"
const GLYPH = /^mjx-c([\dA-F]+)$/;
const BELOW = "mjx-msub, mjx-msubsup";
const LIT = "fim-joined";

/** @param {Figure} figure */
export function join(figure) {
  const article = figure.root.closest("article");
  /** @type {Map<string, Parameter>} */
  const parameters = new Map(figure.spec.parameters.flatMap((parameter) => {
    const symbol = symbolIn(parameter.label ?? "");
    return symbol && !parameter.boolean ? [[symbol, parameter]] : [];
  }));
  if (!article) return;
  const tip = add(article, "p", { className: "fim-tip", hidden: true });
  tip.setAttribute("role", "tooltip");
  /** @type {Element[]} */
  let lit = [];
  /** @param {Element[]} elements */
  const light = (elements) => {
    for (const element of lit) element.classList.remove(LIT);
    for (const element of elements) element.classList.add(LIT);
    lit = elements;
  };
  const dim = () => {
    light([]);
    tip.hidden = true;
  };

  /** @param {Event} event */
  const point = ({ target }) => {
    if (!(target instanceof Element)) return;
    const [glyph, word] = [target.closest("mjx-mi"), target.closest("em")];
    const parameter = glyph && parameters.get(symbolAt(glyph));
    if (!parameter) {
      if (lit.length) dim();
      const drawn = word ? drawnAs(figure, word.textContent) : [];
      if (word && drawn.length) light([word, ...drawn]);
      return;
    }
    const control = controlOf(figure, parameter);
    light(control ? [glyph, control] : [glyph]);
    const value = figure.values()[figure.spec.parameters.indexOf(parameter)];
    const number = value >= BOUNDLESS ? "∞" : parameter.integer ? count(value) : readable(value, 3);
    tip.textContent = `${parameter.label}: ${number} in the run above`;
    tip.hidden = false;
    const { left, bottom } = glyph.getBoundingClientRect();
    tip.style.left = `${Math.max(0, Math.min(left, window.innerWidth - tip.offsetWidth - 16))}px`;
    tip.style.top = `${bottom + 4}px`;
  };
  for (const kind of ["pointerover", "click"]) article.addEventListener(kind, point);
  window.addEventListener("scroll", () => (tip.hidden = true), { passive: true });

  for (const [symbol, parameter] of parameters) {
    const control = controlOf(figure, parameter);
    const shine = () => {
      const glyphs = Array.from(article.querySelectorAll(".proof mjx-mi"));
      light(glyphs.filter((glyph) => symbolAt(glyph) === symbol));
    };
    for (const kind of ["pointerenter", "focusin"]) control?.addEventListener(kind, shine);
    for (const kind of ["pointerleave", "focusout"]) control?.addEventListener(kind, dim);
  }
}

/** The symbol that a label ends with, if any. @param {string} label */
function symbolIn(label) {
  return Array.from(label.matchAll(IN_LABEL), ([symbol]) => symbol.normalize("NFKC")).at(-1);
}

/**
 * The symbol that a glyph of a formula stands for, with its index; empty where it is an index or an argument itself, or
 * has a star: the r of Σ_r, p(r) and r* is a relation, and not the size of a push.
 * @param {Element} glyph
 */
function symbolAt(glyph) {
  const { parentElement: parent, previousElementSibling: before, nextElementSibling: after } = glyph;
  if (!parent || parent.matches("mjx-script")) return "";
  const isArgument = before?.matches("mjx-mo") && textOf(before) === "(" && after && textOf(after) === ")";
  const isRaised = parent.matches("mjx-msup") && !before;
  if (isArgument || (isRaised && !/^[\d−/]+$/.test(textOf(parent).slice(1)))) return "";
  const index = parent.matches(BELOW) && !before && parent.querySelector(":scope > mjx-script > :last-child");
  return textOf(glyph) + (index ? textOf(index) : "");
}

/** What is written in part of a formula. @param {Element} part */
function textOf(part) {
  const characters = Array.from(part.querySelectorAll("mjx-c"), ({ classList }) => {
    const code = Array.from(classList, (name) => GLYPH.exec(name)?.[1]).find(Boolean);
    return code ? String.fromCodePoint(parseInt(code, 16)) : "";
  });
  return characters.join("").normalize("NFKC");
}

/** Where the drawing has a word, or a title. @param {Figure} figure @param {string} word */
function drawnAs({ readout }, word) {
  const texts = readout.stage.querySelectorAll("text, .fim-title, .fim-legend li, .fim-stop");
  return Array.from(texts).filter(({ textContent }) => textContent.trim() === word);
}

/** @param {Figure} figure @param {Parameter} parameter */
function controlOf({ root }, { name }) {
  const controls = root.closest(".fim-live")?.querySelectorAll("[class*='url-']") ?? [];
  return Array.from(controls).find(({ classList }) => Array.from(classList).some((one) => one.startsWith("url-") && one.endsWith(name)));
}
