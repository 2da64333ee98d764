/**
 * Challenges: conditions on a figure's parameters and on what its run reports, as the address has them.
 *
 * `goal=verdict=outside,temperature<=0.05` is met when the first statement's verdict is that, at such a temperature;
 * `python -m book check ADDRESS` regrades the address at which it is met.
 */

import { copy } from "../draw/clipboard.js";
import { add } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { outcome, verdictOf } from "../run/verdict.js";
import { arrange } from "../run/parameters.js";
import verdicts from "../run/verdicts.json";

const CONDITION = /^(\w+)(<=|>=|=)(\S+)$/;
const HOLDS = { "<=": (a, b) => a <= b, ">=": (a, b) => a >= b };
const ROUNDING = 1e-9; // of a slider's position, which need not be the number it shows
export const COMPARED = { "<=": "at most", ">=": "at least" };

let set; // the challenge now: its text, its figure and the element that says it
addEventListener("fim:done", ({ target }) => target === set?.root && set.judge());

/**
 * Set a challenge to the page's first figure that knows what it speaks of; an empty one takes it away.
 * @param {string} text
 * @param {Promise<void>} ready settled when all figures are there
 */
export async function challenge(text, ready) {
  if (text === (set?.text ?? "")) return;
  set?.box.remove();
  set = text ? { text, box: document.createElement("div") } : null;
  if (!set) return;
  const mine = set;
  await ready;
  if (set !== mine) return;
  const conditions = text.split(",").map(parse);
  const figures = [...document.querySelectorAll(".fim")].filter(({ live }) => live);
  mine.root = figures.find(({ live: { spec } }) => conditions.every((one) => one && wordsOf(one, spec)));
  mine.box.className = "fim-goal";
  mine.box.setAttribute("role", "status");
  (mine.root ?? figures[0])?.prepend(mine.box);
  if (mine.root) {
    mine.judge = judging(mine, conditions);
    if (mine.root.live.run?.report) mine.judge();
  } else mine.box.textContent = `goal = ${text}: no figure of this page knows all that it names`;
}

/** A condition's name, sign and what is wanted; null for what is none. */
export function parse(text) {
  const [, name, sign, wanted] = text.match(CONDITION) ?? [];
  return name && (name === "verdict" ? sign === "=" && wanted in verdicts : sign in HOLDS && wanted !== "" && Number.isFinite(Number(wanted)))
    ? { name, sign, wanted }
    : null;
}

/** What a condition asks for, in words; nothing if the figure does not know what it speaks of. */
export function wordsOf({ name, sign, wanted }, spec) {
  if (name === "verdict") return spec.statements.length && `${spec.statements[0].name}: ${verdicts[wanted]}`;
  const named = spec.goals[name];
  return named && `${named}: ${COMPARED[sign]} ${readable(Number(wanted))}`;
}

/** Says which conditions the figure's run meets. */
function judging({ box, root }, conditions) {
  const { live } = root;
  const { spec } = live;
  add(box, "strong", { textContent: "Challenge" });
  const list = add(box, "ul");
  const items = conditions.map((one) => add(list, "li", { textContent: wordsOf(one, spec) }));
  const answer = add(box, "p", { textContent: "Met: this page’s address is your answer. " });
  const button = add(answer, "button", { type: "button", textContent: "copy it" });
  button.addEventListener("click", () => copy(window.location.href, button));
  return () => {
    const report = arrange(spec.report, live.run.report);
    const values = Object.fromEntries(spec.parameters.map(({ name }, i) => [name, Number(live.values()[i])]));
    const met = conditions.map((one) => isMet(one, values, report, spec));
    items.forEach((item, i) => (item.dataset.met = Number(met[i])));
    box.dataset.met = Number(met.every(Boolean));
    answer.hidden = !met.every(Boolean);
  };
}

function isMet({ name, sign, wanted }, values, report, { verdicts: [fields] }) {
  if (name === "verdict") return wanted === outcome(verdictOf(report, fields));
  const number = values[name] ?? report[name][0];
  const slack = name in values ? ROUNDING * Math.abs(number) : 0;
  return HOLDS[sign](number, Number(wanted) + (sign === "<=" ? slack : -slack));
}
