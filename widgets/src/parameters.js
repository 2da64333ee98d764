/** Parameters of a program: between a control's raw value and a number, and whether the number is allowed. */

/** The number a parameter stands at, given its raw trait value: an index into choices, a switch, or itself. */
export function valueOf(parameter, raw) {
  if (parameter.fixed) return parameter.default;
  if (parameter.choices) return parameter.choices[raw] ?? Number(raw ?? NaN); // from the address, any number may come
  return typeof raw === "boolean" ? Number(raw) : raw;
}

/** The raw trait value for a number. */
export function rawOf(parameter, value) {
  if (parameter.choices) {
    const nearest = (best, choice, i) => (Math.abs(choice - value) < Math.abs(parameter.choices[best] - value) ? i : best);
    return parameter.choices.reduce(nearest, 0);
  }
  return parameter.boolean ? Boolean(value) : value;
}

/** The sentence lib/domain.py would raise for this value, or null if it is allowed. */
export function complaint({ name, low, high, low_open, high_open, integer, must }, value) {
  const tooLow = low !== null && (low_open ? value <= low : value < low);
  const tooHigh = high !== null && (high_open ? value >= high : value > high);
  const allowed = Number.isFinite(value) && !tooLow && !tooHigh && !(integer && !Number.isInteger(value));
  return allowed ? null : `${name} = ${value}: ${must}`;
}

/** Output leaves by field name. */
export function arrange(fields, leaves) {
  return Object.fromEntries(fields.map((name, i) => [name, leaves[i]]));
}
