/** The settings that a reader left a page with, kept in the browser until the next visit. */

const keyOf = () => `facts-in-motion ${location.href.split("#")[0]}`;

/** The part of the address with the settings of the last visit; empty if there are none, or nothing can be stored. */
export function lastSettings() {
  try {
    return localStorage.getItem(keyOf()) ?? "";
  } catch {
    return "";
  }
}

/** Keep the part of the address with the present settings; none for the defaults. @param {string} hash */
export function keepSettings(hash) {
  try {
    if (hash) localStorage.setItem(keyOf(), hash);
    else localStorage.removeItem(keyOf());
  } catch {
    // full, or refused: the page works without
  }
}
