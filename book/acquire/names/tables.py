"""The stored runs on facts with names: films and their directors, countries and their capitals."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd

from book.sweep import read

Numbers = dict[str, Any]


@cache
def stored(name: str) -> pd.DataFrame:
    """A table of the chapter."""
    return read(f"acquire-{name}").rows


def figure_4(when: str) -> Numbers:
    """Exact match on unseen films at one of the stored steps: against K, the mean over n_ft, and against n_ft."""
    rows = stored("director").query("when == @when")
    by_cell = rows.groupby(["multiplicity", "tuned"]).exact.mean().unstack()
    by_k = by_cell.mean(axis=1)
    return {
        "trained": float(when != "start"),
        "told": rows.told.min(),
        "gain": by_k.iloc[-1] - by_k.iloc[0],
        "change": by_k.diff().min(),
        "by_tuned": (by_cell.iloc[:, -1] - by_cell.iloc[:, 0]).min(),
        "most": by_cell.max().max(),
        "accuracy": by_k.to_dict(),
    }


def advantages(multiplicity: int) -> pd.DataFrame:
    """Exact match on unseen capitals at the last step, by seed: after popular facts, after rare ones, and ``more``."""
    rows = stored("capital").query("when == 'last' and multiplicity == @multiplicity")
    found = ((rows.exact + rows.others) / 2).groupby([rows.seed, rows.way]).mean().unstack()
    return found.assign(more=found.frequent - found.rare)


def table_2(multiplicity: int) -> Numbers:
    """Fine-tuning on popular facts and on rare ones: the same test."""
    found = advantages(multiplicity)
    return {
        "popular": float(multiplicity > 1),
        "frequent": found.frequent.mean(),
        "rare": found.rare.mean(),
        "more": found.more.mean(),
        "error": found.more.sem(),
        "even": advantages(1).more.mean(),
    }
