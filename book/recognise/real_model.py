"""The transformer itself at a random start, and the arrays in which the appendices of Yang et al. write formulas."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from lib.recognise.model import Weights, initial_weights, outputs
from lib.recognise.task import Dataset, class_counts, draw


class RealModel(NamedTuple):
    """A transformer at its start, and its training set."""

    weights: Weights
    layer: Tensor  # (m₁,) a, entries ±1
    data: Dataset
    variance_0: float  # σ₀²
    variance_1: float  # σ₁²


def real_model(
    seed: int,
    samples: int,
    length: int,
    width: int,
    neurons: int,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    positive: float = 1 / 2,
) -> RealModel:
    """A model with Gaussian weights at the scales σ₀ = ``sigma_0``/√(Lm) and σ₁ = ``sigma_1``/√m₁.

    Args:
        positive: the share of samples with both targets; the other types are equally frequent. Irrelevant words are
            distinct.
    """
    generator = torch.Generator().manual_seed(seed)
    rest = (1 - positive) / 3
    data = draw(class_counts(samples, (positive, rest, rest, rest)), length, generator)
    return _with_weights(
        data, width, neurons, sigma_0 / math.sqrt(length * width), sigma_1 / math.sqrt(neurons), generator
    )


def small_model(seed: int, distinct: bool = True) -> RealModel:
    """A model of 6 dimensions and 4 neurons with weights of order 1, where every term of a formula counts.

    It has six samples of five words.

    Without ``distinct`` irrelevant words are drawn from two and repeat within samples.
    """
    generator = torch.Generator().manual_seed(seed)
    data = draw((3, 1, 1, 1), 5, generator, None if distinct else 5, distinct)
    return _with_weights(data, 6, 4, 0.7, 0.5, generator)


def _with_weights(
    data: Dataset, width: int, neurons: int, sigma_0: float, sigma_1: float, generator: torch.Generator
) -> RealModel:
    weights = initial_weights(width, neurons, data.vocabulary, sigma_0, sigma_1, generator)
    signs = torch.randint(0, 2, (neurons,), generator=generator)
    return RealModel(weights, 2.0 * signs.double() - 1, data, sigma_0**2, sigma_1**2)


class SampleArrays(NamedTuple):
    """The arrays in which the appendices write their formulas, for every sample."""

    words: Tensor  # (n, d, L) X, the words as unit vectors
    value: Tensor  # (n, m, L) V
    key: Tensor  # (n, m, L) K
    query: Tensor  # (n, m, L) Q
    attention: Tensor  # (n, L, L) p_{l,h}: query l first and key h second
    output: Tensor  # (n,) F
    pull: Tensor  # (n,) y g / n
    neurons: Tensor  # (m,) Σ_j a_j w_j


def sample_arrays(weights: Weights, layer: Tensor, data: Dataset, turned: bool = False) -> SampleArrays:
    """The arrays of the appendices, for every sample.

    Args:
        turned: whether the score vector is read as Xᵀ W_Qᵀ W_K x_l, keys and queries exchanged.
    """
    words = functional.one_hot(data.words, data.vocabulary).to(torch.float64).transpose(1, 2)
    value, key, query = (matrix @ words for matrix in (weights.value, weights.key, weights.query))
    left, right = (key, query) if turned else (query, key)
    scores = left.transpose(1, 2) @ right / math.sqrt(weights.key.shape[0])  # (n, l, h)
    attention = torch.softmax(scores, dim=2)
    f = outputs(weights, layer, data)
    pull = data.labels / (1 + torch.exp(data.labels * f)) / len(f)
    return SampleArrays(words, value, key, query, attention, f, pull, weights.neurons.T @ layer)
