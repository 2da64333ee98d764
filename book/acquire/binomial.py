"""The exact law of a binomial variable."""

from __future__ import annotations

import math
from fractions import Fraction


def binomial_cdf(trials: int, chance: Fraction, count: int) -> Fraction:
    """P[B ≤ count] of a binomial variable B of so many trials, exactly."""
    return sum(
        (math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(count + 1)),
        Fraction(0),
    )
