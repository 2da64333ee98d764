/** Takes JSON for a module, as esbuild does: Node does so only where the import says what it is. Imported before such modules. */
import { register } from "node:module";

const hooks = `
  import { readFile } from "node:fs/promises";
  export const load = async (url, context, next) =>
    url.endsWith(".json")
      ? { format: "module", source: "export default " + (await readFile(new URL(url))), shortCircuit: true }
      : next(url, context);
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
