"""Equations 19 to 21: the gradient at the start, on all prompts of a random part of the affine family."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import grad

from book.recall.common import scalar
from lib.domain import Domain
from lib.recall.general import mismatched_part, population
from lib.recall.reduction import match_classes, relation_logits

DENSITY = Domain("density", low=0, high=1)
EVEN = torch.full((6,), 1 / 6, dtype=torch.float64)
"""Attention at the start."""


class AtTheStart(NamedTuple):
    """Derivatives of L₁ by attention at the start, and their bounds."""

    small: float  # e^{−1/36T}/T
    low: float  # eq. 19's lower bound
    high: float  # and its upper one
    least: float  # least derivative by v₅ less another
    largest: float  # largest one
    still: float  # largest derivative by v₂, v₄, v₆
    balance: float  # sum of the derivatives by v₁, v₃, v₅
    part: float  # derivative by v₅ over m/(3T)


def loss_of(v: Tensor, counts: Tensor, weights: Tensor, temperature: Tensor) -> Tensor:
    """L₁ of free attention v on histograms: Σ_h w_h log Σ_c N_hc exp((l_c − l_0)/T)."""
    classes = match_classes(2)
    logits = relation_logits(v, classes - classes[:1])  # (13,)
    return weights @ torch.logsumexp(counts.log() + logits / temperature, 1)


def at_the_start(subjects: float, temperature: float, density: float) -> AtTheStart:
    """Eqs 19–21 on all prompts of a random part of the family, beside their printed bounds.

    Raises:
        ValueError: the density is no share.
    """
    DENSITY.check(density)
    counts, weights = population(scalar(subjects), scalar(density))
    slope = grad(loss_of)(EVEN, counts, weights, scalar(temperature))
    present = weights * (counts[:, 2:6].sum(1) > 0)
    ahead = slope[4] - slope[[0, 1, 2, 3, 5]]
    return AtTheStart(
        small=(math.exp(-1 / (36 * temperature)) + 1e-15) / temperature,  # give or take rounding
        low=float((present / counts[:, :6].sum(1)).sum()) / (3 * temperature),
        high=2 * float(present.sum()) / (3 * temperature),
        least=float(ahead.min()),
        largest=float(ahead.max()),
        still=float(slope[[1, 3, 5]].abs().max()),
        balance=abs(float(slope[[0, 2, 4]].sum())),
        part=float(slope[4] * 3 * temperature / (weights @ mismatched_part(counts))),
    )
