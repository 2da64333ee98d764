"""Phase 1 of the transformer: what hardly moves, over the bounds of Appendix E of Yang et al., logarithms left out."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.recognise.common import END_OF_PHASE_1
from book.recognise.real_flow import Moment, phase_1
from book.recognise.real_model import RealModel, real_model
from book.recognise.start.first_push import neuron_slopes

SIGNALS = 3
"""μ₁, μ₂ and μ₃ are the first words."""


class BoundRatios(NamedTuple):
    """Quantities of Appendix E over their bounds."""

    e_14: float  # the factor of the Θ, either way
    e_14_rest: float  # what is left of slopes on targets
    e_15: float  # slopes on irrelevant words
    e_12: float  # slopes of products of neurons
    e_23: float  # slopes of scores
    e_24: float  # change of attention
    e_24_irrelevant: float  # the same between irrelevant words, over its smaller bound
    e_24_rate: float  # slopes of attention, over 1/(L²√m)
    e_24_irrelevant_rate: float  # between irrelevant words, over the bound after correction
    e_25: float  # slopes of products of keys, and of queries


def bound_ratios(
    seed: int = 0,
    samples: int = 30,
    length: int = 5,
    width: int = 64,
    neurons: int = 16,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    constant: float = END_OF_PHASE_1,
) -> BoundRatios:
    """One run's largest ratios in Phase 1, until τ = ``constant``.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁.
    """
    start = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1)
    moments = list(phase_1(start, constant))
    ratios = [_ratios(now, moments[0], start) for now in moments]
    return BoundRatios(*map(max, zip(*ratios, strict=True)))


def _ratios(now: Moment, first: Moment, start: RealModel) -> BoundRatios:
    """The ratios at one moment."""
    (w, value, key, query), v = now.weights, now.velocity
    n, length = start.data.words.shape
    m, neurons = key.shape[0], len(start.layer)
    count = torch.bincount(start.data.words.reshape(-1), minlength=start.data.vocabulary).double()
    pairs = (count[:, None] + count) / n  # (|{i ∋ µ}| + |{i ∋ ν}|)/n
    used = pairs > 0
    unit = (start.variance_0 + start.variance_1) * m
    slow = start.variance_0 * length * math.sqrt(m)
    slopes = neuron_slopes(now.weights, v, start.layer)
    given = torch.einsum("n,nlh,ndh->d", now.arrays.pull, now.arrays.attention, now.arrays.words)
    factor = ((w * w).sum(1)[:, None] + (value * value).sum(0)[:2]) / unit
    rest = (slopes[:, :2] - given[:2] * unit * factor).abs().max()
    scores = v.key.T @ query + key.T @ v.query  # of keys by queries
    rates = _attention_slopes(now, scores / math.sqrt(m), start.data.words)
    rare = start.data.words >= SIGNALS
    apart = rare[:, :, None] & rare[:, None, :]
    change = now.arrays.attention - first.arrays.attention
    between = (1 / length + 1 / n) * (1 / length + m**-0.5)
    score = scores.abs() / pairs
    products = torch.maximum(_symmetric(v.key, key).abs(), _symmetric(v.query, query).abs()) / pairs
    turned = (v.neurons @ w.T + w @ v.neurons.T).abs().max()
    shifted = float(change.abs().max())
    return BoundRatios(
        e_14=float(torch.maximum(factor, 1 / factor).max()),
        e_14_rest=float(rest) / (slow + start.variance_1 * math.sqrt(m * neurons)),
        e_15=float(slopes[:, 3:].abs().max()) / (unit / n + slow),
        e_12=float(turned) / _bound_on_products(now, first, start, shifted),
        e_23=float(score[used].max()) * math.sqrt(m) / (1 / length + m**-0.5),
        e_24=shifted * length * m**2 / (1 / length + m**-0.5),
        e_24_irrelevant=float(change[apart].abs().max()) * length * m**2 / between,
        e_24_rate=float(rates.abs().max()) * length**2 * math.sqrt(m),
        e_24_irrelevant_rate=float(rates[apart].abs().max()) * length * m / between,
        e_25=float(products[used].max()) * m,
    )


def _bound_on_products(now: Moment, first: Moment, start: RealModel, shifted: float) -> float:
    """The bound of E.12 on slopes of products of neurons; ``shifted``: the largest change of attention."""
    n, length = start.data.words.shape
    m, neurons = start.weights.key.shape[0], len(start.layer)
    change = now.weights.neurons @ now.weights.value - first.weights.neurons @ first.weights.value
    moved = float(change[:, :3].abs().max())
    cross = math.sqrt(start.variance_0 * start.variance_1 * m)
    attended = cross * math.sqrt(math.log(neurons * n * length / 0.1) / length)
    return 2 * length * (attended + length * shifted * cross + 4 * moved / length)


def _attention_slopes(now: Moment, scores: Tensor, words: Tensor) -> Tensor:
    """∂p/∂t by sample, query and key, (n, L, L); ``scores``: the slopes of scores over √m, keys by queries, (d, d)."""
    rise = scores.T[words[:, :, None], words[:, None, :]]
    p = now.arrays.attention
    return p * (rise - (p * rise).sum(2, keepdim=True))


def _symmetric(first: Tensor, second: Tensor) -> Tensor:
    return first.T @ second + second.T @ first
