"""What the claims about Huang et al. share: the paper, the warm-up's data, the default configuration."""

from __future__ import annotations

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
