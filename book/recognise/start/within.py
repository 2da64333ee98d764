"""Phase 1 of the real model: what stays in the ranges of Definition E.2, and what is there at its end."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from book.recognise.real_model import real_model
from book.recognise.start.pushes import neuron_slopes
from book.recognise.start.still import Still, phase_1
from lib.recognise.model import Weights


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


def within(
    seed: int = 0,
    samples: int = 60,
    length: int = 4,
    width: int = 128,
    neurons: int = 16,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    constant: float = 30.0,
) -> dict[str, float]:
    """One run's largest ratios in Phase 1 to the bounds of Appendix E.1 to E.4 and E.26 to E.28; some as they are.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁.
    """
    start = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1)
    n, m, m_1 = samples, width, neurons
    cross = math.sqrt(start.variance_0 * start.variance_1 * m)
    ratios: list[dict[str, float]] = []
    moments = list(phase_1(start, constant))
    first = moments[0]
    before, by_place = _products(first.weights), first.weights.neurons @ first.weights.value
    for now in moments:
        gram = _products(now.weights)
        moved = {name: float((gram[name] - before[name]).abs().max()) for name in gram}
        turned = (now.weights.neurons @ now.weights.value - by_place).abs()
        radius = float(turned[:, :3].max())
        shifted = float((now.parts.attention - first.parts.attention).abs().max())
        told = (_attended(now) - _attended(first)).abs().max()
        ratios.append(
            {
                "e_3": shifted / (1 / (math.sqrt(m) * length) + length / m),
                "e_7": float(told) / (length * shifted * cross + 4 * radius / length + 1e-300),
                "e_9": _off(gram["values"]) / (start.variance_0 * math.sqrt(m)),
                **_others(now, gram, start.layer, start.variance_0, start.variance_1),
                "e_21": _uneven(now, start.data.types) / float(first.parts.output.abs().max()),
                "e_26_targets": radius * m_1,
                "e_26_others": float(turned[:, 3:].max()) / (radius / n + radius / math.sqrt(m) + 1e-300),
                "e_26_scores": moved["scores"] * m * math.sqrt(m),
                "e_26_own": max(moved["keys"], moved["queries"]) / (start.variance_0 * math.sqrt(m)),
                "e_28_neurons": moved["neurons"] * m,
                "e_28_values": moved["values"] * m,
                "e_28_scores": moved["scores"] * m**1.5 / (1 / length + m**-0.5),
                "e_28_own": max(moved["keys"], moved["queries"]) * m**2,
            }
        )
    return {
        "wide": m >= max(m_1, length**2),
        "many": n >= 3 * length**2,
        "scales": 0.2 <= sigma_0 <= 1.25 and 0.8 <= sigma_1 <= 1.25,
        "near": sigma_0 >= 0.8,
        "quiet": float(first.parts.output.abs().max()) <= 1,
        **{name: max(each[name] for each in ratios) for name in ratios[0]},
        "rise": min(_rise(now, start.layer) for now in moments)
        / ((start.variance_0 + start.variance_1) * m * m_1),
        **_end(moments[-1], start.layer, start.data.labels, m * start.variance_1 * m_1, cross),
    }


def _rise(now: Still, layer: Tensor) -> float:
    """The smaller slope of G on the two targets."""
    return float(neuron_slopes(now.weights, now.velocity, layer)[:, :2].sum(0).min())


def _uneven(now: Still, types: Tensor) -> float:
    """|Σ g_i over I₂ − Σ g_i over I₃| over n."""
    g = now.parts.pull.abs()
    return abs(float(g[types == 1].sum() - g[types == 2].sum()))


def _attended(now: Still) -> Tensor:
    """w_jᵀ V p_l for every sample, neuron and place, (n, m₁, L)."""
    return now.weights.neurons @ now.parts.value @ now.parts.attention.transpose(1, 2)


def _off(gram: Tensor) -> float:
    """The largest entry off the diagonal, in size."""
    return float((gram - gram.diagonal().diag()).abs().max())


def _others(
    now: Still, gram: dict[str, Tensor], layer: Tensor, attention: float, hidden: float
) -> dict[str, float]:
    """The two perturbations of Lemma C.1 on μ₁, by other words (E.10) and other neurons (E.11); and E.17."""
    m, m_1 = now.weights.key.shape[0], len(layer)
    length = now.parts.attention.shape[1]
    given = torch.einsum("n,nlh,ndh->d", now.parts.pull, now.parts.attention, now.parts.words)
    words = given @ gram["values"][:, 0] - given[0] * gram["values"][0, 0]
    mutual = (gram["neurons"] - gram["neurons"].diagonal().diag()) @ layer
    holding = float(now.parts.words[:, 0].sum(1).mean())  # the share of samples with μ₁
    slopes = neuron_slopes(now.weights, now.velocity, layer)
    return {
        "e_10": abs(float(words)) / (length * attention * math.sqrt(m)),
        "e_11": float((given[0] * mutual).abs().max()) / (holding * hidden * math.sqrt(m * m_1)),
        "e_17": float(slopes[:, 2].abs().max()) / ((attention + hidden) * m),
    }


def _end(last: Still, layer: Tensor, labels: Tensor, pace: float, cross: float) -> dict[str, float]:
    """What Theorem E.27 says of T₁: outputs, G, and N over its mean at the start."""
    hidden = last.weights.neurons.T @ layer
    g, margins = last.weights.value.T @ hidden, labels * last.parts.output
    return {
        "least_margin": float(margins.min()),
        "most_margin": float(margins.max()),
        "least_g": float(torch.minimum(g[:2].min(), -g[2])),
        "most_g": float(g[:3].abs().max()),
        "others_g": float(g[3:].abs().max()) / (cross * math.sqrt(len(layer))),
        "size": float(hidden @ hidden) / pace,
        "loss": float(torch.log1p(torch.exp(-margins)).mean()),
    }
