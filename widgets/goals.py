"""Goals of a figure, ``verdict=outside,temperature<=0.05``: conditions on its settings and on the report of its run."""

from __future__ import annotations

import json
import math
import operator
import re
from pathlib import Path
from typing import NamedTuple

_RUN = Path(__file__).parent / "src" / "run"
_GRAMMAR = json.loads((_RUN / "goal.json").read_text(encoding="utf-8"))
CONDITION = re.compile(_GRAMMAR["condition"])
WORDS: dict[str, str] = _GRAMMAR["comparisons"]
"""The signs, in words."""
ROUNDING: float = _GRAMMAR["rounding"]
"""By which share of it a slider's position may differ from the number that it shows."""
COMPARED = {"<=": operator.le, ">=": operator.ge}
OUTCOMES = tuple(json.loads((_RUN / "outcomes.json").read_text(encoding="utf-8")))


class Condition(NamedTuple):
    """A condition of a goal: ``temperature<=0.05`` or ``verdict=outside``."""

    name: str
    """A parameter, a field of the report, or "verdict", which has the sign "=" and the name of an outcome."""
    sign: str
    wanted: str

    def met_by(self, number: float, set_by_slider: bool) -> bool:
        """Whether a number meets it."""
        slack = ROUNDING * abs(number) if set_by_slider else 0.0
        return COMPARED[self.sign](number, float(self.wanted) + (slack if self.sign == "<=" else -slack))


def parse_goal(goal: str) -> list[Condition]:
    """The conditions of a goal.

    Raises:
        ValueError: the text of a condition is none.
    """
    conditions = []
    for text in goal.split(","):
        match = CONDITION.fullmatch(text)
        if not match or not _is_possible(condition := Condition(*match.groups())):
            raise ValueError(
                f"goal = {text}: must be NAME<=NUMBER, NAME>=NUMBER or verdict=, one of {', '.join(OUTCOMES)}"
            )
        conditions.append(condition)
    return conditions


def _is_possible(condition: Condition) -> bool:
    if condition.name == "verdict":
        return condition.sign == "=" and condition.wanted in OUTCOMES
    try:
        return condition.sign in COMPARED and math.isfinite(float(condition.wanted))
    except ValueError:
        return False
