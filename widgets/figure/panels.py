"""What a live figure shows, as plain data: charts, a caption, numbers, things to try.

Fields are named after those of the program's watch (while it runs) and report (at its end). Colours are roles of
:mod:`widgets.figure.colours`. In a panel a report's NaN means "nothing here": no bar, no mark, a gap in a line.

What belongs to the end of a run must not stand there at its start: a curve, points and bars have a time, ``when``. It
is "" for what is drawn from the start on, such as a prediction; "end" for what appears at the run's end; and "now" for
a watched field, drawn as it is at the scrubber's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

Field = str | Callable[[Any, Any], Any]
"""A field of the report by name, or a function of the report and the parameters, in traceable torch, in its place."""
When = Literal["", "now", "end"]
"""From when on something is drawn: from the start, as it is now, or at the end."""
Shape = Literal["dot", "ring", "cross"]
Axis = Literal["x", "y"]
ScaleKind = Literal["linear", "log"]
Pair = tuple[float, float]


class FieldRef(NamedTuple):
    """What a panel reads: a field, how many numbers it must have (or as many as another field), and of what."""

    field: Field
    size: int | Field | None = None
    among: str = "report"

    @property
    def name(self) -> str:
        """The field's name: by the time that it is read, a function has been given one."""
        return name_of(self.field)


def name_of(field: Field) -> str:
    """The name of a field of a view whose functions have been given names.

    Raises:
        TypeError: it is still a function.
    """
    if not isinstance(field, str):
        raise TypeError(f"{field!r}: must have been given a name")
    return field


class Line(NamedTuple):
    """A watched quantity against the step."""

    field: str
    component: int
    label: str
    colour: str
    dash: str = ""


class Curve(NamedTuple):
    """One field of the report against another; with ``when`` "now" the heights are watched."""

    x: Field
    y: Field
    label: str
    colour: str
    dash: str = ""
    when: When = ""


class Area(NamedTuple):
    """A filled band between two fields of the report over a third: a region, or the spread of many runs.

    The label stands inside, where the band is tallest; a NaN in any of the three leaves a gap.
    """

    x: Field
    low: Field
    high: Field
    label: str
    colour: str


class Points(NamedTuple):
    """Fields of the report as marks: ``shape`` is dot, ring or cross; ``low`` and ``high`` are ends of whiskers.

    With ``when`` "now" the heights are watched, and whiskers appear at the run's end.
    """

    x: Field
    y: Field
    label: str
    colour: str
    shape: Shape = "dot"
    low: Field = ""
    high: Field = ""
    when: When = ""


class Pick(NamedTuple):
    """A click in the chart sets these parameters to where it was; an empty name leaves that axis alone.

    Values are brought to the control's own range and steps. Arrow keys move them by one step each.
    """

    x: str = ""
    y: str = ""
    hint: str = ""


class Level(NamedTuple):
    """A straight line at a number, or at a field of the report."""

    value: float | Field
    label: str
    axis: Axis = "y"


class Path(NamedTuple):
    """The run's own way, drawn over curves: two watched quantities and a mark at the last."""

    x: str
    y: str
    label: str
    colour: str = "run"


class Trace(NamedTuple):
    """A watched quantity against another that never falls, such as time; a smooth monotone line through the rows."""

    x: str
    y: str
    component: int
    label: str
    colour: str
    dash: str = ""


class TimeChart(NamedTuple):
    """Watched quantities against the step, stage after stage; stages before number ``since`` are left out."""

    title: str
    series: tuple[Line, ...]
    domain: Pair | None = None
    levels: tuple[Level, ...] = ()
    x: str = "gradient steps"
    since: int = 0
    kind: Literal["time"] = "time"

    def needs(self) -> Iterator[FieldRef]:
        yield from levels_need(self.levels)
        for line in self.series:
            yield FieldRef(line.field, among="watch")


class CurveChart(NamedTuple):
    """Curves of the report over areas, with points, the run's traces and its path on top.

    ``domain`` is the least that the vertical axis shows, ``x_domain`` all that the horizontal one does; scales are
    "linear" or "log", which leaves out what is not positive.
    """

    title: str
    x: Field
    series: tuple[Curve, ...] = ()
    traces: tuple[Trace, ...] = ()
    path: Path | None = None
    domain: Pair | None = None
    levels: tuple[Level, ...] = ()
    y: str = ""
    x_domain: Pair | None = None
    x_scale: ScaleKind = "linear"
    y_scale: ScaleKind = "linear"
    areas: tuple[Area, ...] = ()
    points: tuple[Points, ...] = ()
    pick: Pick | None = None
    kind: Literal["curve"] = "curve"

    def needs(self) -> Iterator[FieldRef]:
        yield from levels_need(self.levels)
        for curve in self.series:
            yield from (FieldRef(curve.x), FieldRef(curve.y, curve.x, among_of(curve.when)))
        for area in self.areas:
            yield from (FieldRef(area.x), FieldRef(area.low, area.x), FieldRef(area.high, area.x))
        for points in self.points:
            ends = [end for end in (points.low, points.high) if end]
            yield from (
                FieldRef(points.x),
                FieldRef(points.y, points.x, among_of(points.when)),
                *(FieldRef(end, points.x) for end in ends),
            )
        for trace in self.traces:
            yield from (FieldRef(trace.x, 1, among="watch"), FieldRef(trace.y, among="watch"))
        if self.path:
            yield from (FieldRef(self.path.x, among="watch"), FieldRef(self.path.y, among="watch"))


class Bar(NamedTuple):
    """A field of the report with one number for each of the chart's labels; with ``when`` "now" it is watched."""

    field: Field
    label: str
    colour: str
    when: When = ""


class BarChart(NamedTuple):
    """A row of bars for each label; several bars in a row stand below one another.

    Above 24 labels the bars stand upright, thin, with few labels. A label whose bars are all NaN is left out.

    Attributes:
        labels: of the rows, from the top.
        x: what the bars measure.
        levels: lines across all bars, at a number or a field.
        colours: of the labels, where they are not the bars' own; then no label is ever left out.
    """

    title: str
    labels: tuple[str, ...]
    bars: tuple[Bar, ...]
    domain: Pair | None = None
    x: str = ""
    levels: tuple[Level, ...] = ()
    colours: tuple[str, ...] = ()
    kind: Literal["bar"] = "bar"

    def needs(self) -> Iterator[FieldRef]:
        yield from levels_need(self.levels)
        for bar in self.bars:
            yield FieldRef(bar.field, len(self.labels), among_of(bar.when))


class HeatMap(NamedTuple):
    """A field of the report, row by row, as shades of one colour; NaN cells are hatched.

    Attributes:
        rows, columns: labels, from the top and from the left.
        x, y: what the columns and the rows are.
        domain: the numbers for no colour and for all of it; without one, 0 or the least, and the largest.
        numbers: whether each cell says its number.
        emphasis: a field with as many numbers from 0 to 1: cells above ½ get a frame; ``framed`` says what they are.
        given_rows, given_columns: fields with a number for each row and column from 0 to 1: names above ½ stand out.
        below, right: fields with a number for each column and for each row, such as the sums of their cells, drawn
            beside the table as ``total`` names them; where all are NaN there are none.
    """

    title: str
    field: Field
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    x: str = ""
    y: str = ""
    domain: Pair | None = None
    numbers: bool = False
    colour: str = "accent"
    emphasis: Field = ""
    framed: str = ""
    given_rows: Field = ""
    given_columns: Field = ""
    below: Field = ""
    right: Field = ""
    total: str = "sum"
    kind: Literal["heat"] = "heat"

    def needs(self) -> Iterator[FieldRef]:
        for field in (self.given_rows, self.right):
            if field:
                yield FieldRef(field, len(self.rows))
        for field in (self.given_columns, self.below):
            if field:
                yield FieldRef(field, len(self.columns))
        for field in (self.field, self.emphasis):
            if field:
                yield FieldRef(field, len(self.rows) * len(self.columns))


class Corner(NamedTuple):
    """What the mass at a corner of the triangle is."""

    label: str
    colour: str


class Mark(NamedTuple):
    """A field of the report with three masses, as a dot in the triangle."""

    field: Field
    label: str
    colour: str = "run"


class Simplex(NamedTuple):
    """A triangle with a point to drag: its masses are total · share, total · (1 − share) and 1 − total.

    Attributes:
        total, share: parameters in [0, 1] that have a slider; dragging the point moves both.
        corners: three, in the order of the masses: left, right, top.
        marks: other points.
        field: of the report, a number for each row of :func:`simplex_grid`, drawn as shading with contours.
    """

    title: str
    total: str
    share: str
    corners: tuple[Corner, Corner, Corner]
    marks: tuple[Mark, ...] = ()
    field: Field = ""
    kind: Literal["simplex"] = "simplex"

    def needs(self) -> Iterator[FieldRef]:
        for mark in self.marks:
            yield FieldRef(mark.field, 3)
        if self.field:
            yield FieldRef(self.field)


class Tiles(NamedTuple):
    """A table of short texts whose cells glow as the report's ``field``, row by row, goes from 0 to 1.

    A NaN greys a cell out. ``texts`` are plain: "v₁v₂", "½(v₁² + v₂²)".
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    field: Field
    colour: str = "accent"
    kind: Literal["tiles"] = "tiles"

    def needs(self) -> Iterator[FieldRef]:
        yield FieldRef(self.field, len(self.rows) * len(self.columns))


Panel = TimeChart | CurveChart | BarChart | HeatMap | Simplex | Tiles


class Row(NamedTuple):
    """A line of the table: fields of the report, either may be empty.

    ``words`` stand for the values 0, 1, …; a share of as many things as the field ``of`` says is told as "9 of 35".
    """

    label: str
    predicted: Field
    measured: Field
    words: tuple[str, ...] = ()
    of: Field = ""


Cases = dict[str, Callable[[Any, Any], Any] | None]
"""The conditions of a caption's cases by their names: the page has their texts (:mod:`widgets.words`)."""


class CaptionCase(NamedTuple):
    """One case of a caption: a text, and the condition under which it is shown.
    A caption is a tuple of cases. The first whose ``condition`` is true of the run's report and parameters is shown;
    the last has the condition None, so that there always is one. The report that a condition sees has the
    statements' verdicts, too: ``lambda r, p: r.concluded & ~r.undecided``.

    In ``text``, ``{name}`` is the report's number of that name, ``{name:n}`` that number as a count, and
    ``{name:%}`` as a share in percent.
    """

    condition: Callable[[Any, Any], Any] | None
    text: str
    name: str = ""


class StoryCard(NamedTuple):
    """A card of the story under a scene: it sets the sliders, moves to a moment of the run and says what to look at.

    Attributes:
        title: what is done, in a few words.
        values: of the controls that it sets; the others go back to their defaults, so that the card is always true.
        text: one or two sentences, which may ask something of the reader.
        stop: the moment that it shows: the name of a stop of the scene, "start", or "" for the end of the run.
        lights: the titles of the parts of the scene that it speaks of; the others are dimmed. All, if it names none.
        goal: what the reader is to reach from there, such as "verdict=outside,temperature<=0.05"; "" for no goal.
    """

    title: str
    values: dict[str, float]
    text: str
    stop: str = ""
    lights: tuple[str, ...] = ()
    goal: str = ""


class TruthMap(NamedTuple):
    """The second view of a figure, where its statements are true: two parameters as axes, each cell a whole run.

    Attributes:
        x, y: the parameters to begin with; the reader may choose others.
        border: a number of the report that is above zero on one side of a border known in closed form, and
            ``border_label``, what lies there.
    """

    x: str
    y: str
    border: Field = ""
    border_label: str = ""

    def needs(self) -> Iterator[FieldRef]:
        if self.border:
            yield FieldRef(self.border, 1)


class View(NamedTuple):
    """All that ``live`` shows; ``statements`` are the sheets of :class:`~widgets.figure.verdict.Judge`.

    ``scene`` is a :class:`~widgets.figure.scenes.Scene`; ``panels`` are the charts that are folded below it; ``why``
    are :class:`~widgets.figure.scenes.Step`.
    """

    scene: Any
    panels: tuple[Panel, ...]
    caption: tuple[CaptionCase, ...]
    rows: tuple[Row, ...]
    story: tuple[StoryCard, ...]
    why: tuple[Any, ...]
    plays: bool
    map: TruthMap | None
    statements: tuple[dict[str, Any], ...]

    @property
    def drawn(self) -> tuple[Any, ...]:
        """All parts and charts."""
        return (*self.scene.parts, *self.panels, *(step.part for step in self.why))


def simplex_grid(side: int) -> Tensor:
    """The points of a triangular grid, in the order in which :class:`Simplex` reads a field over them.

    Rows run from the edge between the first two corners (third mass 0) to the third corner, and within a row from
    the first corner to the second: masses (side − j − k, j, k)/side for k = 0 … side, j = 0 … side − k.

    Args:
        side: how many steps an edge has; 24 gives 325 points.

    Returns:
        (½ (side + 1)(side + 2), 3) float64, each row sums to 1.

    Raises:
        ValueError: ``side`` is not a whole number from 1 to 100.
    """
    if not (isinstance(side, int) and 1 <= side <= 100):
        raise ValueError(f"side = {side}: must be a whole number from 1 to 100")
    rows = [(side - j - k, j, k) for k in range(side + 1) for j in range(side + 1 - k)]
    return torch.tensor(rows, dtype=torch.float64) / side


def plain(value: Any) -> Any:
    """NamedTuples, tuples and dicts as the dicts and lists that JSON knows."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def among_of(when: When) -> str:
    """Where a field is that is drawn at this time."""
    return "watch" if when == "now" else "report"


def levels_need(levels: tuple[Level, ...]) -> Iterator[FieldRef]:
    """The fields at which lines stand."""
    for level in levels:
        if not isinstance(level.value, (int, float)):
            yield FieldRef(level.value, 1)
