"""The first push at a real start: how fast neurons turn towards the targets and towards the common word."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from book.recognise.real_model import real_model
from lib.recognise.gram import descent
from lib.recognise.model import Weights, outputs


def neuron_slopes(weights: Weights, velocity: Weights, layer: Tensor) -> Tensor:
    """∂(a_j w_j·v(µ))/∂t for every neuron and word; (m₁, d)."""
    return layer[:, None] * (velocity.neurons @ weights.value + weights.neurons @ velocity.value)


def first_push(
    seed: int = 0,
    samples: int = 30,
    length: int = 5,
    width: int = 2048,
    neurons: int = 16,
    sigma_0: float = 0.1,
    sigma_1: float = 0.3,
    positive: float = 1 / 2,
) -> dict[str, float]:
    """Every neuron's slope on both targets, in units of (σ₀² + σ₁²)m/6, and on the common word over its bounds.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. positive: the share of samples with both targets.
    """
    start = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1, positive)
    model = start[:3]
    slopes, f = neuron_slopes(start.weights, descent(*model), start.layer), outputs(*model)
    both = (start.variance_0 + start.variance_1) * width
    targets, common = slopes[:, :2] / (both / 6), float(slopes[:, 2].abs().max())
    largest = float(f.abs().max())
    bound = start.variance_1 * math.sqrt(width * neurons) + start.variance_0 * math.sqrt(width * length)
    bound += start.variance_1 * width * largest
    return {
        "wide": width >= 60 * neurons,
        "small_outputs": largest <= 0.25,
        "balanced": float(start.data.labels.mean()) == 0,
        "least": float(targets.min()),
        "most": float(targets.max()),
        "away": float((targets < 0).double().mean()),
        "spread": float(targets.std()),
        "predicted_spread": start.variance_1
        / (start.variance_0 + start.variance_1)
        * math.sqrt(neurons / width),
        "least_mean": float(targets.mean(0).min()),
        "most_mean": float(targets.mean(0).max()),
        "output": largest,
        "over_main": common / bound,
        "over_full": common / (bound + start.variance_0 * width * largest),
        "over_target": common / float(slopes[:, :2].mean()),
        "over_mean_output": common / (both * float(f.mean().abs()) / 4 + start.variance_0 * math.sqrt(width)),
    }


def sums(
    seed: int = 0,
    samples: int = 60,
    length: int = 5,
    width: int = 256,
    neurons: int = 64,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    delta: float = 0.1,
) -> dict[str, float]:
    """Propositions E.5 and E.22 and Lemma E.6 at a random start, each over its bound with the logarithms at δ.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. delta: the probability with which a bound may fail.
    """
    start = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1)
    weights, m, m_1, d = start.weights, width, neurons, start.data.vocabulary
    kappa, cross = start.variance_0 * m, math.sqrt(start.variance_0 * start.variance_1 * m * m_1)
    gram = weights.neurons @ weights.neurons.T
    mutual = (gram - gram.diagonal().diag()) @ start.layer
    part = 4 / m * math.log(2 * m_1**2 / delta)
    mutual_bound = (
        start.variance_1
        * math.sqrt(m_1)
        * m
        * (math.sqrt(part) + part)
        * math.sqrt(math.log(4 * m_1 / delta))
    )
    slopes = neuron_slopes(weights, descent(*start[:3]), start.layer)
    others = (start.variance_0 + start.variance_1) * m / samples + start.variance_0 * math.sqrt(m * length)
    g = (weights.value.T @ (weights.neurons.T @ start.layer)).abs()
    logs = math.sqrt(math.log(m_1 * d / delta) * math.log(samples * d / delta))
    lengths = torch.maximum((weights.key**2).sum(0).max(), (weights.query**2).sum(0).max())
    keys, queries = weights.key.T @ weights.key, weights.query.T @ weights.query
    off = max(float((x - x.diagonal().diag()).abs().max()) for x in (keys, queries))
    return {
        "wide": width >= neurons,
        "e_5": float(mutual.abs().max()) / mutual_bound,
        "e_6": float(slopes[:, 3:].abs().max()) / others,
        "e_22_own": float(lengths * g.max()) / (kappa * cross * logs),
        "e_22": off * float(g.max()) / (kappa / math.sqrt(m) * cross * logs),
    }
