"""What the chapter's statements share: the words of their hypotheses, and numbers read off a whole run."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from book.ledger import Bound, at_least
from lib.recognise import whole
from lib.recognise.setting import assumption_2_3, condition_1

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
END_OF_PHASE_1 = 30.0
"""The τ at which Phase 1 ends: T₁ = 30/N₀."""
ASSUMED = {
    "wide": ("m at least m₁ and 16√m₁/s₁², with s₁ = σ₁√m₁", lambda r, p: r.wide),
    "long": ("m at least L² and 32L/(s₀s₁)², with s₀ = σ₀√(Lm)", lambda r, p: r.long),
    "many": ("n at least 3L²", lambda r, p: r.many),
    "fit_0": ("s₀ at most 3, s₀s₁ at most 1", lambda r, p: r.fit_0),
    "fit_1": ("s₁ at most 3", lambda r, p: r.fit_1),
    "shares": ("types have the shares ½, ⅙, ⅙, ⅙", lambda r, p: r.shares),
    "unit_layer": ("the output layer is a = ±1", lambda r, p: r.unit_layer),
    "trained": ("W_K and W_Q are trained, too", lambda r, p: r.trained),
}
"""What the theorems assume, fields of :func:`conditions` and their words: Condition 1 with constants that are enough,
Assumption 2.3 (i), and the model and training of Section 2.2."""


def conditions(p: whole.Parameters) -> dict[str, Tensor]:
    """Each of :data:`ASSUMED`, 1 where it holds, else 0, traceable; a report takes ``**conditions(p)``."""
    chosen = whole.settings(p)
    return {
        **condition_1(chosen),
        "shares": assumption_2_3(chosen),
        "unit_layer": ((chosen.layer - 1).abs() < 1e-6).to(torch.float64),
        "trained": p.learned,
    }


def told_apart(margin: Tensor, where: str = "") -> Bound:
    """Whether samples with this least margin y F get their labels."""
    return at_least(0.9, torch.sigmoid(margin), f"probability of the label{where}, least")


def latest(since: Tensor) -> Tensor:
    """From when on all of these are true for good, 0-d; infinite if one of them never is."""
    return torch.where(torch.isnan(since), torch.inf, since).amax()


def scalar(value: float) -> Tensor:
    """A 0-d float64 tensor."""
    return torch.tensor(float(value), dtype=torch.float64)


@cache
def separator_by_sympy(active: int) -> tuple[Any, Any, Any, Any]:
    """The separator for n = 6p, its first ``active`` of λ₁, λ₂ = λ₃, λ₄ not 0: p, L, (λ₁, λ₂, λ₄), determinant."""
    import sympy as sp

    p, length = sp.symbols("p L", positive=True)
    rows = [9 * p + length - 3, -4 * p, -p], [-6 * p, 3 * p + length - 2, p], [-3 * p, 2 * p, p + length - 1]
    matrix = sp.Matrix(rows)[:active, :active]
    return p, length, (*matrix.LUsolve(sp.ones(active, 1)), *[0] * (3 - active)), matrix.det()
