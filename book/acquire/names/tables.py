"""The stored runs on facts with names: films and their directors, countries and their capitals."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from book.acquire.tables import errors, stored


class Figure4(NamedTuple):
    """Exact match on unseen films against K and against n_ft; changes are in standard errors over starts."""

    learned: float  # sentences whose answer is learned in pre-training, the least share
    change: float  # from one K to the next, least
    gain: float  # from K = 1 to the greatest
    last: float  # at the last K
    tuned_change: float  # from one n_ft to the next, least
    tuned_gain: float  # from the least n_ft to the greatest
    most: float  # exact match
    accuracy: dict[int, float]  # by K, mean over n_ft


def figure_4(when: str) -> Figure4:
    """Exact match on unseen films at one of the stored steps: "start", "chosen", "best" or "last"."""
    rows = stored("acquire-director").query("when == @when")
    by_k, by_count = (
        rows.groupby([axis, "seed"]).exact.mean().unstack("seed") for axis in ("multiplicity", "tuned")
    )
    return Figure4(
        learned=rows.told.min(),
        change=errors(by_k.diff().dropna()).min(),
        gain=errors(by_k.iloc[[-1]] - by_k.iloc[0]).iloc[0],
        last=errors(by_k.diff()).iloc[-1],
        tuned_change=errors(by_count.diff().dropna()).min(),
        tuned_gain=errors(by_count.iloc[[-1]] - by_count.iloc[0]).iloc[0],
        most=rows.groupby(["multiplicity", "tuned"]).exact.mean().max(),
        accuracy=by_k.mean(axis=1).to_dict(),
    )


def followed(film: str) -> pd.DataFrame:
    """What is said of a film that is not practised: before practice with the greatest K, after it with each K.

    Returns:
        ``says`` has a sign, by whether the director is named; ``right`` says of how many such films it is.
    """
    rows = stored("acquire-answers")
    counts = sorted(rows.multiplicity.unique())
    steps = [("before", counts[-1]), *(("after", k) for k in counts)]
    return pd.DataFrame([_step(rows[rows.multiplicity == k], film, when) for when, k in steps])


def _step(rows: pd.DataFrame, film: str, when: str) -> dict[str, str]:
    """One row of :func:`followed`, of the rows with one K."""
    (k,) = rows.multiplicity.unique()
    right = rows[when] == rows.director
    (one,) = rows.index[rows.film == film]
    return {
        "when": f"{k} wording{'s' if k > 1 else ''}, {when} practice",
        "says": f"{'✓' if right[one] else '✕'} {rows[when][one]}",
        "right": f"{right.sum()} of {len(rows)}",
    }


def advantages(multiplicity: int) -> pd.DataFrame:
    """Exact match on unseen capitals at the last step, by seed: after popular facts, after rare ones, and ``more``."""
    rows = stored("acquire-capital").query("when == 'last' and multiplicity == @multiplicity")
    by_way = ((rows.exact + rows.others) / 2).groupby([rows.seed, rows.way]).mean().unstack()
    return by_way.assign(more=by_way.frequent - by_way.rare)


class Table2(NamedTuple):
    """Exact match on unseen capitals, means over starts."""

    frequent: float  # after fine-tuning on popular facts
    rare: float  # on rare ones
    more: float  # the difference
    error: float  # its standard error
    even: float  # the difference where no fact is told in more phrasings than another


def table_2(multiplicity: int) -> Table2:
    """Fine-tuning on popular facts and on rare ones: the same test."""
    by_way = advantages(multiplicity)
    return Table2(
        frequent=by_way.frequent.mean(),
        rare=by_way.rare.mean(),
        more=by_way.more.mean(),
        error=by_way.more.sem(),
        even=advantages(1).more.mean(),
    )
