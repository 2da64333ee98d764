/**
 * Links for a class: what the address asks for beside values.
 *
 * `hide=a,b` leaves out controls, `lock=a,b` keeps them where they are, whoever moves them, `embed=2` shows nothing but
 * the page's second figure, as in a frame, `goal=…` sets a challenge with the title `aim=…` (see challenge.js),
 * `card=3` shows the third card of the story, and `slide=3` the page's third slide.
 */

import { add } from "../draw/dom.js";
import { addressName, setOption } from "../page/address.js";
import { SENDER, tellHeight } from "../page/frame_height.js";
import { setChallenge } from "./challenge.js";
import { isolate } from "./isolate.js";

/** @import { Entry, Options } from "../page/address.js" */
/** @import { Model } from "../page/models.js" */

/** The page's figures with their controls, in order. @returns {HTMLElement[]} */
export const figureRoots = () =>
  [...document.querySelectorAll(".ctl-root:has(.fim-live)")].filter((element) => element instanceof HTMLElement);

/**
 * Bring the page in line with the options of its address.
 * @param {Options} options
 * @param {Map<string, Entry>} entries the controls by their names in the address
 * @param {() => Entry[]} setAgain sets the values of the address once more, and returns the controls that refuse theirs
 * @param {Promise<unknown>} ready settled when all figures are there
 */
export function applyLinkOptions(options, entries, setAgain, ready) {
  const { hide = "", lock = "", embed = "", goal = "", aim = "", card = "", view = "", slide = "" } = options;
  const [hidden, locked] = [hide, lock].map((names) => names.split(","));
  for (const [name, { model }] of entries) {
    document.querySelector(`.ctl.url-${CSS.escape(name)}`)?.toggleAttribute("hidden", hidden.includes(name));
    if (model.locked !== locked.includes(name)) {
      model.locked = locked.includes(name);
      model.set("disabled", model.locked);
    }
  }
  embedFigure(embed);
  setChallenge(goal, aim, ready);
  ready.then(() => {
    if (card && !showCard(Number(card))) setOption("card", "");
    showRefusals(setAgain().map(({ model }) => model)); // a card gives way to what the address names
    showView(view === "map" ? 1 : 0);
    // a card would solve the challenge
    for (const story of document.querySelectorAll(".fim-story")) story.toggleAttribute("hidden", Boolean(goal));
    const root = document.querySelector(".fim");
    if (slide && root instanceof HTMLElement) window.factsRuntime?.present(root, Number(slide) || 1);
  });
}

/** The run of the page's first figure, or its map. @param {number} place */
function showView(place) {
  const root = document.querySelector(".fim");
  if (root instanceof HTMLElement) root.live?.tabs?.choose(place);
}

/** Show a card of the page's first story; returns whether it has one. @param {number} number from 1 */
function showCard(number) {
  const roots = [...document.querySelectorAll(".fim")].filter((root) => root instanceof HTMLElement);
  const story = roots.map(({ live }) => live?.story).find(Boolean);
  if (!story?.cards[number - 1]) return false;
  story.goTo(number - 1);
  return true;
}

/**
 * Say above each figure, too, what its controls refuse, until they are set, and open what they are folded in.
 * @param {Model[]} refusing
 */
function showRefusals(refusing) {
  for (const root of refusing.length ? figureRoots() : []) {
    const controlOf = (/** @type {Model} */ model) =>
      root.querySelector(`.ctl.url-${CSS.escape(addressName(model) ?? "")}`);
    const models = refusing.filter(controlOf);
    for (const model of models) controlOf(model)?.closest("details")?.setAttribute("open", "");
    const figure = root.querySelector(".fim");
    const readout = figure instanceof HTMLElement && figure.live?.readout;
    if (!readout || !models.length) continue;
    const follow = () => {
      const sentences = models.flatMap(({ reply }) => (reply?.refused === undefined ? [] : [reply.sentence]));
      if (sentences.length) return readout.tell(sentences.join("\n"));
      readout.clearError();
      for (const model of models) model.off("change", follow);
    };
    for (const model of models) model.on("change", follow);
    follow();
  }
}

/** Tell the page around a frame of the keys of a presenter's remote. @param {KeyboardEvent} event */
function passOn({ key }) {
  if (window.parent !== window && key.startsWith("Page")) window.parent.postMessage({ from: SENDER, key }, "*");
}

/**
 * Show nothing but a figure and a link to its page, and send its height to the page around it.
 * @param {string} place of the figure, from 1; empty for none
 */
function embedFigure(place) {
  const root = place ? figureRoots()[Number(place) - 1] : undefined;
  const wasAlone = document.documentElement.hasAttribute("data-embed");
  document.documentElement.toggleAttribute("data-embed", Boolean(root));
  document.querySelector(".fim-source")?.remove();
  if (!root) {
    if (wasAlone) isolate([]); // a slide stays alone, whatever its address sets
    return;
  }
  const line = add(root, "p", { className: "fim-source" });
  const [href] = window.location.href.split("#");
  add(line, "a", { href, target: "_blank", textContent: document.title });
  isolate([root.closest(".ctl-place") ?? root]);
  addEventListener("keydown", passOn);
  tellHeight();
}
