"""The cells of *Outside the assumptions*: verdicts by one rule, from the stored runs, and the live figures of some."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

import pandas as pd
from IPython.display import Markdown

from book.ledger import entries
from book.ledger.markdown import table
from book.sweep import read
from book.together.experiments.relaxations import RELAXATIONS, Relaxation
from book.together.relaxed import MENUS, THEOREMS

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


Z = 1.959964
"""Standard errors to each side in a 95 % interval."""


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


def wilson(held: int, seeds: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, by how often of how many times something happened.

    Raises:
        ValueError: no time at all, or more often than that.
    """
    if not 0 <= held <= seeds or not seeds:
        raise ValueError(f"held = {held}: must be from 0 to seeds = {seeds}, and seeds at least 1")
    share, square = held / seeds, Z**2 / seeds
    middle, half = share + square / 2, Z * math.sqrt(share * (1 - share) / seeds + square / (4 * seeds))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


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


def settings(statement: str, relaxation: str) -> dict[str, float] | None:
    """Where the live figure shows a cell; None if none does.

    A cell that is weakened, where some seeds hold and others fail, is not shown by one run.
    """
    theorem, menu = THEOREMS[statement], MENUS[_paper(statement)]
    if relaxation not in menu or relaxation in theorem.otherwise:
        return None
    if cells()[statement, relaxation].verdict == "weakened":
        return None
    values = {**theorem.settings, **theorem.settings_under.get(relaxation, {})}
    return {"relaxation": menu.index(relaxation), **values}


def address(statement: str, relaxation: str) -> str:
    """The address of the figure at a cell's settings, from a page of this chapter; empty if none shows it."""
    chosen = settings(statement, relaxation)
    if chosen is None:
        return ""
    choice = quote(RELAXATIONS[relaxation].title)  # a choice stands in an address by its words
    values = "".join(f"&{name}={value:g}" for name, value in chosen.items() if name != "relaxation")
    return f"relaxed_{_paper(statement)}.html#~relaxation={choice}{values}"


def _paper(statement: str) -> str:
    return statement.partition(".")[0]


def falling() -> list[tuple[str, str]]:
    """The cells with a live figure in which an assumption brings the statement down: (statement, relaxation)."""
    return [key for key, cell in cells().items() if cell.verdict == "fails" and settings(*key) is not None]


def live_cells(paper: str) -> Markdown:
    """A paper's cells with a live figure: a row for each assumption, each verdict a link to the run."""
    statements = [id for id in THEOREMS if _paper(id) == paper]
    known = {entry["id"]: entry for id in statements for entry in entries.entries(id)}
    rows = [
        (RELAXATIONS[relaxation].title, *(_linked(id, relaxation) for id in statements))
        for relaxation in MENUS[paper]
    ]
    live = sum(bool(address(id, relaxation)) for id in statements for relaxation in MENUS[paper])
    fallen = sum(id in statements for id, _ in falling())
    heads = ("what is changed", *(entries.linked(known[id]) for id in statements))
    return Markdown(
        f"{live} cells lead to a run; in {fallen} of them the statement falls.\n\n{table(heads, rows)}"
    )


def _linked(statement: str, relaxation: str) -> str:
    cell = cells()[statement, relaxation]
    words = f"{SIGNS[cell.verdict]} {cell.verdict}, {cell.held} of {cell.seeds}"
    where = address(statement, relaxation)
    return f'<a href="{where}">{words}</a>' if where else words
