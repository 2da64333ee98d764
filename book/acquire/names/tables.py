"""The stored runs on facts with names: films and their directors, countries and their capitals."""

from __future__ import annotations

from typing import Any

import pandas as pd

from book.acquire.tables import errors, stored

Numbers = dict[str, Any]


def figure_4(when: str) -> Numbers:
    """Exact match on unseen films at one of the stored steps: against K, and against n_ft."""
    rows = stored("director").query("when == @when")
    by_k, by_count = (
        rows.groupby([axis, "seed"]).exact.mean().unstack("seed") for axis in ("multiplicity", "tuned")
    )
    return {
        "begun": float(when != "start"),
        "told": rows.told.min(),
        "change": errors(by_k.diff().dropna()).min(),
        "gain": errors(by_k.iloc[[-1]] - by_k.iloc[0]).iloc[0],
        "last": errors(by_k.diff()).iloc[-1],
        "tuned_change": errors(by_count.diff().dropna()).min(),
        "tuned_gain": errors(by_count.iloc[[-1]] - by_count.iloc[0]).iloc[0],
        "most": rows.groupby(["multiplicity", "tuned"]).exact.mean().max(),
        "accuracy": by_k.mean(axis=1).to_dict(),
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
