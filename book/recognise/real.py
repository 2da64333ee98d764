"""The real model at a random start, and the arrays that the appendices of Yang et al. write their formulas in."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from lib.recognise.model import Weights, initial_weights, outputs
from lib.recognise.task import Dataset, class_counts, draw


class Real(NamedTuple):
    """Weights, an output layer of ±1 and a training set; ``attention`` and ``hidden`` are σ₀² and σ₁²."""

    weights: Weights
    layer: Tensor
    data: Dataset
    attention: float
    hidden: float


def real(
    seed: int,
    samples: int,
    length: int,
    width: int,
    neurons: int,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    positive: float = 1 / 2,
) -> Real:
    """Gaussian weights at the scales σ₀ = ``sigma_0``/√(Lm) and σ₁ = ``sigma_1``/√m₁; distinct irrelevant words."""
    generator = torch.Generator().manual_seed(seed)
    rest = (1 - positive) / 3
    data = draw(class_counts(samples, (positive, rest, rest, rest)), length, generator)
    return _drawn(
        data, width, neurons, sigma_0 / math.sqrt(length * width), sigma_1 / math.sqrt(neurons), generator
    )


def small(seed: int, distinct: bool = True) -> Real:
    """Six samples of five words, 6 dimensions, 4 neurons: weights of order 1, where every term of a formula counts.

    Without ``distinct`` irrelevant words are drawn from two and repeat within samples.
    """
    generator = torch.Generator().manual_seed(seed)
    data = draw((3, 1, 1, 1), 5, generator, None if distinct else 5, distinct)
    return _drawn(data, 6, 4, 0.7, 0.5, generator)


def _drawn(
    data: Dataset, width: int, neurons: int, sigma_0: float, sigma_1: float, generator: torch.Generator
) -> Real:
    weights = initial_weights(width, neurons, data.vocabulary, sigma_0, sigma_1, generator)
    signs = torch.randint(0, 2, (neurons,), generator=generator)
    return Real(weights, 2.0 * signs.double() - 1, data, sigma_0**2, sigma_1**2)


class Parts(NamedTuple):
    """What the appendices write their formulas in, for every sample i.

    Attributes:
        words: X as unit vectors, (n, d, L). ``value``, ``key``, ``query``: V, K, Q, (n, m, L).
        attention: p_{l,h}, (n, L, L), query l first and key h second.
        output: F, (n,). ``pull``: y g / n, (n,). ``sum``: Σ_j a_j w_j, (m,).
    """

    words: Tensor
    value: Tensor
    key: Tensor
    query: Tensor
    attention: Tensor
    output: Tensor
    pull: Tensor
    sum: Tensor


def parts(weights: Weights, layer: Tensor, data: Dataset, turned: bool = False) -> Parts:
    """With ``turned`` the score vector is read as Xᵀ W_Qᵀ W_K x_l, keys and queries exchanged."""
    words = functional.one_hot(data.words, data.vocabulary).to(torch.float64).transpose(1, 2)
    value, key, query = (matrix @ words for matrix in (weights.value, weights.key, weights.query))
    one, other = (key, query) if turned else (query, key)
    scores = one.transpose(1, 2) @ other / math.sqrt(weights.key.shape[0])  # (n, l, h)
    attention = torch.softmax(scores, dim=2)
    f = outputs(weights, layer, data)
    pull = data.labels / (1 + torch.exp(data.labels * f)) / len(f)
    return Parts(words, value, key, query, attention, f, pull, weights.neurons.T @ layer)
