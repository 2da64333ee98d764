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


def descent(weights: Weights, output_layer: Tensor, data: Dataset) -> Weights:
    """Minus the gradient of the loss by the closed formulas of Appendix B."""
    width, vocabulary = weights.key.shape
    one_hot = functional.one_hot(data.words, vocabulary).to(torch.float64)  # (n, L, d)
    value, key, query = (one_hot @ w.T for w in (weights.value, weights.key, weights.query))  # (n, L, m)
    attention = torch.softmax(key @ query.transpose(1, 2) / math.sqrt(width), dim=1)  # p_l[h] at (n, h, l)
    u = weights.neurons.T @ output_layer  # Σ_j a_j w_j
    word_output = value @ u  # (n, L)
    attended_output = torch.einsum("nhl,nh->nl", attention, word_output)
    pull = data.labels * torch.sigmoid(-data.labels * attended_output.sum(1)) / len(data.labels)  # y g / n
    received = torch.einsum("n,nhl,nhd->d", pull, attention, one_hot)  # Σ y g X p_l / n
    moved = pull[:, None, None] * attention * (word_output[:, :, None] - attended_output[:, None, :])
    moved = moved / math.sqrt(width)
    return Weights(
        neurons=torch.outer(output_layer, weights.value @ received),
        value=torch.outer(u, received),
        key=torch.einsum("nhl,nlm,nhd->md", moved, query, one_hot),
        query=torch.einsum("nhl,nhm,nld->md", moved, key, one_hot),
    )
