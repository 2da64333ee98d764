"""Corollary F.2 on the transformer itself: samples of one type stay equally wrong in Phase 2."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.ledger.rates import Fit, fit_power
from book.recognise.common import END_OF_PHASE_1
from book.recognise.real_flow import follow
from book.recognise.real_model import RealModel, real_model, sample_arrays

DOUBLINGS = 5
"""The flow is followed from T₁ to 2⁵ T₁: more than a decade."""


class SamplesAlike(NamedTuple):
    """How far samples are apart from T₁ on, at six moments of several starts."""

    growth: Fit  # of the largest g_i/g_j within a type, over τ
    apart: float  # the largest g_i/g_j within a type at any moment
    shallowest: float  # power of τ in a sample's loss over the last doubling, the largest
    steepest: float  # the least
    most_margin: float  # the largest margin of all, at the end: so far has training gone
    first_output: float  # the largest |F| at the start


def samples_alike(
    seed: int = 0,
    starts: int = 3,
    samples: int = 60,
    length: int = 4,
    width: int = 128,
    neurons: int = 16,
    sigma_0: float = 0.25,
    sigma_1: float = 1.0,
) -> SamplesAlike:
    """Gradient flow of ``starts`` random starts until τ = 2⁵ C.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁.
    """
    taus = END_OF_PHASE_1 * 2.0 ** torch.arange(DOUBLINGS + 1, dtype=torch.float64)
    models = [real_model(seed + k, samples, length, width, neurons, sigma_0, sigma_1) for k in range(starts)]
    margins = torch.stack([_margins(model, taus) for model in models])  # (starts, moments, n)
    apart = torch.stack([_apart(model, each) for model, each in zip(models, margins, strict=True)])
    losses = torch.log1p(torch.exp(-margins[:, -2:]))
    powers = torch.log2(losses[:, 1] / losses[:, 0])
    first = [sample_arrays(model.weights, model.layer, model.data).output.abs().max() for model in models]
    return SamplesAlike(
        growth=fit_power(taus.repeat(starts).tolist(), apart.flatten().tolist()),
        apart=float(apart.max()),
        shallowest=float(powers.max()),
        steepest=float(powers.min()),
        most_margin=float(margins[:, -1].max()),
        first_output=float(max(first)),
    )


def _margins(model: RealModel, taus: Tensor) -> Tensor:
    """y F of every sample at each moment, (moments, n)."""
    pace = len(model.layer) * model.variance_1 * model.weights.key.shape[0]
    weights = follow(model, taus / pace)
    return torch.stack(
        [model.data.labels * sample_arrays(each, model.layer, model.data).output for each in weights]
    )


def _apart(model: RealModel, margins: Tensor) -> Tensor:
    """The largest g_i/g_j of two samples of one type at each moment, (moments,)."""
    wrong = torch.sigmoid(-margins)
    holds = [(model.data.words == target).any(1) for target in (0, 1)]
    types = [first & second for first in (holds[0], ~holds[0]) for second in (holds[1], ~holds[1])]
    ratios = [wrong[:, mine].amax(1) / wrong[:, mine].amin(1) for mine in types if bool(mine.any())]
    return torch.stack(ratios).amax(0)
