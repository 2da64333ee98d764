"""Verdicts in plain words: what a hypothesis, a bound or a condition on the run comes to where it fails.

They are blocks of the page that states the statement (:mod:`widgets.words`), so that stored results do not rest on
them. The technical names stand under *Check the numbers*; what has no plain words is quoted by its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Stated(Protocol):
    """A statement: its id, and its page."""

    @property
    def id(self) -> str: ...
    @property
    def page(self) -> str: ...


def failures(statement: Stated, item: str, named: Iterable[tuple[str, str]]) -> list[str]:
    """For each key of a statement's items, with its technical name, a clause that says that it fails.

    A bound's key is its name.
    """
    from widgets import words  # statements are examined without widgets

    return words.failures(statement.id, statement.page, item, named)


def sentences(statement: Stated) -> dict[str, str]:
    """What is said of a run by what it comes to, in place of the statement's own sentences."""
    from widgets import words

    return words.clauses(statement.id, statement.page, "verdict")
