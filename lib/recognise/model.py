"""The transformer of equation (1) exactly as printed, and its training: slow and faithful."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from lib.domain import Domain
from lib.recognise.task import Dataset


class Weights(NamedTuple):
    """neurons W (m₁, m); value, key, query W_V, W_K, W_Q (m, d)."""

    neurons: Tensor
    value: Tensor
    key: Tensor
    query: Tensor


def initial_weights(
    width: int,
    neurons: int,
    vocabulary: int,
    scale_attention: float,
    scale_neurons: float,
    generator: torch.Generator,
) -> Weights:
    """Gaussian weights: σ₁ for W, σ₀ for W_V, W_K and W_Q (section 2.2).

    Raises:
        ValueError: a size below 1 or a negative scale.
    """
    for name, size in (("width", width), ("neurons", neurons), ("vocabulary", vocabulary)):
        Domain(name, low=1, integer=True).check(size)
    Domain("scale_attention", low=0).check(scale_attention)
    Domain("scale_neurons", low=0).check(scale_neurons)

    def gaussian(rows: int, columns: int, scale: float) -> Tensor:
        return scale * torch.randn(rows, columns, dtype=torch.float64, generator=generator)

    attention = [gaussian(width, vocabulary, scale_attention) for _ in range(3)]
    return Weights(gaussian(neurons, width, scale_neurons), *attention)


def outputs(weights: Weights, output_layer: Tensor, data: Dataset) -> Tensor:
    """F(X) of equation (1) for every sample: (n,). The words' embeddings are the unit vectors of ℝ^d.

    Args:
        output_layer: a, (m₁,), fixed during training.
    """
    value, key, query = (
        matrix.T[data.words] for matrix in (weights.value, weights.key, weights.query)
    )  # (n, L, m)
    scores = key @ query.transpose(1, 2) / math.sqrt(weights.key.shape[0])  # (n, key, query)
    attention = torch.softmax(scores, dim=1)
    attended = attention.transpose(1, 2) @ value  # (n, query, m)
    return (attended @ weights.neurons.T @ output_layer).sum(dim=1)


def loss(weights: Weights, output_layer: Tensor, data: Dataset) -> Tensor:
    """Equation (2): the mean of log(1 + exp(−yF))."""
    return functional.softplus(-data.labels * outputs(weights, output_layer, data)).mean()


def descent_by_autograd(weights: Weights, output_layer: Tensor, data: Dataset) -> Weights:
    """Minus the gradient of the loss, by automatic differentiation."""
    gradient = torch.func.grad(loss)(weights, output_layer, data)
    return Weights(*(-part for part in gradient))
