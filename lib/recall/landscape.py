"""L₁ with two examples on the pairwise slice, for any number of subjects (Huang et al., Appendix B, with right gaps).

The lowest L₁ over all six attention weights lies on the slice (a, a, b, b, 0, 0) with a + b = ½, at every n ≥ 3 and
T > 0: the checks of `recall.phase-diagram` are the steps. With the depth d = a − ¼ from 0 to ¼ the
wrong relations have these gaps behind r* and these numbers, where N = n − 2:

    8d² (1, the confusing one), 2b² and 2a² (N each: one pair missed), ⅛ + 6d² (2N: one crossed pair matched),
    ¼ + 4d² (N(N − 1): nothing matched).

So three solutions compete: even attention, d = 0; pairwise, between; one pair alone, d = ¼. For n = 3, the warm-up,
the gaps are those of Table 2. Every function takes any real n ≥ 3; arguments broadcast and may be traced.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lib.roots import rising_root

SADDLE = (0.0, 0.0, 0.0, 0.0, -math.inf, -math.inf)
"""θ̃, the limit of stage 1 (Lemma 5): attention (¼, ¼, ¼, ¼, 0, 0)."""

ESCAPE_DIRECTION = (0.5, 0.5, -0.5, -0.5, 0.0, 0.0)
"""ε̃ of Lemma 6: towards the first example, away from the second."""

SWAP = (2, 3, 0, 1, 4, 5)
"""The positions of a prompt after its two examples change places."""

ESCAPED = 0.05
"""A run counts as having left the saddle once |v₁ + v₂ − v₃ − v₄| exceeds this."""

KINDS = ("even", "pairwise", "one pair")
"""The three solutions; :func:`kind` returns their numbers 0, 1 and 2."""

Number = float | Tensor


def imbalance(attention: Tensor) -> Tensor:
    """v₁ + v₂ − v₃ − v₄, (…, 4 or 6) → (…): zero at the saddle."""
    return attention[..., 0] + attention[..., 1] - attention[..., 2] - attention[..., 3]


def has_left(attention: Tensor) -> Tensor:
    """Whether the two examples have so unequal attention that the saddle is left, (…, 4 or 6) → (…) bool."""
    return imbalance(attention).abs() > ESCAPED


def wrong_odds(depth: Tensor, subjects: Number, temperature: Tensor) -> Tensor:
    """Σ over the wrong relations of exp(−gap/T), at attention (¼ + d, ¼ + d, ¼ − d, ¼ − d, 0, 0).

    L₁ = log(1 + odds) and p₁(r*) = 1/(1 + odds).
    """
    a, b, n = 0.25 + depth, 0.25 - depth, subjects - 2
    missed = torch.exp(-2 * b**2 / temperature) + torch.exp(-2 * a**2 / temperature)
    crossed = 2 * torch.exp(-(0.125 + 6 * depth**2) / temperature)
    none = (n - 1) * torch.exp(-(0.25 + 4 * depth**2) / temperature)
    return torch.exp(-8 * depth**2 / temperature) + n * (missed + crossed + none)


def slice_loss(x: Tensor, subjects: Number, temperature: Tensor) -> Tensor:
    """L₁ at attention (x, x, ½ − x, ½ − x, 0, 0), x from 0 to ½."""
    return torch.log1p(wrong_odds((x - 0.25).abs(), subjects, temperature))


def depth_slope(depth: Tensor, subjects: Number, temperature: Tensor, weaker: Tensor | None = None) -> Tensor:
    """T/d · e^{m/T} times the derivative of :func:`wrong_odds` by d, where m is the least gap: it never underflows.

    At d = 0 its sign is the curvature's. The relations that miss one pair pull by 4(b e^{−2b²/T} − a e^{−2a²/T})/d;
    for d < T that is written with a sinh, since its two parts cancel there.

    Args:
        weaker: b = ¼ − d, where that difference would lose digits.
    """
    a, b, n = 0.25 + depth, 0.25 - depth if weaker is None else weaker, subjects - 2
    least = torch.minimum(8 * depth**2, 2 * b**2)

    def odds(gap: Tensor) -> Tensor:
        return torch.exp((least - gap) / temperature)

    weak, strong = odds(2 * b**2), odds(2 * a**2)
    angle = torch.clamp(depth / temperature, 1e-9, 1.0)
    even = 2 * odds(0.125 + 2 * depth**2) * torch.sinh(angle) / (angle * temperature) - 4 * (weak + strong)
    far = 4 * (b * weak - a * strong) / torch.maximum(depth, 1e-9 * temperature)
    pull = torch.where(depth < temperature, even, far)
    none = 8 * (n - 1) * odds(0.25 + 4 * depth**2)
    return n * (pull - 24 * odds(0.125 + 6 * depth**2) - none) - 16 * odds(8 * depth**2)


def saddle_odds(subjects: Number, temperature: Tensor) -> tuple[Tensor, Tensor]:
    """w = (n − 2)e^{−1/(8T)} and W = (n − 2)(n − 3)e^{−1/(4T)}: at the saddle the odds are 1 + 4w + W."""
    n, each = subjects - 2, torch.exp(-1 / (8 * temperature))
    return n * each, n * (n - 1) * each**2


def saddle_curvature(subjects: Number, temperature: Tensor) -> Tensor:
    """The second derivative of L₁(θ̃ + x ε̃) at x = 0.

    λ = (w(1/T − 16) − 8 − 4W) / (32T(2 + 4w + W)) with the w and W of :func:`saddle_odds`. For n = 3 it is the
    corrected Lemma 6, −1/(8T) + p₃/(32T²). Only along ε̃ can it be negative.
    """
    single, double = saddle_odds(subjects, temperature)
    top = single * (1 / temperature - 16) - 8 - 4 * double
    return top / (32 * temperature * (2 + 4 * single + double))


def branch(subjects: Number, temperature: Tensor) -> Tensor:
    """The depth of the minimum that descent from the saddle meets: 0 if the saddle is one, ¼ if none is inside.

    0-d, to 10⁻¹¹.
    """
    low = torch.zeros_like(temperature)
    return rising_root(lambda d: depth_slope(d, subjects, temperature), low, low + 0.25)


def slice_minimum(subjects: Number, temperature: Tensor) -> Tensor:
    """The attention a ≤ ¼ on each token of the lesser pair at the minimum of :func:`branch`; 0-d.

    0, but for rounding, if no minimum is inside.
    """
    return 0.25 - branch(subjects, temperature)


def inner_minimum(subjects: Number, temperature: Tensor) -> Tensor:
    """The attention a of :func:`slice_minimum`, NaN if no minimum is inside; 0-d."""
    a = slice_minimum(subjects, temperature)
    return torch.where(a > 1e-6, a, math.nan)


def inner_maximum(subjects: Number, temperature: Tensor, minimum: Tensor) -> Tensor:
    """The x up to which L₁ on the slice rises from one pair alone, x = 0: between e^{−1/(2T)} and ``minimum``; 0-d."""

    def falling(u: Tensor) -> Tensor:
        return depth_slope(0.25 - torch.exp(u), subjects, temperature, torch.exp(u))

    return torch.exp(rising_root(falling, -1 / (2 * temperature), torch.log(minimum), 6))


def lower_of(inside: Tensor, subjects: Number, temperature: Tensor) -> Tensor:
    """The depth with the lower L₁: that of the minimum at ``inside``, or ¼, one pair alone."""
    end = torch.full_like(inside, 0.25)
    lower = wrong_odds(inside, subjects, temperature) <= wrong_odds(end, subjects, temperature)
    return torch.where(lower, inside, end)


def optimum(subjects: Number, temperature: Tensor) -> Tensor:
    """The depth of the lowest L₁ of all attention; 0-d."""
    return lower_of(branch(subjects, temperature), subjects, temperature)


def best_probability(subjects: Number, temperature: Tensor) -> Tensor:
    """The highest p₁(r*) of all attention; 0-d."""
    return 1 / (1 + wrong_odds(optimum(subjects, temperature), subjects, temperature))


def kind(depth: Tensor, subjects: Number, temperature: Tensor) -> Tensor:
    """The number in ``KINDS`` of the solution at this depth: 0 even, 1 pairwise, 2 one pair alone."""
    broken = torch.where(depth > 0.25 - 1e-9, torch.full_like(depth, 2.0), 1.0)
    even = (depth < 1e-9) | (saddle_curvature(subjects, temperature) >= 0) & (depth < 0.2)
    return torch.where(even, torch.zeros_like(depth), broken)
