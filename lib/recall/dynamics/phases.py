"""Which attention has the lowest L₁, for any number of subjects at any temperature: the affine family, two examples.

The lowest L₁ over all six attention weights lies on the pairwise slice (a, a, b, b, 0, 0) with a + b = ½, at every
n ≥ 3 and T > 0 (five steps, in :func:`lib.recall.claims.phases.optimum_is_pairwise` and on the page). With the depth
d = a − ¼ from 0 to ¼ the wrong relations have these gaps behind r* and these numbers, where N = n − 2:

    8d² (1, the confusing one), 2b² and 2a² (N each: one pair missed), ⅛ + 6d² (2N: one crossed pair matched),
    ¼ + 4d² (N(N − 1): nothing matched).

So three solutions compete: even attention, d = 0; pairwise, between; one pair alone, d = ¼.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from lib.domain import Domain
from lib.solve import rising_root

SUBJECTS = Domain("subjects", low=3, high=1_000_000, integer=True)
"""The affine family needs a power of a prime; its counts are polynomials in n, so any whole number will do."""

TEMPERATURE = Domain("temperature", low=1e-3, high=1)
"""Below 10⁻³ the exponentials of the gaps underflow."""

PRINTED = 1 / 40
"""The constant of T < 1/(40 log n) in the proof of Theorem 3 (Lemmas 9 and 11)."""

FIRST_ORDER = 0.3238051189
"""2z(1 − z) at the root z = 0.7968 of 1 − z = exp(−2z): (n − 1) exp(−1/(2T)) / T where one pair takes over."""

KINDS = ("even", "pairwise", "one pair")
"""What the numbers 0, 1, 2 of a solution stand for."""


def wrong_odds(depth: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """Σ over the wrong relations of exp(−gap/T), at attention (¼ + d, ¼ + d, ¼ − d, ¼ − d, 0, 0); traceable.

    L₁ = log(1 + odds) and p₁(r*) = 1/(1 + odds). Arguments broadcast.
    """
    a, b, n = 0.25 + depth, 0.25 - depth, subjects - 2
    missed = torch.exp(-2 * b**2 / temperature) + torch.exp(-2 * a**2 / temperature)
    crossed = 2 * torch.exp(-(0.125 + 6 * depth**2) / temperature)
    none = (n - 1) * torch.exp(-(0.25 + 4 * depth**2) / temperature)
    return torch.exp(-8 * depth**2 / temperature) + n * (missed + crossed + none)


def depth_slope(depth: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """T/d times the derivative of :func:`wrong_odds` by d, finite at d = 0, where its sign is the curvature's.

    The relations that miss one pair pull by 4(b e^{−2b²/T} − a e^{−2a²/T})/d; near d = 0 that is written with a
    sinh, since its two parts cancel there.
    """
    a, b, n = 0.25 + depth, 0.25 - depth, subjects - 2
    weak, strong = torch.exp(-2 * b**2 / temperature), torch.exp(-2 * a**2 / temperature)
    angle = torch.clamp(depth / temperature, min=1e-9)
    even = 2 * torch.exp(-(0.125 + 2 * depth**2) / temperature) * torch.sinh(angle) / (angle * temperature)
    far = 4 * (b * weak - a * strong) / torch.clamp(depth, min=0.1)
    pull = torch.where(depth > 0.1, far, even - 4 * (weak + strong))
    crossed = 24 * torch.exp(-(0.125 + 6 * depth**2) / temperature)
    none = 8 * (n - 1) * torch.exp(-(0.25 + 4 * depth**2) / temperature)
    return n * (pull - crossed - none) - 16 * torch.exp(-8 * depth**2 / temperature)


def saddle_curvature(subjects: Tensor, temperature: Tensor) -> Tensor:
    """The second derivative of L₁(θ̃ + x ε̃) at x = 0, for any n; traceable, arguments broadcast.

    λ = (w(1/T − 16) − 8 − 4W) / (32T(2 + 4w + W)), w = (n − 2)e^{−1/(8T)}, W = (n − 2)(n − 3)e^{−1/(4T)}. For
    n = 3 it is the corrected Lemma 6, −1/(8T) + p₃/(32T²). Only along ε̃ can λ be negative.
    """
    single, double = _saddle_odds(subjects, temperature)
    top = single * (1 / temperature - 16) - 8 - 4 * double
    return top / (32 * temperature * (2 + 4 * single + double))


def branch(subjects: Tensor, temperature: Tensor) -> Tensor:
    """The depth of the minimum that descent from the saddle meets: 0 if the saddle is one, ¼ if none is inside.

    0-d, traceable; to 10⁻⁹.
    """
    return rising_root(lambda d: depth_slope(d, subjects, temperature), _number(0.0), _number(0.25), rounds=4)


def barrier(inside: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """The depth of the maximum between that minimum, at ``inside``, and one pair alone: 0-d, traceable, to 2 · 10⁻⁵."""
    low = inside + (0.25 - inside) / 1000
    return rising_root(lambda d: -depth_slope(d, subjects, temperature), low, _number(0.25), rounds=2)


def optimum(subjects: Tensor, temperature: Tensor) -> Tensor:
    """The depth of the lowest L₁ of all attention; 0-d, traceable."""
    return lower_of(branch(subjects, temperature), subjects, temperature)


def lower_of(inside: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """Which has the lower L₁, the minimum at depth ``inside`` or one pair alone; 0-d, traceable."""
    end = torch.full_like(inside, 0.25)
    lower = wrong_odds(inside, subjects, temperature) <= wrong_odds(end, subjects, temperature)
    return torch.where(lower, inside, end)


def kind(depth: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """Which of ``KINDS`` a minimum at this depth is; traceable."""
    broken = torch.where(depth > 0.25 - 1e-9, 2.0, 1.0)
    return torch.where(
        (depth < 1e-9) | (saddle_curvature(subjects, temperature) >= 0) & (depth < 0.2), 0.0, broken
    )


def window(subjects: Tensor) -> tuple[Tensor, Tensor]:
    """The temperatures between which even attention is optimal: where its curvature changes sign.

    Args:
        subjects: (n,).

    Returns:
        (n,) and (n,), to a relative 1e-12; NaN for fewer than 32.2 subjects, where the saddle is one at every T.
    """
    grid = torch.logspace(-3, -1, 4001, dtype=torch.float64)
    curved = saddle_curvature(subjects[:, None], grid) * grid * (2 + _saddle_odds(subjects[:, None], grid)[0])
    inside = grid[curved.argmax(1)]  # (n,)
    there = saddle_curvature(subjects, inside) > 0
    low = bisect(lambda t: saddle_curvature(subjects, t) < 0, torch.full_like(inside, 1e-3), inside)
    high = bisect(lambda t: saddle_curvature(subjects, t) > 0, inside, torch.full_like(inside, 0.1))
    nothing = torch.full_like(inside, math.nan)
    return torch.where(there, low, nothing), torch.where(there, high, nothing)


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


def one_pair_from(subjects: Tensor, depths: int = 401) -> Tensor:
    """The temperature above which one pair alone is optimal: a first-order transition. (n,) → (n,).

    Args:
        depths: over how many depths the other minimum is sought; with 401 it is right to 1e-4, with 20001 to 1e-7.
    """
    d = torch.linspace(0, 0.25, depths, dtype=torch.float64)
    end = d[-1:]

    def inner(t: Tensor) -> Tensor:
        at = wrong_odds(d[:-1], subjects[:, None], t[:, None]).amin(1)
        return at < wrong_odds(end, subjects, t)

    return bisect(inner, torch.full_like(subjects, 5e-3), torch.full_like(subjects, 0.5))


def pairwise_until(subjects: Tensor, depths: int = 401) -> Tensor:
    """The temperature up to which a minimum other than one pair alone exists, optimal or not. (n,) → (n,)."""
    d = torch.linspace(0, 0.25, depths, dtype=torch.float64)

    def inner(t: Tensor) -> Tensor:
        return (depth_slope(d, subjects[:, None], t[:, None]) > 0).any(1)

    return bisect(inner, torch.full_like(subjects, 5e-3), torch.full_like(subjects, 0.5))


def reaches(subjects: Tensor, probability: float, depths: int = 401) -> Tensor:
    """The temperature up to which some attention gives r* this probability, above one half. (n,) → (n,)."""
    d = torch.linspace(0, 0.25, depths, dtype=torch.float64)

    def sure(t: Tensor) -> Tensor:
        return wrong_odds(d, subjects[:, None], t[:, None]).amin(1) <= 1 / probability - 1

    return bisect(sure, torch.full_like(subjects, 5e-4), torch.full_like(subjects, 0.5))


def window_law(subjects: Tensor) -> tuple[Tensor, Tensor]:
    """The window as n grows: (n − 2) e^{−1/(8T)} = 8T below and 1/(4T) above, so T log n → ⅛ for both."""
    odds = lambda t: (subjects - 2) * torch.exp(-1 / (8 * t))  # noqa: E731
    low, high = torch.full_like(subjects, 1e-3), torch.full_like(subjects, 0.5)
    return bisect(lambda t: odds(t) < 8 * t, low, high), bisect(lambda t: odds(t) < 1 / (4 * t), low, high)


def one_pair_law(subjects: Tensor) -> Tensor:
    """:func:`one_pair_from` as n grows: (n − 1) e^{−1/(2T)} = 0.3238 T, so that T log n → ½."""
    low, high = torch.full_like(subjects, 5e-3), torch.full_like(subjects, 0.5)
    return bisect(lambda t: (subjects - 1) * torch.exp(-1 / (2 * t)) < FIRST_ORDER * t, low, high)


def reaches_law(subjects: Tensor, probability: float) -> Tensor:
    """:func:`reaches` from its two binding gaps alone: T = ⅛ / (√log((n − 2)/ε) + ½√log(1/ε))², ε the odds against.

    The confusing relation, 8d² = T log(1/ε), and the missed weaker pair, 2b² = T log((n − 2)/ε).
    """
    short = math.log(probability / (1 - probability))
    return 0.125 / (torch.sqrt(torch.log(subjects - 2) + short) + math.sqrt(short) / 2) ** 2


def bisect(below: Callable[[Tensor], Tensor], low: Tensor, high: Tensor, rounds: int = 48) -> Tensor:
    """Where ``below`` turns from true to false between low and high, entry by entry, by halving on a log scale."""
    for _ in range(rounds):
        middle = torch.sqrt(low * high)
        yes = below(middle)
        low, high = torch.where(yes, middle, low), torch.where(yes, high, middle)
    return torch.sqrt(low * high)


def _saddle_odds(subjects: Tensor, temperature: Tensor) -> tuple[Tensor, Tensor]:
    """w = (n − 2)e^{−1/(8T)} and W = (n − 2)(n − 3)e^{−1/(4T)}: at the saddle the odds are 1 + 4w + W."""
    n, each = subjects - 2, torch.exp(-1 / (8 * temperature))
    return n * each, n * (n - 1) * each**2


def _number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
