"""Which rows of the experiments' tables the page speaks of, and where the tables come from."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from book.recall.experiments import plots, sweeps
from book.sweep import Table


def longest(table: pd.DataFrame) -> pd.DataFrame:
    """The rows after the most steps of each way of training, with ``way`` in words and ``emerged``."""
    last = table[table.steps == table.groupby("trained").steps.transform("max")]
    return plots.in_words(last).assign(emerged=plots.emerged)


def grid(three: pd.DataFrame) -> pd.DataFrame:
    """Figure 3's runs at their end, at T = 0.05, on at most 64 prompts; ``behind`` the ceiling."""
    rows = plots.trained(three)
    return rows[rows.temperature == 0.05].assign(behind=rows.ceiling - rows.accuracy)


def eight(three: pd.DataFrame) -> pd.DataFrame:
    """Figure 3's runs on eight prompts, 64 relations, T = 0.05 and at most 64 subjects, at every look."""
    rows = plots.in_words(three)
    rows = rows[(rows.relations == 64) & (rows.samples == 8) & (rows.temperature == 0.05)]
    return rows[rows.subjects <= 64]


def drawn(two: pd.DataFrame, examples: int) -> pd.DataFrame:
    """The runs of Figure 2 that the page draws: positions trained on 64 prompts."""
    rows = longest(two)
    rows = rows[(rows.examples == examples) & (rows.way == plots.POSITIONS)]
    return rows[(rows.samples == 64) & (rows.noise == sweeps.NOISE)]


def by_adam(four: pd.DataFrame, examples: int = 2) -> pd.DataFrame:
    """Figure 4's runs with so many examples, fine-tuned by Adam on 1024 prompts."""
    rows = plots.tuned(four)
    return rows[(rows.examples == examples) & (rows.samples == 1024) & (rows.optimizer == "adam")]


def of(true: pd.Series) -> str:
    """ "7 of 10", of a column of truths."""
    return f"{int(true.sum())} of {len(true)}"


def origins(tables: Sequence[Table]) -> pd.DataFrame:
    """Where the tables come from."""
    stories = pd.DataFrame([table.provenance for table in tables])
    return stories.assign(
        command="`" + stories.command + "`",
        date=stories.date.str[:10],
        commit=stories.commit.str[:7],
        minutes=stories.seconds / 60,
    )
