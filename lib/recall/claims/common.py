"""What the claims about Huang et al. share: paper, data, default configuration, a search for the lowest point."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lib.recall.dynamics import Reduced, affine_reduced

PAPER = "Huang et al. 2026"

DEFAULTS: dict[str, Any] = {
    "temperature": 0.05,
    "perturbation_radius": 1e-3,
    "seed": 0,
    "rate_1": 100.0,
    "rate_2": 100.0,
    "steps": 1500,
    "to_limit": 1,
}
"""The configuration that the page opens with and at which Theorem 2 must hold: said here and nowhere else."""


def three_subjects() -> Reduced:
    """The data of the warm-up: three subjects, all six bijections, the affine family over the field of 3."""
    return affine_reduced(3)


def scalar(value: float) -> Tensor:
    """``value`` as a 0-d float64 tensor."""
    return torch.tensor(value, dtype=torch.float64)


def lowest(value: Callable[[Tensor], Tensor], size: int, starts: int, steps: int) -> Tensor:
    """The best of equal attention and ``starts`` − 1 random starts, after Adam on log ``value``; (size,).

    Args:
        value: a positive function of (size,), traceable.
    """
    generator = torch.Generator().manual_seed(0)
    theta = torch.randn(starts, size, dtype=torch.float64, generator=generator)
    theta[0] = 0  # equal attention is one of them
    every = torch.func.vmap(value)
    slope = torch.func.grad(lambda x: torch.log(every(x)).sum())
    mean, square = torch.zeros_like(theta), torch.zeros_like(theta)
    for k in range(1, steps + 1):
        gradient = slope(theta)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * 0.5 * (1 + math.cos(math.pi * k / steps)) + 1e-3
        theta = theta - rate * (mean / (1 - 0.9**k)) / ((square / (1 - 0.99**k)).sqrt() + 1e-12)
    return theta[every(theta).argmin()]
