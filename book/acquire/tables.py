"""The chapter's stored tables, and how clear a change in them is of chance."""

from __future__ import annotations

from functools import cache

import pandas as pd

from book.sweep import read


@cache
def stored(name: str) -> pd.DataFrame:
    """The rows of a stored table."""
    return read(name).rows


def errors(changes: pd.DataFrame) -> pd.Series:
    """Means over seeds, which are the columns, in units of their standard errors; 0 where nothing changes at all."""
    return (changes.mean(axis=1) / changes.sem(axis=1)).fillna(0.0)


def spread(values: pd.Series) -> str:
    """Mean ± standard deviation, if there are two values, on one line; a dash where there is none."""
    several = f"\u00a0±\u00a0{values.std():.2f}" if values.count() > 1 else ""
    return f"{values.mean():.2f}{several}" if values.count() else "–"
