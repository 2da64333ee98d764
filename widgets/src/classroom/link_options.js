/**
 * Links for a class: what the address asks for beside values.
 *
 * `hide=a,b` leaves out controls, `lock=a,b` keeps them where they are, whoever moves them, `embed=2` shows nothing but
 * the page's second figure, as in a frame, and `goal=…` sets a challenge: see challenge.js.
 */

import { add } from "../draw/dom.js";
import { challenge } from "./challenge.js";
import { only } from "./isolate.js";

/** What a message to the page around says it comes from. */
export const FRAME = "facts-in-motion";

/** The page's figures with their controls, in order. */
export const figureRoots = () => [...document.querySelectorAll(".ctl-root:has(.fim-live)")];

/**
 * @param {Object<string, string>} options
 * @param {Map<string, {model: Object}>} entries the controls by their names in the address
 * @param {Promise<void>} ready settled when all figures are there
 */
export function arrangeClass({ hide = "", lock = "", embed = "", goal = "" }, entries, ready) {
  const [hidden, locked] = [hide, lock].map((names) => names.split(","));
  for (const [name, { model }] of entries) {
    document.querySelector(`.ctl.url-${CSS.escape(name)}`)?.toggleAttribute("hidden", hidden.includes(name));
    if (Boolean(model.locked) !== locked.includes(name)) {
      model.locked = locked.includes(name);
      model.set("disabled", model.locked);
    }
  }
  embedded(embed);
  challenge(goal, ready);
}

/** Nothing but a figure, a link to its page, and word of its height to the page around it. */
function embedded(place) {
  const root = place && figureRoots()[Number(place) - 1];
  document.documentElement.toggleAttribute("data-embed", Boolean(root));
  document.querySelector(".fim-source")?.remove();
  if (!root) return only([]);
  const line = add(root, "p", { className: "fim-source" });
  const [href] = window.location.href.split("#");
  add(line, "a", { href, target: "_blank", textContent: document.title });
  only([root.closest(".ctl-place") ?? root]);
  new ResizeObserver(() => window.parent.postMessage({ from: FRAME, height: root.scrollHeight }, "*")).observe(root);
}
