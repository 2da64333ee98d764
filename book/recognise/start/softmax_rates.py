"""How fast attention between irrelevant words changes at a random start: Corollary E.24 of Yang et al."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from book.recognise.real_model import real_model


def softmax_rates(seed: int, samples: int, length: int, width: int, neurons: int) -> Tensor:
    """∂p_{l,h}/∂t at a start under Condition 1, where both words are irrelevant; (pairs,). Any number of samples."""
    start = real_model(seed, samples, length, width, neurons)
    words, labels = start.data.words, start.data.labels
    key, query = start.weights.key.T[words], start.weights.query.T[words]  # (n, L, m)
    g = (start.weights.value.T @ (start.weights.neurons.T @ start.layer))[words]
    p = torch.softmax(query @ key.transpose(1, 2) / math.sqrt(width), 2)  # (n, l, h)
    mean = (p * g[:, None, :]).sum(2)
    pull = labels * torch.sigmoid(-labels * mean.sum(1)) / samples
    push = pull[:, None, None] * p * (g[:, None, :] - mean[:, :, None]) / math.sqrt(width)
    zero = torch.zeros(start.data.vocabulary, width, dtype=torch.float64)
    flat = words.reshape(-1)
    keys = zero.index_add(0, flat, (push.transpose(1, 2) @ query).reshape(-1, width))[words]
    queries = zero.index_add(0, flat, (push @ key).reshape(-1, width))[words]
    scores = (query @ keys.transpose(1, 2) + queries @ key.transpose(1, 2)) / math.sqrt(width)
    rates = p * (scores - (p * scores).sum(2, keepdim=True))
    irrelevant = words > 2
    return rates[irrelevant[:, :, None] & irrelevant[:, None, :]]
