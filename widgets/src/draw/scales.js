/** Axes: scales over a range of pixels, and the numbers written along them. */

import { scaleLinear, scaleLog } from "d3-scale";

import { readable } from "../run/format.js";
import { widen } from "./ranges.js";

/** @import { ScaleContinuousNumeric } from "d3-scale" */
/** @import { ScaleKind } from "../types.js" */

/** @typedef {ScaleContinuousNumeric<number, number>} Scale */

const FEW = 1e-3;
const MANY = 1e4; // outside these two a number is written with a power of ten
const LONG = 1e6; // linear axes that stay below have no such numbers
/** @type {Record<string, string>} */
const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/**
 * A scale over a domain that may be empty or a single number.
 * @param {ScaleKind} kind
 * @param {[number, number] | [undefined, undefined]} domain
 * @param {[number, number]} range
 * @returns {Scale}
 */
export function makeScale(kind, domain, range) {
  if (kind !== "log") return scaleLinear(widen(domain), range);
  const [low, high] = domain[0] !== undefined && domain[0] > 0 && Number.isFinite(domain[1]) ? domain : [0.1, 10];
  return scaleLog(low === high ? [low / 2, low * 2] : [low, high], range);
}

/**
 * Whether a scale can show a number.
 * @param {ScaleKind} kind
 * @returns {(value: number) => boolean}
 */
export const canShow = (kind) => (kind === "log" ? (value) => Number.isFinite(value) && value > 0 : Number.isFinite);

/**
 * About `count` numbers along a scale, with their texts; over more than two decades only powers of ten.
 * @param {Scale} axis
 * @param {ScaleKind} kind
 * @param {number} count
 */
export function makeTicks(axis, kind, count) {
  const [low, high] = axis.domain();
  if (kind === "log") {
    const decades = Math.log10(high / low);
    const all = axis.ticks(count);
    const powers = all.filter((value) => Number.isInteger(Number(Math.log10(value).toFixed(9))));
    const stride = Math.ceil(powers.length / count);
    const chosen =
      decades > 2 && powers.length > 1
        ? powers.filter((_, i) => i % stride === 0)
        : all.filter((value) => /^[125]/.test(value.toExponential()));
    return chosen.map((value) => ({ value, text: withPower(value) }));
  }
  const text = axis.tickFormat(count);
  const long = Math.max(Math.abs(low), Math.abs(high)) >= LONG;
  return axis.ticks(count).map((value) => ({ value, text: long ? withPower(value) : text(value) }));
}

/** 0.02, 300, 10⁵, 2·10⁻⁴. @param {number} value */
function withPower(value) {
  const size = Math.abs(value);
  if (size === 0 || (size >= FEW && size < MANY)) return readable(value, 3);
  const [digits, exponent] = value.toExponential(1).split("e");
  const power = `10${[...String(Number(exponent))].map((sign) => SUPERSCRIPTS[sign]).join("")}`;
  const factor = Number(digits);
  return factor === 1 ? power : `${readable(factor, 2)}·${power}`;
}
