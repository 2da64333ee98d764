"""Where the optimal solution changes, over subjects n and temperature T: the boundaries of the phase diagram.

Nothing here can be traced: boundaries are roots that SciPy finds. Arguments ``subjects`` and results have shape (n,).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from scipy.optimize.elementwise import find_root
from torch import Tensor

from lib.domain import Domain
from lib.recall.landscape import (
    best_probability,
    branch,
    depth_slope,
    saddle_curvature,
    saddle_odds,
    wrong_odds,
)
from lib.recall.task import FAMILIES

SUBJECTS = Domain(
    "subjects",
    low=3,
    high=1_000_000,
    integer=True,
    default=997,
    words="number of subjects",
    symbol="n",
    scale="choice",
    track=FAMILIES,
)
"""The affine family needs a power of a prime; its counts are polynomials in n, so any whole number will do."""

PRINTED = 1 / 40
"""The constant of T < 1/(40 log n) in the proof of Theorem 3 (Lemmas 9 and 11)."""

SURE = 0.999
"""The probability that Theorem 3 requires."""

ENOUGH = 1 / 8
"""At T = C/log n and n → ∞ the best p(r*) tends to 1 for C below this, to 0 for C above."""

FIRST_ORDER = 0.3238051189
"""2z(1 − z) at the root z = 0.7968 of 1 − z = exp(−2z): (n − 1) exp(−1/(2T)) / T where one pair takes over."""


class Thresholds(NamedTuple):
    """The temperatures at which the inner minimum of the slice changes its nature."""

    below_log_2: float  # colder: its loss is below log 2
    lowest: float  # colder: it is the lowest point of the slice
    exists: float  # colder: there is one


@functools.cache
def thresholds() -> Thresholds:
    """The :class:`Thresholds` of three subjects, to 10⁻⁹ or better."""
    three = torch.tensor([3.0], dtype=torch.float64)
    at_log_2 = _root(lambda n, t: wrong_odds(torch.func.vmap(branch)(n, t), n, t) - 1, three, 0.02, 0.09)
    return Thresholds(float(at_log_2), float(one_pair_from(three)), float(pairwise_until(three)))


@functools.cache
def fold() -> tuple[float, float]:
    """The x and T at which minimum and maximum meet for three subjects: the highest T with an inner minimum."""
    last = torch.tensor(thresholds().exists, dtype=torch.float64)

    def flat(depth: float) -> float:
        return -float(depth_slope(torch.tensor(depth, dtype=torch.float64), 3, last))

    at = minimize_scalar(flat, bounds=(0.1, 0.24), method="bounded", options={"xatol": 1e-12}).x
    return 0.25 - float(at), float(last)


def window(subjects: Tensor) -> tuple[Tensor, Tensor]:
    """The temperatures between which even attention is optimal: where its curvature changes sign.

    NaN for fewer than 32.2 subjects: there the saddle is no minimum at any T.
    """
    grid = torch.logspace(-3, -1, 4001, dtype=torch.float64)
    curved = saddle_curvature(subjects[:, None], grid) * grid * (2 + saddle_odds(subjects[:, None], grid)[0])
    inside = grid[curved.argmax(1)]  # (n,)
    inside = torch.where(saddle_curvature(subjects, inside) > 0, inside, math.nan)
    return _root(saddle_curvature, subjects, 1e-3, inside), _root(saddle_curvature, subjects, inside, 0.1)


def opening() -> tuple[float, float]:
    """The least n, as a real number, with a window, and the temperature where it opens.

    For given T the curvature vanishes at the roots of a quadratic in N = n − 2; the smaller one is least here.
    """
    t = torch.linspace(0.02, 0.036, 160_001, dtype=torch.float64)
    u, z = torch.exp(-1 / (8 * t)), 1 / t
    half = (z - 16 + 4 * u) / (8 * u)
    square = half**2 - 2 / u**2
    least = torch.where(square >= 0, half - torch.sqrt(square.clamp(min=0)) + 2, math.inf)
    at = int(least.argmin())
    return float(least[at]), float(t[at])


def pairwise_until(subjects: Tensor) -> Tensor:
    """The temperature up to which a minimum other than one pair alone exists, optimal or not."""
    return _root(_steepest, subjects, 5e-3, 0.5)


def one_pair_from(subjects: Tensor) -> Tensor:
    """The temperature above which one pair alone is optimal: a first-order transition."""

    def behind(n: Tensor, t: Tensor) -> Tensor:
        inside = torch.func.vmap(branch)(n, t)
        end = torch.full_like(t, 0.25)
        more = torch.log(wrong_odds(inside, n, t) / wrong_odds(end, n, t))
        return torch.where(inside < 0.25 - 1e-9, more, 1.0)

    return _root(behind, subjects, 5e-3, 0.5)


def reaches(subjects: Tensor, probability: float) -> Tensor:
    """The temperature up to which some attention gives r* this probability, above one half.

    Raises:
        ValueError: ``probability`` outside (½, 1): at ½ even attention does.
    """
    Domain("probability", low=0.5, high=1, low_open=True, high_open=True).check(probability)
    best = torch.func.vmap(best_probability)
    return _root(lambda n, t: torch.logit(best(n, t)) - _odds(probability), subjects, 5e-4, 0.5)


def printed_suffices_from(probability: float) -> int:
    """The least n from which on T = 1/(40 log n) is cold enough for some attention to be that sure of r*.

    Affine families exist at powers of primes only; every whole number from 4 to 400 is tried.
    """
    n = torch.arange(4, 400, dtype=torch.float64)
    short = torch.func.vmap(best_probability)(n, PRINTED / torch.log(n)) < probability
    return int(n[short].max()) + 1


def window_law(subjects: Tensor) -> tuple[Tensor, Tensor]:
    """The window as n grows: (n − 2) e^{−1/(8T)} = 8T below and 1/(4T) above, so T log n → ⅛ for both."""

    def end(level: Callable[[Tensor], Tensor]) -> Tensor:
        return _root(lambda n, t: torch.log((n - 2) / level(t)) - 1 / (8 * t), subjects, 1e-3, 0.5)

    return end(lambda t: 8 * t), end(lambda t: 1 / (4 * t))


def one_pair_law(subjects: Tensor) -> Tensor:
    """:func:`one_pair_from` as n grows: (n − 1) e^{−1/(2T)} = 0.3238 T, so that T log n → ½."""
    return _root(lambda n, t: torch.log((n - 1) / (FIRST_ORDER * t)) - 1 / (2 * t), subjects, 5e-3, 0.5)


def reaches_law(subjects: Tensor, probability: float) -> Tensor:
    """:func:`reaches` from its two binding gaps alone: T = ⅛ / (√log((n − 2)/ε) + ½√log(1/ε))², ε the odds against.

    The confusing relation, 8d² = T log(1/ε), and the missed weaker pair, 2b² = T log((n − 2)/ε).
    """
    short = _odds(probability)
    return 0.125 / (torch.sqrt(torch.log(subjects - 2) + short) + math.sqrt(short) / 2) ** 2


def _odds(probability: float) -> float:
    """The logarithm of the odds."""
    return math.log(probability / (1 - probability))


def _steepest(subjects: Tensor, temperature: Tensor) -> Tensor:
    """The highest :func:`depth_slope` of all depths, by repeated cutting: (n,)."""
    n, t = subjects[:, None], temperature[:, None]
    low, high = torch.full_like(n, 1e-4), torch.full_like(n, 0.2499)
    for _ in range(4):
        depth = low + (high - low) * torch.linspace(0, 1, 65, dtype=torch.float64)  # (n, 65)
        rise, width = depth_slope(depth, n, t), (high - low) / 64
        top = depth.gather(1, rise.argmax(1, keepdim=True))
        low, high = torch.clamp(top - width, min=1e-4), torch.clamp(top + width, max=0.2499)
    return rise.amax(1)


def _root(
    value: Callable[[Tensor, Tensor], Tensor], subjects: Tensor, low: float | Tensor, high: float | Tensor
) -> Tensor:
    """The temperature between ``low`` and ``high`` at which ``value(n, T)`` is 0; NaN where an end is NaN."""

    def at(u: np.ndarray, n: np.ndarray) -> np.ndarray:
        return value(torch.as_tensor(n), torch.exp(torch.as_tensor(u))).numpy()

    ends = [
        torch.log(torch.as_tensor(end, dtype=torch.float64)).expand(len(subjects)).numpy()
        for end in (low, high)
    ]
    roots = find_root(at, tuple(ends), args=(subjects.numpy(),), tolerances={"xatol": 1e-14, "xrtol": 1e-14})
    return torch.exp(torch.as_tensor(roots.x))
