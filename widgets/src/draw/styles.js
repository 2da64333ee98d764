/** Style sheets for the tree that a figure stands in: the page, or a shadow tree that its host keeps it in. */

/** @type {Map<string, CSSStyleSheet>} by their texts */
const sheets = new Map();

/**
 * Give an element's tree a style sheet, once: a constructed one, which a policy against inline styles allows.
 * @param {Element} el
 * @param {string} css
 */
export function adoptStyles(el, css) {
  const root = el.getRootNode();
  const tree = root instanceof ShadowRoot ? root : document;
  const sheet = sheets.get(css) ?? new CSSStyleSheet();
  if (!sheets.has(css)) {
    sheet.replaceSync(css);
    sheets.set(css, sheet);
  }
  if (!tree.adoptedStyleSheets.includes(sheet)) tree.adoptedStyleSheets = [...tree.adoptedStyleSheets, sheet];
}
