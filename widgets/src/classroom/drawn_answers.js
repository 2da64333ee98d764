/**
 * A run's curve among two wrong ones, for a question with three drawn answers; and sketches as text.
 *
 * A page has mistaken answers of its own, each with what who draws it thinks: see widgets/words.py. Where they are the
 * run itself, as at the settings that one of them has, others stand in for them.
 */

import { clamp } from "../draw/ranges.js";
import { isNear } from "../run/nearness.js";
import { Run } from "../run/program.js";

const LEVELS = 255; // of a height, in a byte
const WRONG = 2; // of three drawn answers
const SLICE = 12; // milliseconds of a run, in which a page does not answer its reader
/** After a page's own, whatever is asked: two of them differ from any run. @type {Mistaken[]} */
const COMMON = Object.entries({
  steadily: "each step helps as much as the one before",
  unchanged: "training leaves this as it is",
  low: "the first step takes all of it away",
  high: "the first step does all of it",
  middle: "the first step goes half the way",
}).map(([shape, thought]) => ({ shape, says: `Who draws this thinks that ${thought}.`, values: {}, field: "", component: 0 }));

/** @import { Figure } from "../view/figure.js" */
/** @import { Prediction } from "../view/prediction.js" */
/** @import { Mistaken, Pair } from "../types.js" */

/** Heights as one byte each, in base64. @param {number[]} heights @param {Pair} domain */
export const encode = (heights, [low, high]) =>
  btoa(String.fromCharCode(...heights.map((height) => Math.round((LEVELS * (height - low)) / (high - low)))));

/** The heights in such a text; null if it holds none. @param {string} text @param {Pair} domain */
export function decode(text, [low, high]) {
  if (!/^[\w+/]{4,400}={0,2}$/.test(text) || text.length % 4) return null;
  return [...atob(text)].map((byte) => low + ((high - low) * byte.charCodeAt(0)) / LEVELS);
}

/**
 * Three curves, one of them the run's, and what who draws each of the others thinks; the run's own is "".
 * @param {Figure} figure whose run is finished
 * @param {Prediction} prediction its question
 * @param {number} seed which of the three places the run has
 * @returns {Promise<{ curves: number[][], says: string[], right: number }>}
 */
export async function drawnAnswers(figure, prediction, seed) {
  const { domain, runHeights = [] } = prediction;
  const { run, spec } = figure;
  const start = runHeights.find(Number.isFinite) ?? domain[0];
  /** @param {number[]} heights */
  const within = (heights) => heights.map((height) => clamp(Number.isFinite(height) ? height : start, ...domain));
  const answers = [{ heights: within(runHeights), says: "" }];
  /** @param {Mistaken} answer */
  const heightsOf = async ({ values, field, component, shape }) => {
    if (shape) return shaped(shape, start, answers[0].heights, domain);
    if (field) return run && prediction.heightsOf(run, field, component);
    const other = await runAt(figure, values);
    return other && prediction.heightsOf(other);
  };
  for (const mistaken of [...(spec.mistaken ?? []), ...COMMON]) {
    const heights = within((await heightsOf(mistaken)) ?? []);
    const isNew = heights.length && !answers.some((answer) => isNear(heights, answer.heights, domain));
    if (isNew && answers.push({ heights, says: mistaken.says }) > WRONG) break;
  }
  const [ofRun, ...wrong] = answers;
  const right = seed % answers.length;
  const drawn = wrong.toSpliced(right, 0, ofRun);
  return { curves: drawn.map(({ heights }) => heights), says: drawn.map(({ says }) => says), right };
}

/**
 * The figure's run with some settings changed; null if it fails.
 * @param {Figure} figure
 * @param {Record<string, number>} changes
 */
async function runAt(figure, changes) {
  const { kernels, spec } = figure;
  const values = figure.values().map((value, place) => changes[spec.parameters[place]?.name] ?? value);
  const run = new Run(kernels, spec.stages, values, figure.run);
  try {
    while (!run.advance(SLICE)) await new Promise((resolve) => setTimeout(resolve));
  } catch {
    return null;
  }
  return run;
}

/**
 * A curve that no run has, of as many heights as the run's.
 * @param {string} shape
 * @param {number} start
 * @param {number[]} run
 * @param {Pair} domain
 */
function shaped(shape, start, run, [low, high]) {
  const last = run.length - 1;
  const end = { steadily: run[last], unchanged: start, low, high, middle: (low + high) / 2 }[shape] ?? start;
  return run.map((_, i) => (shape === "steadily" ? start + ((end - start) * i) / last : i ? end : start));
}
