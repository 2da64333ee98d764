"""How many prompts training needs as the number of stored facts grows, over many decades."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.ledger.rates import Fit, fit_power
from book.recall.samples.program import SIZES, study
from lib.program import run_many
from lib.recall.general import COOL, gaps, worst_probability

SUBJECTS = (5, 11, 43, 179, 997, 10_007, 100_003, 999_983)
"""Numbers of subjects, each with an affine family: from a hundred stored triplets to 10¹⁸."""
SEEDS = 3
ACCURATE = 0.99
"""The accuracy of Theorem 1, which the remark is about; accuracy is the probability of r*, as in its proof."""
NOT_WITHIN = 2 * SIZES[-1]
"""Stands for the least number where the largest data set is not enough: a lower bound."""


class LeastSamples(NamedTuple):
    """How the least number of prompts grows."""

    fit: Fit
    """Least |D| against the number of stored triplets n |R|."""
    most: float
    """The largest of the least |D|."""


def least_samples(density: float = 0.5, bijections: int = 0, first_seed: int = 0) -> LeastSamples:
    """The least |D| from which on all data sets of that size or more give r* probability 0.99 on the worst prompt.

    Args:
        density: ρ, so that |R| = ρ n(n − 1).
        bijections: 0 for a part of the affine family, 1 for random bijections.
        first_seed: of three.
    """
    cold = {n: min(COOL, 1 / (40 * math.log(n))) for n in SUBJECTS}
    settings = [
        {
            "subjects": n,
            "density": density,
            "bijections": bijections,
            "temperature": cold[n],
            "radius": cold[n] ** 3,
            "rate_1": 150.0,
            "rate_2": 1000.0,
            "steps": 1500,
            "seed": first_seed + seed,
        }
        for n in SUBJECTS
        for seed in range(SEEDS)
    ]
    enough = run_many(study()._replace(report=_least), settings) >= ACCURATE  # (runs, sizes)
    from_here = torch.flip(torch.cumprod(torch.flip(enough.to(torch.float64), [1]), 1), [1])
    sizes = torch.tensor([*SIZES, NOT_WITHIN], dtype=torch.float64)
    least = sizes[len(SIZES) - from_here.sum(1).to(torch.int64)]
    triplets = [run["subjects"] ** 2 * (run["subjects"] - 1) * density for run in settings]
    return LeastSamples(fit_power(triplets, least.numpy()), float(least.max()))


def _least(ends: tuple[Any, ...], p: Any) -> Tensor:
    """The least p₁(r*) of the data sets of each size, on the worst prompt of all, or of the test prompts; (6,)."""
    end = ends[-1]
    on_worst = worst_probability(end.theta, p.subjects, p.temperature)  # (6, 4)
    on_tested = 1 / (torch.exp(gaps(end.theta) / p.temperature) @ end.tested.T)  # (6, 4, 64)
    return torch.where(p.bijections > 0.5, on_tested.amin((1, 2)), on_worst.amin(1))
