"""Bounds: a measured number and the interval in which a statement says that it lies."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

Number = float | Tensor


class Bound(NamedTuple):
    """A number and the interval in which a statement says that it lies; ``strict`` leaves the ends out."""

    name: str
    measured: Number
    low: Number = -math.inf
    high: Number = math.inf
    strict: bool = False

    @property
    def holds(self) -> Tensor:
        """Whether the number lies in the interval, 0-d bool: NaN lies in none, but an unbounded one holds anything."""
        if all(isinstance(end, float) and math.isinf(end) for end in self[2:4]):
            return torch.tensor(True)
        measured, low, high = (torch.as_tensor(x, dtype=torch.float64) for x in self[1:4])
        return (measured > low) & (measured < high) if self.strict else (measured >= low) & (measured <= high)

    @property
    def headroom(self) -> float:
        """How many times further the number could go before it left a one-sided interval; NaN where that has no sense.

        That is where the interval has two ends or none, or number and limit are not both positive.
        """
        measured, low, high = map(float, self[1:4])
        if math.isinf(low) == math.isinf(high):
            return math.nan
        far, near = (high, measured) if math.isinf(low) else (measured, low)
        return far / near if far > 0 and near > 0 else math.nan

    @property
    def interval(self) -> Tensor:
        """0-d int64: which of :data:`INTERVALS` words the interval, in traceable torch."""
        low, high = (torch.as_tensor(end, dtype=torch.float64) for end in (self.low, self.high))
        middle, half = (low + high) / 2, (high - low) / 2
        kind = torch.where(half < 1e-3 * middle.abs(), INTERVALS.index(NEAR), INTERVALS.index(BETWEEN))
        kind = torch.where(torch.isinf(high), INTERVALS.index(ABOVE if self.strict else AT_LEAST), kind)
        kind = torch.where(torch.isinf(low), INTERVALS.index(BELOW if self.strict else AT_MOST), kind)
        kind = torch.where(low == high, INTERVALS.index(EQUAL), kind)
        return torch.where(torch.isinf(low) & torch.isinf(high), INTERVALS.index(UNBOUNDED), kind)

    @property
    def words(self) -> str:
        """The interval as a reader writes it; empty where there is none."""
        low, high = float(self.low), float(self.high)
        middle, half = plain((low + high) / 2), f"{(high - low) / 2:.0e}"
        return INTERVALS[int(self.interval)].format(
            low=plain(low), high=plain(high), middle=middle, half=half
        )


UNBOUNDED, EQUAL, NEAR, BETWEEN = "", "= {low}", "{middle} ± {half}", "{low} … {high}"
AT_MOST, BELOW, AT_LEAST, ABOVE = "≤ {high}", "< {high}", "≥ {low}", "> {low}"
INTERVALS = (UNBOUNDED, EQUAL, AT_MOST, BELOW, AT_LEAST, ABOVE, NEAR, BETWEEN)
"""How an interval is worded, at the command line and in the page; ``half`` is half its length."""


def at_most(high: Number, measured: Number, name: str) -> Bound:
    """``measured`` ≤ ``high``."""
    return Bound(name, measured, high=high)


def at_least(low: Number, measured: Number, name: str) -> Bound:
    """``measured`` ≥ ``low``."""
    return Bound(name, measured, low=low)


def below(high: Number, measured: Number, name: str) -> Bound:
    """``measured`` < ``high``."""
    return Bound(name, measured, high=high, strict=True)


def above(low: Number, measured: Number, name: str) -> Bound:
    """``measured`` > ``low``."""
    return Bound(name, measured, low=low, strict=True)


def between(low: Number, measured: Number, high: Number, name: str) -> Bound:
    """``low`` ≤ ``measured`` ≤ ``high``."""
    return Bound(name, measured, low, high)


def near(
    expected: Number, measured: Number, name: str, *, relative: float = 0.0, absolute: float = 0.0
) -> Bound:
    """``measured`` is ``expected``, give or take ``absolute`` + ``relative`` · |``expected``|."""
    size = expected.abs() if isinstance(expected, Tensor) else abs(expected)
    slack = absolute + relative * size
    return Bound(name, measured, expected - slack, expected + slack)


def true(flag: Any, name: str) -> Bound:
    """``flag`` holds."""
    return Bound(name, torch.as_tensor(flag).to(torch.float64), 1.0, 1.0)


def recorded(measured: Number, name: str) -> Bound:
    """A number that decides nothing, but that texts quote by its name."""
    return Bound(name, measured)


class Bounds(tuple[Bound, ...]):
    """What a statement says: every bound must hold."""

    def __new__(cls, *bounds: Bound) -> Bounds:
        return super().__new__(cls, bounds)


def plain(value: float) -> str:
    """A number as texts write it: four digits, no trailing zeros."""
    return format(value, ".4g").replace("-", "−", 1) if value < 0 else format(value, ".4g")
