/** Keys of a page: `p` shows it as slides, `[` and `]` lead to the demos beside it. */

const TYPED_IN = "input, select, textarea, dialog";
/** @type {Record<string, string>} */
const NEIGHBOURS = { "[": "prev", "]": "next" };

/** Listen for them; while slides are shown, these have the keys. */
export function followKeys() {
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest(TYPED_IN);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.documentElement.dataset.slide) return;
    const root = document.querySelector(".fim");
    if (event.key === "p" && root instanceof HTMLElement) window.factsRuntime?.present(root);
    const link = document.querySelector(`.fim-demos [rel="${NEIGHBOURS[event.key]}"]`);
    if (link instanceof HTMLElement) link.click();
  });
}
