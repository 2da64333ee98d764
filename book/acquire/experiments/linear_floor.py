"""A bound from below on the loss of every model whose logits are linear, and what it is on random subjects."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from book.acquire.table_3 import LARGE
from lib.acquire import architectures


def linear_floor(subjects: Tensor, outputs: int, targets: int) -> float:
    """A bound from below on the mean loss after [s_j] of every model whose logits there are linear in s_j.

    With positive c_j of sum 1 such that Σ_j c_j s_j = 0, all Σ_j c_j (f_v − f_r)(s_j) vanish, and by Jensen the loss
    weighted by c is at least log V. Each loss is at least log K. So the mean is at least ρ log V + (1 − ρ) log K,
    with ρ = 1/(N max c). Here c_j ∝ exp(−⟨s_j, u⟩), u the point where Σ_j exp(−⟨s_j, u⟩) is least.

    Args:
        subjects: (N, d) float64, with 0 inside their convex hull.
        outputs: V.
        targets: K, how many tokens follow, equally likely.

    Raises:
        ValueError: 0 is not inside the hull, as for N ≤ d.
    """
    direction = torch.zeros(subjects.shape[1], dtype=subjects.dtype)
    for round_ in range(60):
        weight = torch.exp(-subjects @ direction)
        curvature = (subjects * weight[:, None]).T @ subjects
        newton = torch.linalg.lstsq(curvature, (weight @ subjects)[:, None]).solution[:, 0]
        direction = direction + (1.0 if round_ > 5 else 0.5) * newton
    weight = torch.exp(-subjects @ direction)
    if not float((weight @ subjects).abs().max()) < 1e-6 * float(weight.sum()):
        raise ValueError(f"subjects: 0 must be inside the hull of their {len(subjects)} embeddings")
    rho = float(weight.mean() / weight.max())
    return rho * math.log(outputs) + (1 - rho) * math.log(targets)


def paper_floor() -> float:
    """Half the bound at the paper's size: the least loss without MLP and biases, however trained."""
    known = architectures.task(LARGE, 5, 5, 50, dtype=torch.float64)
    return linear_floor(known.embeddings[:LARGE], len(known.embeddings), 5) / 2


def floor(subjects: int) -> float:
    """The least loss for other numbers of random subjects in 50 dimensions; NaN where there is no bound."""
    drawn = torch.randn(subjects, 50, dtype=torch.float64, generator=Generator().manual_seed(0))
    try:
        return linear_floor(drawn, 2 * subjects + 8, 5) / 2
    except ValueError:
        return math.nan
