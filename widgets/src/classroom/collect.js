/**
 * Answers of a class without a server: a student copies an address, the lecturer's page collects them.
 *
 * `predict=1` in an address asks for a prediction, and then gives the student an address with `sketch=…`, the curve.
 * The lecturer pastes addresses, or opens a file of them, one a line and after a name if there is one: sketches are
 * drawn over each other, and challenges are graded by the code that grades them in a student's page.
 */

import { copy } from "../draw/clipboard.js";
import { add } from "../draw/dom.js";
import { drawCode } from "../draw/qr_code.js";
import { isNear } from "../run/nearness.js";
import { decode, drawnAnswers, encode } from "./drawn_answers.js";

/** @import { Figure } from "../view/figure.js" */

const LINE = /^(?<name>.*?)[\s,;]*(?<address>\S+#~\S+)$/;
const PATIENCE = 10_000; // milliseconds that one run may take

/** The page's first figure that asks for a prediction. @returns {Figure | undefined} */
export function askingFigure() {
  const roots = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".fim")]);
  return roots.map(({ live }) => live).find((live) => live?.scene.prediction);
}

/**
 * The page's question with three drawn answers, for a guide on paper.
 * @param {number} seed which of the three places the run has
 */
export async function drawnQuestion(seed) {
  const figure = askingFigure();
  const prediction = figure?.scene.prediction;
  if (!figure || !prediction?.runHeights) return null;
  const { domain, question } = prediction;
  return { asks: question.question, domain, ...(await drawnAnswers(figure, prediction, seed)) };
}

/** Ask the reader for a prediction, and give them its address. */
export async function askForPrediction() {
  await window.factsRuntime?.ready;
  const prediction = askingFigure()?.scene.prediction;
  if (!prediction) return;
  prediction.details.open = true;
  prediction.details.addEventListener("fim:predicted", () => {
    for (const last of prediction.details.querySelectorAll(".fim-hand-in, .fim-hand-in-code")) last.remove();
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "fim-hand-in", textContent: "copy your answer" });
    const sketch = encode(prediction.heights, prediction.domain);
    const options = { ...window.factsRuntime?.currentOptions(), predict: "", sketch };
    const address = window.factsRuntime?.addressWith(options) ?? "";
    button.addEventListener("click", () => copy(address, button));
    prediction.commit.after(button);
    const code = add(prediction.details, "div", { className: "fim-hand-in-code" });
    code.setAttribute("aria-label", "your answer’s address, to scan");
    code.role = "img";
    drawCode(code, address, 2);
  });
}

/**
 * An address of a list, with the name before it.
 * @typedef {{ name: string, url: URL, options: URLSearchParams }} HandedIn
 */

/** The addresses in a text, and the lines that hold none. @param {string} text */
export function handedIn(text) {
  /** @type {HandedIn[]} */
  const answers = [];
  /** @type {string[]} */
  const others = [];
  for (const line of text.split("\n").map((each) => each.trim()).filter(Boolean)) {
    const { name = "", address = "" } = line.match(LINE)?.groups ?? {};
    const url = address && URL.canParse(address, location.href) ? new URL(address, location.href) : null;
    if (!url) others.push(line);
    else answers.push({ name: name || `${answers.length + 1}`, url, options: new URLSearchParams(url.hash.slice(2)) });
  }
  return { answers, others };
}

/** Open the place where answers are collected. @param {HTMLElement} parent */
export function addCollector(parent) {
  add(parent, "h3", { textContent: "Collect answers" });
  add(parent, "p", { textContent: "Paste the addresses that students have copied, one a line, or open a file of them." });
  const area = add(parent, "textarea", { rows: 4, className: "fim-class-text" });
  area.setAttribute("aria-label", "addresses of answers");
  const file = add(parent, "input", { type: "file", accept: ".txt,.csv,text/plain" });
  file.setAttribute("aria-label", "a file of addresses");
  const button = add(parent, "button", { type: "button", textContent: "collect" });
  const result = add(parent, "ul");
  result.setAttribute("role", "status");
  file.addEventListener("change", async () => (area.value = (await file.files?.[0]?.text()) ?? ""));
  button.addEventListener("click", async () => {
    button.disabled = true;
    const lines = await collect(area.value);
    result.replaceChildren();
    for (const textContent of lines) add(result, "li", { textContent });
    button.disabled = false;
  });
}

/** Draw the sketches and grade the challenges in a text; returns what to say of each. @param {string} text */
export async function collect(text) {
  const { answers, others } = handedIn(text);
  const here = location.pathname.split("/").slice(-2).join("/");
  const ofThisPage = answers.filter(({ url }) => url.pathname.endsWith(here));
  const lines = others.map((line) => `“${line}” has no address of an answer.`);
  for (const { name, url } of answers.filter((answer) => !ofThisPage.includes(answer)))
    lines.push(`${name}: the answer is to another page, ${url.pathname.split("/").pop()}.`);
  lines.push(...drawSketches(ofThisPage.filter(({ options }) => options.has("sketch"))));
  const graded = ofThisPage.filter(({ options }) => options.has("goal") && !options.has("sketch"));
  if (!graded.length) return lines;
  const before = location.hash;
  /** @type {string[]} */
  const grades = [];
  for (const { name, options } of graded) grades.push(`${name}: ${await grade(options)}`);
  location.hash = before;
  const met = grades.filter((line) => line.endsWith("met")).length;
  return [...lines, `${met} of ${graded.length} have met their challenge.`, ...grades];
}

/** @param {HandedIn[]} answers @returns {string[]} */
function drawSketches(answers) {
  const prediction = askingFigure()?.scene.prediction;
  if (!answers.length || !prediction) return [];
  const { domain } = prediction;
  /** @param {URLSearchParams} options */
  const curveIn = (options) => decode(options.get("sketch") ?? "", domain);
  const read = answers.map(({ name, options }) => ({ name, sketch: curveIn(options) }));
  const sketches = read.map(({ sketch }) => sketch).filter((sketch) => sketch !== null);
  const unread = read.filter(({ sketch }) => !sketch).map(({ name }) => `${name}: the curve cannot be read.`);
  prediction.details.open = true;
  prediction.setOthers(sketches);
  const run = prediction.runHeights;
  const right = run ? sketches.filter((sketch) => isNear(sketch, run, domain)).length : 0;
  const drawn = sketches.length === 1 ? "1 curve is drawn" : `${sketches.length} curves are drawn`;
  return [`${drawn}; ${right} of them right, within a tenth of the chart’s height of the run.`, ...unread];
}

/**
 * Whether the run at these settings meets its challenge, in a word or with what is missing.
 * @param {URLSearchParams} settings
 */
async function grade(settings) {
  const done = new Promise((resolve) => addEventListener("fim:done", resolve, { once: true }));
  location.hash = `#~${settings}`;
  const came = await Promise.race([done, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  await new Promise((resolve) => setTimeout(resolve));
  const box = document.querySelector(".fim-goal");
  if (!came || !(box instanceof HTMLElement) || !("met" in box.dataset)) return "its settings cannot be run";
  if (box.dataset.met === "1") return "met";
  const missing = [...box.querySelectorAll("[data-met='0']")].map(({ textContent }) => textContent);
  return `not met: ${missing.join("; ")}`;
}
