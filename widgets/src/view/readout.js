/** Everything of the figure that is not a chart: statements, caption, numbers, buttons, messages. */

import { copy } from "../draw/clipboard.js";
import { add } from "../draw/dom.js";
import { addTable, reserveRoom, showText } from "../draw/fixed_size_text.js";
import { isLargeScreen, LARGE_SCREEN } from "../draw/text_layout.js";
import { count, quotable, readable } from "../run/format.js";
import { captionOf, longestTexts } from "./captions.js";
import { ScreenReaderText } from "./screen_reader.js";
import { Statement } from "./statement.js";

/** @import { Leaves, Row, Spec } from "../types.js" */

const ADDRESS_DELAY = 300; // milliseconds until the address has followed the controls
const DIGITS = 3; // of a number in the table, and one more where it takes that to tell two apart
const LONGEST_STEP = "step 10,000,000."; // of a caption before the run's end

/**
 * @typedef {{ reset: () => void, values: () => number[] }} Actions
 */
/** A cell of the table of numbers. @typedef {{ row: Row, field: string, output: HTMLOutputElement }} Cell */

export class Readout {
  /** @type {HTMLDetailsElement | undefined} the charts that are not in the scene, folded */
  curves;
  /** @type {HTMLDivElement | undefined} where those charts go */
  panels;
  /** The caption of the finished run. */
  #ofTheRun = "";

  /**
   * @param {HTMLElement} root
   * @param {Spec} spec
   * @param {Actions} actions
   */
  constructor(root, spec, actions) {
    this.root = root;
    this.spec = spec;
    this.error = add(root, "p", { className: "fim-error", hidden: true });
    this.error.setAttribute("role", "alert");
    this.tabs = add(root, "div");
    this.stage = add(root, "div", { className: "fim-stage" });
    this.map = add(root, "div", { className: "fim-map", hidden: true });
    this.progressBar = add(root, "progress", { className: "fim-progress", max: 1 });
    this.progressBar.setAttribute("aria-label", "progress of the run");
    const says = spec.stages.flatMap(({ name }) =>
      spec.scene.stops.map((stop) => `${name}, ${LONGEST_STEP} ${stop.says}`),
    );
    const lead = add(root, "div", { className: "fim-lead" });
    this.caption = reserveRoom(
      add(root, "figcaption", { className: "fim-caption" }),
      longestTexts([...spec.caption, ...says]),
    );
    /** What is asked before the run. */
    this.question = add(root, "div");
    const placeHeadline = () => {
      const headline = [this.caption, this.question];
      if (isLargeScreen()) this.stage.before(...headline);
      else lead.after(...headline);
    };
    placeHeadline();
    LARGE_SCREEN?.addEventListener("change", placeHeadline);
    this.story = add(root, "div");
    this.#addCurves();
    const numbers = add(root, "details", { className: "fim-curves fim-check" });
    add(numbers, "summary", { textContent: "Check the numbers" });
    if (spec.exact) {
      const exact = add(numbers, "p", { className: "fim-exact" });
      add(exact, "b", { textContent: "Where exact: " });
      exact.append(spec.exact);
    }
    const below = add(numbers, "div", { className: "fim-below" });
    this.statements = spec.statements.map((sheet, i) => new Statement(lead, below, sheet, spec.verdicts[i]));
    this.cells = this.#addNumbers(below);
    this.#addToolbar(actions);
    this.screenReaderText = new ScreenReaderText(root, numbers);
    this.kernelLine = add(root, "p", { className: "fim-kernel", hidden: true });
  }

  /**
   * The table of predicted and measured numbers.
   * @param {HTMLElement} parent
   * @returns {Cell[]} that hold a number
   */
  #addNumbers(parent) {
    if (!this.spec.rows.length) return [];
    const body = addTable(add(parent, "div", { className: "fim-numbers" }), ["", "predicted", "measured"]);
    return this.spec.rows.flatMap((row) => {
      const line = add(body, "tr");
      add(line, "th", { textContent: row.label, scope: "row" });
      const cells = [row.predicted, row.measured].map((field) => ({
        row,
        field,
        output: add(add(line, "td"), "output"),
      }));
      for (const { field, output } of cells) if (field) output.dataset.field = field;
      return cells.filter(({ field }) => field);
    });
  }

  #addCurves() {
    if (!this.spec.panels.length) return;
    this.curves = add(this.root, "details", { className: "fim-curves" });
    add(this.curves, "summary", { textContent: "All curves" });
    this.panels = add(this.curves, "div", { className: "fim-panels" });
  }

  /** @param {Actions} actions */
  #addToolbar(actions) {
    const bar = add(this.root, "div", { className: "fim-toolbar" });
    /**
     * @param {string} textContent
     * @param {string} title
     * @param {(button: HTMLButtonElement) => void} act
     */
    const addButton = (textContent, title, act) => {
      const button = add(bar, "button", { type: "button", textContent, title });
      button.addEventListener("click", () => act(button));
    };
    addButton("reset", "back to the defaults", actions.reset);
    const runtime = window.factsRuntime;
    if (runtime) {
      if (runtime.lastSettings && runtime.lastSettings !== window.location.hash)
        addButton("last settings", "those of your last visit", (button) => {
          window.location.hash = runtime.lastSettings;
          button.remove();
        });
      addButton("share", "copy a link to these settings", (button) =>
        setTimeout(() => copy(window.location.href, button), ADDRESS_DELAY),
      );
      addButton("for a class", "a link that hides or locks controls, a frame for another page, a challenge", () =>
        runtime.forClass(this.root),
      );
      addButton("present", "this page as slides", () => runtime.present(this.root));
    }
    if (this.spec.code) {
      addButton("copy as Python", "copy the code of this run", (button) => copy(this.#code(actions.values()), button));
    }
  }

  /**
   * The code of a run, with the parameters that differ from what Python would choose.
   * @param {number[]} values
   */
  #code(values) {
    const assigned = this.spec.parameters.map(
      ({ name, usual }, i) => Number(values[i]) !== usual && `${name}=${Number(values[i])}`,
    );
    return this.spec.code.replace("{arguments}", assigned.filter(Boolean).join(", "));
  }

  /** Show why there is no run. @param {string} message */
  fail(message) {
    this.setProgress(1);
    for (const statement of this.statements) statement.clear();
    this.root.dataset.state = "error";
    this.tell(message);
  }

  /** Say what is wrong with a setting: the run that is shown is of others. @param {string} message */
  tell(message) {
    this.error.textContent = message;
    this.error.hidden = false;
    this.screenReaderText.update();
  }

  /** Take back the message of an earlier run or setting. */
  clearError() {
    this.error.hidden = true;
  }

  /** @param {number} share of the run */
  setProgress(share) {
    this.progressBar.value = share;
    this.progressBar.classList.toggle("fim-idle", share === 1);
  }

  /**
   * Show what the kernel answers.
   * @param {string} text
   * @param {number} difference between its numbers and the page's
   */
  showKernel(text, difference = NaN) {
    this.kernelLine.hidden = !text;
    this.kernelLine.textContent = text;
    this.kernelLine.dataset.difference = String(difference);
  }

  /** Before the end of the run the caption speaks of the moment that is drawn. @param {string} sentence */
  showMoment(sentence) {
    showText(this.caption, sentence);
    for (const statement of this.statements) statement.wait();
  }

  /** At its end, of the whole run. */
  showEnd() {
    showText(this.caption, this.#ofTheRun);
    for (const statement of this.statements) statement.showSentence();
  }

  /**
   * Show a finished run; returns the numbers that its words may quote.
   * @param {Leaves} report
   * @param {number[]} values of the parameters
   */
  show(report, values) {
    const named = Object.fromEntries(this.spec.parameters.map(({ name }, i) => [name, Float64Array.of(values[i])]));
    const numbers = { ...named, ...report };
    for (const statement of this.statements) statement.show(report, numbers);
    for (const cell of this.cells) showNumbers(cell, report);
    if (this.spec.caption.length) {
      const { text, defects } = captionOf(this.spec.caption, numbers);
      this.#ofTheRun = text;
      showText(this.caption, text);
      this.caption.dataset.defects = defects.join(" ");
    }
    const quoted = quotable(this.spec.name, report);
    for (const element of document.querySelectorAll(`[data-live^="${this.spec.name}."]`))
      element.textContent = quoted[element.getAttribute("data-live") ?? ""] ?? element.textContent;
    return numbers;
  }
}

/** @param {Cell} cell @param {Leaves} report */
function showNumbers({ row, field, output }, report) {
  const numbers = [...report[field]];
  /** @param {string} name @param {number} digits */
  const inWords = (name, digits) => [...(report[name] ?? [])].map((value) => numberInWords(row, value, report, digits)).join(", ");
  const isTold = inWords(row.predicted, DIGITS) !== inWords(row.measured, DIGITS);
  output.textContent = inWords(field, isTold ? DIGITS : DIGITS + 1);
  output.dataset.value = numbers.join(",");
}

/**
 * A count is shown whole, other numbers with as many digits as matter.
 * @param {Row} row
 * @param {number} value
 * @param {Leaves} report
 * @param {number} digits
 */
function numberInWords({ words, of }, value, report, digits) {
  if (of) return countOf(value, report[of][0]);
  return words[value] ?? (Number.isInteger(value) ? count(value) : readable(value, digits));
}

/**
 * A share of so many things, as a count of them.
 * @param {number} share
 * @param {number} whole
 */
const countOf = (share, whole) =>
  Number.isFinite(share) ? `${readable(share * whole, 3)} of ${readable(whole)}` : readable(NaN);
