/** What parts of a scene read of facts and questions about them. */

/** The number of the fact that is asked about: a reader's choice, or the first. */
export const factOf = (hands, { asked }) => hands.fact ?? asked.first;

/** The kind of word that is said: of the largest logits the first, and none where there is no number. */
export const saidOf = (logits) => logits.reduce((best, value, i) => (value > logits[best] || Number.isNaN(logits[best]) ? i : best), 0);

/** The numbers of a table, row by row. */
export const rowsOf = (numbers, count) => Array.from({ length: numbers.length / count }, (_, i) => [...numbers.slice(i * count, (i + 1) * count)]);

/** For each fact whether it is fine-tuned, and whether it is stated with each of the phrases. */
export function statedOf({ phrases, uses, taught }, watched) {
  const bit = (number, i) => Math.floor(number / 2 ** i) % 2 === 1;
  return { taught: [...watched[taught]].map((value) => value > 0.5), uses: [...watched[uses]].map((bits) => phrases.map((_, i) => bit(bits, i))) };
}
