/**
 * A worksheet of a page, on paper: its question, axes on which students draw their prediction, sentences with gaps
 * where the run has a number, and the exercises. On a sheet of their own stand the answers: the run's curve on the same
 * axes, the sentences with their numbers, and the solutions. Both have the page's address, to type and to scan.
 */

import { add } from "../draw/dom.js";
import { drawCode } from "../draw/qr_code.js";
import { addSvg } from "../draw/svg.js";
import { readable } from "../run/format.js";
import { recordOf } from "../run/parameters.js";
import { quote } from "../view/captions.js";
import { isolate } from "./isolate.js";
import style from "./worksheet.css";

/** @import { Figure } from "../view/figure.js" */
/** @import { Prediction } from "../view/prediction.js" */

const GAP = "________";
const NUMBER = /\{[^}]*\}/g;
const [WIDTH, HEIGHT, MARGIN] = [160, 80, 12]; // of the axes, in millimetres; the left one has the labels
const ABOVE = 5; // of them, for the name of what is drawn: no curve crosses it

/** Lay out the worksheet of a figure's page, and print it. @param {HTMLElement} root */
export function printWorksheet(root) {
  const figure = root.live;
  if (!figure) return;
  document.querySelector(".fim-worksheet")?.remove();
  const sheet = add(document.body, "section", { className: "fim-worksheet" });
  add(sheet, "style", { textContent: style });
  addPage(sheet, figure, false);
  addPage(sheet, figure, true);
  isolate([sheet]);
  const end = () => {
    isolate([]);
    sheet.remove();
  };
  addEventListener("afterprint", end, { once: true });
  window.print();
}

/** @param {HTMLElement} sheet @param {Figure} figure @param {boolean} answers */
function addPage(sheet, figure, answers) {
  const page = add(sheet, "article", { className: answers ? "answers" : "" });
  const heading = document.querySelector("h1")?.textContent?.replace(/#$/, "").trim() ?? "";
  add(page, "h2", { textContent: answers ? `${heading} The answers` : heading });
  const { prediction } = figure.scene;
  const introduction = document.querySelector("h1 + p");
  if (introduction && !answers) page.append(introduction.cloneNode(true));
  if (prediction) addAxes(page, prediction, answers);
  const sentences = sentencesOf(figure);
  const list = add(page, "ol");
  for (const { text, filled } of sentences) add(list, "li", { textContent: answers ? filled : text });
  const wanted = answers ? ".solution" : ".exercise";
  for (const part of document.querySelectorAll(wanted)) page.append(copyOf(part));
  const foot = add(page, "footer");
  const address = window.factsRuntime?.addressWith({}) ?? window.location.href;
  add(foot, "p", { textContent: address });
  drawCode(add(foot, "div"), address);
}

/**
 * What the run is said to be at each stop and at its end, with gaps for its numbers, and with the numbers.
 * @param {Figure} figure
 */
function sentencesOf({ scene, spec, run, readout }) {
  const report = recordOf(spec.report, run?.report ?? []);
  const stops = spec.scene.stops.flatMap(({ name, says }) => {
    const stop = scene.stops.find((reached) => reached.name === name);
    return stop && says ? [{ text: says, filled: stop.says }] : [];
  });
  const ended = readout.caption.lastChild?.textContent ?? "";
  const cases = spec.caption.map((text) => ({ text, filled: quote(text, report).text }));
  const end = cases.filter(({ filled }) => filled === ended).slice(0, 1);
  return [...stops, ...end].map(({ text, filled }) => ({ text: text.replace(NUMBER, GAP), filled }));
}

/** A part of the page without its buttons, unfolded. @param {Element} part */
function copyOf(part) {
  const copy = /** @type {Element} */ (part.cloneNode(true));
  copy.classList.remove("toggle-hidden", "dropdown");
  for (const button of copy.querySelectorAll("button, .headerlink")) button.remove();
  return copy;
}

/**
 * Axes to draw on; with the answers, the run's curve.
 * @param {HTMLElement} page
 * @param {Prediction} prediction
 * @param {boolean} answers
 */
function addAxes(page, { question, domain, runHeights }, answers) {
  const [low, high] = domain;
  add(page, "p", { textContent: `Predict: ${question.question}` }).className = "question";
  const svg = addSvg(page, "svg", { viewBox: `0 ${-ABOVE} ${WIDTH} ${HEIGHT + MARGIN + ABOVE}`, role: "img" });
  svg.setAttribute("aria-label", `${question.label}, over the run`);
  addSvg(svg, "path", { d: `M${MARGIN},2V${HEIGHT}H${WIDTH - 2}`, class: "axes" });
  const x = (/** @type {number} */ share) => MARGIN + share * (WIDTH - MARGIN - 2);
  const y = (/** @type {number} */ height) => HEIGHT - ((height - low) / (high - low)) * (HEIGHT - 4);
  const write = (/** @type {string} */ textContent, /** @type {number} */ left, /** @type {number} */ top, anchor = "end") =>
    Object.assign(addSvg(svg, "text", { x: left, y: top, "text-anchor": anchor }), { textContent });
  for (const end of [low, high]) write(readable(end), MARGIN - 2, y(end) + 1.5);
  write(question.label, MARGIN, -1, "start");
  write("the run, from its start to its end", WIDTH - 2, HEIGHT + 6);
  if (!answers || !runHeights) return;
  const all = runHeights.map((height, i) => [x(i / (runHeights.length - 1)), y(height)]);
  const points = all.filter(([, at]) => Number.isFinite(at));
  addSvg(svg, "path", { d: `M${points.map((point) => point.map((at) => at.toFixed(2)).join(",")).join("L")}`, class: "run" });
}
