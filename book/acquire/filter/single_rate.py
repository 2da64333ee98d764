"""A control for the schedule of Section 4: pre-training with one learning rate in all stages."""

from __future__ import annotations

from typing import NamedTuple

import torch

from lib.acquire.course import SCALE, STAGE_1, pace
from lib.acquire.task import entropy, facts
from lib.acquire.tokens import Pace, Sizes, pretraining, start

SUBJECTS, PHRASES, MULTIPLICITY, NEURONS = 12, 6, 2, 12
"""N, R, K and m."""
FIRST, LATER = 2.2, 4.0
"""The rate of stage I over the predicted one, and that of stages II and III over N, as the page's figure has them."""
STEPS = 60
"""Steps of stages II and III."""
RATES = 7
"""How many single rates are tried, from a quarter of the schedule's first to twice its last."""


class OneRate(NamedTuple):
    """A pre-training run."""

    rate: float  # η̃ after stage I
    context: float  # greatest attention on o, after stage I's two steps
    excess: float  # loss above its entropy, at the end
    silent: float  # share of the sentences whose answer has no active neuron left


class Schedules(NamedTuple):
    """The schedule beside the best single rate, in as many steps."""

    scheduled: float  # loss above its entropy at the end
    single: float  # the least of the single rates
    rate: float  # η̃ with which that is
    context: float  # greatest attention on o after stage I, with the schedule
    allowed: float  # 1/d
    apart: float  # the schedule's last rate over its first


def trained(rates: Pace, dimension: float, kappa: float, seed: int) -> OneRate:
    """Pre-train with these numbers of steps and rates."""
    sizes = Sizes(SUBJECTS, PHRASES, NEURONS)
    known = facts(SUBJECTS, PHRASES, MULTIPLICITY, 0.5, seed)
    begun = start(sizes, dimension, SCALE, torch.Generator().manual_seed(seed))
    passes = [last for _, last in pretraining(begun, known, sizes, dimension, kappa, rates)]
    after = passes[STAGE_1]
    return OneRate(
        rate=rates[-1][1],
        context=max(float(after.attention_subject[:, 0].max()), float(after.attention_phrase[:, 0].max())),
        excess=float(passes[-1].loss - entropy(known)),
        silent=float(passes[-1].dead.double().mean()),
    )


def rates_of(dimension: float, kappa: float) -> tuple[float, float]:
    """The schedule's first and last rate η̃."""
    (_, first), (_, last) = pace(Sizes(SUBJECTS, PHRASES, NEURONS), dimension, kappa, FIRST, STEPS, LATER)
    return first, last


def scheduled(dimension: float = 1000.0, kappa: float = 0.004, seed: int = 0) -> OneRate:
    """Pre-train by the schedule."""
    first, last = rates_of(dimension, kappa)
    return trained(((STAGE_1, first), (STEPS, last)), dimension, kappa, seed)


def single_rate(place: float, dimension: float = 1000.0, kappa: float = 0.004, seed: int = 0) -> OneRate:
    """Pre-train with one rate: from a quarter of the schedule's first at ``place`` 0 to twice its last at 1."""
    first, last = rates_of(dimension, kappa)
    rate = (first / 4) ** (1 - place) * (2 * last) ** place
    return trained(((STAGE_1 + STEPS, rate),), dimension, kappa, seed)


def schedules(
    dimension: float = 1000.0, kappa: float = 0.004, seed: int = 0, *, stages: bool = True
) -> Schedules:
    """The schedule beside the best single rate; without ``stages`` its last rate, from the start, in its place."""
    single = [single_rate(place / (RATES - 1), dimension, kappa, seed) for place in range(RATES)]
    best = min(single, key=lambda run: run.excess)
    first, last = rates_of(dimension, kappa)
    without = ((STAGE_1 + STEPS, last),)
    ours = scheduled(dimension, kappa, seed) if stages else trained(without, dimension, kappa, seed)
    return Schedules(ours.excess, best.excess, best.rate, ours.context, 1 / dimension, last / first)
