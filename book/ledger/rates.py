"""Orders of growth: the exponent of a power law, fitted over a decade or more, beside the printed one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from book.ledger.bounds import Bound

DECADE = 10.0


class Fit(NamedTuple):
    """y = c xᵃ fitted to many points (x, y) by least squares on their logarithms."""

    exponent: float
    """a."""
    low: float
    high: float
    """The 95 % interval of a, by Student's t."""
    first: float
    last: float
    """The mean of y/xᵃ over the lower and the upper half of the points: how constant c is."""
    decades: float
    """log₁₀ of the largest over the smallest x."""


def fit_power(x: ArrayLike, y: ArrayLike) -> Fit:
    """The power law through points of several sizes and seeds.

    Args:
        x: the quantity, positive, over a decade at least; one entry a run.
        y: what was measured, positive.

    Raises:
        ValueError: fewer than four points, less than a decade, or a number that is not finite and positive.
    """
    xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(xs) < 4 or xs.max() < DECADE * xs.min():
        raise ValueError(f"x = {list(xs)}: must be four points or more over a decade or more")
    for values in (xs, ys):
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise ValueError(f"{list(values)}: must be finite and positive")
    fitted = stats.linregress(np.log(xs), np.log(ys))
    error = float(fitted.stderr) if np.ptp(ys) else 0.0  # of a constant it is not defined
    half = float(stats.t.ppf(0.975, len(xs) - 2)) * error
    constants = (ys / xs**fitted.slope)[np.argsort(xs, kind="stable")]
    middle = len(xs) // 2
    return Fit(
        exponent=float(fitted.slope),
        low=float(fitted.slope) - half,
        high=float(fitted.slope) + half,
        first=float(constants[:middle].mean()),
        last=float(constants[middle:].mean()),
        decades=float(np.log10(xs.max() / xs.min())),
    )


def grows_as(printed: float, fit: Fit, name: str) -> Bound:
    """Θ(x^printed): the printed exponent lies in the fit's 95 % interval."""
    return Bound(name, fit.exponent, printed - (fit.high - fit.exponent), printed + (fit.exponent - fit.low))


def grows_at_most_as(printed: float, fit: Fit, name: str) -> Bound:
    """O(x^printed): the fit's 95 % interval does not lie above the printed exponent."""
    return Bound(name, fit.exponent, high=printed + (fit.exponent - fit.low))


def grows_at_least_as(printed: float, fit: Fit, name: str) -> Bound:
    """Ω(x^printed): the fit's 95 % interval does not lie below the printed exponent."""
    return Bound(name, fit.exponent, low=printed - (fit.high - fit.exponent))
