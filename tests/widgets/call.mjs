/**
 * Calls functions of the modules of widgets/src. In: a line of JSON a job, with numbers that JSON lacks as strings and
 * functions as the tables of what they return, such as { "from": { "a": 1 } }; out: a line each. A name with a dot is that
 * of a function in what another returns: a call has what the one is given, and then what the other is.
 */
import { createInterface } from "node:readline";

import "./json_modules.mjs";

const revive = (_, value) => {
  if (value?.from) return (key) => value.from[key];
  return typeof value === "string" && /^(-?Infinity|NaN)$/.test(value) ? Number(value) : value;
};
for await (const line of createInterface({ input: process.stdin })) {
  const { module, name, calls } = JSON.parse(line, revive);
  const found = await import(`../../widgets/src/${module}.js`);
  const [outer, inner] = name.split(".");
  const answer = (inputs) => (inner ? found[outer](...inputs[0])[inner](...inputs[1]) : found[outer](...inputs));
  console.log(JSON.stringify(calls.map(answer)));
}
