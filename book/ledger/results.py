"""What runs show of a statement: of one run, and of one run for each seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from torch import Tensor

from book.ledger.bounds import Bound, plain
from book.ledger.decide import ITEMS
from book.ledger.markdown import table
from book.ledger.outcomes import OUTCOMES


@dataclass(frozen=True)
class RunResult:
    """What one run shows of a statement."""

    configuration: dict[str, Any]
    parameters: Any
    """The run's parameters, a record."""
    report: Any
    lights: dict[str, float]
    settled: dict[str, bool]
    bounds: tuple[Bound, ...]
    good: Bound | None
    """None where there is nothing to judge: no outcome is asked for, or the run is not settled."""
    verdict: Mapping[str, Tensor]
    """The tensors of :func:`decide`."""
    say: Callable[[RunResult], str]
    """Gives the verdict in words, with its emphasis."""
    name: Callable[[], str] = str
    """Gives what the verdict is on: "Theorem 2 (as printed)"; nothing where the words say it themselves."""

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
    def decisive(self) -> dict[str, int]:
        """The places of what decided, by :data:`ITEMS`: of the first hypothesis violated, and so on."""
        places = zip(ITEMS, map(int, self.verdict["decisive"]), strict=True)
        return {item: place for item, place in places if place >= 0}

    @property
    def sentence(self) -> str:
        """The verdict on this run, in words that say what decided."""
        from widgets.words import without_emphasis  # statements are examined without widgets

        return without_emphasis(self.say(self))

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
        outcome = [(self.good.name, "quality", plain(float(self.good.measured)), "")] if self.good else []
        return [*assumed, *run_, *said, *outcome]

    def __repr__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 1), strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, self._named(self.sentence)])

    def _repr_markdown_(self) -> str:
        return f"{table(('', 'assumption or bound', 'measured', ''), self.rows())}\n\n{self._named(self.say(self))}"

    def _named(self, sentence: str) -> str:
        name = self.name()
        return f"{name}{' ' if sentence[0].islower() else '. '}{sentence}" if name else sentence


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
