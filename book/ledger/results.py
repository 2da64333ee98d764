"""What runs show of a statement: of one run, and of one run for each seed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from book.ledger.bounds import Bound, plain
from book.ledger.markdown import table

if TYPE_CHECKING:
    from book.ledger.statement import Statement


OUTCOMES = ("holds", "contradicted", "outside", "beyond", "undecided")
"""What a run may come to: hypotheses and conclusion hold, only they, neither, only it, or too early to say."""
ITEMS = ("hypothesis", "bound", "condition")
"""What may decide it."""


def decide(lights: Tensor, holds: Tensor, settled: Tensor) -> dict[str, Tensor]:
    """The verdict on a run, in traceable torch: the one place where it is made, for page and command line.

    Args:
        lights: (A,) a number for each hypothesis: 1 holds, 0 is violated, ½ says nothing here.
        holds: (B,) 1 for each bound that holds. ``settled``: (D,) 1 for each condition on the run that is reached.

    Returns:
        ``assumed``, ``concluded`` and ``undecided``, 0-d booleans; ``outcome``, the place in :data:`OUTCOMES`, 0-d; and
        ``decisive``, (3,): the place of the first hypothesis violated, of the first bound that fails and of the first
        condition not reached, in the order of :data:`ITEMS`, −1 where the outcome does not rest on one.
    """
    assumed, concluded, undecided = (lights > 0.25).all(), (holds > 0.5).all(), ~(settled > 0.5).all()
    decided = torch.where(assumed, torch.where(concluded, 0, 1), torch.where(concluded, 3, 2))
    outcome = torch.where(undecided, OUTCOMES.index("undecided"), decided)
    decisive = (
        _first(lights > 0.25),
        torch.where(undecided, -1, _first(holds > 0.5)),
        _first(settled > 0.5),
    )
    return {
        "assumed": assumed,
        "concluded": concluded,
        "undecided": undecided,
        "outcome": outcome.to(torch.float64),
        "decisive": torch.stack(decisive).to(torch.float64),
    }


def _first(truths: Tensor) -> Tensor:
    """The place of the first that is false, 0-d; −1 if none is."""
    if not len(truths):
        return torch.full((), -1.0, dtype=torch.float64)
    place = torch.cumprod(truths.to(torch.float64), 0).sum()
    return torch.where(truths.all(), -1.0, place).to(torch.float64)


@dataclass(frozen=True)
class RunResult:
    """What one run shows of a statement."""

    statement: Statement
    configuration: dict[str, Any]
    report: Any
    lights: dict[str, float]
    settled: dict[str, bool]
    bounds: tuple[Bound, ...]
    good: Bound | None
    """None where there is nothing to judge: no outcome is asked for, or the run is not settled."""
    verdict: Mapping[str, Tensor]
    """Of :func:`decide`."""

    @property
    def parameters(self) -> Any:
        """The parameters of the run, a record."""
        return self.statement.parameters(self.configuration)

    @property
    def assumed(self) -> bool:
        """Whether no hypothesis is violated."""
        return bool(self.verdict["assumed"])

    @property
    def concluded(self) -> bool:
        """Whether every bound holds."""
        return bool(self.verdict["concluded"])

    @property
    def key(self) -> str:
        """Which of :data:`OUTCOMES` it comes to."""
        return OUTCOMES[int(self.verdict["outcome"])]

    @property
    def sentence(self) -> str:
        """The verdict on this run, in words that name the first item that decided."""
        names = (list(self.lights), [bound.name for bound in self.bounds], list(self.settled))
        places = map(int, self.verdict["decisive"])
        words = {
            item: names[place] if place >= 0 else ""
            for item, names, place in zip(ITEMS, names, places, strict=True)
        }
        text = self.statement.sentence(self.key)
        return re.sub(r"\{(hypothesis|bound|condition)\}", lambda match: words[match[1]], text)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Lights and bounds: name, where it must lie, measured, whether it holds."""
        signs = {True: "✓", False: "✕"}
        states = {1.0: "✓", 0.0: "✕"}
        assumed = [(words, "assumed", "", states.get(value, "–")) for words, value in self.lights.items()]
        run_ = [(words, "of the run", "", signs[value]) for words, value in self.settled.items()]
        said = [
            (b.name, b.words, plain(float(b.measured)), signs[bool(b.holds)] if b.words else "")
            for b in self.bounds
        ]
        outcome = [(self.good.name, "any good?", plain(float(self.good.measured)), "")] if self.good else []
        return [*assumed, *run_, *said, *outcome]

    def __repr__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 1), strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, self.sentence])

    def _repr_markdown_(self) -> str:
        return f"{table(('', 'must be', 'measured', ''), self.rows())}\n\n{self.sentence}"


class Evidence(NamedTuple):
    """What the runs of a configuration show, one a seed."""

    runs: tuple[RunResult, ...]

    @property
    def assumed(self) -> bool:
        return all(result.assumed for result in self.runs)

    @property
    def concluded(self) -> bool:
        return all(result.concluded for result in self.runs)

    @property
    def holding(self) -> int:
        """At how many seeds every bound holds."""
        return sum(result.concluded for result in self.runs)

    @property
    def worst(self) -> list[Bound]:
        """Each bound at the seed where it is closest to failing, or fails by most; a recorded number at the first."""
        return [min(same, key=_room) for same in zip(*(result.bounds for result in self.runs), strict=True)]

    @property
    def hypotheses(self) -> dict[str, bool]:
        """Each hypothesis, and whether no seed violates it."""
        lights = [result.lights for result in self.runs]
        return {words: all(light[words] > 0.25 for light in lights) for words in chain(*lights[:1])}

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers that texts quote by name."""
        return {bound.name: float(bound.measured) for bound in self.worst}


def _room(bound: Bound) -> float:
    """How far inside its interval a number is; negative outside, −∞ for NaN."""
    measured, low, high = map(float, bound[1:4])
    return -math.inf if math.isnan(measured) else min(measured - low, high - measured)
