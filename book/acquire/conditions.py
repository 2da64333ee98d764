"""Hypotheses that pages share: what Condition 1 comes to for attention, in place of its lost formulas, and Theorem 2's.

Symbols: c is stage I's rate over the predicted one (:func:`lib.acquire.course.first_rate`), φ the share of d's neurons
that are active on [o], N W_i the weight of phrase i times N (Σ_j 1/K_j over the facts j that use it).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.acquire.pretraining import Run
from lib.acquire.course import first_rate
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

FAILURE = 0.1
"""δ, the probability with which Theorem 2 may fail."""
FILTERED = (
    "the context is filtered before fine-tuning, αₒ ≤ 2/(3d) (Proposition 1)",
    lambda r, p: r.context_attention <= 2 / 3,
)
"""The hypothesis that all statements on fine-tuning share; ``context_attention`` is dαₒ, the greatest of all runs."""


class ConditionNumbers(NamedTuple):
    """The numbers that the conditions compare, each 0-d."""

    filter_strength: Tensor  # φc², times 8NW/9 of the phrase used least if that is below 1
    dimension_room: Tensor  # d over the dimension asked for, 4φc² NW log(2d), W of the phrase used most
    attention_speed: Tensor  # κN/R
    first_rate: Tensor  # η̃₁/N


CONDITIONS = {
    "filters": (
        "stage I's rate c large enough for the share φ of d's neurons that are active: φc² at least ⅔",
        lambda r, p: r.filter_strength >= 2 / 3,
    ),
    "room": (
        "dimension d at least 4φc² NW log(2d), W the weight of the phrase used most",
        lambda r, p: r.dimension_room >= 1,
    ),
    "slow": ("κN/R at most 0.01", lambda r, p: r.attention_speed <= 0.01 * (1 + 1e-9)),
    "quiet": (
        "stage I's rate η̃₁ at most 4N: by 5N or so it learns phrases, before any other stage",
        lambda r, p: r.first_rate <= 4,
    ),
}
"""By name: the words, and the predicate on a report that has the fields of :class:`ConditionNumbers`."""


def condition_numbers(
    known: Facts,
    sizes: Sizes,
    active: Tensor,
    rate: Tensor,
    dimension: Tensor,
    kappa: Tensor,
    phrases: Tensor,
) -> ConditionNumbers:
    """The numbers of :data:`CONDITIONS`; traceable.

    Args:
        active: φ, 0-d.
        rate: c, 0-d.
        phrases: R, 0-d, of those that ``sizes`` has room for.
    """
    weight = (known.uses / known.multiplicity[:, None]).sum(0)  # N W_i, (R,)
    least = torch.where(weight > 0, weight, torch.full_like(weight, torch.inf)).amin()
    strength = active * rate**2
    return ConditionNumbers(
        filter_strength=strength * torch.clamp(least * 8 / 9, max=1),
        dimension_room=dimension / (4 * strength * weight.amax() * torch.log(2 * dimension)),
        attention_speed=kappa * known.rank.shape[0] / phrases,
        first_rate=rate * first_rate(sizes, dimension, kappa) / known.rank.shape[0],
    )


def condition_numbers_of(run: Run) -> dict[str, float]:
    """:func:`condition_numbers` of a run, by name."""
    unit = torch.ones((), dtype=torch.float64)
    numbers = condition_numbers(
        run.known,
        run.sizes,
        unit * run.moments[0].active[0],
        unit * run.first,
        unit * run.dimension,
        unit * run.kappa,
        unit * run.sizes.phrases,
    )
    return {name: float(value) for name, value in numbers._asdict().items()}
