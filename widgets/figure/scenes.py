"""Scenes, as plain data: drawings in which the mechanism moves with the run, and named stops on the way.

A part reads what the program watches, at the scrubber's place; charts of :mod:`widgets.figure.panels` may stand
beside parts. Colours are roles of :mod:`widgets.figure.colours`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from widgets.figure.panels import Bar, Field, FieldRef, Level, Line, Pair, Panel, Trace, levels_need
from widgets.words import quoted

Component = tuple[str, int]
"""A watched field, and a place in it."""


class Token(NamedTuple):
    """A word of the running example, its symbol, and the colour of its role."""

    word: str
    symbol: str
    colour: str


class Strip(NamedTuple):
    """A prompt's tokens in a row, and arcs from one of them as wide as its attention to each.

    Attributes:
        field: watched, a weight from 0 to 1 for each token.
        origin: number of the token that attends.
        below: the same of a second token, whose arcs hang below the row: field and number. Symbols are left out then.
        says, share: what is said after it, and a watched component (field, place), in percent behind that.
    """

    title: str
    tokens: tuple[Token, ...]
    field: str
    origin: int
    below: Component | None = None
    says: str = ""
    share: Component | None = None
    kind: Literal["strip"] = "strip"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.field, len(self.tokens), "watch")
        if self.below:
            yield FieldRef(self.below[0], len(self.tokens), "watch")
        if self.share:
            yield FieldRef(self.share[0], among="watch")


class Lens(NamedTuple):
    """Arcs from two words of a sentence as wide as their attention to each word; at their ends it is magnified.

    The factor is a power of ten by which the run's largest difference from an even share can be seen. Beside it stand
    curves over time, the first of which is broad: what lies on it is seen.

    Attributes:
        tokens: the sentence's words; the second stands for ``others``, a watched number of them.
        above, below: of the two words, the watched attention to each token, and their own places.
        curves: watched over the same time; of the first two it is said how much they differ in the end. ``says`` tells
            what they are.
    """

    title: str
    tokens: tuple[Token, ...]
    others: str
    above: Component
    below: Component
    curves: tuple[Trace, ...]
    says: str
    kind: Literal["lens"] = "lens"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.others, 1, "watch")
        yield from (FieldRef(field, len(self.tokens), "watch") for field, _ in (self.above, self.below))
        for curve in self.curves:
            yield from (FieldRef(curve.x, among="watch"), FieldRef(curve.y, among="watch"))


class Link(NamedTuple):
    """A line from a token on the left to one on the right, as wide as the watched number beside it."""

    left: int
    right: int
    colour: str


class Net(NamedTuple):
    """Tokens on the left, tokens on the right, and links between them.

    Attributes:
        field: watched, a number for each link; ``full`` is as wide as a link gets.
        share: watched component (field, place) said below, as ``says`` followed by a percentage.
        shares: watched, a percentage behind each token on the right; links to what is less probable are fainter.
    """

    title: str
    left: tuple[Token, ...]
    right: tuple[Token, ...]
    links: tuple[Link, ...]
    field: str
    full: float
    share: Component | None = None
    says: str = ""
    shares: str = ""
    kind: Literal["net"] = "net"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.field, len(self.links), "watch")
        if self.share:
            yield FieldRef(self.share[0], among="watch")
        if self.shares:
            yield FieldRef(self.shares, len(self.right), "watch")


class Rectangle(NamedTuple):
    """A rectangle from the middle of a square to (x, y): its area, with its sign, is what matters.

    Attributes:
        field: watched, the two sides; beyond ±``reach`` they end at the square's edge.
        x, y: what the sides are.
        says: what the area stands for, in words; ``times`` · area is said after it.
        colour, other: of an area above zero, and of one below.
    """

    title: str
    field: str
    reach: float
    x: str
    y: str
    says: str
    times: float = 1.0
    colour: str = "relation"
    other: str = "confusing"
    kind: Literal["rectangle"] = "rectangle"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.field, 2, "watch")


class Ball(NamedTuple):
    """A ball on the ground: a curve of the report, and on it the run, at an edge while it is beyond.

    Where its height is not the curve's, because the run is off the path that the curve is drawn along, the ball is
    hollow and stands on a stem.

    Attributes:
        x, y: fields of the report, the ground.
        at, height: watched, where the ball is.
        left, right: what lies at the two ends.
        levels: heights to compare with.
    """

    title: str
    x: Field
    y: Field
    at: str
    height: str
    left: str
    right: str
    levels: tuple[Level, ...] = ()
    kind: Literal["ball"] = "ball"

    def needs(self) -> Iterator[FieldRef]:
        yield from levels_need(self.levels)
        yield from (
            FieldRef(self.x),
            FieldRef(self.y, self.x),
            FieldRef(self.at, 1, "watch"),
            FieldRef(self.height, 1, "watch"),
        )


class Card(NamedTuple):
    """A kind of sentence: which of the words it holds, its label +1 or −1, and how common it is."""

    name: str
    holds: tuple[int, ...]
    label: int
    note: str = ""


class Cards(NamedTuple):
    """Kinds of sentences as stacks of signed blocks, one for each word they hold; a card tilts while it is wrong.

    Attributes:
        field: watched, what each of ``words`` adds: above the zero line, or below it.
        margins: watched, label times output for each card; below zero the card is wrong.
        rest: what else a sentence holds: the rest of its output.
    """

    title: str
    words: tuple[Token, ...]
    cards: tuple[Card, ...]
    field: str
    margins: str
    rest: Token
    kind: Literal["cards"] = "cards"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.field, len(self.words), "watch")
        yield FieldRef(self.margins, len(self.cards), "watch")


class Lane(NamedTuple):
    """A lane of :class:`Lanes`: an amount for each token, above or below a line.

    Attributes:
        field: watched, a number for each token.
        base: the amount at which the line stands.
        answers: whether only the numbers' signs matter: then each token has a track, filled while its number is above
            zero.
        unit: behind an amount.
        still: what is said of a stage in which no amount moves by a tenth of its move in the whole run, once it is
            over.
    """

    name: str
    field: str
    tokens: tuple[Token, ...]
    base: float = 0.0
    answers: bool = False
    unit: str = ""
    still: str = ""


class Lanes(NamedTuple):
    """Lanes above the play bar and over its time, each filled as far as the run has come; stages are named on top.

    Attributes:
        clock: watched, a time that never falls: its powers of ten stand where the run passes them. ``x`` is its name.
    """

    title: str
    lanes: tuple[Lane, ...]
    clock: str
    x: str
    kind: Literal["lanes"] = "lanes"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.clock, 1, "watch")
        for lane in self.lanes:
            yield FieldRef(lane.field, len(lane.tokens), "watch")


class Stream(NamedTuple):
    """Shares of a whole as bands of a stream over time, on a logarithmic clock; dashed, where theory has them end.

    Attributes:
        tokens: what the shares are of, from the top; each has its share beside it.
        shares, clock: watched, a share for each token, and the time.
        goal: reported, the shares that theory tells for the end.
        since: the time with which the drawing begins.
    """

    title: str
    tokens: tuple[Token, ...]
    shares: str
    clock: str
    goal: str
    since: float
    x: str
    kind: Literal["stream"] = "stream"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.shares, len(self.tokens), "watch")
        yield FieldRef(self.clock, 1, "watch")
        yield FieldRef(self.goal, len(self.tokens))


class Questions(NamedTuple):
    """Facts, the phrases they are stated with, and what a model would say to a question about each of them.

    Attributes:
        facts, phrases: their names.
        uses, taught: watched for each fact: its phrases as bits of a number, and 1 where it is fine-tuned.
        logits: watched, facts by ``kinds``: the largest logit among the words of each kind, NaN where there is none.
        kinds: of words, the right answer last and a fact's own phrases before it; of equals the first is said.
        first: number of the fact that is asked about until a reader chooses another.
        since: the stage whose steps fine-tune.
        answers: of the facts, in words.
        rivals: watched for each fact, which other one's answer is the loudest of those of the second kind; negative
            where there is none.
    """

    facts: tuple[str, ...]
    phrases: tuple[str, ...]
    uses: str
    taught: str
    logits: str
    kinds: tuple[Token, ...]
    first: int
    since: int
    answers: tuple[str, ...]
    rivals: str

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.uses, len(self.facts), "watch")
        yield FieldRef(self.taught, len(self.facts), "watch")
        yield FieldRef(self.logits, len(self.facts) * len(self.kinds), "watch")
        yield FieldRef(self.rivals, len(self.facts), "watch")


class Graph(NamedTuple):
    """Fine-tuned facts on the left light the phrases that state them; unseen facts on the right wait behind theirs.

    A fact is filled while its question is answered rightly; else its outline has the colour of what is said instead. A
    tap on a fact asks about it.
    """

    title: str
    questions: Questions
    kind: Literal["graph"] = "graph"

    def needs(self) -> Iterator[FieldRef]:
        return self.questions.needs()


class Ladder(NamedTuple):
    """The logits of one question as rungs, the top one of which is said; below it, what is said at every step.

    In the title ``{fact}`` stands for the fact's name. A button turns the fact's bit of the whole-number parameter
    ``toggles`` over: whether it is fine-tuned.
    """

    title: str
    questions: Questions
    toggles: str = ""
    kind: Literal["ladder"] = "ladder"

    def needs(self) -> Iterator[FieldRef]:
        return self.questions.needs()


class Flow(NamedTuple):
    """Bands from words to what they change, as wide as their parts of a step; below them who answers after such steps.

    Taken apart, what the strongest directions have of the step runs through a gate, and what is left goes past it.

    Attributes:
        words: on the left; those without a part are left out. The last one is in every question.
        kinds: on the right, each with what becomes of it in place of a symbol.
        whole, strongest, remaining: watched, word by word, a share of the step's squared norm for each kind.
        opened: watched, above 0 once the step is taken apart.
        directions: watched, how many go through the gate.
        kinds_of_steps: with the watched share of ``people`` that each of them comes to; in their names
            ``{directions}`` stands for how many these are, in words. ``best`` is watched, the largest so far of each.
        people: watched, how many there are; ``says`` tells when one of them is lit.
    """

    title: str
    words: tuple[str, ...]
    kinds: tuple[Token, ...]
    whole: str
    strongest: str
    remaining: str
    opened: str
    directions: str
    kinds_of_steps: tuple[Line, ...]
    best: str
    people: str
    says: str
    kind: Literal["flow"] = "flow"

    def needs(self) -> Iterator[FieldRef]:
        size = len(self.words) * len(self.kinds)
        yield from (FieldRef(field, size, "watch") for field in (self.whole, self.strongest, self.remaining))
        yield from (FieldRef(field, 1, "watch") for field in (self.opened, self.directions, self.people))
        yield from (FieldRef(line.field, among="watch") for line in self.kinds_of_steps)
        yield FieldRef(self.best, len(self.kinds_of_steps), "watch")


class Cloud(NamedTuple):
    """More dots in the same square, by three watched fields as those of :class:`Dots`; ``label`` says who they are."""

    x: str
    y: str
    weights: str
    label: str
    colour: str


class Dots(NamedTuple):
    """A dot for each kind of prompt: how far it is ahead in two ways; where both are above zero it is right.

    Attributes:
        x, y, weights: watched, with as many numbers each; a dot's area is its weight, a share, and one without weight
            is not drawn.
        reach: the ends of both axes; what lies beyond stands at the edge.
        label: who the dots are, where ``rivals`` stand beside them.
    """

    title: str
    x: str
    y: str
    weights: str
    x_label: str
    y_label: str
    reach: Pair
    colour: str
    label: str = ""
    rivals: tuple[Cloud, ...] = ()
    kind: Literal["dots"] = "dots"

    def needs(self) -> Iterator[FieldRef]:
        for x, *others in (self[1:4], *(cloud[:3] for cloud in self.rivals)):
            yield from (FieldRef(x, among="watch"), *(FieldRef(field, x, "watch") for field in others))


class Ground(NamedTuple):
    """What claims rest on, in words with watched numbers: while it is kept, and once it is broken."""

    kept: str
    broken: str


class Claims(NamedTuple):
    """Claims in groups, a lamp each, which is out while the claim fails.

    Attributes:
        groups: their headings, each with its claims in words; a heading may be empty.
        field: watched, how far each claim is from failing: from 0 to 1 it holds, from −1 to 0 it fails. NaN where it
            was decided earlier, as the report's field ``decided`` says; infinite where its time is still to come.
        silent: for each claim, what is said below all where the report decides nothing: the claim is not about such a
            run.
        grounds: what they rest on; only then is it drawn how far each claim is from failing. ``kept`` is watched, a
            number for each of them, above zero while it is kept.
    """

    title: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    field: str
    decided: str
    silent: tuple[str, ...] = ()
    grounds: tuple[Ground, ...] = ()
    kept: str = ""
    kind: Literal["claims"] = "claims"

    def needs(self) -> Iterator[FieldRef]:
        many = sum(len(claims) for _, claims in self.groups)
        yield FieldRef(self.field, many, "watch")
        yield FieldRef(self.decided, many)
        if self.grounds:
            yield FieldRef(self.kept, len(self.grounds), "watch")
        for text in (text for ground in self.grounds for text in ground):
            yield from (FieldRef(field, among="watch") for field, _ in quoted("a ground", text))


class Shortlist(NamedTuple):
    """Candidates as squares, a group for each thing that is known: those that still fit are filled, the others pale.

    Attributes:
        hints: what is known in each group, beside what is known in those above it.
        field: of the report, how many candidates fit then, on average; NaN where so much is not known.
        total: of the report, how many candidates there are.
        what: they are called, in the plural.
        right, others: the colours of the right candidate and of the others that fit.
    """

    title: str
    hints: tuple[str, ...]
    field: Field
    total: Field
    what: str
    right: str
    others: str
    kind: Literal["shortlist"] = "shortlist"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.field, len(self.hints))
        yield FieldRef(self.total, 1)


class Squares(NamedTuple):
    """Rivals side by side, each with squares whose sides add up weights: who has the largest area wins.

    Attributes:
        rivals: their names.
        sides: of each rival, for each of its squares what it stands for, and the places of the weights in its side.
        weights: of the report, at least 0 and at most 1 together.
        shares: of the report, the probability of each rival.
        conditions: under all of which the first rival wins, in words; ``met`` is of the report, above 0 for each that
            is met.
    """

    title: str
    rivals: tuple[str, ...]
    colours: tuple[str, ...]
    sides: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]
    weights: Field
    shares: Field
    conditions: tuple[str, ...]
    met: Field
    kind: Literal["squares"] = "squares"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.weights)
        yield FieldRef(self.shares, len(self.rivals))
        yield FieldRef(self.met, len(self.conditions))


class UnitGroup(NamedTuple):
    """A group of unit squares in each row of :class:`Units`.

    Attributes:
        label: above the group.
        field: watched, row by row, how full each unit is, from 0 to 1; NaN where a row has none.
        places: so many numbers for each row.
        total, says: watched, a number for each row that stands behind its units, and of what it is, such as "blocks".
    """

    label: str
    field: str
    places: int
    colour: str
    total: str = ""
    says: str = ""


class Key(NamedTuple):
    """What a mark means: a colour, and whether the mark is filled."""

    label: str
    colour: str
    filled: bool = True


class Units(NamedTuple):
    """Rows of unit squares to be counted, in groups side by side; each square is as full as a watched number says.

    Attributes:
        rows: names of the rows, from the top; one whose numbers are all NaN is left out.
        colours: of the rows, where they are not the groups' own.
        keys: what full and empty squares mean.
    """

    title: str
    rows: tuple[str, ...]
    groups: tuple[UnitGroup, ...]
    colours: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    kind: Literal["units"] = "units"

    def needs(self) -> Iterator[FieldRef]:
        for group in self.groups:
            yield FieldRef(group.field, len(self.rows) * group.places, "watch")
            if group.total:
                yield FieldRef(group.total, len(self.rows), "watch")


class Abreast(NamedTuple):
    """Units and, beside them, what reads them, as one drawing; what has not begun to learn is dim.

    Attributes:
        since: the stage with which the second part begins to learn.
    """

    title: str
    learned: Units
    reads: Strip
    since: int
    kind: Literal["abreast"] = "abreast"

    def needs(self) -> Iterator[FieldRef]:
        yield from self.learned.needs()
        yield from self.reads.needs()


class Sentences(NamedTuple):
    """Sentences of two words after a name, as some models complete them, a block for each model.

    A word is filled to its probability. A wrong one stands in the right one's place, and the sentence breaks off there.

    Attributes:
        models: their names, each with the watched share (field, place) of all sentences that it completes rightly.
        names: a row for each.
        words: all that may be said, by their numbers.
        wanted: watched, the number of the right word, of the first in each row and then of the second.
        said, sure: watched, for each model as many: the number of the word that it says, and how probable that is.
        keys: what the colours and the filling mean.
    """

    title: str
    models: tuple[tuple[str, Component], ...]
    names: tuple[str, ...]
    words: tuple[str, ...]
    wanted: str
    said: str
    sure: str
    keys: tuple[Key, ...] = ()
    kind: Literal["sentences"] = "sentences"

    def needs(self) -> Iterator[FieldRef]:
        places = 2 * len(self.names)
        yield FieldRef(self.wanted, places, "watch")
        yield from (FieldRef(field, len(self.models) * places, "watch") for field in (self.said, self.sure))
        yield from (FieldRef(field, among="watch") for _, (field, _) in self.models)


class Landscape(NamedTuple):
    """The ground with the run's ball on it, and its edge close up in each range of a parameter.

    Below the close-ups a bar for each border ends there, and says what is true up to it. A ring on the axis of the
    parameter, on which the ranges are wide enough to be seen, sets it.

    Attributes:
        x, y: fields of the report, the ground.
        at, height: watched, where the ball is.
        left, right: what lies at the two ends.
        levels: heights to compare with.
        parameter, symbol: what is set.
        borders: between the ranges, from the lowest, each with what is true up to it.
        near_x: of the report, places from the edge on; ``near_y`` the ground there, range after range.
        near: of the report, at which value of the parameter each range is drawn; ``rests``, where a ball comes to rest
            there, NaN where it does not.
        domain: from which height to which the close-ups go.
    """

    title: str
    x: Field
    y: Field
    at: str
    height: str
    left: str
    right: str
    levels: tuple[Level, ...]
    parameter: str
    symbol: str
    borders: tuple[tuple[float, str], ...]
    near_x: Field
    near_y: Field
    near: Field
    rests: Field
    domain: Pair
    kind: Literal["landscape"] = "landscape"

    def needs(self) -> Iterator[FieldRef]:
        ranges = len(self.borders) + 1
        yield from levels_need(self.levels)
        yield from (FieldRef(self.x), FieldRef(self.y, self.x), FieldRef(self.near_x), FieldRef(self.near_y))
        yield from (FieldRef(field, ranges) for field in (self.near, self.rests))
        yield from (FieldRef(field, 1, "watch") for field in (self.at, self.height))


class Crowd(NamedTuple):
    """Kinds of prompts that belong together, each prompt of them a stick that leans to the side of its answer.

    Attributes:
        name, note: what they have in common.
        kinds: their numbers.
        other: what a stick on the left says instead.
    """

    name: str
    note: str
    kinds: tuple[int, ...]
    other: Token


class Sticks(NamedTuple):
    """Crowds of prompts, each prompt a stick: upright where its answer is a toss, to the right the surer it is right.

    Attributes:
        chances, weights: watched, a number for each kind of prompt: the probability of its right answer, and its share.
        right: that answer.
        many: so many sticks, divided among the kinds by their weights.
    """

    title: str
    chances: str
    weights: str
    crowds: tuple[Crowd, ...]
    right: Token
    many: int
    kind: Literal["sticks"] = "sticks"

    def needs(self) -> Iterator[FieldRef]:
        kinds = sum(len(crowd.kinds) for crowd in self.crowds)
        yield from (FieldRef(field, kinds, "watch") for field in (self.chances, self.weights))


class Heard(NamedTuple):
    """What is heard of the first words of a sentence, and what is said next.

    Attributes:
        words: how many; ``field`` is watched, the attention on each of them.
        said: words that may be said next; ``chances`` is watched, the probability of each.
    """

    words: int
    field: str
    said: tuple[Token, ...]
    chances: str


class Voices(NamedTuple):
    """A sentence as a model hears it, and what it says next, early on and now: a word's area is its share.

    Attributes:
        words: of the sentence.
        prompts: of its words; the last one is shown of early moments, and all of now.
        rest: what all other words that may be said are called together.
        early: moments of the first stage, each with the number of its step; what is heard then stays.
    """

    title: str
    words: tuple[Token, ...]
    prompts: tuple[Heard, ...]
    rest: Token
    early: tuple[tuple[str, int], ...]
    kind: Literal["voices"] = "voices"

    def needs(self) -> Iterator[FieldRef]:
        for prompt in self.prompts:
            yield FieldRef(prompt.field, prompt.words, "watch")
            yield FieldRef(prompt.chances, len(prompt.said), "watch")


class Choices(NamedTuple):
    """The settings of a parameter, and each of them in words."""

    parameter: str
    values: tuple[float, ...]
    words: tuple[str, ...]


class Tables(NamedTuple):
    """Two tables of the same settings with a bar for each result; the one at which the parameters stand is framed.

    Attributes:
        results: of the report, a bar for each setting, those of a row one after another, and of a block in it.
        here: of the report, likewise: the result at which the parameters stand.
        counted: of the report, 0 for settings that are left out.
        rows, blocks, bars: the parameters and their settings.
    """

    title: str
    results: tuple[Bar, ...]
    here: tuple[Field, ...]
    counted: Field
    rows: Choices
    blocks: Choices
    bars: Choices
    kind: Literal["tables"] = "tables"

    def needs(self) -> Iterator[FieldRef]:
        size = len(self.rows.values) * len(self.blocks.values) * len(self.bars.values)
        yield from (FieldRef(field, size) for field in (*(bar.field for bar in self.results), self.counted))
        yield from (FieldRef(field, 1) for field in self.here)


Part = (
    Strip
    | Lens
    | Net
    | Rectangle
    | Ball
    | Cards
    | Graph
    | Ladder
    | Flow
    | Dots
    | Claims
    | Shortlist
    | Squares
    | Units
    | Sentences
    | Landscape
    | Sticks
    | Voices
    | Tables
    | Stream
    | Lanes
    | Abreast
)


class Stop(NamedTuple):
    """A named place on the way: the end of a stage, or as many of its steps as a field of the report says.

    Or the first of its rows in which a watched component, ``passes``, is above zero. A stop that the run does not
    reach, because the number is NaN or beyond its steps, is left out.

    ``says`` is the sentence that the caption shows from there on, until the next stop: what can be seen there, with
    numbers that are watched at this moment, as ``{field}``, ``{field[2]}`` or, in percent, ``{field[2]:%}``.
    """

    name: str
    stage: int
    step: Field = ""
    passes: Component | None = None
    says: str = ""

    def needs(self) -> Iterator[FieldRef]:
        if self.step:
            yield FieldRef(self.step, 1)
        if self.passes:
            yield FieldRef(self.passes[0], among="watch")
        yield from (FieldRef(field, among="watch") for field, _ in quoted(f"stop {self.name!r}", self.says))


class Step(NamedTuple):
    """A small figure beside a step of an argument: one part or chart, at the moment of the run that the step speaks of.

    The page says where it stands: ``<div class="fim-step FIGURE-NAME"></div>``, with the names of figure and step.

    Attributes:
        name: of the step, lower-case letters and hyphens.
        stop: the name of a stop of the scene, "start", or "" for the end of the run; a run that does not reach the
            stop is shown at its end.
    """

    name: str
    part: Part | Panel
    stop: str = ""


class Predict(NamedTuple):
    """A question whose answer is a watched quantity over the run, to sketch before the run is shown.

    ``label`` says what is drawn upwards, ``domain`` from where to where.
    """

    question: str
    field: str
    label: str
    domain: Pair
    component: int = 0

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.field, among="watch")


class Scene(NamedTuple):
    """One main part or chart, which has most of the room, and small ones that go with it.

    At its side stand those of ``beside`` that a card speaks of, or else the first, as far as they fit; the others wait
    behind *Look closer*. On a phone the main one takes all the width, and the others share what is below it. The
    scrubber begins with stage number ``since``.
    """

    main: Part | Panel | None
    beside: tuple[Part | Panel, ...] = ()
    stops: tuple[Stop, ...] = ()
    since: int = 0
    predict: Predict | None = None

    @property
    def parts(self) -> tuple[Part | Panel, ...]:
        """All of them."""
        return (*(() if self.main is None else (self.main,)), *self.beside)


def scene_of(panels: tuple[Panel, ...]) -> Scene:
    """The scene of a figure that has no other: its first chart, and the second beside it."""
    return Scene(panels[0] if panels else None, beside=panels[1:2])
