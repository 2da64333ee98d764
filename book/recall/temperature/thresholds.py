"""The three thresholds of temperature by two equations each, beside root finding on the slice."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import torch
from scipy.optimize import root
from torch import Tensor

from book.recall.common import scalar
from lib.recall.landscape import wrong_odds
from lib.recall.phases import thresholds


class Threshold(NamedTuple):
    """A threshold found in two ways."""

    equations: float
    search: float
    same: bool  # to 10⁻⁹


@functools.cache
def by_two_equations() -> tuple[float, float, float]:
    """T₁, T₂ and T₃ from two equations in (y, T) each: L₁ turns at x = ¼ − y, and its loss is log 2, S(y) = 1; or that
    of the end, S(y) = S(¼); or the turn is double: there minimum and maximum meet.
    """

    def solved(second: Any, y: float, temperature: float) -> float:
        def both(p: Tensor) -> Tensor:
            return torch.stack([turning(p[0], p[1]), second(p[0], p[1])])

        def plain(p: Any) -> tuple[Any, Any]:
            point = torch.as_tensor(p)
            return both(point).numpy(), torch.func.jacrev(both)(point).numpy()

        return float(root(plain, (y, temperature), jac=True, tol=1e-14).x[1])

    quarter = scalar(0.25)
    return (
        solved(lambda y, t: wrong_odds(y, 3, t) - 1, 0.18, 0.085),
        solved(lambda y, t: wrong_odds(y, 3, t) - wrong_odds(quarter, 3, t), 0.195, 0.088),
        solved(torch.func.grad(turning), 0.215, 0.0908),
    )


def turning(y: Tensor, temperature: Tensor) -> Tensor:
    """2e^{−y/T} times 4y(2e^{(1/8 − 6y²)/T} + 3e^{−4y²/T} + cosh(y/T)) − sinh(y/T): zero where L₁ turns."""
    square, t = y * y, temperature
    back = torch.exp(-2 * y / t)
    rising = (
        16 * torch.exp((1 / 8 - 6 * square - y) / t) + 24 * torch.exp(-(4 * square + y) / t) + 4 * (1 + back)
    )
    return y * rising - (1 - back)


def threshold_twice(number: int) -> Threshold:
    """T₁, T₂ or T₃ by both, and whether they agree to 10⁻⁹."""
    equations, search = by_two_equations()[number - 1], thresholds()[number - 1]
    return Threshold(equations, search, abs(equations - search) < 1e-9)
