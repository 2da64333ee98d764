"""A statement beside its program: the page's verdict is the statement's own torch code, traced with the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from lib.program import Program, extended

_TABLE = json.loads((Path(__file__).parents[1] / "src" / "run" / "outcomes.json").read_text(encoding="utf-8"))
OUTCOMES: dict[str, str] = {name: entry["words"] for name, entry in _TABLE.items()}
"""What a run may come to, in words: hypotheses and conclusion, neither, one without the other, or too early to say."""
SENTENCES = tuple(OUTCOMES)
STATES = ("assumed", "concluded", "undecided")
NUMBERS = (
    "lights",
    "settled",
    "low",
    "measured",
    "high",
    "interval",
    "holds",
    "outcome",
    "decisive",
    "good",
    "good_measured",
)
LISTS = {
    "lights": "assumes",
    "settled": "settled",
    **dict.fromkeys(("low", "measured", "high", "interval", "holds"), "bounds"),
}
"""Which list of the sheet says what these numbers are, one for each."""
ITEMS = {"hypothesis": "assumes", "bound": "bounds", "condition": "settled"}
"""What may decide a verdict, and which list of the sheet names them."""


class Judge(Protocol):
    """A statement, as far as a figure needs to know one."""

    @property
    def id(self) -> str: ...

    def judge(self, report: Any, parameters: Any) -> dict[str, Tensor]:
        """The verdict on a run by its report and its parameters, in traceable torch.

        Returns:
            A, B and D are the numbers of hypotheses, bounds and conditions on the run. Hypotheses: ``lights`` (A,), 1
            where they hold, 0 where they are violated, else vacuous. Conditions: ``settled`` (D,), 1 where the run
            has come so far. Bounds: ``low``, ``measured``, ``high``, ``holds`` and ``interval``, the place of its
            wording among the sheet's ``intervals``, (B,) each. The verdict: ``assumed``, ``concluded`` and
            ``undecided``, 0-d booleans; ``outcome``, 0-d, the place in :data:`OUTCOMES`; ``decisive``, (3,), the
            places of the first hypothesis violated, the first bound that fails and the first condition not reached,
            −1 where the outcome does not rest on one; ``good``, 0-d, 1 or 0, or NaN where there is nothing to judge:
            no outcome is asked for, or it is too early to say. And ``good_measured``, 0-d.
        """

    def sheet(self, report: Any, parameters: Any) -> dict[str, Any]:
        """The words around these numbers, as plain data.

        Returns:
            ``id``; ``name`` and ``ground``, "Lemma 6" and "as printed"; ``page`` and ``href`` of its box;
            ``exists``, whether one choice, or one random start, that fails contradicts nothing; ``choices``,
            the parameters of which there is a choice, and ``mapped``, what a map says: of its ``cells``, or that for
            ``every``, or for ``some``, values of one axis there is a choice along the other, and of the cells where it
            is too ``early``; the words
            of the hypotheses ``assumes`` and of the conditions ``settled``; the ``bounds``, each ``{"name":
            …, "strict": …}``; ``intervals``, how an interval may be worded, in which ``{low}``, ``{high}``,
            ``{middle}`` and ``{half}`` stand for numbers; ``outcomes``, those of :data:`OUTCOMES` in the order in
            which :meth:`judge` numbers them; ``good``, the outcome's name or None; ``failures`` by
            :data:`ITEMS`, a clause for each that says that it fails; ``sentences`` by outcome, in which
            ``{hypothesis}``, ``{bound}`` and ``{condition}`` are the failures of the first that is violated, fails
            or is not reached, and other braces hold numbers of the run, as in a caption; ``unpromised``, that for
            "undecided" where a hypothesis fails; ``waits``, that before the run's end;
            ``ranges``, by parameter where the page may look for a counterexample: ``{"of": […]}``,
            one of these, or ``{"low": …, "high": …, "whole": …}``; ``module`` and ``name_in_code``, where to
            import it from; and ``holds_at``, the values at which its call leaves parameters unless told, where
            those are not the domains' defaults.
        """


def names(place: int) -> dict[str, str]:
    """The report's fields that the statement at this place writes, by the keys of :meth:`Judge.judge`."""
    suffix = f"_{place + 1}" if place else ""
    return {key: f"{key}{suffix}" for key in STATES} | {key: f"judged_{key}{suffix}" for key in NUMBERS}


def judged(program: Program, statements: Sequence[Judge]) -> Program:
    """``program`` with the statements' verdicts in its report, beside its own fields."""
    if not statements:
        return program

    def report(ends: tuple[Any, ...], parameters: Any) -> Any:
        reported = program.report(ends, parameters)
        return _together(reported, [statement.judge(reported, parameters) for statement in statements])

    return program._replace(report=report)


def _together(report: Any, verdicts: list[dict[str, Tensor]]) -> Any:
    """A report of the same kind with the verdicts' fields."""
    taken = report if isinstance(report, dict) else report._fields
    more = {}
    for place, verdict in enumerate(verdicts):
        for key, name in names(place).items():
            if name in taken:
                raise ValueError(f"the program's report has a field {name!r}: statements write it")
            number = verdict[key]
            more[name] = number if number.dtype is torch.bool else number.to(torch.float64)
    return extended(report, more)


def call(sheet: dict[str, Any]) -> str:
    """Python that puts the statement to the test; ``{arguments}`` stands for the parameters."""
    return f"from {sheet['module']} import {sheet['name_in_code']}\n\n{sheet['name_in_code']}({{arguments}})"
