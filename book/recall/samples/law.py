"""The law of the confusing prompt: how often data sets lack one, and what training makes of those that do not."""

from __future__ import annotations

import math
from itertools import product

import torch
from scipy.stats import binom

from book.recall.common import scalar
from book.recall.samples.program import study
from lib.program import run_many
from lib.recall.general import gaps
from lib.recall.sampler import confusing_chance, sample_counts

SUBJECTS = scalar(997.0)


def lacking(density: float, size: int, bijections: int = 0, seeds: int = 20) -> dict[str, float]:
    """The share of data sets of ``size`` prompts, a divisor of 400, without a confusing one: by the law, and drawn."""
    family = SUBJECTS, scalar(density), scalar(float(bijections))
    counts = torch.cat([sample_counts(scalar(float(seed)), 400, *family) for seed in range(seeds)])
    drawn = (counts[:, 1].reshape(-1, size) < 0.5).all(1).double().mean()
    return {"law": float((1 - confusing_chance(*family)) ** size), "drawn": float(drawn)}


def sample_law(density: float, bijections: int) -> dict[str, float]:
    """Both: draws at sizes 1, 2, 4 and 8, and the least accuracy on new prompts in six runs of 24 trainings.

    The latter over data sets of all sizes, with a confusing prompt and without.
    """
    sizes = {size: lacking(density, size, bijections) for size in (1, 2, 4, 8)}
    settings = {"density": density, "bijections": bijections, "rate_2": 400.0, "steps": 300}
    reports = run_many(study(), [{**settings, "seed": seed} for seed in range(6)])
    low, missed = reports.accuracy_low, reports.missed
    return {
        "identified": bijections == 0,
        **{f"{name}_{size}": share for size, both in sizes.items() for name, share in both.items()},
        "with_one": min(low[missed == 0].tolist(), default=math.inf),
        "without": min(low[missed == 1].tolist(), default=math.inf),
    }


def one_prompt_decides_for_all() -> bool:
    """Where r* and its confusing relation alone cost less than log 2, and the query less attention, r* leads all."""
    generator = torch.Generator().manual_seed(0)
    theta = 2 * torch.randn(20_000, 6, dtype=torch.float64, generator=generator)
    t = 10 ** (-3 * torch.rand(20_000, dtype=torch.float64, generator=generator))
    behind, v = gaps(theta), torch.softmax(theta, 1)
    low = torch.nn.functional.softplus(behind[:, 1] / t) < math.log(2)
    taught = low & (torch.minimum(v[:, 0], v[:, 2]) > v[:, 4])
    return bool(taught.sum() > 1000) and bool((behind[taught, 1:] < 0).all())


def chernoff() -> bool:
    """(13/ζ) log(1/δ) prompts suffice for p_conf, p_mis ≥ ζ/2 with probability 1 − δ/3, by exact binomials, δ ≤ ½."""
    for zeta, delta in product((0.05, 0.2, 0.5, 1.0), (0.5, 0.1, 0.01, 1e-4)):
        prompts = math.ceil(13 / zeta * math.log(1 / delta))
        if 2 * binom.cdf(math.ceil(zeta / 2 * prompts) - 1, prompts, zeta) > delta / 3:
            return False
    return True
