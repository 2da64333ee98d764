"""Both stages of Algorithm 1 in the transformer as printed, beside the exact reduction."""

from __future__ import annotations

from typing import NamedTuple

import torch

from book.recall.common import scalar
from book.recall.saddle.program import SUBJECTS, warm_up
from lib.program import defaults, run
from lib.recall import model
from lib.recall.algorithm import perturbation
from lib.recall.landscape import imbalance
from lib.recall.task import affine_family, all_prompts

DEFAULTS = defaults(warm_up())


class BothStages(NamedTuple):
    """Attention after both stages."""

    apart: float  # largest difference between full model and reduction
    tilt_1: float  # |v₁ + v₂ − v₃ − v₄| after stage 1
    tilt_2: float  # the same after stage 2


def both_stages(perturbation_radius: float, steps: int, seed: float = DEFAULTS["seed"]) -> BothStages:
    """Train by both stages through the transformer as printed, MLP and all, and by the exact reduction.

    Stage 1 is short: rounding grows by a constant factor a step once it may break the tie of the two examples.
    """
    t, known = DEFAULTS["temperature"], affine_family(SUBJECTS)
    transformer, prompts = model.build(known), all_prompts(known)
    xi = perturbation(scalar(float(seed)), scalar(perturbation_radius))
    rates = [DEFAULTS[name] * t**2 for name in ("rate_1", "rate_2")]
    first = model.fine_tune(transformer, known, prompts, t, rates[0], steps)
    theta, omega = first.parameters
    last = model.fine_tune(
        transformer, known, prompts, t, rates[1], steps, start=(theta + xi[:6], omega + xi[6:])
    )
    reduced = run(warm_up(), perturbation_radius=perturbation_radius, seed=seed, steps=steps, to_limit=0)
    full = [torch.softmax(result.parameters[0], 0) for result in (first, last)]
    ours = [reduced.histories[0].rows.attention[-1], reduced.report.attention]
    return BothStages(
        apart=max(float((one - other).abs().max()) for one, other in zip(full, ours, strict=True)),
        tilt_1=float(imbalance(full[0]).abs()),
        tilt_2=float(imbalance(full[1]).abs()),
    )
