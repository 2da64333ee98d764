"""Where training passes and ends at a low temperature (Section 4.2): near even attention, and not exactly in pairs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.general.program import one_large_step
from lib.program import run
from lib.recall.general import COOL
from lib.recall.landscape import SADDLE


class NearSaddle(NamedTuple):
    """Attention after the large step, and where p₁(r*) reaches 0.999 on every prompt."""

    nearer: float  # distance of the first to even attention less that to (¼, ¼, ¼, ¼, 0, 0)
    even: float  # its distance to even attention
    within: float  # the smaller difference within a pair at the end
    between: float  # difference between the two pairs at the end
    worst: float  # p₁(r*) on the worst prompt at the end
    mismatched_part: Tensor  # m


def near_saddle(
    subjects: float = 10_007.0,
    temperature: float = COOL,
    density: float = 0.5,
    rate_1: float = 120.0,
    rate_2: float = 1000.0,
    seed: int = 0,
) -> NearSaddle:
    """Algorithm 1 with one large step on all prompts of a part of the affine family, from the paper's radius T³."""
    outcome = run(
        one_large_step(),
        subjects=subjects,
        temperature=temperature,
        density=density,
        rate_1=rate_1,
        rate_2=rate_2,
        radius=temperature**3,
        seed=seed,
        steps=3000,
    )
    after, end = outcome.report.measured_attention, outcome.histories[1].rows.attention[-1]
    saddle = torch.softmax(torch.tensor(SADDLE, dtype=torch.float64), 0)
    even = (after - 1 / 6).norm()
    return NearSaddle(
        nearer=float(even - (after - saddle).norm()),
        even=float(even),
        within=float(torch.minimum((end[0] - end[1]).abs(), (end[2] - end[3]).abs())),
        between=float((end[0] + end[1] - end[2] - end[3]).abs() / 2),
        worst=float(outcome.report.worst),
        mismatched_part=outcome.report.mismatched_part,
    )
