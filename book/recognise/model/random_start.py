"""Appendix D of Yang et al.: how far a random start is from an ideal one, over the bounds of Lemmas D.1 to D.8."""

from __future__ import annotations

import math
from typing import NamedTuple

from torch import Tensor

from book.recognise.real_model import real_model, sample_arrays


class StartDeviations(NamedTuple):
    """The largest deviations of a start from an ideal one, over the bounds of Appendix D where one is named."""

    d_1_products: float  # of different keys, of different queries, and of keys and queries
    d_1_lengths: float
    d_2: float  # attention away from 1/L, by the proof's bound
    d_3_products: float  # of different values, of different neurons, and of both
    d_3_lengths: float
    d_4: float  # lengths of attended values
    d_5: float  # products of neurons and attended values, over the corrected bound
    d_5_printed: float  # over the printed one
    d_6: float  # balance of output weights
    d_7: float  # |G(µ)|
    d_8: float  # |F|
    output: float  # the largest |F| itself
    cosine: float  # the largest of two different words
    uneven: float  # attention away from 1/L itself
    uneven_scaled: float  # the same times L²m


class GramDeviation(NamedTuple):
    """The largest deviations of a Gram matrix from a multiple of the identity, over that multiple."""

    products: float  # off the diagonal
    lengths: float  # on it


def gram_deviation(gram: Tensor, scale: float) -> GramDeviation:
    """The largest |entry| off the diagonal and the largest |entry − ``scale``| on it, both over ``scale``."""
    diagonal = gram.diagonal()
    off = gram - diagonal.diag()
    return GramDeviation(
        products=float(off.abs().max()) / scale, lengths=float((diagonal - scale).abs().max()) / scale
    )


def concentration(width: int, cases: float) -> float:
    """√(4/m · log x) + 4/m · log x with x = ``cases``: the bracket of Lemmas D.1, D.3 and D.4."""
    part = 4 / width * math.log(cases)
    return math.sqrt(part) + part


def start(
    seed: int = 0,
    samples: int = 60,
    length: int = 5,
    width: int = 256,
    neurons: int = 256,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    delta: float = 0.1,
) -> StartDeviations:
    """One start's largest deviations over Appendix D's bounds; at most 1 where a bound holds.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. delta: the probability with which a bound may fail.
    """
    model = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1)
    weights, layer, data = model.weights, model.layer, model.data
    d, m, m_1, places = data.vocabulary, width, neurons, samples * length
    s = sample_arrays(weights, layer, data)
    kappa, cross = model.variance_0 * m, math.sqrt(model.variance_0 * model.variance_1)
    key, query, value = (
        gram_deviation(matrix.T @ matrix, kappa) for matrix in (weights.key, weights.query, weights.value)
    )
    neuron = gram_deviation(weights.neurons @ weights.neurons.T, model.variance_1 * m)
    score = float((weights.key.T @ weights.query).abs().max()) / kappa
    cosine = max(score, key.products, query.products)
    neuron_value = float((weights.neurons @ weights.value).abs().max()) / (cross * m)
    attended = s.value @ s.attention.transpose(1, 2)  # (n, m, l)
    attended_lengths = (attended**2).sum(1) * length / kappa
    neuron_attended = float((weights.neurons @ attended).abs().max()) / (cross * math.sqrt(m / length))
    g = float((weights.value.T @ s.neurons).abs().max()) / (cross * math.sqrt(m * m_1))
    f = float(s.output.abs().max())
    uneven = float((s.attention - 1 / length).abs().max())
    majority = abs(float((layer > 0).double().mean()) - 0.5)
    words, cases = concentration(m, 2 * d / delta), 2 * m_1 * places / delta
    return StartDeviations(
        d_1_products=cosine / words,
        d_1_lengths=max(key.lengths, query.lengths) / words,
        d_2=uneven * length * math.sqrt(m) / (kappa * words),
        d_3_products=max(
            value.products / words,
            neuron.products / concentration(m, 2 * m_1**2 / delta),
            neuron_value / concentration(m, 2 * m_1 * d / delta),
        ),
        d_3_lengths=max(value.lengths / words, neuron.lengths / concentration(m, 2 * m_1 / delta)),
        d_4=float((attended_lengths - 1).abs().max()) / concentration(m, 2 * places / delta),
        d_5=neuron_attended / math.sqrt(2 * math.log(cases)),
        d_5_printed=neuron_attended / math.sqrt(math.log(cases / 2)),
        d_6=majority / math.sqrt(2 * math.log(4 / delta) / m_1),
        d_7=g / math.sqrt(2 * math.log(2 * d / delta)),
        d_8=f / (2 * cross * math.sqrt(2 * length * m_1 * m * math.log(2 * places / delta))),
        output=f,
        cosine=cosine,
        uneven=uneven,
        uneven_scaled=uneven * length**2 * m,
    )
