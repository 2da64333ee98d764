/** Modules that exist only once bundled: see bundle.mjs. */

/** A style sheet, as its text. */
declare module "*.css" {
  const text: string;
  export default text;
}

/** The drawings that single pages have: what each book/<paper>/<page>/scene.js exports, together. */
declare module "scenes-of-pages" {
  export const kinds: Record<string, import("./view/kinds.js").Kind>;
}
