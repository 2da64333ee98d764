/** A code that a phone's camera reads. */

import { renderSVG } from "uqr";

/**
 * Draw an address's code in a box, in the place of what it holds.
 * @param {HTMLElement} box
 * @param {string} address
 * @param {number} [border] light squares around the code
 */
export function drawCode(box, address, border = 0) {
  box.innerHTML = renderSVG(address, { border }); // safe: the code is squares, whatever the address holds
}
