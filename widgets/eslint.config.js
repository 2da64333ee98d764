/** What eslint checks: its recommended rules, and that folders of src import only from themselves and those before them. */

import js from "@eslint/js";
import globals from "globals";

const FOLDERS = ["run", "draw", "parts", "view", "page", "classroom"];

/** For each folder, a rule against imports from the folders after it. */
const layers = FOLDERS.slice(0, -1).map((folder, i) => ({
  files: [`**/src/${folder}/**/*.js`],
  ignores: ["**/src/page/runtime.js"], // which brings everything together
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: FOLDERS.slice(i + 1).map((later) => ({
          group: [`**/${later}/*`],
          message: `${folder} imports only from ${FOLDERS.slice(0, i + 1).join(", ")}.`,
        })),
      },
    ],
  },
}));

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: { ...globals.browser, ...globals.worker, ...globals.node } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "prefer-const": "error",
      "no-var": "error",
      eqeqeq: "error",
      "max-len": ["error", { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true }],
    },
  },
  ...layers,
];
