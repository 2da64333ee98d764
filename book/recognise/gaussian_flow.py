"""Gradient flow of the transformer from Gaussian weights, exactly, with as few numbers as it takes.

W acts only through u = Wᵀa, which is Gaussian, too, whatever m₁ is. The rows of [W_K, W_Q], and those of [W_V, u], may
be turned by a rotation each: beyond 2d and d + 1 of them the rest are zero, so that no width is too large. And words
push each other only inside a sample.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from lib.recognise.task import Dataset


class Flowing(NamedTuple):
    """What is trained, or its time derivative: a row for each word."""

    key: Tensor  # (d, r) W_Kᵀ
    query: Tensor  # (d, r) W_Qᵀ
    value: Tensor  # (d, s) W_Vᵀ
    neurons: Tensor  # (s,) u = Wᵀa


class Sizes(NamedTuple):
    """What does not change."""

    width: int  # m
    layer: float  # ‖a‖²


class Samples(NamedTuple):
    """What the network makes of each sample."""

    key: Tensor  # (n, L, r)
    query: Tensor  # (n, L, r)
    attention: Tensor  # (n, key, query)
    word_outputs: Tensor  # (n, key) G
    attended: Tensor  # (n, query) the attended output Σ_h p[h] G[x_h]

    @property
    def outputs(self) -> Tensor:
        """F, (n,)."""
        return self.attended.sum(1)


def start(sizes: Sizes, vocabulary: int, sigma_0: float, sigma_1: float, seed: int) -> Flowing:
    """Gaussian weights of scale σ₀ for W_K, W_Q and W_V, σ₁ for W, at any width."""
    generator = np.random.default_rng(seed)
    pair = sigma_0 * _gaussian(sizes.width, 2 * vocabulary, generator)
    single = _gaussian(sizes.width, vocabulary + 1, generator)
    u = sigma_1 * math.sqrt(sizes.layer) * single[-1]
    return Flowing(pair[:vocabulary], pair[vocabulary:], sigma_0 * single[:-1], u)


def _gaussian(width: int, columns: int, generator: np.random.Generator) -> Tensor:
    """Standard Gaussian columns of this length as rows, (``columns``, at most ``columns``), but for a rotation."""
    if width <= columns:
        return torch.from_numpy(generator.standard_normal((columns, width)))
    lower = np.tril(generator.standard_normal((columns, columns)), -1)  # Bartlett
    return torch.from_numpy(lower + np.diag(np.sqrt(generator.chisquare(width - np.arange(columns)))))


def samples(state: Flowing, data: Dataset, width: int) -> Samples:
    """What the network makes of each sample of a set."""
    key, query = state.key[data.words], state.query[data.words]
    attention = torch.softmax(key @ query.transpose(1, 2) / math.sqrt(width), 1)
    output = (state.value @ state.neurons)[data.words]
    return Samples(key, query, attention, output, (attention * output[:, :, None]).sum(1))


def flow(state: Flowing, data: Dataset, sizes: Sizes) -> Flowing:
    """The time derivative of the state under gradient flow on the training set."""
    seen = samples(state, data, sizes.width)
    pull = data.labels * torch.sigmoid(-data.labels * seen.outputs) / len(data.labels)
    push = seen.attention * (seen.word_outputs[:, :, None] - seen.attended[:, None, :])
    push = pull[:, None, None] * push / math.sqrt(sizes.width)  # (n, key, query)
    given = _by_word(pull[:, None] * seen.attention.sum(2), data)
    return Flowing(
        key=_by_word(push @ seen.query, data),
        query=_by_word(push.transpose(1, 2) @ seen.key, data),
        value=torch.outer(given, state.neurons),
        neurons=sizes.layer * (given @ state.value),
    )


def _by_word(each: Tensor, data: Dataset) -> Tensor:
    """What the places of all samples give, (n, L, …), added up by word, (d, …)."""
    words = data.words.reshape(-1)
    return torch.zeros(data.vocabulary, *each.shape[2:], dtype=torch.float64).index_add(
        0, words, each.reshape(len(words), *each.shape[2:])
    )


def pack(state: Flowing) -> Tensor:
    """The state in one vector."""
    return torch.cat([part.reshape(-1) for part in state])


def unpack(vector: Tensor, like: Flowing) -> Flowing:
    """The inverse of :func:`pack`, for a state of the same shape as ``like``."""
    parts = vector.split([part.numel() for part in like])
    return Flowing(*(part.view_as(old) for part, old in zip(parts, like, strict=True)))
