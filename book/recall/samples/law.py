"""The law of the confusing prompt: how often data sets lack one, and what training makes of those that do not."""

from __future__ import annotations

import math
from itertools import product

import torch
from scipy.stats import binom

from book.recall.common import scalar
from book.recall.samples.program import study
from lib.recall.sampler import confusing_chance, sample_counts
from lib.solve import run_many

SUBJECTS = scalar(997.0)


def lacking(density: float, size: int, bijections: int = 0, seeds: int = 20) -> dict[str, float]:
    """The share of data sets of ``size`` prompts, a divisor of 400, without a confusing one: by the law, and drawn."""
    family = SUBJECTS, scalar(density), scalar(float(bijections))
    counts = torch.cat([sample_counts(scalar(float(seed)), 400, *family) for seed in range(seeds)])
    drawn = (counts[:, 1].reshape(-1, size) < 0.5).all(1).double().mean()
    return {"law": float((1 - confusing_chance(*family)) ** size), "drawn": float(drawn)}


def training(density: float, bijections: int, seeds: int) -> dict[str, float]:
    """The least accuracy on new prompts over data sets of all sizes, with a confusing prompt and without."""
    settings = {"density": density, "bijections": bijections, "rate_2": 400.0, "steps": 300}
    reports = run_many(study(), [{**settings, "seed": seed} for seed in range(seeds)])
    low, missed = reports.accuracy_low, reports.missed
    return {
        "with_one": float(low[missed == 0].min()),
        "without": min(low[missed == 1].tolist(), default=math.inf),
    }


def sample_law(density: float, bijections: int, seeds: int = 20, trained: int = 6) -> dict[str, float]:
    """Both: draws at sizes 1, 2, 4 and 8, and ``trained`` runs of 24 trainings."""
    sizes = [lacking(density, size, bijections, seeds) for size in (1, 2, 4, 8)]
    return {
        "identified": bijections == 0,
        **{f"law_{2**k}": entry["law"] for k, entry in enumerate(sizes)},
        **{f"drawn_{2**k}": entry["drawn"] for k, entry in enumerate(sizes)},
        **training(density, bijections, trained),
    }


def chernoff() -> bool:
    """(13/ζ) log(1/δ) prompts suffice for p_conf, p_mis ≥ ζ/2 with probability 1 − δ/3, by exact binomials, δ ≤ ½."""
    for zeta, delta in product((0.05, 0.2, 0.5, 1.0), (0.5, 0.1, 0.01, 1e-4)):
        prompts = math.ceil(13 / zeta * math.log(1 / delta))
        if 2 * binom.cdf(math.ceil(zeta / 2 * prompts) - 1, prompts, zeta) > delta / 3:
            return False
    return True
