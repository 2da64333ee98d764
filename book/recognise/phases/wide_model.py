"""Theorem 3.1 as one event on the transformer itself: every sample, every item, and the trend in m."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.ledger.rates import Fit, fit_power
from book.recognise.common import END_OF_PHASE_1
from book.recognise.real_flow import follow
from book.recognise.real_model import RealModel, real_model, sample_arrays
from lib.recognise.model import Weights

WORDS = 3
"""μ₁, μ₂ and μ₃ are the first words."""
WIDTHS = (64, 128, 256, 512, 1024)
"""m over more than a decade."""


class AtT1(NamedTuple):
    """Theorem 3.1 at T₁ = C/N₀ on the transformer itself, the worst of several starts."""

    aligned: float  # item 1: the least of G(μ₁), G(μ₂), −G(μ₃)
    margin: float  # item 2: the least y F of any sample
    neurons: float  # item 3: the largest change of a product of two neurons, over the mean squared length at the start
    values: float  # the same of products of two values on the three words
    keys: float  # of two keys, or of two queries
    scores: float  # the largest change of a key's product with a query, over √m
    loss: float  # item 4: the least loss


class Trend(NamedTuple):
    """How the largest change of each kind of product until T₁ falls as m grows."""

    neurons: Fit  # of two neurons
    values: Fit  # of two values on the three words
    keys: Fit  # of two keys, or of two queries
    scores: Fit  # of a key with a query


def at_t_1(
    constant: float = END_OF_PHASE_1,
    seed: int = 0,
    width: int = 1024,
    starts: int = 3,
    samples: int = 60,
    length: int = 4,
    neurons: int = 16,
    sigma_0: float = 0.5,
    sigma_1: float = 1.0,
) -> AtT1:
    """Gradient flow of ``starts`` random starts until T₁ = C/N₀.

    Args:
        constant: C.
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁.
    """
    models = [real_model(seed + k, samples, length, width, neurons, sigma_0, sigma_1) for k in range(starts)]
    ends = [_at_t_1(model, constant) for model in models]
    lowest = {"aligned", "margin", "loss"}
    worst = {
        name: (min if name in lowest else max)(getattr(end, name) for end in ends) for name in AtT1._fields
    }
    return AtT1(**worst)


def trend(power: float = 0.0, seed: int = 0, starts: int = 2) -> Trend:
    """What moves until T₁ at each of ``WIDTHS``, with ``starts`` starts each, and m₁ and L the same at all.

    Args:
        power: σ₁√m₁ is 1 at the least width, and falls like m to the power −``power``.
    """
    ends = [
        at_t_1(seed=seed + k, width=width, starts=1, sigma_1=(WIDTHS[0] / width) ** power)
        for width in WIDTHS
        for k in range(starts)
    ]
    sizes = [width for width in WIDTHS for _ in range(starts)]
    units = {  # in which a change is given at each width, up to a constant factor
        "neurons": [width * (WIDTHS[0] / width) ** (2 * power) for width in sizes],
        "scores": [width**0.5 for width in sizes],
    }
    unchanged = [1.0] * len(sizes)
    changes = {
        name: [unit * getattr(end, name) for unit, end in zip(units.get(name, unchanged), ends, strict=True)]
        for name in Trend._fields
    }
    return Trend(**{name: fit_power(sizes, each) for name, each in changes.items()})


def _at_t_1(model: RealModel, constant: float) -> AtT1:
    width = model.weights.key.shape[0]
    time = constant / (len(model.layer) * model.variance_1 * width)
    (end,) = follow(model, torch.tensor([time], dtype=torch.float64))
    start = model.weights
    outputs = sample_arrays(end, model.layer, model.data).output
    signals = (model.layer @ end.neurons @ end.value)[:WORDS]
    margins = model.data.labels * outputs
    kappa = model.variance_0 * width
    change = _products(end) - _products(start)
    return AtT1(
        aligned=float(torch.stack([signals[0], signals[1], -signals[2]]).min()),
        margin=float(margins.min()),
        neurons=_largest(end.neurons @ end.neurons.T - start.neurons @ start.neurons.T)
        / (model.variance_1 * width),
        values=_largest(change[0]) / kappa,
        keys=_largest(change[1:3]) / kappa,
        scores=_largest(change[3]) / width**0.5,
        loss=float(torch.log1p(torch.exp(-margins)).mean()),
    )


def _products(weights: Weights) -> Tensor:
    """Products on the three words: of values, of keys, of queries, and of keys with queries; (4, 3, 3)."""
    value, key, query = (part[:, :WORDS] for part in (weights.value, weights.key, weights.query))
    return torch.stack([value.T @ value, key.T @ key, query.T @ query, key.T @ query])


def _largest(change: Tensor) -> float:
    return float(change.abs().max())
