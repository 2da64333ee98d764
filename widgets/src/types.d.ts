/**
 * What widgets/figure/live.py sends to a figure, and what passes between the parts of the page.
 *
 * The records of widgets/figure/panels.py and scenes.py are in records.d.ts, which is made from these.
 */

import type { Pair, Panel, Row, Scene, Step, StoryCard, TruthMap } from "./records";
export * from "./records";

/** A record's leaves by field name: what a program watches at one step, or reports at its end. */
export type Leaves = Record<string, Float64Array>;

/* A program's kernels and stages. */

export interface KernelSource {
  name: string;
  /** JavaScript, or in a published page the name under which a script of the page has registered the function. */
  source: string | { static: string };
  /** Shapes of the outputs. */
  outputs: number[][];
  /** Where the kernel's constants lie in the pool of all constants: first place and count. */
  constants: Pair;
  /** Numbers of the parameters that the kernel depends on. */
  reads: number[];
  /** Numbers of the leaves of a state that a step leaves unchanged. */
  stays?: number[];
}

/** A small step takes as many as it is told at most, and returns how many it has taken until it was done. */
export type KernelFunction = (inputs: Float64Array[], outputs: Float64Array[], most?: number) => number | void;

export interface Kernel {
  call: KernelFunction;
  /** New buffers for the outputs. */
  outputs: () => Float64Array[];
  reads: number[];
  stays: number[];
}

export interface Stage {
  name: string;
  /** Number of the parameter that bounds the steps. */
  limit: number;
  /** Name of the kernel of a step. */
  step: string;
}

/** A slider's track; with a `base`, `min` and `max` are exponents. */
export interface Track {
  min: number;
  max: number;
  step: number | null;
  base?: number;
}

export interface Parameter {
  name: string;
  low: number | null;
  high: number | null;
  low_open: boolean;
  high_open: boolean;
  integer: boolean;
  default: number;
  /** The value that the code copied from the page leaves out. */
  usual: number | null;
  /** Whether it has no control; the rest is about the control. */
  fixed?: boolean;
  label?: string;
  choices?: number[];
  boolean?: boolean;
  /** Of a slider for numbers. */
  track?: Track;
}

/* The rest of a figure. */


/** What may decide a verdict: the first hypothesis, bound and condition on the run that fail. */
export type Decider = "hypothesis" | "bound" | "condition";
export type Outcome = keyof typeof import("./run/outcomes.json");

/** A statement in words: see `Judge.sheet` of widgets/figure/verdict.py. */
export interface Sheet {
  id: string;
  name: string;
  ground: string;
  href?: string;
  exists: boolean;
  /** The parameters of which it says that there is a choice. */
  choices: string[];
  /** What a map says: of its cells, and of a choice that works for every, or for some, values of the other axis. */
  mapped: Record<"cells" | "every" | "some" | "early", string>;
  assumes: string[];
  settled: string[];
  bounds: { name: string }[];
  /** The wordings of intervals, of which each bound has one. */
  intervals: string[];
  /** The outcomes in the order of their numbers. */
  outcomes: Outcome[];
  good: string | null;
  /** The names of hypotheses and conditions, by which a page has their words. */
  keys?: Record<"hypothesis" | "condition", string[]>;
  /** A clause for each hypothesis, bound and condition, which says that it fails. */
  failures: Record<Decider, string[]>;
  sentences: Record<Outcome, string>;
  /** Instead of that for "undecided" where a hypothesis fails. */
  unpromised: string;
  /** Before the run's end. */
  waits: string;
  /** Where settings are drawn from in search of a counterexample. */
  ranges: Record<string, Range>;
}

/** Numbers to draw from: between two ends, whole ones if it says so; or one of these, or from one of these. */
export type Range = { of: (number | Range)[] } | { low: number; high: number; whole: boolean };


/** Trials as a page stores them, a letter for each: of each statement, and of the border. */
export interface StoredMap { judged: string[]; sides: string }

export interface PagesOfWords { pages: string[]; cases: string[] }

export interface Spec {
  name: string;
  parameters: Parameter[];
  own?: OwnData[];
  stages: Stage[];
  /** Fields of what is watched, and of the report. */
  watch: string[];
  report: string[];
  scene: Scene;
  panels: Panel[];
  /** The texts of its cases; the report's `caption_cases` says which apply. */
  caption: string[];
  rows: Row[];
  story: StoryCard[];
  /** Wrong answers to the question that a reader answers by a curve. */
  mistaken?: Mistaken[];
  /** The pages that have the figure's words, and the names of its caption's cases: see widgets/words.py. */
  words?: PagesOfWords;
  /** Small figures for the steps of the page's argument. */
  why: Step[];
  /** Whether the first run plays by itself. */
  plays: boolean;
  /** None for a figure without a statement; in pages as built with what its coarsest cells come to at the defaults. */
  map: (TruthMap & { stored?: StoredMap }) | null;
  statements: Sheet[];
  /** For each statement the report's fields that hold its verdict. */
  verdicts: Record<string, string>[];
  code: string;
  /** What a challenge may ask for, with labels. */
  goals: Record<string, string>;
  /** Under which assumptions the numbers are exact, in whole sentences. */
  exact?: string;
}

/** A wrong answer: the run at other settings, another watched quantity of it, or a shape; and what who draws it thinks. */
export interface Mistaken {
  says: string;
  values: Record<string, number>;
  field: string;
  component: number;
  shape: string;
}

/** A figure as far as its runs and what its statements say of them go; its constants as base64. */
export interface Program {
  sources: KernelSource[];
  constants: string;
  spec: {
    stages: Stage[];
    report: string[];
    verdicts: Record<string, string>[];
    map: TruthMap | null;
    parameters: Parameter[];
    statements: { id: string; outcomes: Outcome[]; exists: boolean }[];
  };
}

/** A level of a chart with its number. */
export interface DrawnLevel { value: number; label: string; axis?: "x" | "y" }

/** What a part of a scene draws: what is watched at one moment and, once the run is finished, its report. */
export interface Moment { watched: Leaves; report: Leaves | null; levels: DrawnLevel[] }

/** What a drawing may do with the parameters that a reader moves in it: read and set them, or move them by steps. */
/** A field for a reader's own rows of numbers: the parameters from `first` on are how many rows, and their numbers. */
export interface OwnData {
  name: string;
  first: number;
  /** The text that is there at first. */
  default: string;
  low: number;
  high: number;
  columns: string[];
  least: number;
  most: number;
  /** What stands in rows that are not there. */
  pad: number;
}
export interface ParameterActions {
  parameter(name: string): Parameter;
  value(name: string): number;
  set(values: Record<string, number>): void;
  /** Move parameters to the values nearest to these that their controls offer. */
  moveTo(values: Record<string, number>): void;
  moveBy(steps: Record<string, number>): void;
  /** In scenes about facts: the fact that the reader asks about, if any, and to ask about another. */
  fact?: number | null;
  ask?(fact: number): void;
}

/** What a figure needs of anywidget's model. */
export interface WidgetModel {
  get(trait: string): any;
  set(trait: string, value: unknown): void;
  on(event: string, listener: (...details: any[]) => void): void;
  off(event: string, listener?: (...details: any[]) => void): void;
  save_changes(): void;
  send(message: unknown): void;
}
