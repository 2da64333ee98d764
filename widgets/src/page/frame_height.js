/** A page in a frame tells the page around it how high its figure is. */

/** Of our own messages, `{ from: SENDER, height }`. */
export const SENDER = "facts-in-motion";

/**
 * Tell the height of this page, now and whenever it changes, also in the words that learning platforms listen to.
 * @returns {() => void} what ends it
 */
export function tellHeight() {
  if (window.parent === window) return () => {};
  const page = document.documentElement;
  const observer = new ResizeObserver(() => {
    // a page that is at least as high as its frame would never ask for less
    const height = page.scrollHeight > page.clientHeight ? page.scrollHeight : page.offsetHeight;
    window.parent.postMessage({ from: SENDER, height }, "*");
    window.parent.postMessage({ subject: "lti.frameResize", height }, "*");
  });
  for (const element of [page, document.body]) observer.observe(element);
  return () => observer.disconnect();
}
