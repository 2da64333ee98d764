/**
 * Where a statement is true: two parameters as axes, and for each cell what a whole training run comes to. It fills
 * from coarse to fine while its reader looks; a cell chosen, by a click or the arrow keys, sets the figure.
 */

import { add, write } from "../draw/dom.js";
import { clamp } from "../draw/ranges.js";
import { addSvg, setAttributes, updateChildren, updateTexts } from "../draw/svg.js";
import { textSize, textWidth, withoutOverlaps } from "../draw/text_layout.js";
import { BOUNDLESS, count, readable } from "../run/format.js";
import { canBeAxis, mapAxis } from "../run/map_axis.js";
import { summary } from "../run/map_summary.js";
import { cellSettings, coarsest, FINEST, LEVELS, settingsOf, stride, unpack } from "../run/stored_map.js";
import { addPatterns, kindOf, PATTERNS } from "./truth_patterns.js";

/** @import { MapAxis } from "../run/map_axis.js" */
/** @import { Trial } from "../run/trials.js" */
/** @import { Background } from "./background.js" */
/** @import { CellKind } from "./truth_patterns.js" */
/** @import { Parameter, ParameterActions, Spec, StoredMap } from "../types.js" */

const PATIENCE = 20_000; // milliseconds: a level that would take longer waits until it is asked for
const DRAWN_EVERY = 100; // milliseconds, while it fills
const TIMED = 4; // runs that tell how long a level will take, if none has been made
const MOST_KEPT = 20_000; // trials
const HEIGHT = 264; // pixels of the cells
const RIGHT = 10; // beside them
const FOOT = 40; // below them, for the numbers and the name of the axis
const HEAD = 20; // above, for the name of the other axis
const LEGIBLE = 15; // pixels of a cell that can bear a sign
const UNKNOWN = "—"; // of a cell that cannot be run

/**
 * The cells as fine as they are drawn: their trials in rows from the bottom, what each comes to, and the pixels at
 * which each begins.
 * @typedef {{ trials: (Trial | undefined)[][], kinds: (CellKind | undefined)[][], right: (i: number) => number,
 *   down: (j: number) => number }} Grid
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Pixels, to a tenth. @param {number} length */
const round = (length) => Math.round(10 * length) / 10;

/** @param {number} value */
const inWords = (value) => (value >= BOUNDLESS ? "∞" : readable(value, 3));

export class TruthMap {
  /** Whether its reader looks at it. */
  #isShown = false;
  /** @type {number[]} the figure's parameters */
  #values = [];
  /** @type {Map<string, Trial>} by settings */
  #trials = new Map();
  /** @type {Record<"x" | "y", MapAxis>} */
  #axes;
  /** How fine it is: a place in LEVELS. */
  #level = 0;
  /** What all but the axes stand at, for which it is drawn. */
  #key = "";
  /** @type {string[]} the keys among the trials of the finest cells, row by row, as far as they have been asked for */
  #cellKeys = [];
  /** What its axes were last drawn for. */
  #drawnAxes = "";
  /** Pixels to the left of the cells, for the numbers. */
  #left = 0;
  #waitsToDraw = false;
  #drawnAt = 0;

  /**
   * @param {HTMLElement} parent
   * @param {Spec} spec
   * @param {Pick<ParameterActions, "parameter" | "value" | "set">} actions
   * @param {Pick<Background, "make" | "stop" | "each">} background
   */
  constructor(parent, spec, actions, background) {
    this.spec = spec;
    this.actions = actions;
    this.background = background;
    const offered = spec.parameters.filter(canBeAxis);
    const settings = add(parent, "div", { className: "fim-map-settings" });
    const { x, y } = spec.map ?? { x: offered[0].name, y: offered[1].name };
    const choices = offered.map(({ name, label = name }) => ({ value: name, text: label }));
    this.x = this.#addChoice(settings, "across", choices, x);
    this.y = this.#addChoice(settings, "upwards", choices, y);
    const statements = spec.statements.map(({ name }, place) => ({ value: String(place), text: name }));
    this.statement = this.#addChoice(settings, "statement", statements, "0");
    if (statements.length < 2) this.statement.parentElement?.remove();
    this.canvas = add(parent, "div", { className: "fim-map-cells", tabIndex: 0 });
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "map");
    this.svg = addSvg(this.canvas, "svg", { "aria-hidden": true, height: HEAD + HEIGHT + FOOT });
    const fills = addPatterns(this.svg);
    this.layers = Object.fromEntries(
      ["outcomes", "signs", "printed", "border", "ticks", "axis", "here"].map((name) => [
        name,
        addSvg(this.svg, "g", { class: `fim-map-${name}` }),
      ]),
    );
    this.fills = fills;
    this.here = addSvg(this.layers.here, "circle", { r: 6 });
    this.chosen = add(parent, "p", { className: "fim-map-chosen" });
    this.chosen.setAttribute("role", "status");
    this.summary = add(parent, "p", { className: "fim-map-summary" });
    this.legend = add(parent, "ul", { className: "fim-map-legend" });
    this.source = add(parent, "p", { className: "fim-map-source" });
    this.trouble = add(parent, "p", { className: "fim-map-trouble", hidden: true });
    this.trouble.setAttribute("role", "status");
    this.finer = add(parent, "button", { type: "button", textContent: "finer", hidden: true });
    this.finer.addEventListener("click", () => this.#fill(this.#level + 1, Infinity));
    this.#addTable(parent);
    this.#axes = this.#newAxes();
    if (spec.map?.stored) this.#restore(spec.map.stored);
    for (const choice of [this.x, this.y, this.statement]) choice.addEventListener("change", () => this.#choose(choice));
    this.canvas.addEventListener("click", (event) => this.#goToPoint(event));
    this.canvas.addEventListener("keydown", (event) => this.#goByKey(event));
    new ResizeObserver(() => this.#drawSoon()).observe(this.canvas);
  }

  /** Tell the reader of trouble that the map goes on in spite of. @param {string} sentence */
  tell(sentence) {
    this.trouble.hidden = false;
    write(this.trouble, sentence);
  }

  /** Take over the runs that the page brings. @param {StoredMap} stored */
  #restore(stored) {
    const settings = coarsest(this.spec);
    unpack(stored).forEach((trial, place) => trial && this.#trials.set(settings[place].join(), trial));
    this.source.textContent = `The coarsest ${settings.length} cells were run when this page was built; the others are run here.`;
  }

  /**
   * @param {HTMLElement} parent
   * @param {string} name
   * @param {{ value: string, text: string }[]} choices
   * @param {string} chosen
   */
  #addChoice(parent, name, choices, chosen) {
    const label = add(parent, "label", { textContent: `${name} ` });
    const select = add(label, "select");
    for (const { value, text } of choices) {
      add(select, "option", { value, textContent: text, selected: value === chosen });
    }
    return select;
  }

  /** The cells in words, for those who listen, and for copying. @param {HTMLElement} parent */
  #addTable(parent) {
    const details = add(parent, "details", { className: "fim-map-table" });
    add(details, "summary", { textContent: "The map as a table" });
    const box = add(details, "div");
    details.addEventListener("toggle", () => details.open && this.#fillTable(box));
  }

  /** @param {HTMLElement} box */
  #fillTable(box) {
    box.replaceChildren();
    const { x, y } = this.#axes;
    const [across, up] = [stride(x, 0), stride(y, 0)];
    const table = add(box, "table", { className: "fim-table" });
    add(table, "caption", { textContent: `${this.#label("y")} in rows, ${this.#label("x")} in columns` });
    const head = add(add(table, "thead"), "tr");
    add(head, "td");
    const columns = x.values.filter((_, i) => i % across === 0);
    for (const value of columns) add(head, "th", { scope: "col", textContent: inWords(value) });
    const body = add(table, "tbody");
    for (let j = up * Math.floor((y.values.length - 1) / up); j >= 0; j -= up) {
      const row = add(body, "tr");
      add(row, "th", { scope: "row", textContent: inWords(y.values[j]) });
      columns.forEach((_, i) => add(row, "td", { textContent: this.#words(this.#outcomeAt(i * across, j)) }));
    }
  }

  /** @param {CellKind | undefined} outcome */
  #words = (outcome) => (outcome ? PATTERNS[outcome].words : UNKNOWN);

  /** @param {"x" | "y"} axis @returns {Parameter} */
  #parameter(axis) {
    return this.actions.parameter(this[axis].value);
  }

  /** The place of the statement that is chosen. */
  get place() {
    return Number(this.statement.value);
  }

  /** @param {"x" | "y"} axis */
  #label(axis) {
    const { label, name } = this.#parameter(axis);
    return label ?? name;
  }

  #newAxes() {
    return { x: mapAxis(this.#parameter("x"), FINEST), y: mapAxis(this.#parameter("y"), FINEST) };
  }

  /** Another axis, or another statement. @param {HTMLSelectElement} choice */
  #choose(choice) {
    if (choice !== this.statement) {
      const other = choice === this.x ? this.y : this.x;
      if (other.value === choice.value) {
        const another = [...choice.options].find(({ value }) => value !== choice.value);
        other.value = another?.value ?? other.value;
      }
      this.#axes = this.#newAxes();
      this.#key = "";
    }
    this.#chosenInWords();
    this.follow(this.#values);
    this.#drawSoon();
  }

  /** Show it, and fill it; or hide it, and rest. @param {boolean} isShown */
  toggle(isShown) {
    this.#isShown = isShown;
    if (isShown) this.follow(this.#values);
    else this.background.stop();
    if (!isShown) this.#key = "";
  }

  /** The figure's parameters have moved. @param {number[]} values in order */
  follow(values) {
    this.#values = values;
    if (!this.#isShown) return;
    this.#chosenInWords();
    const axes = [this.x.value, this.y.value];
    const others = this.spec.parameters.map(({ name }, i) => (axes.includes(name) ? "" : values[i]));
    const key = [...axes, ...others].join();
    if (key !== this.#key) {
      this.#key = key;
      this.#cellKeys = [];
      if (this.#trials.size > MOST_KEPT) this.#trials.clear();
      this.#fill(0, PATIENCE);
    }
    this.#drawSoon();
  }

  /** What the chosen settings come to, as far as the map knows. */
  #chosenInWords() {
    const trial = this.#trials.get(this.#values.join());
    const outcome = trial && this.#outcome(trial);
    const place = ["x", "y"]
      .map((axis) => {
        const name = /** @type {"x" | "y"} */ (axis);
        const { name: parameter } = this.#parameter(name);
        return `${this.#label(name)}: ${inWords(this.actions.value(parameter))}`;
      })
      .join(", ");
    const words = outcome ? `${PATTERNS[outcome].words}.` : trial?.failure;
    write(this.chosen, words ? `Here, at ${place}: ${words}` : `You are at ${place}.`);
  }

  /** @param {Trial} trial @returns {CellKind | undefined} none of a run that failed */
  #outcome({ judged, failure }) {
    return failure ? undefined : kindOf(this.spec.statements[this.place], judged[this.place]);
  }

  /**
   * The settings of a cell.
   * @param {number} i
   * @param {number} j
   */
  #settings(i, j) {
    return cellSettings(this.spec.parameters, this.#namedAxes, this.#values, i, j);
  }

  /**
   * Make the runs of a level, and of finer ones as far as time allows.
   * @param {number} level
   * @param {number} patience milliseconds
   */
  async #fill(level, patience) {
    this.#level = level;
    this.finer.hidden = true;
    if (!(await this.#make(this.#missing(level)))) return;
    this.#chosenInWords();
    this.#drawSoon();
    const { x, y } = this.#axes;
    const done = level + 1 === LEVELS.length || Math.max(x.values.length, y.values.length) <= LEVELS[level];
    this.canvas.dataset.state = done ? "done" : "coarse";
    if (done) return;
    const next = this.#missing(level + 1);
    if (!this.background.each && !(await this.#make(next.slice(0, TIMED)))) return;
    if (this.background.each * next.length > patience) this.finer.hidden = false;
    else await this.#fill(level + 1, patience);
  }

  /** The axes with the names of their parameters. */
  get #namedAxes() {
    const { x, y } = this.#axes;
    return { x: { name: this.x.value, axis: x }, y: { name: this.y.value, axis: y } };
  }

  /** The settings of the cells of a level that have not been run. @param {number} level */
  #missing(level) {
    const settings = settingsOf(this.spec.parameters, this.#namedAxes, this.#values, level);
    return settings.filter((values) => !this.#trials.has(values.join()));
  }

  /**
   * Make these runs, and draw them as they come.
   * @param {number[][]} settings
   * @returns {Promise<boolean>} whether all were made
   */
  #make(settings) {
    return this.background.make(settings, (place, trial) => {
      this.#trials.set(settings[place].join(), trial);
      if (performance.now() > this.#drawnAt + DRAWN_EVERY) this.#drawSoon();
    });
  }

  /**
   * The trial that stands for a cell: its own, or that of a coarser one around it.
   * @param {number} i
   * @param {number} j
   */
  #trialAt(i, j) {
    for (let level = this.#level; level >= 0; level -= 1) {
      const [across, up] = [stride(this.#axes.x, level), stride(this.#axes.y, level)];
      const trial = this.#trials.get(this.#cellKey(i - (i % across), j - (j % up)));
      if (trial) return trial;
    }
    return undefined;
  }

  /** @param {number} i @param {number} j */
  #cellKey(i, j) {
    const place = j * this.#axes.x.values.length + i;
    return (this.#cellKeys[place] ??= this.#settings(i, j).join());
  }

  /** @param {number} i @param {number} j */
  #outcomeAt(i, j) {
    const trial = this.#trialAt(i, j);
    return trial && this.#outcome(trial);
  }

  #drawSoon() {
    if (this.#waitsToDraw || !this.#isShown) return;
    this.#waitsToDraw = true;
    const draw = () => {
      this.#waitsToDraw = false;
      this.#draw();
      this.#drawnAt = performance.now();
    };
    // its first frame has the whole page to lay out, and draws nothing yet
    requestAnimationFrame(this.#drawnAt ? draw : () => requestAnimationFrame(draw));
  }

  #draw() {
    const { x, y } = this.#axes;
    const width = this.canvas.clientWidth;
    if (!width) return;
    const axes = [width, textSize(), this.x.value, this.y.value].join();
    const moved = axes !== this.#drawnAxes;
    if (moved) this.#left = 12 + Math.max(...y.values.map((value) => textWidth(inWords(value))));
    const left = this.#left;
    /** In pixels, from places in the finest cells. @param {number} i */
    const right = (i) => round(left + (Math.min(i, x.values.length) / x.values.length) * (width - left - RIGHT));
    /** @param {number} j */
    const down = (j) => round(HEAD + HEIGHT - (Math.min(j, y.values.length) / y.values.length) * HEIGHT);
    if (moved) this.#drawAxes(right, down, width);
    this.#drawnAxes = axes;
    const [across, up] = [stride(x, this.#level), stride(y, this.#level)];
    const [columns, rows] = [Math.ceil(x.values.length / across), Math.ceil(y.values.length / up)];
    const trials = Array.from({ length: rows }, (_, j) =>
      Array.from({ length: columns }, (_, i) => this.#trialAt(i * across, j * up)),
    );
    const kinds = trials.map((row) => row.map((trial) => trial && this.#outcome(trial)));
    /** @type {Grid} */
    const grid = { trials, kinds, right: (i) => right(i * across), down: (j) => down(j * up) };
    this.#drawCells(grid);
    setPath(this.layers.printed, edges(grid, ({ judged }) => judged[this.place]?.assumed));
    setPath(this.layers.border, edges(grid, borderSide));
    setAttributes(this.here, { cx: right(x.placeOf(this.#value("x"))), cy: down(y.placeOf(this.#value("y"))) });
    this.#tell(grid);
  }

  /** @param {"x" | "y"} axis */
  #value(axis) {
    return this.actions.value(this[axis].value);
  }

  /** @param {Grid} grid */
  #drawCells({ kinds, right, down }) {
    const outcomes = /** @type {CellKind[]} */ (Object.keys(PATTERNS));
    const cells = Object.fromEntries(outcomes.map((outcome) => [outcome, ""]));
    const signs = { ...cells };
    const isLegible = Math.min(right(1) - right(0), down(0) - down(1)) >= LEGIBLE;
    kinds.forEach((row, j) => {
      for (const { kind, from, to } of runsOf(row)) {
        cells[kind] += `M${right(from)} ${down(j)}H${right(to)}V${down(j + 1)}H${right(from)}z`;
        for (let i = from; isLegible && i < to; i += 1) {
          const [across, middle] = [(right(i) + right(i + 1)) / 2, (down(j) + down(j + 1)) / 2];
          signs[kind] += `M${round(across)} ${round(middle)}${PATTERNS[kind].stroke}`;
        }
      }
    });
    updateChildren(this.layers.outcomes, "path", outcomes, (node, outcome) =>
      setAttributes(node, { d: cells[outcome], style: `fill: ${this.fills[outcome]}` }),
    );
    setPath(this.layers.signs, Object.values(signs).join(""));
  }

  /**
   * @param {(i: number) => number} across
   * @param {(j: number) => number} down
   * @param {number} width
   */
  #drawAxes(across, down, width) {
    const { x, y } = this.#axes;
    const height = HEAD + HEIGHT + FOOT;
    setAttributes(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    const foot = down(0) + textSize() + 4;
    const alongX = x.values.map((value, i) => ({ text: inWords(value), x: across(i + 0.5) }));
    const every = Math.max(1, Math.ceil((y.values.length * (textSize() + 4)) / HEIGHT));
    const alongY = y.values.map((value, j) => ({ text: inWords(value), x: this.#left - 6, y: down(j + 0.5) + 4, anchor: "end" }));
    updateTexts(this.layers.ticks, [
      ...withoutOverlaps(alongX, width).map((tick) => ({ ...tick, y: foot })),
      ...alongY.filter((_, j) => j % every === 0),
    ]);
    updateTexts(this.layers.axis, [
      { text: `${this.#label("x")} →`, x: width - RIGHT, y: foot + textSize() + 4, anchor: "end" },
      { text: `${this.#label("y")} ↑`, x: 2, y: textSize(), anchor: "start" },
    ]);
  }

  /** Say what the map shows, and why cells are empty. @param {Grid} grid */
  #tell({ kinds, trials }) {
    /** @type {Record<string, number>} */
    const counts = Object.fromEntries(Object.keys(PATTERNS).map((outcome) => [outcome, 0]));
    const known = kinds.flat().filter((kind) => kind !== undefined);
    for (const kind of known) counts[kind] += 1;
    const failures = trials.flat().flatMap((trial) => trial?.failure ?? []);
    const empty = failures.length ? ` Empty cells: ${count(failures.length)}. ${[...new Set(failures)].join(" ")}` : "";
    const text = known.length
      ? summary(this.spec.statements[this.place], kinds, counts, [this.#parameter("x"), this.#parameter("y")]) + empty
      : empty.trim() || "The map is being made: each cell is a whole training run.";
    write(this.summary, text);
    this.canvas.setAttribute("aria-label", `${text} The arrow keys move the settings from cell to cell.`);
    this.#showLegend(counts);
  }

  /**
   * The outcomes and the lines that are drawn.
   * @param {Record<string, number>} counts
   */
  #showLegend(counts) {
    const outcomes = /** @type {CellKind[]} */ (Object.keys(PATTERNS)).filter((outcome) => counts[outcome]);
    const lines = [
      { name: "printed", text: "the border of its hypotheses" },
      { name: "border", text: this.spec.map?.border_label ?? "" },
    ].filter(({ name }) => this.layers[name].childElementCount);
    const key = [this.place, ...outcomes, ...lines.map(({ name }) => name)].join();
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    this.legend.replaceChildren();
    for (const outcome of outcomes) {
      const item = add(this.legend, "li");
      const swatch = addSvg(item, "svg", { width: 20, height: 14, "aria-hidden": true });
      addSvg(swatch, "rect", { width: 20, height: 14, style: `fill: ${this.fills[outcome]}` });
      item.append(` ${PATTERNS[outcome].sign} ${PATTERNS[outcome].words}`);
    }
    for (const { name, text } of lines) {
      const item = add(this.legend, "li");
      const swatch = addSvg(item, "svg", { width: 20, height: 14, "aria-hidden": true, class: `fim-map-${name}` });
      addSvg(swatch, "path", { d: "M0 7H20" });
      item.append(` ${text}`);
    }
  }

  /** @param {MouseEvent} event */
  #goToPoint({ clientX, clientY }) {
    const { left, top } = this.svg.getBoundingClientRect();
    const { x, y } = this.#axes;
    const width = this.canvas.clientWidth - this.#left - RIGHT;
    const i = Math.floor(((clientX - left - this.#left) / width) * x.values.length);
    const j = Math.floor(((HEAD + HEIGHT - (clientY - top)) / HEIGHT) * y.values.length);
    if (i >= 0 && j >= 0 && i < x.values.length && j < y.values.length) this.#goTo(i, j);
  }

  /** @param {KeyboardEvent} event */
  #goByKey(event) {
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    const { x, y } = this.#axes;
    this.#goTo(Math.floor(x.placeOf(this.#value("x"))) + way[0], Math.floor(y.placeOf(this.#value("y"))) + way[1]);
  }

  /** Set the figure to a cell. @param {number} i @param {number} j */
  #goTo(i, j) {
    const { x, y } = this.#axes;
    this.actions.set({
      [this.x.value]: x.values[clamp(i, 0, x.values.length - 1)],
      [this.y.value]: y.values[clamp(j, 0, y.values.length - 1)],
    });
  }
}

/** On which side of the border that is known in closed form. @param {Trial} trial */
const borderSide = ({ border }) => (Number.isNaN(border) ? undefined : border > 0);

/**
 * The runs of equal cells in a row, each from its first to after its last.
 * @param {(CellKind | undefined)[]} row
 */
function runsOf(row) {
  /** @type {{ kind: CellKind, from: number, to: number }[]} */
  const runs = [];
  row.forEach((kind, i) => {
    const last = runs.at(-1);
    if (last?.to === i && last.kind === kind) last.to = i + 1;
    else if (kind) runs.push({ kind, from: i, to: i + 1 });
  });
  return runs;
}

/**
 * The edges between cells of different sides, as a path.
 * @param {Grid} grid
 * @param {(trial: Trial) => boolean | undefined} sideOf
 */
function edges({ trials, right, down }, sideOf) {
  const sides = trials.map((row) => row.map((trial) => trial && sideOf(trial)));
  /** @param {boolean | undefined} one @param {boolean | undefined} other */
  const differ = (one, other) => one !== undefined && other !== undefined && one !== other;
  return sides
    .flatMap((row, j) =>
      row.map((side, i) => {
        const upright = differ(side, row[i + 1]) ? `M${right(i + 1)} ${down(j)}V${down(j + 1)}` : "";
        const level = differ(side, sides[j + 1]?.[i]) ? `M${right(i)} ${down(j + 1)}H${right(i + 1)}` : "";
        return upright + level;
      }),
    )
    .join("");
}

/** One path in a layer, or none. @param {Element} layer @param {string} d */
const setPath = (layer, d) =>
  updateChildren(layer, "path", d ? [d] : [], (node, path) => setAttributes(node, { d: path }));
