"""The loss of the first decoding step on the pairwise slice and at the saddle (Huang et al., Appendix B)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lib.recall.dynamics.reduction import Reduced, relation_loss
from lib.solve import rising_root

SADDLE = (0.0, 0.0, 0.0, 0.0, -math.inf, -math.inf)
"""θ̃, the limit of stage 1 (Lemma 5): attention (¼, ¼, ¼, ¼, 0, 0)."""

ESCAPE_DIRECTION = (0.5, 0.5, -0.5, -0.5, 0.0, 0.0)
"""ε̃ of Lemma 6: towards the first example, away from the second."""


def imbalance(attention: Tensor) -> Tensor:
    """v₁ + v₂ − v₃ − v₄: zero at the saddle."""
    return attention[0] + attention[1] - attention[2] - attention[3]


def slice_gaps(x: Tensor, matches: Tensor) -> tuple[Tensor, Tensor]:
    """l_c(x) − l_0(x) and its derivative on the pairwise slice, at attention (x, x, ½ − x, ½ − x, 0, 0).

    By eq. 18 both are polynomials in x: l_c = 2(M₁₁x² + (M₁₂ + M₂₁)x(½ − x) + M₂₂(½ − x)²).

    Args:
        x: (X,) from 0 to ½.
        matches: (C, 3, 2).

    Returns:
        (C, X) and (C, X).
    """
    own, crossed, other = matches[:, 0, 0], matches[:, 0, 1] + matches[:, 1, 0], matches[:, 1, 1]  # (C,)
    coefficients = torch.stack([other / 2, crossed - 2 * other, 2 * (own - crossed + other)])  # (3, C)
    constant, linear, square = (coefficients - coefficients[:, :1])[:, :, None]
    return constant + (linear + square * x) * x, linear + 2 * square * x


def slice_loss(x: Tensor, reduced: Reduced, temperature: Tensor) -> Tensor:
    """L₁ on the pairwise slice: Σ_h w_h log Σ_c N_hc exp((l_c(x) − l_0(x))/T) (Theorem 4's proof, with right gaps).

    Args:
        x: (X,) from 0 to ½.

    Returns:
        (X,).
    """
    gaps, _ = slice_gaps(x, reduced.matches)
    return reduced.weights @ torch.logsumexp(reduced.log_counts[:, :, None] + gaps / temperature, 1)


def slice_slope(x: Tensor, reduced: Reduced, temperature: Tensor) -> Tensor:
    """The derivative of :func:`slice_loss` up to a positive factor, chosen so that its sign never underflows.

    It is Σ_h w_h Σ_c N_hc exp(d_c/T − m) d_c′ / Σ_c N_hc exp(d_c/T), where d_c = l_c − l_0 and m is the largest
    exponent among the wrong classes at that x; times e^m/T it is the derivative.

    Args:
        x: (X,) from 0 to ½.

    Returns:
        (X,).
    """
    gaps, slopes = slice_gaps(x, reduced.matches)
    exponents = reduced.log_counts[:, :, None] + gaps / temperature  # (H, C, X)
    wrong = exponents[:, 1:]
    terms = torch.exp(wrong - wrong.amax((0, 1))) * slopes[1:]
    return reduced.weights @ (terms.sum(1) / torch.exp(exponents).sum(1))


def slice_minimum(reduced: Reduced, temperature: Tensor) -> Tensor:
    """The first minimum of :func:`slice_loss` that descent from the saddle x = ¼ towards 0 meets; 0 if none inside.

    At T = 10⁻⁴ it is known to 10⁻¹²: the search halves brackets by the sign of the slope alone.
    """
    low = torch.full((), 1 / 128, dtype=torch.float64)
    high = torch.full((), 0.25, dtype=torch.float64)
    return 0.25 - rising_root(lambda depth: -slice_slope(0.25 - depth, reduced, temperature), low, high)


def escape_curvature(reduced: Reduced, temperature: Tensor) -> Tensor:
    """Second derivative of L₁(θ̃ + x ε̃) at x = 0 (Lemma 6); for three subjects −1/(8T) + p₃/(32T²)."""
    direction = torch.tensor(ESCAPE_DIRECTION, dtype=torch.float64)
    saddle = torch.tensor(SADDLE, dtype=torch.float64)

    def along(x: Tensor) -> Tensor:
        return relation_loss(saddle + x * direction, reduced, temperature)

    return torch.func.grad(torch.func.grad(along))(torch.zeros((), dtype=torch.float64))
