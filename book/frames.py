"""Runs as tables: ``each`` returns a pandas frame of many runs, ``show`` prints some of its columns.

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


def each(runnable: Callable[..., Any] | Statement, /, **settings: Any) -> pd.DataFrame:
    """A frame with a row for each combination of the settings: the settings and the numbers of the run.

    Args:
        runnable: a function that makes a :class:`~lib.program.Program`; or one of the settings that returns a number,
            or a record or dict of them; or a statement, whose bounds are then the columns.
        **settings: one value, or a list or range of values, by name. Others stay at a program's defaults.

    Returns:
        The columns are the settings that have several values, then every single number of the report.
    """
    lists = {
        name: list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
        for name, value in settings.items()
    }
    configurations = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    varied = [name for name, values in lists.items() if len(values) > 1]
    return pd.DataFrame(
        [
            {**{name: configuration[name] for name in varied}, **row}
            for configuration, row in zip(configurations, _rows(runnable, configurations), strict=True)
        ]
    )


def _rows(
    runnable: Callable[..., Any] | Statement, configurations: list[dict[str, Any]]
) -> list[dict[str, float]]:
    """The numbers of a run at each configuration."""
    if isinstance(runnable, Statement):
        return [_of_statement(runnable, configuration) for configuration in configurations]
    if inspect.signature(runnable).return_annotation in (Program, "Program"):
        return [_single(report) for report in reports(runnable(), configurations)]
    return [_single(runnable(**configuration)) for configuration in configurations]


def _of_statement(statement: Statement, configuration: dict[str, Any]) -> dict[str, float]:
    result = statement(**configuration)
    return {
        **{bound.name: float(bound.measured) for bound in result.bounds},
        "assumed": result.assumed,
        "concluded": result.concluded,
    }


def _single(report: Any) -> dict[str, float]:
    """The fields of a report that are single numbers."""
    if isinstance(report, (int, float, torch.Tensor)):
        return {"value": float(report)}
    r = attributes(report)
    fields = r._asdict() if hasattr(r, "_asdict") else vars(r)
    return {name: float(leaf) for name, leaf in fields.items() if torch.as_tensor(leaf).ndim == 0}


class Shown:
    """A table as a page prints it: chosen columns under titles, whole numbers whole, others with four digits."""

    def __init__(self, frame: pd.DataFrame, titles: dict[Any, str]) -> None:
        self.head = list(titles.values())
        self.rows = [[_cell(row[name]) for name in titles] for _, row in frame.iterrows()]

    def __repr__(self) -> str:
        return pd.DataFrame(self.rows, columns=self.head).to_string(index=False)

    def _repr_markdown_(self) -> str:
        return table(self.head, self.rows)


def show(frame: pd.DataFrame, **titles: str) -> Shown:
    """The named columns, in that order, each under its title; all of them without names. A named index is a column.

    Raises:
        ValueError: a column is not there.
    """
    whole = frame.reset_index() if any(frame.index.names) else frame
    if missing := [name for name in titles if name not in whole]:
        raise ValueError(f"columns = {missing}: must be among {', '.join(map(str, whole.columns))}")
    return Shown(whole, titles or {name: str(name) for name in whole})


LONG = 1e9
"""Whole numbers from here on are written like others: nobody counts so many digits."""


def _cell(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if not isinstance(value, Real):
        return str(value)
    number = float(value)
    if np.isinf(number):
        return "∞" if number > 0 else "−∞"
    return str(int(number)).replace("-", "−") if number.is_integer() and abs(number) < LONG else plain(number)
