/**
 * Makes the runs of maps at their coarsest where there is no browser, for pages as built. In: a page's widget state;
 * out, by model id: what each run comes to, as a map stores it.
 */

import { readFileSync } from "node:fs";

import { loadKernels } from "../run/program.js";
import { Trials } from "../run/trials.js";
import { coarsest, pack } from "../run/stored_map.js";
import { float64s } from "../view/kernel_check.js";
import { readModels } from "./models.js";

const goOn = async () => Infinity;

/** @type {Record<string, import("../types.js").StoredMap>} */
const maps = {};
for (const [id, model] of readModels([JSON.parse(readFileSync(0, "utf8"))])) {
  if (model.name !== "AnyModel" || !model.get("spec")?.map) continue;
  /** @type {import("../types.js").Spec} */
  const spec = model.get("spec");
  const trials = new Trials(loadKernels(model.get("kernels"), float64s(model.get("constants"))), spec);
  maps[id] = pack(await trials.make(coarsest(spec), goOn), spec.verdicts.length);
}
process.stdout.write(JSON.stringify(maps));
