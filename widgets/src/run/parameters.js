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

/** The value nearest to this one that the parameter's control can stand at. */
export function snapped({ track, choices }, value) {
  if (choices) return choices.reduce((best, choice) => (Math.abs(choice - value) < Math.abs(best - value) ? choice : best));
  const { min, max, step, base } = track;
  if (base) return base ** onGrid(Math.log(Math.max(value, Number.MIN_VALUE)) / Math.log(base), min, max, step);
  return onGrid(value, min, max, step);
}

/** The value that is some of the control's steps away. */
export function stepped(parameter, value, steps) {
  const { track, choices } = parameter;
  if (choices) {
    const place = rawOf(parameter, value) + steps;
    return choices[Math.min(Math.max(place, 0), choices.length - 1)];
  }
  const { min, max, step, base } = track;
  const stride = step || (max - min) / 100;
  if (base) return base ** onGrid(Math.log(value) / Math.log(base) + steps * stride, min, max, step);
  return onGrid(value + steps * stride, min, max, step);
}

function onGrid(value, min, max, step) {
  const nearest = step ? min + Math.round((value - min) / step) * step : value;
  return Number(Math.min(Math.max(nearest, min), max).toPrecision(12));
}

/** The least and the largest value that the parameter's control offers. */
export function rangeOf({ track, choices }) {
  if (choices) return [Math.min(...choices), Math.max(...choices)];
  return [track.min, track.max].map((end) => (track.base ? track.base ** end : end));
}
