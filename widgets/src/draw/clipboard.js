/** Copying, with a word on the button that asked for it. */

import { add } from "./dom.js";

const SHOWN = 1200; // milliseconds

/** Put a text on the clipboard, and say on the button whether that went well. */
export async function copy(text, button) {
  button.dataset.label ??= button.textContent;
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = add(button.parentNode, "textarea"); // clipboard access is refused on file:// pages
    area.value = text;
    area.select();
    copied = document.execCommand("copy");
    area.remove();
  }
  button.dataset.copied = text;
  button.textContent = copied ? "copied" : "copy failed";
  clearTimeout(button.resting);
  button.resting = setTimeout(() => (button.textContent = button.dataset.label), SHOWN);
}
