"""Gram matrices: the exact reduction of training to inner products of words, independent of the widths m and m₁.

The output layer a is fixed, so the network depends on W only through u = Wᵀa. Its inner products evolve among
themselves, under gradient flow and under a finite step of gradient descent alike (Yang et al., Appendix C).

Symbols: S ``score``, K ``key``, Q ``query``, G ``value``, g ``output``, N ``size``; A ``push`` and b ``given``, through
which the gradients act on them; m ``width``, ‖a‖² ``layer``.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.recognise.model import Weights
from lib.recognise.task import Dataset


class Grams(NamedTuple):
    """Inner products over the d words.

    Attributes:
        score: S = W_Kᵀ W_Q, (d, d), rows keys and columns queries.
        key, query, value: K = W_Kᵀ W_K, Q = W_Qᵀ W_Q, G = W_Vᵀ W_V, (d, d).
        output: g = W_Vᵀ u, (d,): the linear MLP's G(μ) on each word.
        size: N = ‖u‖², 0-d.
    """

    score: Tensor
    key: Tensor
    query: Tensor
    value: Tensor
    output: Tensor
    size: Tensor


def grams(weights: Weights, output_layer: Tensor) -> Grams:
    """The inner products of a model's weights. ``output_layer``: a, (m₁,)."""
    u = weights.neurons.T @ output_layer
    key, query, value = weights.key, weights.query, weights.value
    return Grams(key.T @ query, key.T @ key, query.T @ query, value.T @ value, value.T @ u, u @ u)


def outputs(state: Grams, data: Dataset, width: Tensor) -> Tensor:
    """F(X) for every sample, (n,). ``width``: m, 0-d."""
    return _attend(state, data, width)[1].sum(1)


def _attend(state: Grams, data: Dataset, width: Tensor) -> tuple[Tensor, Tensor]:
    """Attention p (n, key, query) and the attended output Σ_h p_l[h] g[x_h] (n, query)."""
    scores = state.score[data.words[:, :, None], data.words[:, None, :]] / torch.sqrt(width)
    attention = torch.softmax(scores, dim=1)
    return attention, (attention * state.output[data.words][:, :, None]).sum(1)


def forces(state: Grams, data: Dataset, width: Tensor) -> tuple[Tensor, Tensor]:
    """A (d, d) and b (d,): the gradients act as W_K ← W_Q Aᵀ, W_Q ← W_K A, W_V ← u bᵀ and u ← ‖a‖² W_V b."""
    attention, attended = _attend(state, data, width)
    pull = data.labels * torch.sigmoid(-data.labels * attended.sum(1)) / data.labels.shape[0]
    given = pull[:, None] * attention.sum(2)  # (n, key)
    moved = pull[:, None, None] * attention * (state.output[data.words][:, :, None] - attended[:, None, :])
    zero = torch.zeros_like(state.score)
    keys, queries = torch.broadcast_tensors(data.words[:, :, None], data.words[:, None, :])
    push = zero.index_put((keys, queries), moved / torch.sqrt(width), accumulate=True)
    return push, torch.zeros_like(state.output).index_put((data.words,), given, accumulate=True)


def descent(weights: Weights, output_layer: Tensor, data: Dataset) -> Weights:
    """Minus the gradient of the loss, by the closed formulas of Appendix B."""
    width = torch.tensor(float(len(weights.key)), dtype=torch.float64)
    push, given = forces(grams(weights, output_layer), data, width)
    return Weights(
        neurons=torch.outer(output_layer, weights.value @ given),
        value=torch.outer(weights.neurons.T @ output_layer, given),
        key=weights.query @ push.T,
        query=weights.key @ push,
    )


def velocity(state: Grams, push: Tensor, given: Tensor, layer: Tensor) -> Grams:
    """Gradient flow: the time derivative of every inner product. ``layer`` is ‖a‖², 0-d."""
    s, k, q, v, g, n = state
    spread = push @ s.T
    turned = s.T @ push
    rise = torch.outer(g, given)
    return Grams(
        score=push @ q + k @ push,
        key=spread + spread.T,
        query=turned + turned.T,
        value=rise + rise.T,
        output=n * given + layer * (v @ given),
        size=2 * layer * (g @ given),
    )


def curvature(state: Grams, push: Tensor, given: Tensor, layer: Tensor) -> Grams:
    """The products of two gradients: times h², what a step h of gradient descent adds to h times the velocity."""
    s, k, q, v, g, n = state
    return Grams(
        score=push @ s.T @ push,
        key=push @ q @ push.T,
        query=push.T @ k @ push,
        value=n * torch.outer(given, given),
        output=layer * (g @ given) * given,
        size=layer**2 * (given @ v @ given),
    )


def flow(state: Grams, data: Dataset, width: Tensor, layer: Tensor, learned: int = 1) -> Grams:
    """The time derivative of the state under gradient flow on the training set; ``learned`` = 0 freezes W_K and W_Q."""
    push, given = forces(state, data, width)
    return velocity(state, learned * push, given, layer)


def step(state: Grams, data: Dataset, width: Tensor, layer: Tensor, rate: Tensor) -> Grams:
    """The state after one step of gradient descent with this learning rate, exactly as the weights would take it."""
    push, given = forces(state, data, width)
    first, second = velocity(state, push, given, layer), curvature(state, push, given, layer)
    return Grams(*(x + rate * v + rate**2 * w for x, v, w in zip(state, first, second, strict=True)))


def pack(state: Grams) -> Tensor:
    """The state in one vector, (4 d² + d + 1,)."""
    return torch.cat([part.reshape(-1) for part in state])


def unpack(vector: Tensor, words: int) -> Grams:
    """The inverse of :func:`pack`."""
    square = words * words
    score, key, query, value = vector[: 4 * square].reshape(4, words, words).unbind()
    return Grams(score, key, query, value, vector[4 * square : -1], vector[-1])
