"""Corollary E.24 of Yang et al.: how fast attention between irrelevant words changes at the start."""

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


def corollary_e_24_by_sympy() -> bool:
    """A query that occurs once: its score with the common key changes at a rate c that many samples do not dilute.

    Other scores of that query change like 1/n. The rate of p_{l,h} then tends to −p²c, and n times it to infinity;
    n times the printed bound tends to 1/(L√m).
    """
    import sympy as sp

    n, length, m, c, small = sp.symbols("n L m c s", positive=True)
    p = 1 / length
    rate = p * (small / n - p * c - (length - 1) * p * small / n)
    printed, ours = (
        1 / (length * (length**2 + n) * sp.sqrt(m)),
        (1 / length + 1 / n) / (length * m) * (1 / length + 1 / sp.sqrt(m)),
    )
    there = {length: 5, m: 32}
    return bool(
        sp.limit((-n * rate).subs(there), n, sp.oo) == sp.oo
        and sp.simplify(sp.limit(n * printed, n, sp.oo) - 1 / (length * sp.sqrt(m))) == 0
        and sp.limit(n * ours.subs(there), n, sp.oo) == sp.oo
    )


def corollary_e_24_in_numbers() -> dict[str, float]:
    """The largest rate among 30 000 samples of five words, width 32; and its mean square at 300 and at 30 000."""
    n, length, m = 30_000, 5, 32
    few, many = softmax_rates(0, 300, length, m, 16), softmax_rates(0, n, length, m, 16)
    return {
        "paper: at most a constant times": 1 / (length * (length**2 + n) * math.sqrt(m)),
        "ours: at most a constant times": (1 / length + 1 / n) / (length * m) * (1 / length + m**-0.5),
        "measured: largest": float(many.abs().max()),
        "measured: root mean square, 300 samples": float(few.square().mean().sqrt()),
        "measured: root mean square, 30 000 samples": float(many.square().mean().sqrt()),
    }
