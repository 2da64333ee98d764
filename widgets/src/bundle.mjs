/**
 * Bundles the entry points into `widgets/dist`: the figure and the runtime for pages, `module.js` for widgets/export.py,
 * and for Node what draws figures and previews while a book is built.
 */

import { build } from "esbuild";

/** @import { BuildOptions } from "esbuild" */

/** @type {BuildOptions} */
const inPages = { bundle: true, minify: true, target: "es2022", loader: { ".css": "text" } };
/** @type {BuildOptions} */
const inNode = { bundle: true, format: "esm", platform: "node", target: "node18", external: ["linkedom", "@resvg/resvg-wasm"] };

await Promise.all([
  build({ ...inPages, entryPoints: ["src/view/figure.js"], format: "esm", outfile: "dist/figure.js" }),
  build({ ...inPages, entryPoints: ["src/page/runtime.js"], format: "iife", outfile: "dist/runtime.js" }),
  build({ ...inPages, entryPoints: ["src/page/module.js"], format: "iife", globalName: "facts", outfile: "dist/module.js" }),
  build({ ...inNode, entryPoints: ["src/page/still.js"], outfile: "dist/still.mjs" }),
  build({ ...inNode, entryPoints: ["src/page/preview.js"], outfile: "dist/preview.mjs" }),
]);
