/** Copying a text, with a word on the button that was clicked. */

import { add } from "./dom.js";

const SHOWN = 1200; // milliseconds

/**
 * @type {WeakMap<HTMLButtonElement, ReturnType<typeof setTimeout>>} until a button has its own label again
 */
const timers = new WeakMap();

/**
 * Put a text on the clipboard, and show on the button whether that succeeded.
 * @param {string} text
 * @param {HTMLButtonElement} button
 */
export async function copy(text, button) {
  const label = (button.dataset.label ??= button.textContent ?? "");
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copied = copyBySelection(text, /** @type {Element} */ (button.parentNode));
  }
  button.dataset.copied = text;
  button.textContent = copied ? "copied" : "copy failed";
  clearTimeout(timers.get(button));
  timers.set(
    button,
    setTimeout(() => (button.textContent = label), SHOWN),
  );
}

/**
 * For pages opened as files, where browsers refuse access to the clipboard.
 * @param {string} text
 * @param {Element} parent
 */
function copyBySelection(text, parent) {
  const area = add(parent, "textarea");
  area.value = text;
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
