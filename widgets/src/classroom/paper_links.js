/**
 * Links to set on paper: printed, each has a short address and a code of it.
 *
 * In: `a.fim-on-paper` with an id. The page's address with that id opens what the link leads to: that is short enough
 * to type. A page that is opened as a file has the address at which the book is published, if it has one.
 */

import { add } from "../draw/dom.js";
import { drawCode } from "../draw/qr_code.js";

/** @returns {string | undefined} of this page, where students reach it */
function homeAddress() {
  if (location.protocol.startsWith("http")) return location.href.split("#")[0];
  const published = document.querySelector("link[rel='canonical']");
  return published instanceof HTMLLinkElement ? published.href : undefined;
}

/** @param {HTMLAnchorElement} link @param {string} home */
function addAddress(link, home) {
  const address = `${home}#${link.id}`;
  const box = document.createElement("span");
  box.className = "fim-paper-link";
  link.after(box);
  drawCode(add(box, "span"), address);
  add(box, "code", { textContent: address.replace(/^https?:\/\//, "") });
}

/** Go where the link that the address names leads to. */
function follow() {
  const link = document.getElementById(location.hash.slice(1));
  if (link instanceof HTMLAnchorElement && link.matches(".fim-on-paper")) location.replace(link.href);
}

addEventListener("DOMContentLoaded", () => {
  const home = homeAddress();
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a.fim-on-paper[id]"));
  if (home) for (const link of links) addAddress(link, home);
  addEventListener("hashchange", follow);
  follow();
});
