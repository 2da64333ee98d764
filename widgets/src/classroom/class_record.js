/** The file that a lecturer may save: every question of a class with its answers, and who has met which challenge. */

import { isNear } from "../run/nearness.js";
import { decode } from "./drawn_answers.js";

/** @import { Pair } from "../types.js" */

/**
 * What was asked, at a page and its settings; `curves` are the drawn answers, or the run alone, and `right` is which of
 * them is the run, and `says` what who draws each of the others thinks. Students' pages do not know it (−1, none) until
 * the run is shown.
 * @typedef {{ number: number, form: "draw" | "choose", at: string, text: string, domain: Pair, curves: string[],
 *   says: string[], right: number, asked_at: string }} Question
 */
/**
 * Answers are a student's number from 0, what was answered, and when; challenges are their goal, the student's number,
 * the page and settings, and when.
 * @typedef {{ questions: (Question & { answers: [number, string | number, string][] })[],
 *   met: [string, number, string, string][] }} ClassRecord
 */

export const LETTERS = ["A", "B", "C"];
const HEAD = ["question", "text", "page and settings", "asked", "form", "student", "answered", "answer", "right"];

/** @param {ClassRecord} record @returns {string} a table with commas */
export function recordAsText({ questions, met }) {
  const answered = questions.flatMap((question) =>
    question.answers.map(([student, value, came]) => {
      const { number, text, at, asked_at: time, form } = question;
      return [number, text, at, time, form, student + 1, came, answerOf(question, value), isRight(question, value) ? "yes" : "no"];
    }),
  );
  const challenges = met.map(([goal, student, at, came]) => ["", goal, at, "", "challenge", student + 1, came, "met", "yes"]);
  const rows = [HEAD, ...answered, ...challenges];
  return `${rows.map((row) => row.map(quoted).join(",")).join("\n")}\n`;
}

/** @param {Question} question @param {string | number} value */
function answerOf({ form, domain }, value) {
  if (form === "choose") return LETTERS[Number(value)];
  return (decode(String(value), domain) ?? []).map((height) => height.toPrecision(3)).join(" ");
}

/** @param {Question} question @param {string | number} value */
function isRight({ form, domain, curves, right }, value) {
  if (form === "choose") return value === right;
  return isNear(decode(String(value), domain) ?? [], decode(curves[right], domain) ?? [], domain);
}

/** @param {string | number} value */
const quoted = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value);
