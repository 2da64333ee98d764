"""The separator that training tends to: the shortest vector that separates the samples, in closed form.

While attention is uniform F(X) = Σ_h g[x_h], so g follows logistic regression on word counts and its direction tends
to the shortest g with y F ≥ 1 on every sample. By symmetry that g is given by one multiplier λ for each type of sample:
a target or the common word gets Σ y n λ over the types that hold it, an irrelevant word y λ of its sample.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from lib.recognise.orbit import Orbit, Sizes
from lib.recognise.task import HOLDS, SIGNS

_ACTIVE = torch.tensor(list(product((0.0, 1.0), repeat=4))[1:], dtype=torch.float64)
"""(15, 4): every set of types that may support the separator."""
SLACK = 1e-9
"""What rounding may take from a multiplier or a margin."""


class Separator(NamedTuple):
    """The shortest g with y F ≥ 1 on every sample."""

    multipliers: (
        Tensor  # (4,) λ of each type, at least 0; late in training g_i of a sample is in proportion to it
    )
    signals: Tensor  # (3,) g on μ₁, μ₂, μ₃
    irrelevant: Tensor  # (4,) g on an irrelevant word of each type
    margins: Tensor  # (4,) y F of each type, at least 1
    square: (
        Tensor  # 0-d, ‖g‖² = Σ n λ = 1/margin²: the limit of τ times the loss when ‖a‖²G is small beside N
    )


def max_margin(counts: Tensor, length: Tensor) -> Separator:
    """The shortest g with y Σ_h g[x_h] ≥ 1 on every sample, all irrelevant words distinct. Traceable.

    Every set of active types is tried; exactly one has no negative multiplier and no margin below 1.

    Args:
        counts: samples of each type, (4,), positive. length: L, 0-d, at least 4.
    """
    shared = (HOLDS @ HOLDS.T) * SIGNS[:, None] * SIGNS * counts  # Σ over signals; (4, 4)
    matrix = shared + torch.diag(length - HOLDS.sum(1))
    masked = _ACTIVE[:, :, None] * matrix * _ACTIVE[:, None, :] + torch.diag_embed(1 - _ACTIVE)
    tried = _eliminate(masked, _ACTIVE)  # (15, 4)
    margins = tried @ matrix.T
    optimal = (tried.amin(1) >= -SLACK) & (margins.amin(1) >= 1 - SLACK)
    chosen = optimal.to(torch.float64)
    weight = chosen / torch.clamp(chosen.sum(), min=1)
    multipliers = weight @ tried
    signed = SIGNS * multipliers
    signals = (counts * signed) @ HOLDS
    return Separator(
        multipliers=multipliers,
        signals=signals,
        irrelevant=signed,
        margins=matrix @ multipliers,
        square=(counts * multipliers).sum(),
    )


def loss_pace(state: Orbit, sizes: Sizes) -> Tensor:
    """N + ‖a‖²gᵀGg/‖g‖² in units of N₀, 0-d: the loss falls like its inverse over τ once the direction of g settles."""
    g = state.blocks.output
    square = torch.clamp(g @ g, min=1e-300)
    return state.blocks.size + sizes.layer * (g @ state.blocks.value @ g) / square


def _eliminate(matrix: Tensor, right: Tensor) -> Tensor:
    """Solutions of a batch of 4×4 systems by Gauss and Jordan; (B, 4, 4), (B, 4) → (B, 4). Pivots stay positive."""
    table = torch.cat([matrix, right[:, :, None]], 2)
    for k in range(4):
        row = table[:, k : k + 1] / table[:, k : k + 1, k : k + 1]
        others = torch.arange(4)[:, None] != k
        table = torch.where(others, table - table[:, :, k : k + 1] * row, row)
    return table[:, :, 4]
