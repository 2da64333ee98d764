"""Why rare facts' gradients are multiplied by K in the paper's experiments (Appendices J.1 and J.2)."""

from __future__ import annotations

from typing import NamedTuple

import torch

from book.acquire.experiments.sweeps import FIRST, KAPPA, NEURONS, RATE, SCALE
from lib.acquire import course, task
from lib.acquire.tokens import Sizes, acquire, moved, start
from lib.domain import Domain

SEVERAL = Domain("multiplicity", low=2, integer=True)
STEPS = 20
"""Steps after stage I: frequent facts are learned by then, and no fact is learned to the end."""


class Reweighting(NamedTuple):
    """How well frequent and rare facts are learned half-way through pre-training."""

    frequent: float  # mean probability of the answer after a sentence that states a frequent fact
    rare: float  # after one that states a rare fact
    gradient: float  # share of rare facts in the loss: their part of the gradient


def reweighting(
    subjects: int = 48,
    phrases: int = 8,
    multiplicity: int = 4,
    reweighted: bool = True,
    steps: int = STEPS,
    seed: int = 0,
) -> Reweighting:
    """Pre-train half frequent facts, in K phrasings, and half rare ones, in one phrasing.

    Args:
        reweighted: whether rare facts' gradients count K times, as in the paper; without it each sentence counts alike.

    Raises:
        ValueError: frequent facts have one phrasing, too.
    """
    SEVERAL.check(multiplicity)
    sizes = Sizes(subjects, phrases, NEURONS)
    dimension = float(sizes.outputs)
    known = task.facts(subjects, phrases, multiplicity, 0.5, seed)
    state = start(sizes, dimension, SCALE, torch.Generator().manual_seed(seed))
    data, share = task.sentences(known, reweighted), task.fact_weight(known, float(reweighted))
    for count, rate in course.pace(sizes, dimension, KAPPA, FIRST, steps, RATE):
        for _ in range(count):
            state = moved(state, acquire(state, known, data, sizes, dimension, share).down, rate, KAPPA)
    chances = acquire(state, known, data, sizes, dimension, share).answer_chance
    rare = (known.multiplicity == 1)[data.subject]
    return Reweighting(
        frequent=float(chances[~rare].mean()),
        rare=float(chances[rare].mean()),
        gradient=float(data.weight[rare].sum()),
    )
