/** Calls a function of a module of widgets/src many times. In: JSON, with numbers that JSON lacks as strings; out: JSON. */
import { readFileSync } from "node:fs";

const revive = (_, value) => (typeof value === "string" && /^(-?Infinity|NaN)$/.test(value) ? Number(value) : value);
const { module, name, calls } = JSON.parse(readFileSync(0, "utf8"), revive);
const found = await import(`../../widgets/src/${module}.js`);
process.stdout.write(JSON.stringify(calls.map((inputs) => found[name](...inputs))));
