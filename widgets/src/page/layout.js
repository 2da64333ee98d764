/** Lays out graphs where there is no browser, for pages as built. In: graphs as ELK has them; out: with places. */

import { readFileSync } from "node:fs";

import ELK from "elkjs/lib/elk.bundled.js";

/** @import { ElkNode } from "elkjs/lib/elk-api.js" */

const elk = new ELK();
/** @type {ElkNode[]} */
const graphs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(await Promise.all(graphs.map((graph) => elk.layout(graph)))));
