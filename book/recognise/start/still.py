"""Phase 1 of the real model: each of Appendix E's quantities over its bound, logarithms left out."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from book.recognise.real_model import RealModel, SampleArrays, real_model, sample_arrays
from book.recognise.start.pushes import neuron_slopes
from lib.integrate import adaptive_start, integrate
from lib.recognise.gram import descent
from lib.recognise.model import Weights


def _flat(weights: Weights) -> Tensor:
    return torch.cat([part.reshape(-1) for part in weights])


def _shaped(vector: Tensor, like: Weights) -> Weights:
    sizes = [part.numel() for part in like]
    return Weights(*(part.view_as(old) for part, old in zip(vector.split(sizes), like, strict=True)))


def follow(start: RealModel, moments: Tensor) -> list[Weights]:
    """The weights of the real model under gradient flow at the given rising times t."""

    def slope(vector: Tensor) -> Tensor:
        return _flat(descent(_shaped(vector, start.weights), start.layer, start.data))

    going = adaptive_start(_flat(start.weights), moments[0] / 10)
    found = []
    for moment in moments:
        going = deque(integrate(slope, going, moment, 1e-3, 1e-5), 1).pop()
        found.append(_shaped(going.state, start.weights))
    return found


class Still(NamedTuple):
    """A moment of Phase 1: the weights, their velocity, and what equations B are written in."""

    weights: Weights
    velocity: Weights
    parts: SampleArrays


def phase_1(start: RealModel, constant: float) -> Iterator[Still]:
    """The real model at τ = 0, then at four moments up to τ = ``constant``."""
    width = start.weights.key.shape[0]
    pace = len(start.layer) * start.variance_1 * width
    moments = constant / pace * torch.tensor([0.05, 0.2, 0.5, 1.0], dtype=torch.float64)
    for weights in (start.weights, *follow(start, moments)):
        velocity = descent(weights, start.layer, start.data)
        yield Still(weights, velocity, sample_arrays(weights, start.layer, start.data))


def _both(first: Tensor, second: Tensor) -> Tensor:
    return first.T @ second + second.T @ first


def still(
    seed: int = 0,
    samples: int = 30,
    length: int = 5,
    width: int = 64,
    neurons: int = 16,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    constant: float = 30.0,
) -> dict[str, float]:
    """One run's largest ratios in Phase 1, until τ = ``constant``, to the bounds of Appendix E; Θ's factor both ways.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁.
    """
    start = real_model(seed, samples, length, width, neurons, sigma_0, sigma_1)
    n, m = samples, width
    count = torch.bincount(start.data.words.reshape(-1), minlength=start.data.vocabulary).double()
    pairs = (count[:, None] + count) / n  # (|{i ∋ µ}| + |{i ∋ ν}|)/n
    used = pairs > 0
    unit, slow = (start.variance_0 + start.variance_1) * m, start.variance_0 * length * math.sqrt(m)
    told = math.sqrt(start.variance_0 * start.variance_1 * m)
    found: dict[str, float] = {}
    first: Still | None = None
    for now in phase_1(start, constant):
        first = first or now
        (w, value, key, query), v = now.weights, now.velocity
        slopes = neuron_slopes(now.weights, v, start.layer)
        given = torch.einsum("n,nlh,ndh->d", now.parts.pull, now.parts.attention, now.parts.words)
        factor = ((w * w).sum(1)[:, None] + (value * value).sum(0)[:2]) / unit
        rest = (slopes[:, :2] - given[:2] * unit * factor).abs().max()
        score = (v.key.T @ query + key.T @ v.query).abs() / pairs
        own = torch.maximum(_both(v.key, key).abs(), _both(v.query, query).abs()) / pairs
        turned = (v.neurons @ w.T + w @ v.neurons.T).abs().max()
        moved = float((w @ value - first.weights.neurons @ first.weights.value)[:, :3].abs().max())
        shifted = float((now.parts.attention - first.parts.attention).abs().max())
        by_place = told * math.sqrt(math.log(neurons * n * length / 0.1) / length)
        bound = 2 * length * (by_place + length * shifted * told + 4 * moved / length)
        ratios = {
            "e_14": float(torch.maximum(factor, 1 / factor).max()),
            "e_14_rest": float(rest) / (slow + start.variance_1 * math.sqrt(m * neurons)),
            "e_15": float(slopes[:, 3:].abs().max()) / (unit / n + slow),
            "e_12": float(turned) / bound,
            "e_23": float(score[used].max()) * math.sqrt(m) / (1 / length + m**-0.5),
            "e_24": shifted * length * m**2 / (1 / length + m**-0.5),
            "e_25": float(own[used].max()) * m,
        }
        found = {name: max(found.get(name, 0.0), ratio) for name, ratio in ratios.items()}
    return {
        "wide": width >= neurons,
        "many": min(width, samples) >= length**2,
        "scales": sigma_0 <= 1.25 and 0.8 <= sigma_1 <= 1.25,
        **found,
    }
