"""Verdicts in plain words: what a hypothesis, a bound or a condition on the run comes to where it fails.

They are blocks of the page that states the statement (:mod:`widgets.words`), so that stored results do not rest on
them. The technical names stand under *Check the numbers*; what has no plain words is quoted by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Protocol

import torch

from book.ledger.boxes import Box
from lib.program import attributes


class Stated(Protocol):
    """A statement: its id, its page, its box there, and whether it speaks of a choice or of chance."""

    @property
    def id(self) -> str: ...
    @property
    def page(self) -> str: ...
    @property
    def box(self) -> Box: ...
    @property
    def exists(self) -> Mapping[str, Any]: ...
    @property
    def chance(self) -> float: ...


def failures(statement: Stated, item: str, named: Iterable[tuple[str, str]]) -> list[str]:
    """For each key of a statement's items, with its technical name, a clause that says that it fails.

    A bound's key is its name.
    """
    from widgets import words  # statements are examined without widgets

    return words.failures(statement.id, statement.page, item, named)


def sentences(statement: Stated) -> dict[str, str]:
    """What is said of a run by what it comes to, in place of the statement's own sentences."""
    from widgets import words

    name, choice, chance = statement.box.name, bool(statement.exists), bool(statement.chance)
    return words.sentences(statement.id, statement.page, name=name, choice=choice, chance=chance)


def name(statement: Stated) -> str:
    """What a figure calls a statement: as its page says, or as the ledger does."""
    from widgets import words

    return words.name_of(statement.id, statement.page) or statement.box.name


def with_numbers(
    sentence: str, statement: Stated, report: Any, parameters: Any, verdict: Mapping[str, Any]
) -> str:
    """A sentence on a run with the numbers that it quotes: of its bounds, report and parameters, or of the figure."""
    from widgets import numbers

    def record(field: str) -> list[float]:
        for source in (
            verdict if field in ("low", "measured", "high") else {},
            attributes(report),
            parameters,
        ):
            value = source.get(field) if isinstance(source, Mapping) else getattr(source, field, None)
            if value is not None:
                break
        else:
            value = _of_figure(statement.page, statement.id)[field](attributes(report), parameters)
        return [float(each) for each in torch.as_tensor(value).flatten()]

    return numbers.quote_on_a_run(sentence, record)


@cache
def _of_figure(page: str, id: str) -> Mapping[str, Callable[[Any, Any], Any]]:
    """The functions whose numbers the figure of a statement's page reports beside those of the program."""
    from widgets.figure.registry import opening_on

    opening = opening_on(page, id)
    return opening.numbers if opening else {}
