"""When Phase 1 can end, the more samples there are for each word."""

from __future__ import annotations

from typing import NamedTuple

from book.recognise.two_phases import two_phases
from lib.program import reports

RATIOS = (1e3, 1e4, 1e5)
"""Samples for each word of a sample, n/L."""
SHORT = 4
"""The fewest words that a sample has."""


class Ends(NamedTuple):
    """Two moments in τ: from one on all samples are right, from the other on the three sums have their signs."""

    moment: float  # the second, with the most samples
    apart: float  # the first from the second there, in size
    changed: float  # the second since a tenth of the samples, in size
    shrinking: float  # how many times as far apart they are at a hundredth of the samples
    by_length: float  # the second from what it is at L = 4, in size


def ends_in_the_limit(length: int = 6, width: float = 1e30) -> Ends:
    """Follow the mean start through both phases at n/L of :data:`RATIOS`."""
    common = {"width": width, "random": 0, "end": 2.5}
    sizes = [*((length, ratio) for ratio in RATIOS), (SHORT, RATIOS[-1])]
    runs = [{**common, "length": each, "samples": ratio * each} for each, ratio in sizes]
    few, many, most, short = reports(two_phases(), runs)
    apart = abs(float(most.signs - most.correct))
    return Ends(
        moment=float(most.signs),
        apart=apart,
        changed=abs(float(most.signs - many.signs)),
        shrinking=abs(float(few.signs - few.correct)) / apart if apart else float("inf"),
        by_length=abs(float(most.signs - short.signs)),
    )
