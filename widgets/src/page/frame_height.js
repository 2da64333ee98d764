/** A page in a frame tells the page around it how high its figure is. */

/** Of our own messages, `{ from: SENDER, height }`. */
export const SENDER = "facts-in-motion";

/**
 * Tell the height of an element, now and whenever it changes, also in the words that learning platforms listen to.
 * @param {Element} element
 */
export function tellHeight(element) {
  if (window.parent === window) return;
  new ResizeObserver(() => {
    const height = element.scrollHeight;
    window.parent.postMessage({ from: SENDER, height }, "*");
    window.parent.postMessage({ subject: "lti.frameResize", height }, "*");
  }).observe(element);
}
