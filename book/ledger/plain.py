"""Verdicts in plain words: what a hypothesis, a bound or a condition on the run comes to where it fails.

The technical names stand under *Check the numbers*. A statement's plain words lie in ``book/PAPER/plain_words.py``,
because its own words are part of what stored results rest on. What has none there is quoted by its name.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from book.paper import ROOMS

BROKEN, UNFULFILLED, UNREACHED = "“{}” fails", "“{}” is not as predicted", "“{}” has not been reached"
"""What is said of a hypothesis, a bound and a condition that have no plain words."""


def failures(id: str, named: Iterable[tuple[str, str]], otherwise: str) -> list[str]:
    """For each key of a statement's items, with its technical name, a clause that says that it fails.

    A bound's key is its name.
    """
    words = _words(id, "PLAIN")
    return [words.get(key, otherwise.format(name)) for key, name in named]


def sentences(id: str) -> dict[str, str]:
    """What is said of a run by what it comes to, in place of the statement's own sentences."""
    return _words(id, "SENTENCES")


def _words(id: str, table: str) -> dict[str, str]:
    room = id.split(".")[0]
    if room not in ROOMS:
        return {}
    words: dict[str, str] = getattr(importlib.import_module(f"book.{room}"), table).get(id, {})
    return words
