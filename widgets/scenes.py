"""Scenes, as plain data: drawings in which the mechanism moves with the run, and named stops on the way.

A part reads what the program watches, at the scrubber's place; charts of :mod:`widgets.panels` may stand beside parts.
Colours are roles, tokens of ``widgets/src/figure.css``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from widgets.panels import Need, Panel


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
    """

    title: str
    tokens: tuple[Token, ...]
    field: str
    origin: int
    kind: str = "strip"

    def needs(self) -> Iterator[Need]:
        yield Need(self.field, len(self.tokens), "watch")


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
    """

    title: str
    left: tuple[Token, ...]
    right: tuple[Token, ...]
    links: tuple[Link, ...]
    field: str
    full: float
    share: tuple[str, int] | None = None
    says: str = ""
    kind: str = "net"

    def needs(self) -> Iterator[Need]:
        yield Need(self.field, len(self.links), "watch")
        if self.share:
            yield Need(self.share[0], among="watch")


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
    kind: str = "rectangle"

    def needs(self) -> Iterator[Need]:
        yield Need(self.field, 2, "watch")


class Ball(NamedTuple):
    """A ball on the ground: a curve of the report, and on it the run.

    Attributes:
        x, y: fields of the report, the ground.
        at, height: watched, where the ball is.
        left, right: what lies at the two ends.
        level: (field of the report or number, what it is), a line across.
    """

    title: str
    x: str
    y: str
    at: str
    height: str
    left: str
    right: str
    level: tuple[float, str] | None = None
    kind: str = "ball"

    def needs(self) -> Iterator[Need]:
        yield from (
            Need(self.x),
            Need(self.y, self.x),
            Need(self.at, 1, "watch"),
            Need(self.height, 1, "watch"),
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
    kind: str = "cards"

    def needs(self) -> Iterator[Need]:
        yield Need(self.field, len(self.words), "watch")
        yield Need(self.margins, len(self.cards), "watch")


class Dots(NamedTuple):
    """A dot for each kind of prompt: how far it is ahead in two ways; where both are above zero it is right.

    Attributes:
        x, y, weights: watched, with as many numbers each; a dot's area is its weight, a share, and one without weight
            is not drawn. ``y`` is infinite where there is nobody to be ahead of: those dots stand in a row above.
        reach: the ends of both axes; what lies beyond stands at the edge.
        without: what the row above is.
        colour, other: of dots below, and of the row above.
    """

    title: str
    x: str
    y: str
    weights: str
    x_label: str
    y_label: str
    reach: tuple[float, float]
    without: str
    colour: str = "confusing"
    other: str = "relation"
    kind: str = "dots"

    def needs(self) -> Iterator[Need]:
        yield from (
            Need(self.x, among="watch"),
            Need(self.y, among="watch"),
            Need(self.weights, among="watch"),
        )


Part = Strip | Net | Rectangle | Ball | Cards | Dots


class Stop(NamedTuple):
    """A named place on the way: the end of a stage, or as many of its steps as a field of the report says.

    A stop that the run does not reach, because the number is NaN or beyond its steps, is left out.
    """

    name: str
    stage: int
    step: str = ""

    def needs(self) -> Iterator[Need]:
        if self.step:
            yield Need(self.step, 1)


class Scene(NamedTuple):
    """Parts and charts in columns from the left, each column from the top; ``widths`` are shares of the room.

    On a phone the first column takes all the width, and the others share what is below it.
    """

    columns: tuple[tuple[Part | Panel, ...], ...]
    widths: tuple[float, ...] = ()
    stops: tuple[Stop, ...] = ()

    def needs(self) -> Iterator[Need]:
        for stop in self.stops:
            yield from stop.needs()

    @property
    def parts(self) -> tuple[Part | Panel, ...]:
        """All of them."""
        return tuple(part for column in self.columns for part in column)


def scene_of(panels: tuple[Panel, ...]) -> Scene:
    """The scene of a figure that has no other: its first chart, or two side by side."""
    return Scene(tuple((panel,) for panel in panels[:2]))
