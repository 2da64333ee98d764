"""The network as it stands: ŷ = W₂ W₁ x, both matrices trained by gradient descent on half the mean squared error.

The error depends on the data by two matrices alone: the covariance Σ₁₁ of the inputs, and that of outputs and inputs,
Σ₃₁ = U S Vᵀ. There are three modes. The strength of a mode is its diagonal entry of Uᵀ W₂ W₁ V: training brings it to
the singular value s, its diagonal entry of S.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

INPUTS, HIDDEN, MODES = 4, 3, 3
V = torch.tensor([[1, 1, 1], [1, -1, 1], [1, 1, -1], [1, -1, -1]], dtype=torch.float64) / 2
"""(INPUTS, MODES): the inputs that the modes read, orthonormal."""
U = torch.eye(3, dtype=torch.float64) - 2 / 3
"""(3, MODES): the outputs that the modes write, orthonormal."""
R = torch.tensor([[2, -1, 2], [2, 2, -1], [-1, 2, 2]], dtype=torch.float64) / 3
"""(HIDDEN, MODES): the hidden units that the modes pass through at the start, orthonormal."""
PAIR = torch.tensor([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=torch.float64)
"""(INPUTS, INPUTS): the two inputs that may be correlated."""


class Weights(NamedTuple):
    """Both matrices."""

    first: Tensor  # (HIDDEN, INPUTS), W₁
    second: Tensor  # (3, HIDDEN), W₂


def covariance(correlation: Tensor) -> Tensor:
    """Σ₁₁, (INPUTS, INPUTS): all inputs have variance 1, and the first two this correlation."""
    return torch.eye(INPUTS, dtype=torch.float64) + correlation * PAIR


def targets(singular_values: Tensor) -> Tensor:
    """Σ₃₁ = U S Vᵀ, (3, INPUTS), for the singular values (MODES,)."""
    return (U * singular_values) @ V.T


def aligned_start(strength: Tensor, imbalance: Tensor) -> Weights:
    """Weights along the singular vectors, each mode with this strength.

    Args:
        strength: u₀, 0-d: the product of both layers' strengths.
        imbalance: δ, 0-d: the first layer has the strength √u₀ e^{−δ}, the second √u₀ e^{δ}; 0 is balanced.
    """
    root = torch.sqrt(strength)
    return Weights(root * torch.exp(-imbalance) * R @ V.T, root * torch.exp(imbalance) * U @ R.T)


def step(weights: Weights, targets: Tensor, covariance: Tensor, rate: Tensor) -> Weights:
    """The weights after one step of gradient descent, with the learning rate ``rate``.

    W₁ ← W₁ + λ W₂ᵀ (Σ₃₁ − W₂ W₁ Σ₁₁) and W₂ ← W₂ + λ (Σ₃₁ − W₂ W₁ Σ₁₁) W₁ᵀ, both from the same weights.
    """
    first, second = weights
    error = targets - second @ first @ covariance
    return Weights(first + rate * second.T @ error, second + rate * error @ first.T)


def strengths(weights: Weights) -> Tensor:
    """The strength of each mode, (MODES,)."""
    return (U * (weights.second @ weights.first @ V)).sum(0)
