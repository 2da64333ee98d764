"""Data of a reader's own: a field into which numbers are pasted, as from a spreadsheet, and a figure of them.

::

    def fit(points, ridge):
        x, y = points.values.T
        …

    live(fit, points=OwnData([(0, 1), (1, 3), (2, 4)], low=-100, high=100), ridge=…)

The page's shapes are fixed, so a function gets :class:`Rows`: as many rows as there may be at most, and which of them
are there. What is pasted is read alike here and in ``src/run/own_data.js``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import ipywidgets as ipw
import torch
from torch import Tensor

from lib.domain import Domain
from lib.program import Program, record

MOST_NUMBERS = 400
"""The most numbers that may be pasted: each is a parameter of the figure."""


class Rows(NamedTuple):
    """What a figure's function gets of a reader's data."""

    values: Tensor
    """(most, columns): the rows, and 0 in those that are not there."""
    present: Tensor
    """(most,): 1 for a row that is there, else 0; weigh sums with it."""

    @property
    def shown(self) -> Tensor:
        """(most, columns): the rows, and NaN in those that are not there, which charts leave out."""
        return torch.where(self.present[:, None] > 0, self.values, math.nan)


class OwnData:
    """A field for a reader's own rows of numbers, as a setting of :func:`widgets.live`.

    A row is a line; its numbers stand apart by tabs, semicolons, commas or spaces. A first line without numbers is a
    head and left out. Beside tabs and semicolons a comma may be a decimal one.

    Args:
        default: the rows that are there at first.
        low, high: what each number may be.
        columns: a name for each number of a row.
        least, most: how many rows there may be.
        label: the field's name for readers.

    Raises:
        ValueError: the default is none of what may be pasted, or it would be too many numbers.
    """

    def __init__(
        self,
        default: Any,
        low: float = -1e6,
        high: float = 1e6,
        *,
        columns: Sequence[str] = ("x", "y"),
        least: int = 1,
        most: int = 50,
        label: str = "your own data",
    ):
        self.low, self.high, self.columns, self.least, self.most = low, high, tuple(columns), least, most
        self.label = label
        if not -math.inf < low < high < math.inf:
            raise ValueError(f"{label}: from {low:g} to {high:g}: must be two numbers, the larger one last")
        if not (self.columns and 1 <= least <= most and most * len(self.columns) <= MOST_NUMBERS):
            raise ValueError(
                f"{label}: {least} to {most} rows of {len(self.columns)} numbers: must be at least one row, and at "
                f"most {MOST_NUMBERS} numbers"
            )
        rows = torch.as_tensor(default, dtype=torch.float64).tolist()
        self.text = "\n".join(", ".join(f"{number:.12g}" for number in row) for row in rows)
        self.numbers(self.text)

    @property
    def pad(self) -> float:
        """What stands in rows that are not there, which must be allowed as well."""
        return min(max(0.0, self.low), self.high)

    def numbers(self, text: str) -> list[float]:
        """How many rows a text has, and all their numbers, with :attr:`pad` up to the most rows.

        Raises:
            ValueError: which line is wrong, and what is allowed.
        """
        rows = self._rows(text)
        if not self.least <= len(rows) <= self.most:
            raise ValueError(f"{len(rows)} rows: must be from {self.least} to {self.most}")
        flat = [number for row in rows for number in row]
        return [float(len(rows)), *flat, *[self.pad] * (self.most * len(self.columns) - len(flat))]

    def _rows(self, text: str) -> list[list[float]]:
        rows: list[list[float]] = []
        for place, line in enumerate(text.splitlines(), 1):
            cells = _cells(line)
            numbers = [_number(cell) for cell in cells]
            if not cells or (not rows and not any(number is not None for number in numbers)):
                continue
            if None in numbers:
                raise ValueError(f"line {place}: “{cells[numbers.index(None)]}” is not a number")
            if len(cells) != len(self.columns):
                raise ValueError(
                    f"line {place}: {len(cells)} numbers: must be {len(self.columns)}: {', '.join(self.columns)}"
                )
            for name, cell, number in zip(self.columns, cells, numbers, strict=True):
                if not self.low <= number <= self.high:  # type: ignore[operator]
                    raise ValueError(
                        f"line {place}: {name} = {cell}: must be from {self.low:g} to {self.high:g}"
                    )
            rows.append([number for number in numbers if number is not None])
        return rows

    def control(self) -> ipw.Textarea:
        """The field itself."""
        return ipw.Textarea(
            value=self.text,
            description=self.label,
            placeholder=", ".join(self.columns),
            rows=6,
            style={"description_width": "11rem"},
            layout=ipw.Layout(width="min(30rem, 98%)"),
        )

    def domains(self, name: str) -> list[Domain]:
        """The parameters that hold the numbers: how many rows, and each of them."""
        count = Domain(f"{name}_rows", self.least, self.most, integer=True)
        places = range(self.most * len(self.columns))
        return [count, *(Domain(f"{name}_{place}", self.low, self.high) for place in places)]

    def rows(self, name: str, p: Any) -> Rows:
        """The rows as tensors, of the parameters that hold them."""
        count, *numbers = (getattr(p, domain.name) for domain in self.domains(name))
        present = (torch.arange(self.most) < count).to(torch.float64)
        values = torch.stack(numbers).reshape(self.most, len(self.columns))
        return Rows(torch.where(present[:, None] > 0, values, 0.0), present)

    def described(self, name: str, first: int) -> dict[str, Any]:
        """The field for the page; ``first`` is the place of its parameters among all."""
        shape = {key: getattr(self, key) for key in ("low", "high", "columns", "least", "most", "pad")}
        return {"name": name, "first": first, "default": self.text, **shape}


def _cells(line: str) -> list[str]:
    """The numbers of a line, as texts."""
    line = line.strip()
    wide = "\t" if "\t" in line else ";" if ";" in line else ""
    if wide:
        return [cell.strip() for cell in line.split(wide)]
    return [cell for cell in re.split(r"[\s,]+", line) if cell]


NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def _number(cell: str) -> float | None:
    """The number that a cell holds; None if there is none."""
    text = cell.replace("−", "-").replace(",", ".", 1)
    return float(text) if NUMBER.fullmatch(text) else None


def expanded(program: Program, own: Mapping[str, OwnData]) -> Program:
    """A program whose parameters that are data are a parameter for each number, for a page to hand over."""
    if not own:
        return program
    domains: list[Domain] = []
    for domain in program.domains:
        name = domain.name
        domains += own[name].domains(name) if name in own else [domain]

    def gathered(p: Any) -> Any:
        fields = {
            d.name: own[d.name].rows(d.name, p) if d.name in own else getattr(p, d.name)
            for d in program.domains
        }
        return program.parameters(**fields)

    def of_gathered(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        return lambda state, p: function(state, gathered(p))

    return program._replace(
        parameters=record("Parameters", [domain.name for domain in domains]),
        domains=tuple(domains),
        start=lambda p: program.start(gathered(p)),
        stages=tuple(
            stage._replace(enter=of_gathered(stage.enter), step=of_gathered(stage.step))
            for stage in program.stages
        ),
        watch=of_gathered(program.watch),
        report=of_gathered(program.report),
    )


def with_numbers(
    given: Mapping[str, Any], own: Mapping[str, OwnData], texts: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Settings with a number for each parameter that holds data: of the texts, or of what is there at first.

    Raises:
        ValueError: which line of a text is wrong.
    """
    numbers: dict[str, Any] = {}
    for name, data in own.items():
        text = (texts or {}).get(name, data.text)
        names = (domain.name for domain in data.domains(name))
        numbers |= dict(zip(names, data.numbers(text), strict=True))
    return {**{name: setting for name, setting in given.items() if name not in own}, **numbers}
