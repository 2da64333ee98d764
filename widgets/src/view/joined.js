/**
 * What a page says, joined to what its figure shows. Who points at a symbol of a formula, or taps it, reads what it is
 * and at what it stands, and its control lights up; who points at a control sees its symbol in the statements. An
 * emphasized word lights up where the drawing has it.
 */

import { add } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { BOUNDLESS, count, readable } from "../run/format.js";
import { sets } from "../run/parameters.js";

/** @import { Figure } from "./figure.js" */
/** @import { Parameter } from "../types.js" */

const IN_LABEL = /(?<=[\s(|])(\p{L}\p{No}?)(?=[)|√]|\s=|$)/gu; // T of "temperature T", K of "phrases per fact (K)"
const GLYPH = /^mjx-c([\dA-F]+)$/;
const WITH_INDEX = "mjx-msub, mjx-msubsup";
const EDGE = 16; // pixels that stay free beside a tip
const BELOW = 4; // from a symbol to it
const LIT = "fim-joined";

/** @param {Figure} figure */
export function join(figure) {
  const { root, spec } = figure;
  const article = root.closest("article");
  if (!article) return;
  const controls = Array.from(root.closest(".fim-live")?.querySelectorAll("[class*='url-']") ?? []);
  const joined = spec.parameters.flatMap((parameter, i) => {
    const symbol = parameter.boolean ? "" : symbolIn(parameter.label ?? "");
    return symbol ? [{ symbol, parameter, i, control: controls.find((one) => sets(one, parameter.name)) }] : [];
  });
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

  /** Say below a symbol what it is. @param {Element} glyph @param {Parameter} parameter @param {number} value */
  const tell = (glyph, { label, integer }, value) => {
    const number = value >= BOUNDLESS ? "∞" : integer ? count(value) : readable(value, 3);
    tip.textContent = `${label}: ${number} in the run above`;
    tip.hidden = false;
    const { left, bottom } = glyph.getBoundingClientRect();
    tip.style.left = `${clamp(left, 0, window.innerWidth - tip.offsetWidth - EDGE)}px`;
    tip.style.top = `${bottom + BELOW}px`;
  };

  /** @param {Event} event */
  const point = ({ target }) => {
    if (!(target instanceof Element)) return;
    tip.hidden = true;
    const [glyph, word] = [target.closest("mjx-mi"), target.closest("em")];
    const written = glyph && symbolAt(glyph);
    const named = glyph && joined.find(({ symbol }) => symbol === written);
    const moved = joined.find(({ control }) => control?.contains(target));
    const drawn = word ? drawnAs(figure, word.textContent) : [];
    if (named) {
      light(named.control ? [glyph, named.control] : [glyph]);
      tell(glyph, named.parameter, figure.values()[named.i]);
    } else if (moved) {
      const glyphs = Array.from(article.querySelectorAll(".proof mjx-mi"));
      light(glyphs.filter((one) => symbolAt(one) === moved.symbol));
    } else light(word && drawn.length ? [word, ...drawn] : []);
  };
  for (const kind of ["pointerover", "click", "focusin"]) article.addEventListener(kind, point);
  window.addEventListener("scroll", () => (tip.hidden = true), { passive: true });
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
  const index = parent.matches(WITH_INDEX) && !before && parent.querySelector(":scope > mjx-script > :last-child");
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
