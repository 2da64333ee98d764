/** Numbers as a reader sees and types them. */

const LARGE = 1e6;
const SMALL = 1e-3;
const HARDLY = 1e-9; // shares as near to none or all as this are none or all

/**
 * A number in roughly the format ipywidgets would use, such as ".2f", ".3g", "d" or ".1%".
 * @param {number} value
 * @param {string} [pattern]
 */
export function format(value, pattern = "") {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value);
  const [, digits, kind] = /(?:\.(\d+))?~?([a-z%]?)$/.exec(pattern);
  if (kind === "d" && Number.isInteger(value)) return String(value);
  if (kind === "f") return fixed(value, Number(digits ?? 6));
  if (kind === "%") return `${fixed(100 * value, Number(digits ?? 0))}%`;
  if (kind === "e") return value.toExponential(digits && Number(digits));
  return significant(value, Number(digits || 12));
}

/** Decimals as asked for, unless they would show a number that is not zero as zero. */
function fixed(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 && value !== 0 ? significant(value, 3) : text;
}

/** 0.02, 0.0015, 1e-4, 2.5e7: as short as the digits allow. */
function significant(value, digits) {
  const rounded = Number(value.toPrecision(Math.max(1, digits)));
  const size = Math.abs(rounded);
  if (size === 0 || (size >= SMALL && size < LARGE)) return String(rounded);
  return rounded.toExponential().replace("e+", "e");
}

/** A number as a reader would write it: a true minus, ∞, and a dash for what there is none of. */
export function readable(value, digits = 4) {
  if (Number.isNaN(value)) return "—";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const near = size === 0 || (size >= SMALL && size < LARGE);
  const text = near ? String(Number(value.toPrecision(digits))) : significant(value, digits - 1);
  return text.replaceAll("-", "−");
}

/** A field of the report where a sentence of the page says it. */
export const inSentence = (leaf) => readable(leaf[0]);

/** A count, rounded. */
export function count(value) {
  return Math.abs(value) < 1e9 ? String(Math.round(value)).replace("-", "−") : readable(value, 3);
}

/** In whole percent; neither none nor all unless it is. */
export function percent(value) {
  const whole = Math.round(100 * value);
  if (whole === 0 && value > HARDLY) return "< 1\u00a0%";
  if (whole === 100 && value < 1 - HARDLY) return "> 99\u00a0%";
  return `${count(whole)}\u00a0%`;
}

/**
 * The number a reader typed; NaN if it is none. A percent sign divides by a hundred.
 * @param {string} text
 */
export function parse(text) {
  const bare = text.trim().replace("−", "-");
  if (bare.endsWith("%")) return parse(bare.slice(0, -1)) / 100;
  return /\d/.test(bare) ? Number(bare) : NaN;
}
