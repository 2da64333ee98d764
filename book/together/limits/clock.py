"""How long Huang et al.'s training stays at the saddle: the exponents of temperature, learning rate, radius and width."""

from __future__ import annotations

from typing import NamedTuple

from book.ledger.rates import Fit, fit_power
from book.together.experiments.limits import escape, growth_until_left, logarithmic

VALUES = 4
RADIUS = 1e-4


class Clock(NamedTuple):
    """Power laws of the number of steps until the saddle is left."""

    temperature: Fit  # in 1/T, at η₂ = c₂T²
    rate: Fit  # in c₂
    width: Fit  # in the memory's 3n² neurons
    radius: Fit  # of the growth until the saddle is left, in r


def clock(warmest: float = 0.02, rate: float = 32.0, seed: int = 0) -> Clock:
    """The four laws, each over a decade or more.

    Args:
        warmest: the highest of a decade of temperatures; the middle of the decade is that of the other laws.
        rate: the largest of a decade of c₂.
    """
    inverse = logarithmic(1 / warmest, 10 / warmest, VALUES)
    rates = logarithmic(rate / 10, rate, VALUES)
    radii, subjects = logarithmic(1e-7, 1e-2, VALUES), logarithmic(3.0, 1e5, VALUES)
    middle = warmest / 10**0.5
    return Clock(
        temperature=fit_power(inverse, [escape(seed, 1 / x, rate, RADIUS) for x in inverse]),
        rate=fit_power(rates, [escape(seed, middle, x, RADIUS) for x in rates]),
        width=fit_power(
            [3 * n**2 for n in subjects], [escape(seed, middle, rate, RADIUS, n) for n in subjects]
        ),
        radius=fit_power(radii, [growth_until_left(x, seed, middle, rate) for x in radii]),
    )
