/**
 * Challenges: conditions on a figure's parameters and on what its run reports, as the address has them.
 *
 * `goal=verdict=outside,temperature<=0.05` is met when the first statement's verdict is that, at such a temperature;
 * `python -m book check ADDRESS` regrades the address at which it is met. `aim=…` says in the challenge's title what
 * the reader is to find. A condition that is not met says what the run has instead.
 */

import { copy } from "../draw/clipboard.js";
import { add, write } from "../draw/dom.js";
import { readable } from "../run/format.js";
import { recordOf } from "../run/parameters.js";
import { OUTCOME_WORDS, outcome, verdictOf } from "../run/verdict.js";

/** @import { Figure } from "../view/figure.js" */
/** @import { Leaves, Outcome, Spec } from "../types.js" */

/** @typedef {"<=" | ">="} Comparison */
/**
 * A verdict that is wanted, or a number and on which side of a limit it must lie.
 * @typedef {{ name: string, sign: "=" | Comparison, wanted: string }} Condition
 */

const CONDITION = /^(\w+)(<=|>=|=)(\S+)$/;
const ROUNDING = 1e-9; // of a slider's position, which need not be the number it shows
/** @type {Record<Comparison, string>} */
export const COMPARISONS = { "<=": "at most", ">=": "at least" };

/**
 * The text of the challenge now and its title, its figure, the box that states it, and what judges the figure's run.
 * @typedef {{ text: string, aim: string, box: HTMLElement, root?: HTMLElement, judge?: () => void }} Challenge
 */

/** @type {Challenge | null} */
let current = null;
addEventListener("fim:done", ({ target }) => {
  if (current && target === current.root) current.judge?.();
});

/**
 * Set a challenge to the page's first figure that knows what it speaks of; an empty one takes it away.
 * @param {string} text
 * @param {string} aim its title, if it has one
 * @param {Promise<unknown>} ready settled when all figures are there
 */
export async function setChallenge(text, aim, ready) {
  if (text === (current?.text ?? "") && aim === (current?.aim ?? "")) return;
  current?.box.remove();
  current = text ? { text, aim, box: document.createElement("div") } : null;
  if (!current) return;
  const challenge = current;
  await ready;
  if (current === challenge) showChallenge(challenge);
}

/** @param {Challenge} challenge */
function showChallenge(challenge) {
  const { box, text, aim } = challenge;
  const conditions = text
    .split(",")
    .map(parseCondition)
    .filter((condition) => condition !== null);
  const allParsed = conditions.length === text.split(",").length;
  const roots = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".fim"))].filter(
    ({ live }) => live,
  );
  const root = roots.find(
    ({ live }) => live && allParsed && conditions.every((condition) => describeCondition(condition, live.spec)),
  );
  box.className = "fim-goal";
  box.setAttribute("role", "status");
  (root ?? roots[0])?.prepend(box);
  if (!root?.live) {
    box.textContent = `goal = ${text}: no figure of this page knows all that it names`;
    return;
  }
  challenge.root = root;
  challenge.judge = addJudge(box, root.live, conditions, aim);
  if (root.live.run?.report) challenge.judge();
}

/**
 * A condition's name, sign and what is wanted; null for a text that is none.
 * @param {string} text
 * @returns {Condition | null}
 */
export function parseCondition(text) {
  const [, name, sign, wanted] = text.match(CONDITION) ?? [];
  if (!name) return null;
  const isValid =
    name === "verdict" ? sign === "=" && wanted in OUTCOME_WORDS : sign in COMPARISONS && Number.isFinite(Number(wanted));
  return isValid ? { name, sign: /** @type {Condition["sign"]} */ (sign), wanted } : null;
}

/**
 * What a condition asks for, in words; empty if the figure does not know its name.
 * @param {Condition} condition
 * @param {Spec} spec
 */
export function describeCondition({ name, sign, wanted }, spec) {
  if (name === "verdict")
    return spec.statements.length ? `${spec.statements[0].name}: ${OUTCOME_WORDS[/** @type {Outcome} */ (wanted)]}` : "";
  const label = spec.goals[name]?.replace(/ \(.*\)$/, ""); // what stands in parentheses explains the number
  return label ? `${label}: ${COMPARISONS[/** @type {Comparison} */ (sign)]} ${readable(Number(wanted))}` : "";
}

/**
 * State the challenge in its box; returns what marks the conditions that the figure's run meets.
 * @param {HTMLElement} box
 * @param {Figure} figure
 * @param {Condition[]} conditions
 * @param {string} aim
 */
function addJudge(box, figure, conditions, aim) {
  const { spec } = figure;
  add(box, "strong", { textContent: aim ? `Challenge: ${aim}` : "Challenge" });
  const list = add(box, "ul");
  const items = conditions.map((condition) => add(list, "li", { textContent: describeCondition(condition, spec) }));
  const instead = items.map((item) => add(item, "small"));
  const answer = add(box, "p", { textContent: "Met: this page’s address is your answer. " });
  const button = add(answer, "button", { type: "button", textContent: "copy it" });
  button.addEventListener("click", () => copy(window.location.href, button));
  return () => {
    const report = recordOf(spec.report, figure.run?.report ?? []);
    const positions = figure.values();
    const values = Object.fromEntries(spec.parameters.map(({ name }, i) => [name, Number(positions[i])]));
    const met = conditions.map((condition) => isMet(condition, values, report, spec));
    items.forEach((item, i) => {
      item.dataset.met = String(Number(met[i]));
      write(instead[i], met[i] ? "" : ` (here ${inWords(standingOf(conditions[i], values, report, spec))})`);
    });
    box.dataset.met = String(Number(met.every(Boolean)));
    answer.hidden = !met.every(Boolean);
  };
}

/**
 * What a condition speaks of, as it is in a run: an outcome, or a number.
 * @param {Condition} condition
 * @param {Record<string, number>} values
 * @param {Leaves} report
 * @param {Spec} spec
 */
function standingOf({ name }, values, report, { verdicts: [fields], statements: [sheet] }) {
  if (name === "verdict") return outcome(verdictOf(report, fields), sheet.outcomes);
  return values[name] ?? report[name][0];
}

/** @param {number | Outcome} standing */
function inWords(standing) {
  if (typeof standing === "string") return OUTCOME_WORDS[standing];
  return Number.isFinite(standing) ? readable(standing) : "never";
}

/**
 * @param {Condition} condition
 * @param {Record<string, number>} values
 * @param {Leaves} report
 * @param {Spec} spec
 */
function isMet(condition, values, report, spec) {
  const { name, sign, wanted } = condition;
  const number = standingOf(condition, values, report, spec);
  if (typeof number === "string") return number === wanted;
  const slack = name in values ? ROUNDING * Math.abs(number) : 0;
  return sign === "<=" ? number <= Number(wanted) + slack : number >= Number(wanted) - slack;
}
