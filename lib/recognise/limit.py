"""Where training ends: the L2 max-margin separator of the words, in closed form.

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

_ACTIVE = torch.tensor(list(product((0.0, 1.0), repeat=4))[1:], dtype=torch.float64)  # (15, 4)
SLACK = 1e-9


class Limit(NamedTuple):
    """The separator that training tends to.

    Attributes:
        multipliers: λ of each type, (4,), at least 0: g_i of a sample is in proportion to them.
        signals: g on μ₁, μ₂, μ₃, (3,). ``irrelevant``: g on an irrelevant word of each type, (4,).
        margins: y F of each type, (4,), at least 1.
        square: ‖g‖² = Σ n λ = 1/margin², 0-d: the limit of τ times the loss when ‖a‖²G is small beside N.
    """

    multipliers: Tensor
    signals: Tensor
    irrelevant: Tensor
    margins: Tensor
    square: Tensor


def max_margin(counts: Tensor, length: Tensor) -> Limit:
    """The shortest g with y Σ_h g[x_h] ≥ 1 on every sample, all irrelevant words distinct.

    Every set of active types is tried; exactly one has no negative multiplier and no margin below 1.

    Args:
        counts: samples of each type, (4,), positive. length: L, 0-d, at least 4.
    """
    shared = (HOLDS @ HOLDS.T) * SIGNS[:, None] * SIGNS * counts  # Σ over signals; (4, 4)
    matrix = shared + torch.diag(length - HOLDS.sum(1))
    masked = _ACTIVE[:, :, None] * matrix * _ACTIVE[:, None, :] + torch.diag_embed(1 - _ACTIVE)
    tried = _eliminate(masked, _ACTIVE)  # (15, 4)
    margins = tried @ matrix.T
    fits = (tried.amin(1) >= -SLACK) & (margins.amin(1) >= 1 - SLACK)
    weight = fits.to(torch.float64) / torch.clamp(fits.to(torch.float64).sum(), min=1)
    multipliers = weight @ tried
    signed = SIGNS * multipliers
    signals = (counts * signed) @ HOLDS
    return Limit(multipliers, signals, signed, matrix @ multipliers, (counts * multipliers).sum())


def pace_of_loss(state: Orbit, sizes: Sizes) -> Tensor:
    """N + ‖a‖²gᵀGg/‖g‖² in units of N₀: what the loss falls with, once g's direction has settled; 0-d."""
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
