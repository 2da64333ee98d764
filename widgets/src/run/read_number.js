/** Numbers as people write them: 0.05, 0,05, ½, 1/20, 5 %, 1e-3, 5·10⁻², 5 × 10^-2, 5,000, 5.000, 5 000, −3, ∞. */

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const POWER_OF_TEN = /^(?:(.+?)\s*[·×*]\s*)?10(?:\^([+-]?\d+)|([⁻]?[⁰¹²³⁴-⁹]+))$/;
const FRACTION = /^(?:(\d+)\s+)?([^/]+)\/([^/]+)$/;
const EXPONENT = /^(.+?)e\s*([+-]?\d+)$/i;
/** @type {Record<string, RegExp>} by what stands between thousands */
const GROUPED = { "’": /^\d{1,3}(’\d{3})+$/, ",": /^\d{1,3}(,\d{3})+$/, ".": /^\d{1,3}(\.\d{3})+$/ };

/**
 * The numbers that a text may stand for, that of the page's own notation first; none if it is no number. Only a comma
 * or point before three digits leaves a doubt: 1,000 is a thousand or, where commas are decimal, one.
 * @param {string} text
 * @returns {number[]}
 */
export function readingsOf(text) {
  const plain = text
    .trim()
    .replace(/[−–]/g, "-")
    .replace(/['\u00a0\u2009\u202f]/g, (mark) => (mark === "'" ? "’" : " "))
    .replace(/[¼-¾⅐-⅞]/g, (fraction) => ` ${fraction.normalize("NFKD").replace("⁄", "/")}`)
    .replace("⁄", "/")
    .trim();
  const isNegative = plain.startsWith("-");
  const readings = unsigned(plain.replace(/^[+-]\s*/, ""));
  return readings.filter((value) => !Number.isNaN(value)).map((value) => (isNegative ? 0 - value : value));
}

/** @param {string} text without a sign @returns {number[]} */
function unsigned(text) {
  if (text.endsWith("%")) return unsigned(text.slice(0, -1).trim()).map((value) => value / 100);
  if (/^(∞|inf|infinity)$/i.test(text)) return [Infinity];
  const [, mantissa = "1", digits, raised] = POWER_OF_TEN.exec(text) ?? [];
  if (digits ?? raised) return decimals(mantissa).map((value) => Number(`${value}e${digits ?? lowered(raised)}`));
  const [, whole = "0", above, below] = FRACTION.exec(text) ?? [];
  if (above) return decimals(above).flatMap((a) => decimals(below).map((b) => Number(whole) + Number(a) / Number(b)));
  const [, number = text, power = "0"] = EXPONENT.exec(text) ?? [];
  return decimals(number).map((value) => Number(`${value}e${power}`));
}

/**
 * Digits with a decimal point or comma, and with thousands apart or not, as digits with a point.
 * @param {string} text
 * @returns {string[]}
 */
function decimals(text) {
  const digits = text.trim().replace(/^(\d{1,3})((?: \d{3})+)(?=$|[.,])/, (grouped) => grouped.replaceAll(" ", "’"));
  const [whole, decimal, ...rest] = digits.split(/[.,](?=[^.,]*$)/);
  if (rest.length || !/\d/.test(digits)) return [];
  const mark = decimal === undefined ? "" : digits[whole.length];
  const asDecimal = /^\d*$/.test(decimal ?? "") ? ungrouped(whole, mark).map((integer) => `${integer}.${decimal ?? ""}0`) : [];
  const isGrouped = mark && GROUPED[mark].test(digits) && !digits.startsWith("0");
  const asThousands = isGrouped ? [digits.replaceAll(mark, "")] : [];
  return mark === "," ? [...asThousands, ...asDecimal] : [...asDecimal, ...asThousands];
}

/**
 * A whole number without marks between its thousands, which are not its decimal mark; none if it is no such number.
 * @param {string} whole
 * @param {string} mark
 */
function ungrouped(whole, mark) {
  if (/^\d*$/.test(whole)) return [whole || "0"];
  const between = Object.entries(GROUPED).find(([other, pattern]) => other !== mark && pattern.test(whole));
  return between ? [whole.replaceAll(between[0], "")] : [];
}

/** Raised digits as an exponent. @param {string} raised */
const lowered = (raised) => raised.replace("⁻", "-").replace(/[⁰¹²³⁴-⁹]/g, (digit) => String(RAISED.indexOf(digit)));
