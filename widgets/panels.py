"""What a live figure shows, as plain data: charts, hypotheses, numbers, a verdict, things to try.

Fields are named after those of the program's watch (while it runs) and report (at its end).
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Line(NamedTuple):
    """A watched quantity against the step; ``colour`` is a token of ``widgets/src/figure.css``."""

    field: str
    component: int
    label: str
    colour: str
    dash: str = ""


class Curve(NamedTuple):
    """One field of the report against another."""

    x: str
    y: str
    label: str
    colour: str
    dash: str = ""


class Level(NamedTuple):
    """A straight line at a number, or at a field of the report."""

    value: float | str
    label: str
    axis: str = "y"


class Path(NamedTuple):
    """The run's own way, drawn over curves: two watched quantities and a mark at the last."""

    x: str
    y: str
    label: str
    colour: str = "run"


class TimeChart(NamedTuple):
    """Watched quantities against the step, stage after stage."""

    title: str
    series: tuple[Line, ...]
    domain: tuple[float, float] | None = None
    levels: tuple[Level, ...] = ()
    x: str = "gradient steps"
    kind: str = "time"


class CurveChart(NamedTuple):
    """Curves of the report, with the run's path over them."""

    title: str
    x: str
    series: tuple[Curve, ...]
    path: Path | None = None
    domain: tuple[float, float] | None = None
    levels: tuple[Level, ...] = ()
    kind: str = "curve"


class Light(NamedTuple):
    """A hypothesis: the report's ``field`` is 1 where it holds, 0 where it is violated, else what ``other`` says."""

    field: str
    label: str
    other: str = "vacuous here"


class Row(NamedTuple):
    """A line of the table: fields of the report, either may be empty."""

    label: str
    predicted: str
    measured: str


class LiveVerdict(NamedTuple):
    """The report's ``field`` chooses among ``texts``; ``tones`` are good, bad or warn."""

    field: str
    texts: tuple[str, ...]
    tones: tuple[str, ...]


class Caption(NamedTuple):
    """The report's ``field`` chooses among ``texts``; ``{name}`` in them is the report's number of that name."""

    field: str
    texts: tuple[str, ...]


class Try(NamedTuple):
    """A sentence whose first words set sliders when clicked: what to do, to what, what to look for.

    Controls that ``values`` does not name go back to their defaults, so that the sentence is true at every click.
    """

    action: str
    values: dict[str, float]
    look: str


class View(NamedTuple):
    """Everything around the charts."""

    panels: tuple[TimeChart | CurveChart, ...]
    caption: Caption | None = None
    lights: tuple[Light, ...] = ()
    rows: tuple[Row, ...] = ()
    verdict: LiveVerdict | None = None
    tries: tuple[Try, ...] = ()
    code: str = ""


def plain(value: Any) -> Any:
    """NamedTuples, tuples and dicts as the dicts and lists that JSON knows."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value
