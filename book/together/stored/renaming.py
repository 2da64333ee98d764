"""A learned memory, averaged over all renamings of its tokens, beside the constructed one in Recall's own program."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.together.stored.program import Learner, stored_then_looked_up
from lib.program import parameters, run
from lib.recall.algorithm import perturbation, two_stage_descent
from lib.recall.reduction import affine_reduced
from lib.together import lookup, memory
from lib.together.memory import SUBJECTS


class Renamed(NamedTuple):
    """How far two runs of Algorithm 1 are from each other."""

    apart: float  # largest difference of attention at any step of either stage
    asymmetry: (
        float  # of the memory that was looked up in: largest difference from its average over renamings
    )
    gap: float  # μ − ν, what a subject's correlation with its own answer exceeds that with another by


def learned(**settings: float) -> Learner:
    """The state at the end of the memory's training.

    Raises:
        ValueError: a setting is unknown or outside its domain.
    """
    program = stored_then_looked_up()
    chosen = parameters(program, settings)
    first = program.stages[0]
    state = first.enter(program.start(chosen), chosen)
    for _ in range(int(chosen.memory_steps)):
        state, _ = first.step(state, chosen)
    return first.enter(state, chosen)


def renamed(
    averaged: int = 1,
    temperature: float = 0.05,
    perturbation_radius: float = 1e-2,
    missing: float = 0.0,
    multiplicity: int = 4,
    memory_steps: int = 150,
    steps: int = 60,
    seed: int = 0,
) -> Renamed:
    """Algorithm 1 over a learned memory, or its average over renamings, and by Recall's reduction over the constructed.

    The temperature of the first is μ − ν times that of the second.

    Args:
        averaged: 1 for the average over renamings, 0 for the memory as it was learned.
    """
    state = learned(seed=seed, multiplicity=multiplicity, missing=missing, memory_steps=memory_steps)
    as_learned = memory.forms(state.features)
    mean = lookup.symmetrised(as_learned)
    forms = mean if averaged else as_learned
    gap = _gap(mean)
    t, radius, seed_number = (
        torch.tensor(float(x), dtype=torch.float64) for x in (temperature, perturbation_radius, seed)
    )
    xi = perturbation(seed_number, radius)[: lookup.PROMPTS.shape[1]]
    ours = _algorithm_1(lookup.correlations(forms), t * gap, t, xi, steps)
    program = two_stage_descent(affine_reduced(SUBJECTS))
    theirs = run(
        program,
        temperature=temperature,
        perturbation_radius=perturbation_radius,
        seed=seed,
        steps=steps,
        to_limit=0,
    )
    pairs = zip(ours, theirs.histories, strict=True)
    apart = max(float((one - other.rows.attention).abs().max()) for one, other in pairs)
    return Renamed(apart, float((forms - mean).abs().max()), float(gap))


def _gap(mean: Tensor) -> Tensor:
    """μ − ν of a memory's average over renamings."""
    own = lookup.constructed()[0, :SUBJECTS, SUBJECTS : 2 * SUBJECTS]
    between = mean[0, :SUBJECTS, SUBJECTS : 2 * SUBJECTS]
    return (own * between).sum() / own.sum() - ((1 - own) * between).sum() / (1 - own).sum()


def _algorithm_1(
    table: Tensor, temperature: Tensor, t: Tensor, xi: Tensor, steps: int, rate: float = 100.0
) -> list[Tensor]:
    """Attention at every step of both stages, each (steps + 1, 6), with η = ct²."""
    phrases = torch.tensor(float(memory.WORDINGS), dtype=torch.float64)
    theta, stages = torch.zeros_like(xi), []
    for push in (torch.zeros_like(xi), xi):
        theta, course = theta + push, []
        for step in range(steps + 1):
            course.append(torch.softmax(theta, 0))
            if step < steps:
                believed = lookup.believe(theta, table, temperature, phrases)
                gradient = lookup.loss_gradient(theta, table, temperature, believed)
                theta = theta - rate * t**2 * lookup.balanced(theta, gradient)
        stages.append(torch.stack(course))
    return stages
