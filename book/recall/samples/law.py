"""The law of the confusing prompt: how often data sets lack one, and how well training on the others does."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from book.recall.common import scalar
from book.recall.samples.program import study
from lib.program import run_many
from lib.recall.sampler import confusing_chance, sample_counts

SUBJECTS = scalar(997.0)
PROMPTS, SEEDS = 400, 20
"""Prompts that are drawn with one seed, and seeds."""


class Lacking(NamedTuple):
    """The share of data sets without a confusing prompt."""

    law: float
    drawn: float


class SampleLaw(NamedTuple):
    """Shares of data sets of 1, 2, 4 and 8 prompts without a confusing one, and least accuracies on new prompts."""

    law_1: float
    drawn_1: float
    law_2: float
    drawn_2: float
    law_4: float
    drawn_4: float
    law_8: float
    drawn_8: float
    deviations: (
        float  # the largest distance of a drawn share from the law, in standard deviations of such a share
    )
    with_one: float  # least accuracy with a confusing prompt in each data set
    without: float  # and without


def deviations(law: float, drawn: float, sets: int) -> float:
    """How many standard deviations the share of so many data sets is from the law; 0 where both are the same."""
    return abs(drawn - law) / max(math.sqrt(law * (1 - law) / sets), 1e-12)


def lacking(density: float, size: int, bijections: int = 0, seeds: int = SEEDS) -> Lacking:
    """The share of data sets of ``size`` prompts, a divisor of ``PROMPTS``, without a confusing one, and the law's."""
    family = SUBJECTS, scalar(density), scalar(float(bijections))
    counts = torch.cat([sample_counts(scalar(float(seed)), PROMPTS, *family) for seed in range(seeds)])
    drawn = (counts[:, 1].reshape(-1, size) < 0.5).all(1).double().mean()
    return Lacking(float((1 - confusing_chance(*family)) ** size), float(drawn))


def sample_law(density: float, bijections: int) -> SampleLaw:
    """The law against draws at sizes 1, 2, 4 and 8, and the least accuracy on new prompts in six runs of 24 trainings.

    The latter over data sets of all sizes, with a confusing prompt and without.
    """
    shares = {size: lacking(density, size, bijections) for size in (1, 2, 4, 8)}
    settings = {"density": density, "bijections": bijections, "rate_2": 400.0, "steps": 300}
    reports = run_many(study(), [{**settings, "seed": seed} for seed in range(6)])
    low, missed = reports.accuracy_low, reports.missed
    return SampleLaw(  # type: ignore[misc]  # mypy cannot count what is unpacked
        *(number for share in shares.values() for number in share),
        deviations=max(deviations(*share, PROMPTS * SEEDS // size) for size, share in shares.items()),
        with_one=min(low[missed == 0].tolist(), default=math.inf),
        without=min(low[missed == 1].tolist(), default=math.inf),
    )
