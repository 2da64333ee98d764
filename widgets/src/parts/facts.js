/** What parts of a scene read of facts, and of a model's answers to questions about them. */

/** @import { Leaves, ParameterActions, Questions } from "../types.js" */

/**
 * The number of the fact that the reader asks about, or the first.
 * @param {ParameterActions} actions
 * @param {Questions} questions
 */
export const chosenFact = (actions, questions) => actions.fact ?? questions.first;

/**
 * The kind of the answer: the first of the largest logits; NaN stands where there is no word of a kind.
 * @param {number[]} logits
 */
export const answerOf = (logits) =>
  logits.reduce((best, value, i) => (value > logits[best] || Number.isNaN(logits[best]) ? i : best), 0);

/**
 * The numbers of a table, row by row.
 * @param {Float64Array} numbers
 * @param {number} count of columns
 */
export const rowsOf = (numbers, count) =>
  Array.from({ length: numbers.length / count }, (_, i) => [...numbers.slice(i * count, (i + 1) * count)]);

/**
 * For each fact whether it is fine-tuned, and whether it is stated with each of the phrases.
 * @param {Questions} questions
 * @param {Leaves} watched
 */
export function factsIn({ phrases, uses, taught }, watched) {
  return {
    taught: [...watched[taught]].map((value) => value > 0.5),
    uses: [...watched[uses]].map((bits) => phrases.map((_, i) => hasBit(bits, i))),
  };
}

/**
 * Whether a bit of a whole number is set.
 * @param {number} number
 * @param {number} bit
 */
export const hasBit = (number, bit) => Math.floor(number / 2 ** bit) % 2 === 1;
