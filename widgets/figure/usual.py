"""The view of a figure whose author names no panels: all that the function returns, and nothing in silence."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from widgets.figure.colours import VARIANTS
from widgets.figure.derived import Derive
from widgets.figure.panels import Curve, CurveChart, HeatMap, Line, Panel, Row, TimeChart
from widgets.figure.validate_program import entries

AXES = {
    *(
        "x",
        "t",
        "time",
        "times",
        "step",
        "steps",
        "index",
        "epoch",
        "epochs",
        "iteration",
        "iterations",
        "grid",
    ),
}
"""Names of a field that others are drawn against."""
MOST_CELLS = 4096
"""A matrix of so many numbers is drawn as a heat map."""
MOST_LINES = len(VARIANTS)
"""The most numbers of a watched field that are drawn as lines."""


class Usual(NamedTuple):
    """What to show: curves and heat maps, and a row of the table for each single number."""

    panels: tuple[Panel, ...]
    rows: tuple[Row, ...]


def usual(report: Any, watched: Any = None) -> Usual:
    """A view of every field of a report, and of what is watched.

    Watched numbers are drawn against the step, each field in its own chart. Single numbers of the report are rows of
    the table; matrices are heat maps; curves of one length share a chart, against the one among them that is called
    like an axis, or the first if it rises from each number to the next, or their index. Fields for which there is no
    drawing are named in a warning.
    """
    curves: dict[int, dict[str, Tensor]] = {}
    moving = {name for name, field in entries(watched) if field.ndim == 1}
    panels: list[Panel] = []
    rows: list[Row] = []
    for name, field in entries(report):
        if field.numel() == 1:
            rows.append(Row(words_of(name), "", name))
        elif field.ndim == 1 and field.numel():
            curves.setdefault(field.numel(), {})[name] = field
        elif field.ndim == 2 and 0 < field.numel() <= MOST_CELLS:
            down, across = (tuple(map(str, range(size))) for size in field.shape)
            panels.append(HeatMap(words_of(name), name, down, across))
        else:
            _warn(name, field, f"one number, a curve, or a matrix of at most {MOST_CELLS:,} numbers")
    charts = [chart for fields in curves.values() for chart in _charts(fields, moving)]
    times, reported = [], {name for name, _ in entries(report)}
    for name, field in entries(watched):
        if name in moving & reported:
            continue  # its curve moves with the run
        if 0 < field.numel() <= MOST_LINES:
            times.append(_against_steps(name, field.numel()))
        elif name not in reported:
            _warn(
                name, field, f"at most {MOST_LINES} numbers to be drawn against the step, or be reported, too"
            )
    return Usual((*times, *charts, *panels), tuple(rows))


def _against_steps(name: str, size: int) -> TimeChart:
    """A watched field, a line for each of its numbers."""
    labels = [words_of(name) if size == 1 else f"{words_of(name)} {place}" for place in range(size)]
    lines = (Line(name, place, label, VARIANTS[place]) for place, label in enumerate(labels))
    return TimeChart("", tuple(lines), x="steps")


def _warn(name: str, field: Tensor, must: str) -> None:
    warnings.warn(
        f"{name} of shape {tuple(field.shape)} is not drawn: must be {must}, or stand in panels=",
        UserWarning,
        stacklevel=6,
    )


def words_of(name: str) -> str:
    """A field's name for readers."""
    return name.replace("_", " ")


def _charts(fields: dict[str, Tensor], moving: Collection[str]) -> Iterator[CurveChart]:
    """A chart of all curves of one length; those that are watched, too, move with the run."""
    first = next(iter(fields))
    rises = bool((fields[first][1:] > fields[first][:-1]).all())
    axis = next((name for name in fields if name in AXES), first if rises else None)
    names = [name for name in fields if name != axis]
    x: Any = axis
    if axis is None or not names:
        x, names = _index(fields[first].numel()), list(fields)
    label = words_of(x) if x == axis else "index"
    series = [
        Curve(x, name, words_of(name), VARIANTS[place % len(VARIANTS)], when="now" if name in moving else "")
        for place, name in enumerate(names)
    ]
    yield CurveChart("", x=label, series=tuple(series))


def _index(length: int) -> Derive:
    return lambda r, p: torch.arange(length, dtype=torch.float64)
