/** Numbers as a reader sees them. */

/** The number behind a choice of ∞, as lib/domain.py has it. */
export const BOUNDLESS = 1e30;
const LARGE = 1e6;
const SMALL = 1e-3;
const NEGLIGIBLE = 1e-9; // a share this near to none or to all is none or all

/**
 * A number in roughly the format ipywidgets would use, such as ".2f", ".3g", "d" or ".1%".
 * @param {number} value
 * @param {string} [pattern]
 */
export function format(value, pattern = "") {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value);
  // every text matches
  const [, digits, kind] = /** @type {RegExpExecArray} */ (/(?:\.(\d+))?~?([a-z%]?)$/.exec(pattern));
  if (kind === "d" && Number.isInteger(value)) return withThousands(String(value));
  if (kind === "f") return fixed(value, Number(digits ?? 6));
  if (kind === "%") return `${fixed(100 * value, Number(digits ?? 0))}%`;
  if (kind === "e") return value.toExponential(digits ? Number(digits) : undefined);
  return significant(value, Number(digits || 12));
}

/**
 * So many decimals, unless they would show a number that is not zero as zero.
 * @param {number} value
 * @param {number} digits
 */
function fixed(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 && value !== 0 ? significant(value, 3) : text;
}

/**
 * 0.02, 0.0015, 1e-4, 2.5e7: as short as the digits allow.
 * @param {number} value
 * @param {number} digits
 */
function significant(value, digits) {
  const rounded = Number(value.toPrecision(Math.max(1, digits)));
  const size = Math.abs(rounded);
  if (size === 0 || (size >= SMALL && size < LARGE)) return withThousands(String(rounded));
  return rounded.toExponential().replace("e+", "e");
}

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** A text of digits with a comma before every three from the right. @param {string} text with or without decimals */
function withThousands(text) {
  const [whole, decimals] = text.split(".");
  return whole.replace(THOUSANDS, ",") + (decimals ? `.${decimals}` : "");
}

/**
 * A number as a reader would write it: with a true minus sign, ∞, thousands apart, and a dash for NaN.
 * @param {number} value
 */
export function readable(value, digits = 4) {
  if (Number.isNaN(value)) return "—";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const plain = size === 0 || (size >= SMALL && size < LARGE);
  const text = plain ? withThousands(String(Number(value.toPrecision(digits)))) : significant(value, digits - 1);
  return text.replaceAll("-", "−");
}

const ROUNDING = 1e-12; // of a scale: what is smaller is an error of rounding
const INVISIBLE = 1e-5; // of a scale: what is smaller cannot be seen in a drawing

/**
 * A number in a drawing, whose scale is about as large: 0 where it is rounding only, ≈ 0 where nobody could see it.
 * @param {number} value
 * @param {number} scale
 */
export function onScale(value, scale) {
  const size = Math.abs(value) / scale;
  return size < ROUNDING ? "0" : size < INVISIBLE ? "≈\u00a00" : readable(value, 3);
}

/** A count, rounded. @param {number} value */
export function count(value) {
  return Math.abs(value) < 1e9 ? withThousands(String(Math.round(value))).replace("-", "−") : readable(value, 3);
}

/** A share in whole percent; neither 0 % nor 100 % unless it is. @param {number} value */
export function percent(value) {
  if (Number.isNaN(value)) return readable(value);
  const whole = Math.round(100 * value);
  if (whole === 0 && value > NEGLIGIBLE) return "< 1\u00a0%";
  if (whole === 100 && value < 1 - NEGLIGIBLE) return "> 99\u00a0%";
  return `${count(whole)}\u00a0%`;
}

/**
 * What a sentence of the page quotes of a report: "figure.field" a number, "figure.field:%" the same as a share.
 * @param {string} name of the figure
 * @param {Record<string, Float64Array>} report
 */
export const quotable = (name, report) =>
  Object.fromEntries(
    Object.entries(report).flatMap(([field, [number]]) => [
      [`${name}.${field}`, readable(number)],
      [`${name}.${field}:%`, percent(number)],
    ]),
  );
