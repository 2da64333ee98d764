"""Sums over neurons and words at a random start: Propositions E.5 and E.22 and Lemma E.6 of Yang et al."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from book.recognise.real_model import real_model, sample_arrays
from book.recognise.start.first_push import neuron_slopes
from lib.recognise.gram import descent


class StartSums(NamedTuple):
    """Each quantity over its bound, with the logarithms of E.5 and E.22 at δ."""

    e_5: float  # the sum of a neuron's products with all others
    e_5_received: float  # the push on a neuron through the values of one word, by all other neurons
    e_5_words: float  # the push on a neuron's product with one value, by all other values
    e_6: float  # slopes on irrelevant words
    e_22_own: float  # lengths of keys and queries times G
    e_22: float  # products of two different ones times G


def sums(
    seed: int = 0,
    samples: int = 60,
    length: int = 5,
    width: int = 256,
    neurons: int = 64,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    delta: float = 0.1,
) -> StartSums:
    """Propositions E.5 and E.22 and Lemma E.6 at a random start.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. delta: the probability with which a bound may fail.
    """
    model = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1)
    weights, layer, data, variance_0, variance_1 = model
    m, m_1, d = width, neurons, data.vocabulary
    kappa, cross = variance_0 * m, math.sqrt(variance_0 * variance_1 * m * m_1)

    gram = weights.neurons @ weights.neurons.T
    mutual = (gram - gram.diagonal().diag()) @ layer
    part = 4 / m * math.log(2 * m_1**2 / delta)
    concentration = (math.sqrt(part) + part) * math.sqrt(math.log(4 * m_1 / delta))
    mutual_bound = variance_1 * math.sqrt(m_1) * m * concentration

    arrays = sample_arrays(weights, layer, data)
    given = torch.einsum("n,nlh,ndh->d", arrays.pull, arrays.attention, arrays.words)
    holding = (arrays.words.sum(2) > 0).double().mean(0)  # the share of samples with each word
    used = holding > 0
    by_neurons = float((given[used].abs() / holding[used]).max() * mutual.abs().max())
    by_neurons_bound = mutual_bound * math.sqrt(math.log(m_1 / delta) / math.log(4 * m_1 / delta))
    values = weights.value.T @ weights.value
    by_words = float((values @ given - values.diagonal() * given).abs().max())
    part = 4 / m * math.log(2 * samples * length * d / delta)
    by_words_bound = variance_0 * m * math.sqrt(length) * (math.sqrt(part) + part)

    slopes = neuron_slopes(weights, descent(weights, layer, data), layer)
    slope_bound = (variance_0 + variance_1) * m / samples + variance_0 * math.sqrt(m * length)

    g = (weights.value.T @ (weights.neurons.T @ layer)).abs()
    logs = math.sqrt(math.log(m_1 * d / delta) * math.log(samples * d / delta))
    lengths = torch.maximum((weights.key**2).sum(0).max(), (weights.query**2).sum(0).max())
    grams = weights.key.T @ weights.key, weights.query.T @ weights.query
    off = max(float((x - x.diagonal().diag()).abs().max()) for x in grams)
    return StartSums(
        e_5=float(mutual.abs().max()) / mutual_bound,
        e_5_received=by_neurons / by_neurons_bound,
        e_5_words=by_words / by_words_bound,
        e_6=float(slopes[:, 3:].abs().max()) / slope_bound,
        e_22_own=float(lengths * g.max()) / (kappa * cross * logs),
        e_22=off * float(g.max()) / (kappa / math.sqrt(m) * cross * logs),
    )
