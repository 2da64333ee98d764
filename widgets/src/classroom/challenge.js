/**
 * Challenges: conditions on a figure's parameters and on what its run reports, as the address has them.
 *
 * `goal=verdict=outside,temperature<=0.05` is met when the first statement's verdict is that, at such a temperature;
 * `python -m book check ADDRESS` regrades the address at which it is met. `aim=…` says in the challenge's title what
 * the reader is to find. A condition that is not met says what the run has instead.
 */

import { copy } from "../draw/clipboard.js";
import { add, write } from "../draw/dom.js";

/** @import { Figure } from "../view/figure.js" */

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
  const roots = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".fim"))].filter(
    ({ live }) => live,
  );
  const root = roots.find(({ live }) => live?.judge(text));
  box.className = "fim-goal";
  box.setAttribute("role", "status");
  (root ?? roots[0])?.prepend(box);
  if (!root?.live) {
    box.textContent = `goal = ${text}: no figure of this page knows all that it names`;
    return;
  }
  challenge.root = root;
  challenge.judge = addJudge(box, root.live, text, aim);
  if (root.live.run?.report) challenge.judge();
}

/**
 * State the challenge in its box; returns what marks the conditions that the figure's run meets.
 * @param {HTMLElement} box
 * @param {Figure} figure
 * @param {string} goal
 * @param {string} aim
 */
function addJudge(box, figure, goal, aim) {
  add(box, "strong", { textContent: aim ? `Challenge: ${aim}` : "Challenge" });
  const list = add(box, "ul");
  const items = (figure.judge(goal) ?? []).map(({ words }) => add(list, "li", { textContent: words }));
  const instead = items.map((item) => add(item, "small"));
  const answer = add(box, "p", { textContent: "Met: this page’s address is your answer. " });
  answer.hidden = true; // until a run is judged
  const button = add(answer, "button", { type: "button", textContent: "copy it" });
  button.addEventListener("click", () => copy(window.location.href, button));
  return () => {
    const found = figure.judge(goal) ?? [];
    items.forEach((item, i) => {
      item.dataset.met = String(Number(found[i].met));
      write(instead[i], found[i].instead);
    });
    const isMet = found.every(({ met }) => met);
    box.dataset.met = String(Number(isMet));
    answer.hidden = !isMet;
  };
}
