/** A page of which only some elements are shown. */

const AWAY = "data-away"; // the style sheet shows nothing that has it

/** Show these elements, with all that they stand in and hold, and nothing else; of none, show all again. */
export function only(nodes) {
  for (const node of document.querySelectorAll(`[${AWAY}]`)) node.removeAttribute(AWAY);
  if (!nodes.length) return;
  const around = new Set();
  for (const node of nodes) for (let at = node; at && at !== document.documentElement; at = at.parentElement) around.add(at);
  const shown = new Set(nodes);
  for (const node of around) {
    if (shown.has(node) && !nodes.some((other) => other !== node && node.contains(other))) continue;
    for (const child of node.children) if (!around.has(child)) child.setAttribute(AWAY, "");
  }
}
