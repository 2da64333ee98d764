"""The first push at a random start: how fast neurons turn towards the targets and towards the common word."""

from __future__ import annotations

import math
from typing import NamedTuple

from torch import Tensor

from book.recognise.real_model import real_model
from lib.recognise.gram import descent
from lib.recognise.model import Weights, outputs


def neuron_slopes(weights: Weights, velocity: Weights, layer: Tensor) -> Tensor:
    """∂(a_j w_j·v(µ))/∂t for every neuron and word; (m₁, d).

    Args:
        velocity: the time derivative of the weights. layer: a, (m₁,).
    """
    return layer[:, None] * (velocity.neurons @ weights.value + weights.neurons @ velocity.value)


class FirstPush(NamedTuple):
    """Neurons' slopes at a start: on the targets in units of (σ₀² + σ₁²)m/6, on the common word over bounds."""

    least: float  # on a target, of any neuron
    most: float
    away: float  # the share of slopes on targets that are negative
    spread: float  # their standard deviation
    predicted_spread: float
    least_mean: float  # the mean of all neurons, the smaller of both targets
    most_mean: float
    output: float  # the largest |F|
    mean_label: float
    over_main: float  # the largest slope on the common word, over the bound of Lemma 4.2
    over_full: float  # over that of Lemma E.16
    over_target: float  # over the mean slope of a target
    over_mean_output: float  # over (σ₀² + σ₁²)m |mean F|/4 + σ₀²√m


def first_push(
    seed: int = 0,
    samples: int = 30,
    length: int = 5,
    width: int = 2048,
    neurons: int = 16,
    sigma_0: float = 0.1,
    sigma_1: float = 0.3,
    positive: float = 1 / 2,
) -> FirstPush:
    """Every neuron's slopes at one random start.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. positive: the share of samples with both targets.
    """
    model = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1, positive)
    weights, layer, data, variance_0, variance_1 = model
    slopes, f = neuron_slopes(weights, descent(weights, layer, data), layer), outputs(weights, layer, data)
    total = (variance_0 + variance_1) * width
    targets, common = slopes[:, :2] / (total / 6), float(slopes[:, 2].abs().max())
    largest = float(f.abs().max())
    bound = variance_1 * math.sqrt(width * neurons) + variance_0 * math.sqrt(width * length)
    bound += variance_1 * width * largest
    return FirstPush(
        least=float(targets.min()),
        most=float(targets.max()),
        away=float((targets < 0).double().mean()),
        spread=float(targets.std()),
        predicted_spread=variance_1 / (variance_0 + variance_1) * math.sqrt(neurons / width),
        least_mean=float(targets.mean(0).min()),
        most_mean=float(targets.mean(0).max()),
        output=largest,
        mean_label=float(data.labels.mean()),
        over_main=common / bound,
        over_full=common / (bound + variance_0 * width * largest),
        over_target=common / float(slopes[:, :2].mean()),
        over_mean_output=common / (total * float(f.mean().abs()) / 4 + variance_0 * math.sqrt(width)),
    )
