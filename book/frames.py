"""Runs as tables: ``each`` makes a pandas frame of many runs, ``show`` prints some of its columns.

::

    escapes = each(escape, perturbation_radius=[1e-2, 1e-4, 1e-6], seed=range(10))
    show(escapes.groupby("perturbation_radius").mean(), perturbation_radius="radius $r$", measured_escape="steps")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import torch

from book.ledger.bounds import plain
from book.ledger.markdown import table
from book.ledger.statement import Statement
from lib.program import Program, attributes, reports


def each(what: Callable[..., Any] | Statement, /, **settings: Any) -> pd.DataFrame:
    """A row for each combination of the settings, with the numbers that come out.

    Args:
        what: makes a :class:`~lib.program.Program`; or is a function of the settings that returns a number, or a record
            or dict of them; or a statement, whose bounds are then the columns.
        **settings: a list or range of values each, or one value. A program's others stay at their defaults.

    Returns:
        The settings that have several values, then every single number of the report.
    """
    lists = {
        name: list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
        for name, value in settings.items()
    }
    many = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    varied = [name for name, values in lists.items() if len(values) > 1]
    return pd.DataFrame(
        [
            {**{name: one[name] for name in varied}, **row}
            for one, row in zip(many, _rows(what, many), strict=True)
        ]
    )


def _rows(what: Callable[..., Any] | Statement, many: list[dict[str, Any]]) -> list[dict[str, float]]:
    if isinstance(what, Statement):
        return [_of_statement(what, one) for one in many]
    if inspect.signature(what).return_annotation in (Program, "Program"):
        return [_single(report) for report in reports(what(), many)]
    return [_single(what(**one)) for one in many]


def _of_statement(what: Statement, one: dict[str, Any]) -> dict[str, float]:
    found = what(**one)
    return {
        **{bound.name: float(bound.measured) for bound in found.bounds},
        "assumed": found.assumed,
        "concluded": found.concluded,
    }


def _single(report: Any) -> dict[str, float]:
    """The fields of a report that are single numbers."""
    if isinstance(report, (int, float, torch.Tensor)):
        return {"value": float(report)}
    r = attributes(report)
    fields = r._asdict() if hasattr(r, "_asdict") else vars(r)
    return {name: float(leaf) for name, leaf in fields.items() if torch.as_tensor(leaf).ndim == 0}


class Shown:
    """A frame as the page prints it: chosen columns under titles, whole numbers whole, others with four digits."""

    def __init__(self, frame: pd.DataFrame, titles: dict[Any, str]) -> None:
        self.head = list(titles.values())
        self.rows = [[_cell(row[name]) for name in titles] for _, row in frame.iterrows()]

    def __repr__(self) -> str:
        return pd.DataFrame(self.rows, columns=self.head).to_string(index=False)

    def _repr_markdown_(self) -> str:
        return table(self.head, self.rows)


def show(frame: pd.DataFrame, **titles: str) -> Shown:
    """The columns named, in that order, each under its title; without names, all. A named index is a column, too.

    Raises:
        ValueError: a column is not there.
    """
    whole = frame.reset_index() if any(frame.index.names) else frame
    if missing := [name for name in titles if name not in whole]:
        raise ValueError(f"columns = {missing}: must be among {', '.join(map(str, whole.columns))}")
    return Shown(whole, titles or {name: str(name) for name in whole})


LONG = 1e9
"""From here on nobody counts the digits of a whole number."""


def _cell(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if not isinstance(value, Real):
        return str(value)
    number = float(value)
    return str(int(number)).replace("-", "−") if number.is_integer() and abs(number) < LONG else plain(number)
