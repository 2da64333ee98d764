"""Phase 1 of the transformer: the ranges of Definition E.2 of Yang et al., and what Theorem E.27 says of its end."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.recognise.common import END_OF_PHASE_1
from book.recognise.real_flow import Moment, phase_1
from book.recognise.real_model import RealModel, real_model
from book.recognise.start.first_push import neuron_slopes
from lib.recognise.model import Weights


class Phase1Ranges(NamedTuple):
    """Largest ratios to bounds over Phase 1, then quantities at its end."""

    e_3: float  # change of attention
    e_7: float  # change of products of neurons and attended values
    e_9: float  # products of two values over σ₀²√m
    e_9_slopes: float  # slopes of products of values over the share of samples with either word
    e_9_long: float  # the largest squared length of a value over σ₀²m
    e_9_short: float  # σ₀²m over the least
    e_10: float  # push by other words over Lσ₀²√m
    e_11: float  # push by other neurons
    e_17: float  # slope of a neuron on the common word over (σ₀² + σ₁²)m
    e_21: float  # |Σ₂ − Σ₃|/n over the largest |F| at the start
    e_26_targets: float  # change of products of neurons and the three words, times m₁
    e_26_others: float  # and irrelevant words, over R/n + R/√m
    e_26_scores: float  # change of scores times m√m
    e_26_own: float  # change of products of keys, of queries, over σ₀²√m
    e_28_neurons: float  # change of products of neurons times m
    e_28_values: float  # of values times m
    e_28_scores: float  # of scores times m√m over 1/L + 1/√m
    e_28_own: float  # of keys, of queries, times m²
    first_output: float  # the largest |F| at the start
    rise: float  # the least slope of G on a target until T₁, over (σ₀² + σ₁²)mm₁
    least_margin: float  # of a sample at T₁
    most_margin: float
    least_g: float  # of G(μ₁), G(μ₂), −G(μ₃)
    most_g: float
    others_g: float  # the largest |G| of an irrelevant word over σ₀σ₁√(mm₁)
    size: float  # N over σ₁²mm₁
    loss: float


def range_ratios(
    seed: int = 0,
    samples: int = 60,
    length: int = 4,
    width: int = 128,
    neurons: int = 16,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    constant: float = END_OF_PHASE_1,
) -> Phase1Ranges:
    """One run's largest ratios in Phase 1 to the bounds of Appendix E.1 to E.4 and E.26 to E.28; some as they are.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁.
    """
    start = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1)
    moments = list(phase_1(start, constant))
    first = moments[0]
    ratios = [_ratios(now, first, start) for now in moments]
    rise = min(_slope_on_targets(now, start.layer) for now in moments)
    return Phase1Ranges(
        **{name: max(each[name] for each in ratios) for name in ratios[0]},
        first_output=float(first.arrays.output.abs().max()),
        rise=rise / ((start.variance_0 + start.variance_1) * width * neurons),
        **_at_the_end(moments[-1], start),
    )


def _ratios(now: Moment, first: Moment, start: RealModel) -> dict[str, float]:
    """The ratios of which the largest over Phase 1 counts, at one moment."""
    n, length = start.data.words.shape
    m, m_1 = start.weights.key.shape[0], len(start.layer)
    cross = math.sqrt(start.variance_0 * start.variance_1 * m)
    before, gram = _products(first.weights), _products(now.weights)
    moved = {name: float((gram[name] - before[name]).abs().max()) for name in gram}
    products = max(moved["keys"], moved["queries"])
    turned = (now.weights.neurons @ now.weights.value - first.weights.neurons @ first.weights.value).abs()
    radius = float(turned[:, :3].max())
    shifted = float((now.arrays.attention - first.arrays.attention).abs().max())
    attended = (_attended(now) - _attended(first)).abs().max()
    return {
        "e_3": shifted / (1 / (math.sqrt(m) * length) + length / m),
        "e_7": float(attended) / (length * shifted * cross + 4 * radius / length + 1e-300),
        "e_9": _largest_off_diagonal(gram["values"]) / (start.variance_0 * math.sqrt(m)),
        **_values(now, gram["values"], start),
        **_pushes(now, gram, start),
        "e_21": _imbalance(now, start.data.types) / float(first.arrays.output.abs().max()),
        "e_26_targets": radius * m_1,
        "e_26_others": float(turned[:, 3:].max()) / (radius / n + radius / math.sqrt(m) + 1e-300),
        "e_26_scores": moved["scores"] * m * math.sqrt(m),
        "e_26_own": products / (start.variance_0 * math.sqrt(m)),
        "e_28_neurons": moved["neurons"] * m,
        "e_28_values": moved["values"] * m,
        "e_28_scores": moved["scores"] * m**1.5 / (1 / length + m**-0.5),
        "e_28_own": products * m**2,
    }


def _products(weights: Weights) -> dict[str, Tensor]:
    """All inner products of neurons, of values, of keys, of queries, and of keys with queries."""
    w, value, key, query = weights
    return {
        "neurons": w @ w.T,
        "values": value.T @ value,
        "keys": key.T @ key,
        "queries": query.T @ query,
        "scores": key.T @ query,
    }


def _slope_on_targets(now: Moment, layer: Tensor) -> float:
    """The smaller slope of G on the two targets."""
    return float(neuron_slopes(now.weights, now.velocity, layer)[:, :2].sum(0).min())


def _imbalance(now: Moment, types: Tensor) -> float:
    """|Σ g_i over I₂ − Σ g_i over I₃| over n."""
    g = now.arrays.pull.abs()
    return abs(float(g[types == 1].sum() - g[types == 2].sum()))


def _attended(now: Moment) -> Tensor:
    """w_jᵀ V p_l for every sample, neuron and place, (n, m₁, L)."""
    return now.weights.neurons @ now.arrays.value @ now.arrays.attention.transpose(1, 2)


def _largest_off_diagonal(gram: Tensor) -> float:
    return float((gram - gram.diagonal().diag()).abs().max())


def _values(now: Moment, gram: Tensor, start: RealModel) -> dict[str, float]:
    """Lemma E.9 on the slopes of products of values, and on their squared lengths."""
    holding = (now.arrays.words.sum(2) > 0).double().mean(0)  # the share of samples with each word
    shares = holding[:, None] + holding
    slopes = now.velocity.value.T @ now.weights.value
    used, lengths = shares > 0, gram.diagonal() / (start.variance_0 * now.weights.key.shape[0])
    return {
        "e_9_slopes": float(((slopes + slopes.T).abs()[used] / shares[used]).max()),
        "e_9_long": float(lengths.max()),
        "e_9_short": 1 / float(lengths.min()),
    }


def _pushes(now: Moment, gram: dict[str, Tensor], start: RealModel) -> dict[str, float]:
    """The two perturbations of Lemma C.1 on μ₁, by other words (E.10) and other neurons (E.11); and E.17."""
    m, m_1 = now.weights.key.shape[0], len(start.layer)
    length = now.arrays.attention.shape[1]
    given = torch.einsum("n,nlh,ndh->d", now.arrays.pull, now.arrays.attention, now.arrays.words)
    words = given @ gram["values"][:, 0] - given[0] * gram["values"][0, 0]
    mutual = (gram["neurons"] - gram["neurons"].diagonal().diag()) @ start.layer
    holding = float(now.arrays.words[:, 0].sum(1).mean())  # the share of samples with μ₁
    slopes = neuron_slopes(now.weights, now.velocity, start.layer)
    by_neurons = float((given[0] * mutual).abs().max())
    return {
        "e_10": abs(float(words)) / (length * start.variance_0 * math.sqrt(m)),
        "e_11": by_neurons / (holding * start.variance_1 * math.sqrt(m * m_1)),
        "e_17": float(slopes[:, 2].abs().max()) / ((start.variance_0 + start.variance_1) * m),
    }


def _at_the_end(last: Moment, start: RealModel) -> dict[str, float]:
    """What Theorem E.27 says of T₁: outputs, G, and N over its mean at the start."""
    m, m_1 = last.weights.key.shape[0], len(start.layer)
    cross = math.sqrt(start.variance_0 * start.variance_1 * m)
    u = last.weights.neurons.T @ start.layer
    g, margins = last.weights.value.T @ u, start.data.labels * last.arrays.output
    return {
        "least_margin": float(margins.min()),
        "most_margin": float(margins.max()),
        "least_g": float(torch.minimum(g[:2].min(), -g[2])),
        "most_g": float(g[:3].abs().max()),
        "others_g": float(g[3:].abs().max()) / (cross * math.sqrt(m_1)),
        "size": float(u @ u) / (m * start.variance_1 * m_1),
        "loss": float(torch.log1p(torch.exp(-margins)).mean()),
    }
