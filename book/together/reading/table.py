"""The stored runs of detector and memory in full: what each way of teaching comes to over its seeds."""

from __future__ import annotations

import pandas as pd

from book.sweep import read
from book.together.cells import wilson
from book.together.experiments.reading import TOLD, WAYS

WORDS = {
    "stored, answers": "facts stored before; then answers",
    "stored, labels": "facts stored before; then labels",
    "answers": "answers alone",
    "labels": "answers and labels",
    "statements": "answers and statements",
    "statements, a tenth": "… statements with weight 1/10",
    "statements, a hundredth": "… statements with weight 1/100",
}
"""What is told, in words."""


def runs(way: str) -> pd.DataFrame:
    """The stored runs of one way of teaching, a row for each seed.

    Raises:
        ValueError: ``way`` is none of :data:`WAYS`.
    """
    if way not in WAYS:
        raise ValueError(f"way = {way!r}: must be one of {'; '.join(WAYS)}")
    rows = read("together-reading").rows
    return rows[rows.way == way].reset_index(drop=True)


def ways() -> pd.DataFrame:
    """A row for each way: medians and ranges of steps, and shares of seeds with Wilson's 95 % interval."""
    return pd.DataFrame([_summary(way, runs(way)) for way in WAYS])


def _summary(way: str, rows: pd.DataFrame) -> dict[str, object]:
    both = rows.detects + rows.recalls < float("inf")
    stored = WAYS[way].stored
    return {
        "told": WORDS[way],
        "detects": _range(rows.detects),
        "recalls": "before" if stored else _range(rows.recalls),
        "detection_first": "" if stored else _share(both & (rows.detects < rows.recalls)),
        "waits": _range(rows.waits),
        "named": _share(rows.named >= TOLD),
        "new": f"{rows.new_told_apart.mean():.0%}",
    }


def _range(steps: pd.Series) -> str:
    """Median, least and largest."""
    low, middle, high = (
        "∞" if value == float("inf") else f"{value:.0f}"
        for value in (steps.min(), steps.median(), steps.max())
    )
    return f"{middle} ({low} to {high})"


def _share(happens: pd.Series) -> str:
    """How many of the seeds, and the interval of their share."""
    held, seeds = int(happens.sum()), len(happens)
    low, high = wilson(held, seeds)
    return f"{held} of {seeds} ({low:.2f} to {high:.2f})"
