/**
 * Goals: conditions on a figure's parameters and on what its run reports.
 *
 * `verdict=outside,temperature<=0.05` is met when the first statement's verdict is that, at such a temperature. A
 * condition that is not met says what the run has instead.
 */

import { readable } from "./format.js";
import GRAMMAR from "./goal.json";
import { recordOf } from "./parameters.js";
import { OUTCOME_WORDS, outcome, verdictOf } from "./verdict.js";

/** @import { Figure } from "../view/figure.js" */
/** @import { Leaves, Outcome, Spec } from "../types.js" */

/** @typedef {"<=" | ">="} Comparison */
/**
 * A verdict that is wanted, or a number and on which side of a limit it must lie.
 * @typedef {{ name: string, sign: "=" | Comparison, wanted: string }} Condition
 */

const CONDITION = new RegExp(GRAMMAR.condition);
const ROUNDING = GRAMMAR.rounding; // of a slider's position, which need not be the number it shows
/** @type {Record<Comparison, string>} */
export const COMPARISONS = GRAMMAR.comparisons;

/**
 * The conditions of a goal in words, whether the figure's latest run meets each, and what it has instead; null if the
 * figure does not know them all. Of "" there are none.
 * @param {string} goal
 * @param {Figure} figure
 * @returns {{ name: string, words: string, met: boolean, instead: string }[] | null}
 */
export function judge(goal, figure) {
  const { spec, run } = figure;
  const report = run?.report && recordOf(spec.report, run.report);
  const positions = report ? figure.values() : [];
  const values = Object.fromEntries(spec.parameters.map(({ name }, i) => [name, Number(positions[i])]));
  const conditions = goal ? goal.split(",").map(parseCondition) : [];
  const found = conditions.flatMap((condition) => {
    const words = condition && describeCondition(condition, spec);
    if (!words) return [];
    const met = Boolean(report) && isMet(condition, values, /** @type {Leaves} */ (report), spec);
    const here = report && !met ? ` (here ${inWords(standingOf(condition, values, report, spec))})` : "";
    return [{ name: condition.name, words, met, instead: here }];
  });
  return found.length === conditions.length ? found : null;
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

/** @param {number | Outcome} value */
function inWords(value) {
  if (typeof value === "string") return OUTCOME_WORDS[value];
  return Number.isFinite(value) ? readable(value) : "never";
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
