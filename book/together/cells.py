"""The cells of *Outside the assumptions*: verdicts by one rule, from the stored runs."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import NamedTuple

import pandas as pd

from book.sweep import read
from book.together.experiments.relaxations import RELAXATIONS, Relaxation
from book.together.intervals import wilson

EVEN = 0.5
"""The share of seeds between a statement that holds and one that fails."""
SIGNS = {"holds": "●", "weakened": "◑", "fails": "○", "does not apply": "–"}
"""A sign for each verdict, so that colour is not needed to tell them apart."""
VERDICTS = tuple(verdict for verdict in SIGNS if verdict != "does not apply")
"""Those that runs can come to."""

IN_WORDS = {
    "scale": "another softmax scale",
    "crowded": "too few dimensions",
    "matrices": "separate keys and queries",
    "float32": "single precision",
}
"""By relaxation: what the page calls it, where the title that the figures' switches have is terse."""
TITLES = {RELAXATIONS[name].title: words for name, words in IN_WORDS.items()}


class Cell(NamedTuple):
    """A statement under a relaxation."""

    statement: str
    relaxation: str
    held: int
    """At how many seeds the conclusion holds."""
    seeds: int
    low: float
    high: float
    """Wilson's 95 % interval of the share of seeds."""
    verdict: str
    broken: str
    """The bound that fails most often; empty if none does."""


def verdict(held: int, seeds: int) -> str:
    """The one rule: a statement holds if the interval lies above one half, fails if below, else it is weakened."""
    low, high = wilson(held, seeds)
    return "holds" if low > EVEN else "fails" if high < EVEN else "weakened"


def in_words(about: Relaxation) -> str:
    """What a relaxation is called on the page."""
    return TITLES.get(about.title, about.title)


@cache
def runs() -> pd.DataFrame:
    """All runs: paper, relaxation, seed, statement, holds, and the bound that says so."""
    return read("together-outside").rows


@cache
def cells() -> dict[tuple[str, str], Cell]:
    """Every cell of the table by statement and relaxation, in the order of the runs."""
    return judged(runs(), "statement", "relaxation")


def judged(runs: pd.DataFrame, claim: str, given_up: str) -> dict[tuple[str, str], Cell]:
    """A cell for each value of these two columns of a table of runs, in their order."""
    found = {}
    for key, rows in runs.groupby([claim, given_up], sort=False):
        statement, relaxation = map(str, key)
        held, seeds = int(rows.holds.sum()), len(rows)
        broken = Counter(rows.bound[rows.holds == 0]).most_common(1)
        found[statement, relaxation] = Cell(
            statement,
            relaxation,
            held,
            seeds,
            *wilson(held, seeds),
            verdict(held, seeds),
            broken[0][0] if broken else "",
        )
    return found


def given_up(cells: dict[tuple[str, str], Cell]) -> dict[tuple[str, str], Cell]:
    """The cells in which something is given up."""
    return {key: cell for key, cell in cells.items() if key[1] != "none"}


def of_cell(statement: str, relaxation: str) -> pd.DataFrame:
    """The ten runs of a cell, a row for each seed.

    Raises:
        ValueError: the table has no such cell.
    """
    if (statement, relaxation) not in cells():
        statements = ", ".join(dict.fromkeys(id for id, _ in cells()))
        raise ValueError(
            f"statement, relaxation = {statement!r}, {relaxation!r}: must be one of {statements}, and one of "
            f"{', '.join(RELAXATIONS)}, where it applies"
        )
    every = runs()
    return every[(every.statement == statement) & (every.relaxation == relaxation)]
