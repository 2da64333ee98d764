"""What the chapter's statements share: their hypotheses, where to hunt, and numbers read off a whole run."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.ledger import Bound, at_least
from book.ledger.statement import Predicate
from lib.recognise.setting import counts
from lib.recognise.task import FRACTIONS

RANGES: dict[str, Any] = {
    "samples": (40.0, 1e6),
    "length": (4, 40),
    "width": [256.0, 1024.0, 4096.0, 1e4, 1e5, 1e6, 1e30],
    "neurons": (1.0, 1e4),
    "sigma_0": (0.1, 3.2),
    "sigma_1": (0.1, 3.2),
    "seed": (0, 9999),
}
"""Where hunts go: as far as sliders do, and so beyond the hypotheses, too."""
WIDE = {"width": 1e30, "random": 0}
"""The mean start at infinite width."""
END_OF_PHASE_1 = 40.0
"""The τ at which Phase 1 ends: T₁ = C/N₀ with this C, which is ours. Every statement about T₁ takes it."""
ASSUMED: dict[str, tuple[str, Predicate]] = {
    "wide": (
        "m at least m₁ and 16√m₁/s₁², with s₁ = σ₁√m₁",
        lambda r, p: p.width >= torch.maximum(p.neurons, 16 * torch.sqrt(p.neurons) / p.sigma_1**2),
    ),
    "long": ("m at least L² and 32L/(s₀s₁)², with s₀ = σ₀√(Lm)", lambda r, p: _long(p)),
    "many": ("n at least 3L²", lambda r, p: p.samples >= 3 * p.length**2),
    "fit_0": (
        "s₀ at most 3, s₀s₁ at most 1",
        lambda r, p: (p.sigma_0 <= 3) & (p.sigma_0 * p.sigma_1 <= 1 + 1e-9),
    ),
    "fit_1": ("s₁ at most 3", lambda r, p: p.sigma_1 <= 3),
    "shares": ("types have the shares ½, ⅙, ⅙, ⅙", lambda r, p: _paper_shares(p)),
    "unit_layer": ("the output layer is a = ±1", lambda r, p: (p.layer - 1).abs() < 1e-6),
    "trained": ("W_K and W_Q are trained, too", lambda r, p: p.learned),
}
"""What the theorems assume: Condition 1 with constants that are enough in place of its tildes, Assumption 2.3 (i), and
the model and training of Section 2.2.

Each s is 1 over a logarithm in Condition 1, and s₀s₁ is the order of the outputs at the start. Where "wide" fails, N
grows in Phase 1, by a part of order m₁/(m s₁²)²; where "long" fails, ‖W_V μ‖² does, by one of order L/(m s₀²s₁²).
"""


def _long(p: Any) -> Tensor:
    """m at least L² and 32 L/(s₀s₁)², multiplied by (s₀s₁)², which may be 0."""
    square = (p.sigma_0 * p.sigma_1) ** 2
    return p.width * square >= torch.maximum(p.length**2 * square, 32 * p.length)


def _paper_shares(p: Any) -> Tensor:
    """Whether the types have Definition 2.1's shares, each to within a hundredth."""
    shares = counts(p) / p.samples
    return (shares - torch.tensor(FRACTIONS, dtype=torch.float64)).abs().amax() < 0.01


def label_probability(margin: Tensor, where: str = "") -> Bound:
    """The probability of the right label, at the sample whose margin y F is the least, as a bound of 0.9."""
    return at_least(0.9, torch.sigmoid(margin), f"probability of the label{where}, least")


def latest_moment(since: Tensor) -> Tensor:
    """The moment since when all of these hold, 0-d; infinite if one of them does not hold at the end (NaN)."""
    return torch.where(torch.isnan(since), torch.inf, since).amax()


def scalar(value: float) -> Tensor:
    """A 0-d float64 tensor."""
    return torch.tensor(float(value), dtype=torch.float64)


class SymbolicSeparator(NamedTuple):
    """The separator of n = 6p samples as sympy expressions in p and L."""

    p: Any
    length: Any
    multipliers: tuple[Any, Any, Any]  # λ₁, λ₂ = λ₃, λ₄
    determinant: Any  # of the equations of those that are not 0


@cache
def separator_by_sympy(active: int) -> SymbolicSeparator:
    """The separator for n = 6p if the first ``active`` of λ₁, λ₂ = λ₃, λ₄ are not 0."""
    import sympy as sp

    p, length = sp.symbols("p L", positive=True)
    rows = [9 * p + length - 3, -4 * p, -p], [-6 * p, 3 * p + length - 2, p], [-3 * p, 2 * p, p + length - 1]
    matrix = sp.Matrix(rows)[:active, :active]
    multipliers = (*matrix.LUsolve(sp.ones(active, 1)), *[0] * (3 - active))
    return SymbolicSeparator(p, length, multipliers, matrix.det())
