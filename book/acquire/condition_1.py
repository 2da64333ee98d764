"""Condition 1 as read here, and what pre-training leaves of the excess loss where it is met and where it is not."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from book.acquire.conditions import CONDITIONS, FAILURE, condition_numbers_of
from book.acquire.pretraining import SLACK, Run, pretrained
from lib.acquire import course
from lib.acquire.tokens import Sizes

USUAL = {domain.name: domain.default for domain in course.DOMAINS if domain.default is not None}
LIVE: dict[str, Any] = {
    "subjects": course.SUBJECTS,
    "phrases": USUAL["phrases"],
    "multiplicity": USUAL["multiplicity"],
    "neurons": course.NEURONS,
    "unused": course.SIZES.outputs - Sizes(course.SUBJECTS, int(USUAL["phrases"]), course.NEURONS).outputs,
    "kappa": USUAL["kappa"],
    "stretch": USUAL["dimension"] / course.SIZES.outputs,
    "first": USUAL["rate_1"] / SLACK,
    "pace": USUAL["rate_2"],
    "steps_2": USUAL["steps_2"],
    "steps_3": USUAL["steps_3"],
}
"""The sizes with which the live pages open, as arguments of ``pretrained``."""


class Items(NamedTuple):
    """The numbers that Condition 1 compares."""

    filter_strength: float  # these four: see book.acquire.conditions.ConditionNumbers
    dimension_room: float
    attention_speed: float
    first_rate: float
    dimension: float  # d
    scale: float  # σ₀
    neurons: int  # m
    neurons_needed: float  # log((N + R)/δ)
    subjects: int  # N
    subjects_needed: float  # log(1/δ)


def items(run: Run, scale: float = 1e-3) -> Items:
    """The numbers that Condition 1 compares, all constants 1 where none is ours."""
    n, r = run.sizes.subjects, run.sizes.phrases
    return Items(
        **condition_numbers_of(run),
        dimension=run.dimension,
        scale=scale,
        neurons=run.sizes.neurons,
        neurons_needed=math.log((n + r) / FAILURE),
        subjects=n,
        subjects_needed=math.log(1 / FAILURE),
    )


class Condition1(NamedTuple):
    """A run's items, what it leaves of the excess loss, and both at the live pages' sizes."""

    filter_strength: float  # as in Items
    dimension_room: float
    attention_speed: float
    first_rate: float
    dimension: float
    scale: float
    neurons: int
    neurons_needed: float
    subjects: int
    subjects_needed: float
    left: float  # share of the excess loss left at the end
    context: float  # greatest dα_o after stage I
    live: Items
    left_live: float


def condition_1(scale: float = 1e-3, **configuration: float) -> Condition1:
    """Condition 1's items, what pre-training leaves of the excess loss, and both at the live pages' sizes."""
    run, live = pretrained(scale=scale, **configuration), pretrained(**LIVE)
    return Condition1(
        **items(run, scale)._asdict(),
        left=excess_left(run),
        context=run.dimension * run.at(run.ends[0]).on_context,
        live=items(live),
        left_live=excess_left(live),
    )


def excess_left(run: Run) -> float:
    """The share of the excess loss that pre-training leaves."""
    return run.moments[-1].excess / run.moments[0].excess


CONDITION_1 = {
    **CONDITIONS,
    "small_start": ("scale of the start at most 1/√d", lambda r, p: r.scale <= 1 / math.sqrt(r.dimension)),
    "wide": ("m at least log((N + R)/δ)", lambda r, p: r.neurons >= r.neurons_needed),
    "many": ("N at least log(1/δ)", lambda r, p: r.subjects >= r.subjects_needed),
}
"""Condition 1 as read here, of :class:`Items`."""
