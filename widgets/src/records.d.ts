/** What `python -m widgets.figure.records` makes of widgets/figure/panels.py and scenes.py. */

export type When = "" | "now" | "end";
export type Shape = "dot" | "ring" | "cross";
export type Axis = "x" | "y";
export type ScaleKind = "linear" | "log";
export type Pair = [number, number];
export type Panel = TimeChart | CurveChart | BarChart | HeatMap | Simplex | Tiles;
export type Part = Strip | Lens | Net | Rectangle | Ball | Cards | Graph | Ladder | Flow | Dots | Claims | Shortlist | Squares | Units | Sentences | Landscape | Sticks | Voices | Tables | Stream | Lanes | Abreast;

/** One main part or chart, which has most of the room, and small ones that go with it. */
export interface Scene {
  main: Strip | Lens | Net | Rectangle | Ball | Cards | Graph | Ladder | Flow | Dots | Claims | Shortlist | Squares | Units | Sentences | Landscape | Sticks | Voices | Tables | Stream | Lanes | Abreast | TimeChart | CurveChart | BarChart | HeatMap | Simplex | Tiles | null;
  beside: Array<Strip | Lens | Net | Rectangle | Ball | Cards | Graph | Ladder | Flow | Dots | Claims | Shortlist | Squares | Units | Sentences | Landscape | Sticks | Voices | Tables | Stream | Lanes | Abreast | TimeChart | CurveChart | BarChart | HeatMap | Simplex | Tiles>;
  stops: Array<Stop>;
  since: number;
  predict: Predict | null;
}

/** A prompt's tokens in a row, and arcs from one of them as wide as its attention to each. */
export interface Strip {
  title: string;
  tokens: Array<Token>;
  field: string;
  origin: number;
  below: [string, number] | null;
  says: string;
  share: [string, number] | null;
  kind: "strip";
}

/** A word of the running example, its symbol, and the colour of its role. */
export interface Token {
  word: string;
  symbol: string;
  colour: string;
}

/** Arcs from two words of a sentence as wide as their attention to each word; at their ends it is magnified. */
export interface Lens {
  title: string;
  tokens: Array<Token>;
  others: string;
  above: [string, number];
  below: [string, number];
  curves: Array<Trace>;
  says: string;
  kind: "lens";
}

/** A watched quantity against another that never falls, such as time; a smooth monotone line through the rows. */
export interface Trace {
  x: string;
  y: string;
  component: number;
  label: string;
  colour: string;
  dash: string;
}

/** Tokens on the left, tokens on the right, and links between them. */
export interface Net {
  title: string;
  left: Array<Token>;
  right: Array<Token>;
  links: Array<Link>;
  field: string;
  full: number;
  share: [string, number] | null;
  says: string;
  shares: string;
  kind: "net";
}

/** A line from a token on the left to one on the right, as wide as the watched number beside it. */
export interface Link {
  left: number;
  right: number;
  colour: string;
}

/** A rectangle from the middle of a square to (x, y): its area, with its sign, is what matters. */
export interface Rectangle {
  title: string;
  field: string;
  reach: number;
  x: string;
  y: string;
  says: string;
  times: number;
  colour: string;
  other: string;
  kind: "rectangle";
}

/** A ball on the ground: a curve of the report, and on it the run, at an edge while it is beyond. */
export interface Ball {
  title: string;
  x: string;
  y: string;
  at: string;
  height: string;
  left: string;
  right: string;
  levels: Array<Level>;
  kind: "ball";
}

/** A straight line at a number, or at a field of the report. */
export interface Level {
  value: number | string;
  label: string;
  axis: Axis;
}

/** Kinds of sentences as stacks of signed blocks, one for each word they hold; a card tilts while it is wrong. */
export interface Cards {
  title: string;
  words: Array<Token>;
  cards: Array<Card>;
  field: string;
  margins: string;
  rest: Token;
  kind: "cards";
}

/** A kind of sentence: which of the words it holds, its label +1 or −1, and how common it is. */
export interface Card {
  name: string;
  holds: Array<number>;
  label: number;
  note: string;
}

/** Fine-tuned facts on the left light the phrases that state them; unseen facts on the right wait behind theirs. */
export interface Graph {
  title: string;
  questions: Questions;
  kind: "graph";
}

/** Facts, the phrases they are stated with, and what a model would say to a question about each of them. */
export interface Questions {
  facts: Array<string>;
  phrases: Array<string>;
  uses: string;
  taught: string;
  logits: string;
  kinds: Array<Token>;
  first: number;
  since: number;
  answers: Array<string>;
  rivals: string;
}

/** The logits of one question as rungs, the top one of which is said; below it, what is said at every step. */
export interface Ladder {
  title: string;
  questions: Questions;
  toggles: string;
  kind: "ladder";
}

/** Bands from words to what they change, as wide as their parts of a step; below them who answers after such steps. */
export interface Flow {
  title: string;
  words: Array<string>;
  kinds: Array<Token>;
  whole: string;
  strongest: string;
  remaining: string;
  opened: string;
  directions: string;
  kinds_of_steps: Array<Line>;
  best: string;
  people: string;
  says: string;
  kind: "flow";
}

/** A watched quantity against the step. */
export interface Line {
  field: string;
  component: number;
  label: string;
  colour: string;
  dash: string;
}

/** A dot for each kind of prompt: how far it is ahead in two ways; where both are above zero it is right. */
export interface Dots {
  title: string;
  x: string;
  y: string;
  weights: string;
  x_label: string;
  y_label: string;
  reach: Pair;
  colour: string;
  label: string;
  rivals: Array<Cloud>;
  kind: "dots";
}

/** More dots in the same square, by three watched fields as those of :class:`Dots`; ``label`` says who they are. */
export interface Cloud {
  x: string;
  y: string;
  weights: string;
  label: string;
  colour: string;
}

/** Claims in groups, a lamp each, which is out while the claim fails. */
export interface Claims {
  title: string;
  groups: Array<[string, Array<string>]>;
  field: string;
  decided: string;
  silent: Array<string>;
  grounds: Array<Ground>;
  kept: string;
  kind: "claims";
}

/** What claims rest on, in words with watched numbers: while it is kept, and once it is broken. */
export interface Ground {
  kept: string;
  broken: string;
}

/** Candidates as squares, a group for each thing that is known: those that still fit are filled, the others pale. */
export interface Shortlist {
  title: string;
  hints: Array<string>;
  field: string;
  total: string;
  what: string;
  right: string;
  others: string;
  kind: "shortlist";
}

/** Rivals side by side, each with squares whose sides add up weights: who has the largest area wins. */
export interface Squares {
  title: string;
  rivals: Array<string>;
  colours: Array<string>;
  sides: Array<Array<[string, Array<number>]>>;
  weights: string;
  shares: string;
  conditions: Array<string>;
  met: string;
  kind: "squares";
}

/** Rows of unit squares to be counted, in groups side by side; each square is as full as a watched number says. */
export interface Units {
  title: string;
  rows: Array<string>;
  groups: Array<UnitGroup>;
  colours: Array<string>;
  keys: Array<Key>;
  kind: "units";
}

/** A group of unit squares in each row of :class:`Units`. */
export interface UnitGroup {
  label: string;
  field: string;
  places: number;
  colour: string;
  total: string;
  says: string;
}

/** What a mark means: a colour, and whether the mark is filled. */
export interface Key {
  label: string;
  colour: string;
  filled: boolean;
}

/** Sentences of two words after a name, as some models complete them, a block for each model. */
export interface Sentences {
  title: string;
  models: Array<[string, [string, number]]>;
  names: Array<string>;
  words: Array<string>;
  wanted: string;
  said: string;
  sure: string;
  keys: Array<Key>;
  kind: "sentences";
}

/** The ground with the run's ball on it, and its edge close up in each range of a parameter. */
export interface Landscape {
  title: string;
  x: string;
  y: string;
  at: string;
  height: string;
  left: string;
  right: string;
  levels: Array<Level>;
  parameter: string;
  symbol: string;
  borders: Array<[number, string]>;
  near_x: string;
  near_y: string;
  near: string;
  rests: string;
  domain: Pair;
  kind: "landscape";
}

/** Crowds of prompts, each prompt a stick: upright where its answer is a toss, to the right the surer it is right. */
export interface Sticks {
  title: string;
  chances: string;
  weights: string;
  crowds: Array<Crowd>;
  right: Token;
  many: number;
  kind: "sticks";
}

/** Kinds of prompts that belong together, each prompt of them a stick that leans to the side of its answer. */
export interface Crowd {
  name: string;
  note: string;
  kinds: Array<number>;
  other: Token;
}

/** A sentence as a model hears it, and what it says next, early on and now: a word's area is its share. */
export interface Voices {
  title: string;
  words: Array<Token>;
  prompts: Array<Heard>;
  rest: Token;
  early: Array<[string, number]>;
  kind: "voices";
}

/** What is heard of the first words of a sentence, and what is said next. */
export interface Heard {
  words: number;
  field: string;
  said: Array<Token>;
  chances: string;
}

/** Two tables of the same settings with a bar for each result; the one at which the parameters stand is framed. */
export interface Tables {
  title: string;
  results: Array<Bar>;
  here: Array<string>;
  counted: string;
  rows: Choices;
  blocks: Choices;
  bars: Choices;
  kind: "tables";
}

/** A field of the report with one number for each of the chart's labels; with ``when`` "now" it is watched. */
export interface Bar {
  field: string;
  label: string;
  colour: string;
  when: When;
}

/** The settings of a parameter, and each of them in words. */
export interface Choices {
  parameter: string;
  values: Array<number>;
  words: Array<string>;
}

/** Shares of a whole as bands of a stream over time, on a logarithmic clock; dashed, where theory has them end. */
export interface Stream {
  title: string;
  tokens: Array<Token>;
  shares: string;
  clock: string;
  goal: string;
  since: number;
  x: string;
  kind: "stream";
}

/** Lanes above the play bar and over its time, each filled as far as the run has come; stages are named on top. */
export interface Lanes {
  title: string;
  lanes: Array<Lane>;
  clock: string;
  x: string;
  kind: "lanes";
}

/** A lane of :class:`Lanes`: an amount for each token, above or below a line. */
export interface Lane {
  name: string;
  field: string;
  tokens: Array<Token>;
  base: number;
  answers: boolean;
  unit: string;
  still: string;
}

/** Units and, beside them, what reads them, as one drawing; what has not begun to learn is dim. */
export interface Abreast {
  title: string;
  learned: Units;
  reads: Strip;
  since: number;
  kind: "abreast";
}

/** Watched quantities against the step, stage after stage; stages before number ``since`` are left out. */
export interface TimeChart {
  title: string;
  series: Array<Line>;
  domain: Pair | null;
  levels: Array<Level>;
  x: string;
  since: number;
  kind: "time";
}

/** Curves of the report over areas, with points, the run's traces and its path on top. */
export interface CurveChart {
  title: string;
  x: string;
  series: Array<Curve>;
  traces: Array<Trace>;
  path: Path | null;
  domain: Pair | null;
  levels: Array<Level>;
  y: string;
  x_domain: Pair | null;
  x_scale: ScaleKind;
  y_scale: ScaleKind;
  areas: Array<Area>;
  points: Array<Points>;
  pick: Pick | null;
  kind: "curve";
}

/** One field of the report against another; with ``when`` "now" the heights are watched. */
export interface Curve {
  x: string;
  y: string;
  label: string;
  colour: string;
  dash: string;
  when: When;
}

/** The run's own way, drawn over curves: two watched quantities and a mark at the last. */
export interface Path {
  x: string;
  y: string;
  label: string;
  colour: string;
}

/** A filled band between two fields of the report over a third: a region, or the spread of many runs. */
export interface Area {
  x: string;
  low: string;
  high: string;
  label: string;
  colour: string;
}

/** Fields of the report as marks: ``shape`` is dot, ring or cross; ``low`` and ``high`` are ends of whiskers. */
export interface Points {
  x: string;
  y: string;
  label: string;
  colour: string;
  shape: Shape;
  low: string;
  high: string;
  when: When;
}

/** A click in the chart sets these parameters to where it was; an empty name leaves that axis alone. */
export interface Pick {
  x: string;
  y: string;
  hint: string;
}

/** A row of bars for each label; several bars in a row stand below one another. */
export interface BarChart {
  title: string;
  labels: Array<string>;
  bars: Array<Bar>;
  domain: Pair | null;
  x: string;
  levels: Array<Level>;
  colours: Array<string>;
  kind: "bar";
}

/** A field of the report, row by row, as shades of one colour; NaN cells are hatched. */
export interface HeatMap {
  title: string;
  field: string;
  rows: Array<string>;
  columns: Array<string>;
  x: string;
  y: string;
  domain: Pair | null;
  numbers: boolean;
  colour: string;
  emphasis: string;
  framed: string;
  given_rows: string;
  given_columns: string;
  below: string;
  right: string;
  total: string;
  kind: "heat";
}

/** A triangle with a point to drag: its masses are total · share, total · (1 − share) and 1 − total. */
export interface Simplex {
  title: string;
  total: string;
  share: string;
  corners: [Corner, Corner, Corner];
  marks: Array<Mark>;
  field: string;
  kind: "simplex";
}

/** What the mass at a corner of the triangle is. */
export interface Corner {
  label: string;
  colour: string;
}

/** A field of the report with three masses, as a dot in the triangle. */
export interface Mark {
  field: string;
  label: string;
  colour: string;
}

/** A table of short texts whose cells glow as the report's ``field``, row by row, goes from 0 to 1. */
export interface Tiles {
  title: string;
  rows: Array<string>;
  columns: Array<string>;
  texts: Array<Array<string>>;
  field: string;
  colour: string;
  kind: "tiles";
}

/** A named place on the way: the end of a stage, or as many of its steps as a field of the report says. */
export interface Stop {
  name: string;
  stage: number;
  step: string;
  passes: [string, number] | null;
  says: string;
}

/** A question whose answer is a watched quantity over the run, to sketch before the run is shown. */
export interface Predict {
  question: string;
  field: string;
  label: string;
  domain: Pair;
  component: number;
}

/** A small figure beside a step of an argument: one part or chart, at the moment of the run that the step speaks of. */
export interface Step {
  name: string;
  part: Strip | Lens | Net | Rectangle | Ball | Cards | Graph | Ladder | Flow | Dots | Claims | Shortlist | Squares | Units | Sentences | Landscape | Sticks | Voices | Tables | Stream | Lanes | Abreast | TimeChart | CurveChart | BarChart | HeatMap | Simplex | Tiles;
  stop: string;
}

/** A line of the table: fields of the report, either may be empty. */
export interface Row {
  label: string;
  predicted: string;
  measured: string;
  words: Array<string>;
  of: string;
}

/** A card of the story under a scene: it sets the sliders, moves to a moment of the run and says what to look at. */
export interface StoryCard {
  title: string;
  values: Record<string, number>;
  text: string;
  stop: string;
  lights: Array<string>;
  goal: string;
}

/** The second view of a figure, where its statements are true: two parameters as axes, each cell a whole run. */
export interface TruthMap {
  x: string;
  y: string;
  border: string;
  border_label: string;
}
