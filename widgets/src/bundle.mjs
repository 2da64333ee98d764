/**
 * Bundles the entry points into `widgets/dist`: the figure and the runtime for pages, `module.js` for
 * widgets/export.py, and for Node what draws figures and previews while a book is built. With `--figure` and a file's
 * name it bundles the figure alone.
 */

import { readFileSync } from "node:fs";

import { build, transform } from "esbuild";

/** @import { BuildOptions, Plugin } from "esbuild" */

const FIGURE_ALONE = "--figure"; // followed by the name of a file
const names = process.argv.slice(2);
const isAlone = names[0] === FIGURE_ALONE;
/** The drawings of single pages, which whoever bundles names. */
const SCENES = names.slice(isAlone ? 2 : 0);

/**
 * Makes the module "scenes-of-pages": the figure takes the drawings of single pages from there, and names no page.
 * @type {Plugin}
 */
const scenesOfPages = {
  name: "scenes-of-pages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^scenes-of-pages$/ }, ({ path }) => ({ path, namespace: "scenes-of-pages" }));
    onLoad({ filter: /.*/, namespace: "scenes-of-pages" }, () => ({
      resolveDir: ".",
      contents: [
        ...SCENES.map((path, i) => `import { kinds as kinds${i} } from ${JSON.stringify(path)};`),
        `export const kinds = { ${SCENES.map((_, i) => `...kinds${i}`).join(", ")} };`,
      ].join("\n"),
    }));
  },
};

/**
 * Makes a module of a style sheet: its text without comments and spaces.
 * @type {Plugin}
 */
const styleSheets = {
  name: "style-sheets",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

/** A class of d3-shape as its package has it: a function, and then its prototype. */
const CURVE_CLASS = /^function (\w+)\([^)]*\) \{\n(?:(?!^\}).*\n)*\}\n\n\1\.prototype = \{\n(?:(?!^\}).*\n)*\};/gm;

/**
 * Says that what d3-shape and d3-interpolate make once is made without side effects, as their packages do of all of it;
 * so the curves that no figure draws, and what goes between colours, dates and texts, are left out. For that the scales
 * of d3-scale go from number to number alone, as all of ours do.
 * @type {Plugin}
 */
const pureParts = {
  name: "pure-parts",
  setup({ onLoad }) {
    onLoad({ filter: /d3-(shape|interpolate)\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replace(/^(var \w+ = )(?=\(function|\w+\()/gm, "$1/* @__PURE__ */")
        .replace(CURVE_CLASS, (code, name) => `var ${name} = /* @__PURE__ */ (() => {\n${code}\nreturn ${name};\n})();`),
    }));
    onLoad({ filter: /d3-scale\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(" interpolate,", " interpolateNumber as interpolate,"),
    }));
  },
};

/** @type {BuildOptions} */
const inPages = { bundle: true, minify: true, target: "es2022", plugins: [scenesOfPages, styleSheets, pureParts] };
/** @type {BuildOptions} */
const inNode = {
  bundle: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node18",
  external: ["elkjs", "@resvg/resvg-wasm", "canvas"], // linkedom asks for canvas, and does without
};

/** @param {string} outfile */
const figure = (outfile) => build({ ...inPages, entryPoints: ["src/view/figure.js"], format: "esm", outfile });

const all = () => [
  figure("dist/figure.js"),
  build({ entryPoints: ["src/view/figure.css"], minify: true, outfile: "dist/figure.css" }),
  build({ ...inPages, entryPoints: ["src/page/runtime.js"], format: "iife", outfile: "dist/runtime.js" }),
  build({ ...inPages, entryPoints: ["src/classroom/classroom.js"], format: "iife", outfile: "dist/classroom.js" }),
  build({ ...inPages, entryPoints: ["src/classroom/deck.js"], format: "iife", outfile: "dist/deck.js" }),
  build({ ...inPages, entryPoints: ["src/classroom/paper_links.js"], format: "iife", outfile: "dist/paper_links.js" }),
  build({ ...inPages, entryPoints: ["src/page/print.js"], format: "iife", outfile: "dist/print.js" }),
  build({ ...inPages, entryPoints: ["src/page/trials_worker.js"], format: "iife", outfile: "dist/trials.js" }),
  build({ ...inPages, entryPoints: ["src/page/examine.js"], format: "iife", outfile: "dist/examine.js" }),
  build({
    ...inPages,
    entryPoints: ["src/page/module.js"],
    format: "iife",
    globalName: "facts",
    outfile: "dist/module.js",
  }),
  build({ ...inNode, plugins: [scenesOfPages], entryPoints: ["src/page/still.js"], outfile: "dist/still.mjs" }),
  build({ ...inNode, entryPoints: ["src/page/map_trials.js"], outfile: "dist/map_trials.mjs" }),
  build({ ...inNode, entryPoints: ["src/page/layout.js"], outfile: "dist/layout.mjs" }),
  build({ ...inNode, entryPoints: ["src/page/preview.js"], outfile: "dist/preview.mjs" }),
];

await Promise.all(isAlone ? [figure(names[1])] : all());
