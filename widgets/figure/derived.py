"""Numbers that only a view reads: they are computed in torch from a run's report and parameters, and join the report.

Which case of a caption applies is one of them; so is whatever stands in a chart, a row or a stop as a function in the
place of a field's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from lib.program import Program, attributes, extended
from widgets.figure.panels import CaptionCase

Derive = Callable[[Any, Any], Any]
"""A function of a report and of parameters, in traceable torch."""

CASES = "caption_cases"
"""The report's field with a number for each case of the caption, 1 where its condition is true."""
COMPUTED = "computed_{}"
"""The report's field of a function that stands in the place of a field's name."""


class Derived:
    """The functions found in a view, by the names of the fields that they become."""

    def __init__(self, caption: tuple[CaptionCase, ...], numbers: Mapping[str, Derive] | None = None) -> None:
        self.functions: dict[str, Derive] = dict(numbers or {})
        if caption:
            self.functions[CASES] = lambda r, p: _truths([case.condition for case in caption], r, p)

    def named(self, view: Any) -> Any:
        """``view``, plain data, with a field's name in the place of each function."""
        if isinstance(view, CaptionCase):
            return view
        if hasattr(view, "_fields"):
            return type(view)(*map(self.named, view))
        if isinstance(view, tuple):
            return tuple(map(self.named, view))
        return self._name(view) if callable(view) else view

    def _name(self, function: Derive) -> str:
        known = {id(known): name for name, known in self.functions.items()}
        name = known.get(id(function), COMPUTED.format(len(self.functions)))
        self.functions[name] = function
        return name

    def joined(self, program: Program) -> Program:
        """``program`` with these numbers in its report."""
        if not self.functions:
            return program

        def report(ends: tuple[Any, ...], parameters: Any) -> Any:
            reported = program.report(ends, parameters)
            r = attributes(reported)
            if taken := sorted(name for name in self.functions if hasattr(r, name)):
                raise ValueError(f"numbers = {taken}: the program's report has these fields")
            more = {
                name: torch.as_tensor(_value(derive, r, parameters))
                for name, derive in self.functions.items()
            }
            return extended(reported, more)

        return program._replace(report=report)


def _truths(conditions: list[Derive | None], report: Any, parameters: Any) -> Tensor:
    """(len(conditions),) float64: 1 where a condition is true; None always is."""
    truths = []
    for place, condition in enumerate(conditions):
        truth = torch.as_tensor(True if condition is None else _value(condition, report, parameters))
        if truth.numel() != 1:
            raise ValueError(f"caption[{place}]: the condition has {truth.numel()} numbers: must have 1")
        truths.append(truth.reshape(()).to(torch.float64))
    return torch.stack(truths)


def _value(derive: Derive, report: Any, parameters: Any) -> Any:
    """What a function of a view returns; a field that is not there is named."""
    try:
        return derive(report, parameters)
    except AttributeError as error:
        raise ValueError(f"view names {error.name!r}: the report has no such field") from error
