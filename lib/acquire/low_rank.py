"""The leading directions of fine-tuning's gradient as a matrix of tokens by neurons (Appendix H)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.acquire.course import SIZES, SUBJECTS
from lib.acquire.tokens import TINY, State, unit

MOST_RANKS = 4
FIRST_ROUNDS = 4
"""Rounds of the power method, from the direction of the step before."""
ROUNDS, MORE_ROUNDS = 1, 6
"""In a step, and for the first gradient, whose values are shown."""

NONE = 1e-10
"""What is left of a direction below this is rounding: the gradient has fewer ranks."""


class Spectrum(NamedTuple):
    """The leading part of a gradient as a matrix of tokens by neurons."""

    values: Tensor  # (4,) the largest singular values
    rest: Tensor  # 0-d, root of the sum of squares of all others
    right: Tensor  # (N + 1, 4) the vectors on the side of the tokens s_1 … s_N, p, orthonormal columns


def leading(matrix: Tensor, right: Tensor, rounds: int) -> Spectrum:
    """The four largest singular values from a guess of their directions; traceable.

    The first direction by the power method: it stands far out. Without it orthogonal iteration with the fourth power
    of the Gram matrix turns the guess into the others; they lie close together, so they are exact to some per cent.

    Args:
        matrix: (N + 1, V m).
        right: (N + 1, 4), the guess.
        rounds: for the directions beyond the first.
    """
    gram = matrix @ matrix.T
    first = right[:, 0]
    for _ in range(FIRST_ROUNDS):
        first = unit(gram @ first)
    power = gram - (first * (gram @ first)).sum() * first[:, None] * first
    for _ in range(2):
        power = power @ power
        power = power / (torch.diagonal(power).sum() + TINY)
    others = right[:, 1:]
    for _ in range(rounds):
        others = _orthonormal(power @ others, first)
    directions = torch.cat([first[:, None], others], 1)
    values = torch.sqrt(torch.square(directions.T @ matrix).sum(1))
    whole = torch.square(matrix).sum()
    rest = whole - torch.square(values).sum()
    # below that it is rounding, whose root would be large
    rest = torch.where(rest > NONE * whole, rest, torch.zeros_like(rest))
    return Spectrum(values, torch.sqrt(rest), directions)


def _orthonormal(turned: Tensor, first: Tensor) -> Tensor:
    """The columns made orthonormal and orthogonal to ``first`` (Gram–Schmidt); a column of rounding becomes 0."""
    columns = [first]
    for c in range(MOST_RANKS - 1):
        column = unit(turned[:, c])
        for _ in range(2):  # once leaves rounding
            for earlier in columns:
                column = column - earlier * (earlier * column).sum()
            is_direction = torch.square(column).sum() > NONE**2
            column = torch.where(is_direction, unit(column), torch.zeros_like(column))
        columns.append(column)
    return torch.stack(columns[1:], 1)


def questions_part(down: Tensor) -> Tensor:
    """The rows of s_1 … s_N and p, (N + 1, V m): all others are 0."""
    rows = torch.cat([down[1 : 1 + SUBJECTS], down[SIZES.format :]])
    return rows.reshape(SUBJECTS + 1, -1)


def projected(down: State, right: Tensor, ranks: Tensor) -> State:
    """The direction with its features' part replaced by that along the first ``ranks`` of the directions."""
    used = right * (torch.arange(MOST_RANKS, dtype=torch.float64) < ranks)
    rows = (used @ (used.T @ questions_part(down.features))).reshape(SUBJECTS + 1, *down.features.shape[1:])
    shape = torch.zeros_like(down.features)
    features = torch.cat([shape[:1], rows[:-1], shape[1 + SUBJECTS : SIZES.format], rows[-1:]])
    return down._replace(features=features)


def expected_spectrum(
    tuned: Tensor, alike: Tensor, residual: Tensor | float = 1.0
) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values over the norm (σ₁; all others alike) if all n facts' parts g_j have one length and cosine ρ.

    With attention ½ and a ``residual`` connection p weighs b = 1 + 2 · residual times as much as a subject: 3 in the
    paper. The gradient is G = (½ D, (b/2) D 1)/n with columns g_j in D. In the plane of 1/√n and p,
    σ₁² = (g²/n²)(1 + (n − 1)ρ)(1 + b²n)/4 with right vector ∝ (1, b√n); the other n − 1 are (g/n)√(1 − ρ)/2.

    Returns:
        σ₁ and the others, over the norm, and the first right vector's cosine with p, √(b²n/(b²n + 1)).
    """
    n = torch.clamp(tuned, min=1)
    heavy = n * (1 + 2 * residual) ** 2
    first = (1 + (n - 1) * alike) * (1 + heavy)
    other = torch.clamp(1 - alike, min=0)
    whole = first + (n - 1) * other
    return torch.sqrt(first / whole), torch.sqrt(other / whole), torch.sqrt(heavy / (1 + heavy))


def guess() -> Tensor:
    """(N + 1, 4) a first guess of the leading directions: p, and three waves over the subjects."""
    place = torch.arange(SUBJECTS, dtype=torch.float64)
    waves = torch.stack([torch.sin(place * (1 + c) + c) for c in range(MOST_RANKS - 1)], 1)
    blank = torch.zeros(SUBJECTS, 1, dtype=torch.float64)
    last = torch.cat([torch.ones(1, dtype=torch.float64), torch.zeros(MOST_RANKS - 1, dtype=torch.float64)])
    return torch.cat([torch.cat([blank, waves], 1), last[None]])


def alike(parts: Tensor, chosen: Tensor) -> Tensor:
    """The mean cosine between two chosen rows; 0 if there are not two."""
    length = torch.sqrt(torch.square(parts).sum(1, keepdim=True) + TINY)
    whole = ((parts / length) * chosen[:, None]).sum(0)
    n = chosen.sum()
    return (torch.square(whole).sum() - n) / torch.clamp(n * (n - 1), min=1)
