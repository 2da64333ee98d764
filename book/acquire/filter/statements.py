"""Pre-training's stages: Lemmas 11–16, Propositions 1 and 2, and how long attention stays balanced."""

from __future__ import annotations

import math
from typing import Any

import torch

from book.acquire.conditions import CONDITIONS, FAILURE
from book.acquire.filter import measurements
from book.acquire.filter.measurements import LEVEL, Balance, Descent, Rise, StageNumbers
from book.acquire.filter.program import SHARE, Filtered, filtering
from book.acquire.filter.single_rate import Schedules, schedules
from book.acquire.pretraining import AROUND, GOOD
from book.ledger import Bounds, Ground, above, at_least, at_most, between, recorded, statement
from lib.acquire.course import LOST, NEAR

NARROW: dict[str, Any] = {**GOOD, "neurons": 32}
FLOOR = 0.1
"""What Θ(1) is read as: at least this."""
REST = 1e-3
"""The loss has come to rest once a step takes less than this share off what it is above the entropy."""
SLOW = 0.01
"""The greatest κN/R at which attention counts as slow."""
LIVE = {
    "phrases": (6, 10),
    "multiplicity": (1, 6),
    "rate_1": (2.0, 4.0),
    "rate_2": [1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 4.0, 8.0, 20.0],
    "rate_3": [1.0, 2.0, 2.0, 4.0, 4.0, 4.0, 8.0],
    "kappa": (0.0003, 0.002),
    "dimension": (500.0, 100_000.0),
    "steps_2": (5, 40),
    "steps_3": (10, 100),
    "seed": (0, 99),
}
"""Ranges of the page's figure."""
SMALL_STEPS = (
    "learning rates of stages II and III small enough: the loss never rises",
    lambda r, p: r.rise < 1e-9,
)


def near_optimal(r: Filtered, p: Any) -> torch.Tensor:
    """The loss is near its entropy."""
    return r.excess <= NEAR


def stopped(r: Filtered, p: Any) -> torch.Tensor:
    """Whether so many answers have no active neuron left that training ended."""
    return r.dead > LOST


def at_rest(r: Filtered, p: Any) -> torch.Tensor:
    """The loss is near its entropy, or falls no further."""
    resting = (r.change >= -REST * r.excess) & (p.steps_3 > 0)
    return near_optimal(r, p) | resting | stopped(r, p)


LEVEL_REACHED = (
    "steps enough: the level is reached, or as many are made as the lemma allows",
    lambda r, p: r.excess <= p.level or r.length_3 >= r.order,
)


@statement(
    "acquire.lemma-11",
    measures=measurements.stage_numbers,
    assumes=CONDITIONS,
    holds_at=GOOD,
    fails_at={"subjects": 12, "phrases": 2, "multiplicity": 2},
    seeds=3,
    ranges=AROUND,
    ground=Ground.RECONSTRUCTED,
    loose=("d α_o, greatest",),
)
def lemma_11(r: StageNumbers) -> Bounds:
    """After stage I: d is said, answers and phrases are not yet, s and r are alike, o is filtered out."""
    return Bounds(
        at_least(1.0, r.first.loudness, "f_d([o]) over log d"),
        at_least(FLOOR, r.first.unsure, "1 − p(a), least"),
        at_least(FLOOR, r.first.open, "1 − K p(r), least"),
        at_least(0.8, r.ratio_1[0], "α_s/α_r, least"),
        at_most(1.2, r.ratio_1[2], "α_s/α_r, greatest"),
        at_most(0.5, r.first.context, "d α_o, greatest"),
        recorded(r.drop, "drop of the mean log α_s/α_r"),
        recorded(r.drop_predicted, "the same, predicted"),
    )


@statement(
    "acquire.lemma-12",
    measures=measurements.feature_rise,
    assumes={"never": ("the output never follows a prompt with the token", lambda r, p: not p.follows)},
    holds_at={**GOOD, "follows": False},
    fails_at={**GOOD, "follows": True},
    ranges={**AROUND, "neurons": (8, 128), "first": (0.6, 2.5), "pace": (0.1, 8.0), "kappa": (0.0001, 1.0)},
    ground=Ground.RECONSTRUCTED,
)
def lemma_12(r: Rise) -> Bounds:
    """Over the whole run no such feature rises."""
    return Bounds(at_most(0.0, r.rise, "greatest rise of a feature"))


@statement(
    "acquire.lemma-13",
    measures=measurements.stage_numbers,
    assumes={**CONDITIONS, "short": ("stage II moves at most 6 N in all", lambda r, p: r.length_2 <= 6)},
    holds_at={**GOOD, "steps_2": 6},
    fails_at={**NARROW, "steps_2": 60},
    seeds=3,
    ranges={**AROUND, "steps_2": (1, 8)},
    ground=Ground.RECONSTRUCTED,
    loose=("d α_o, greatest",),
)
def lemma_13(r: StageNumbers) -> Bounds:
    """From the end of stage I to that of stage II."""
    return Bounds(
        at_least(FLOOR, r.second.unsure, "1 − p(a), least"),
        at_least(FLOOR, r.second.open, "1 − K p(r), least"),
        at_least(0.7, r.second.ratio_low, "α_s/α_r, least"),
        at_most(1.6, r.second.ratio_high, "α_s/α_r, greatest"),
        at_most(2 / 3, r.second.context, "d α_o, greatest"),
        at_least(1.0, r.second.loudness, "f_d([o]) over log d, least"),
    )


@statement(
    "acquire.lemma-14",
    measures=measurements.stage_numbers,
    assumes=CONDITIONS,
    holds_at=GOOD,
    fails_at={
        "subjects": 12,
        "phrases": 2,
        "multiplicity": 2,
        "neurons": 16,
        "stretch": 20,
        "kappa": 0.1,
    },
    ranges=AROUND,
    ground=Ground.RECONSTRUCTED,
    loose=("d α_o, greatest",),
)
def lemma_14(r: StageNumbers) -> Bounds:
    """Over stage III."""
    return Bounds(
        at_least(SHARE, r.third.share, "attention on the subject or the phrase, least"),
        at_most(1.0, r.third.context, "d α_o, greatest"),
    )


@statement(
    "acquire.lemma-15",
    measures=measurements.stage_numbers,
    assumes={
        **CONDITIONS,
        "large_vocabulary": (
            "V at least 17/2 N, and 17/(3W) for the weight W of the phrase used least",
            lambda r, p: r.outputs >= r.outputs_needed,
        ),
        "wide": (
            "m so large that Lemma 10 holds with probability 0.9",
            lambda r, p: r.inactive_chance <= FAILURE,
        ),
    },
    holds_at=GOOD,
    fails_at={**GOOD, "unused": 0},
    chance=FAILURE,
    ranges={**AROUND, "subjects": [4, 8], "phrases": (4, 6), "neurons": (200, 300), "unused": (100, 250)},
    ground=Ground.SHARPENED,
)
def lemma_15(r: StageNumbers) -> Bounds:
    """The least share of the right outputs' neurons that are active, over all steps."""
    return Bounds(
        at_least(0.4, r.active, "share of active neurons, least over all steps"),
        recorded(r.active_0, "at the start"),
        recorded(r.active_1, "after one step"),
        recorded(r.active_later, "from the end of stage I on"),
    )


@statement(
    "acquire.lemma-16",
    measures=measurements.descent,
    assumes=CONDITIONS,
    settled={"settled": LEVEL_REACHED},
    holds_at={**GOOD, "level": 0.1},
    fails_at={**GOOD, "neurons": 8, "steps_3": 300, "level": 0.1, "first": 0.1},
    ranges={**AROUND, "level": (0.06, 1.0)},
    ground=Ground.RECONSTRUCTED,
    loose=("η₃(T_p − T₂)",),
)
def lemma_16(r: Descent, p: Any) -> Bounds:
    """The excess falls to the level, and within m d²σ₀² + m + (N² + R²)/λ² in units of 1/η₃."""
    return Bounds(
        at_most(p.level, r.excess, "excess loss at the end"),
        at_most(r.order, r.taken * r.rate_3, "η₃(T_p − T₂)"),
        recorded(r.taken, "T_p − T₂"),
        recorded(r.room_left, "order over η₃(T_p − T₂)"),
        recorded(r.room_fewer, "the same with a quarter of the neurons"),
        recorded(r.growth, "steps at twice N, R and η̃₃, over steps"),
    )


@statement(
    "acquire.stage-3",
    measures=measurements.descent,
    assumes=CONDITIONS,
    settled={"settled": LEVEL_REACHED},
    holds_at={**GOOD, "level": 0.1},
    fails_at={**GOOD, "neurons": 8, "steps_3": 300, "level": 0.1, "first": 0.1},
    ranges={**AROUND, "level": (0.06, 0.25)},
    ground=Ground.OURS,
)
def stage_3(r: Descent) -> Bounds:
    """Stages II and III take KNm/(λ²ε) over their rate, from both sides."""
    return Bounds(between(1.0, r.scaled, 10.0, "η(T_p − T₁) over KNm/λ²ε"))


@statement(
    "acquire.proposition-1",
    runs=filtering,
    assumes={**CONDITIONS, "small_steps": SMALL_STEPS},
    good=lambda r: at_most(NEAR, r.excess, "loss above its entropy at the end"),
    holds_at={},
    fails_at={"rate_1": 0.7},
    seeds=5,
    ranges=LIVE,
    ground=Ground.RECONSTRUCTED,
)
def proposition_1(r: Filtered) -> Bounds:
    """From the end of stage I until the loss is near-optimal o is filtered out, and s and r are comparable."""
    return Bounds(
        at_most(r.allowed, r.most_context, "attention on the context, greatest"),
        at_least(SHARE, r.least_share, "attention on the subject or the phrase, least"),
    )


@statement(
    "acquire.proposition-2",
    runs=filtering,
    assumes={
        **CONDITIONS,
        "small_steps": SMALL_STEPS,
        "loud": (
            "the share φ of d's neurons that are active is at least 6/7 of the weight of the phrase used most",
            lambda r, p: r.follower_active >= r.follower_active_needed,
        ),
        "alive": (
            "m large enough: every phrase and every answer keeps an active neuron (Lemma 15)",
            lambda r, p: r.dead + r.mute <= 0,
        ),
        "long": (
            "stage II moves at least 60 N, and 20 KN, in all",
            lambda r, p: p.rate_2 * p.steps_2 >= 20 * torch.clamp(p.multiplicity, min=3),
        ),
    },
    settled={"settled": ("steps enough: the loss is near-optimal, or has come to rest", at_rest)},
    good=lambda r: at_least(0.5, r.answer_3, "probability of the right answer at the end, least"),
    holds_at={},
    fails_at={"rate_3": 8.0},
    seeds=5,
    ranges={
        **LIVE,
        "rate_2": [4.0, 4.0, 8.0],
        "rate_3": [2.0, 4.0, 4.0, 8.0],
        "steps_2": (15, 40),
        "steps_3": (80, 200),
    },
    ground=Ground.RECONSTRUCTED,
)
def proposition_2(r: Filtered) -> Bounds:
    """What the MLP has learned by the ends of the three stages."""
    return Bounds(
        at_most(0.01, r.follower_1, "1: loss after [o], end of stage I"),
        at_least(2.0, r.phrase_2, "2: p(r) over chance, least, end of stage II"),
        at_least(2.0, r.answer_2, "2: p(a) over chance, least, end of stage II"),
        at_most(NEAR, r.excess, "3: loss above its entropy, end of stage III"),
    )


@statement(
    "acquire.schedule",
    measures=schedules,
    assumes={
        "stages": ("stage I has a rate of its own", lambda r, p: p.stages),
        "apart": ("the last rate is at least ten times the first (ours)", lambda r, p: r.apart >= 10),
    },
    holds_at={},
    fails_at={"stages": False},
    ranges={
        "dimension": (500.0, 20_000.0),
        "kappa": (0.0005, 0.004),
        "seed": (0, 999),
        "stages": [True, True, True, False],
    },
    ground=Ground.RECONSTRUCTED,
    loose=("attention on the context after stage I, greatest",),
)
def schedule(r: Schedules) -> Bounds:
    """The schedule filters o and comes near the entropy; the best single rate leaves at least twice the excess."""
    return Bounds(
        at_most(r.allowed, r.context, "attention on the context after stage I, greatest"),
        at_most(NEAR, r.scheduled, "excess loss with the schedule"),
        at_least(
            2.0, r.single / r.scheduled, "excess with the best single rate, over that with the schedule"
        ),
        recorded(r.rate, "the best single rate"),
        recorded(r.single, "excess loss with it"),
    )


@statement(
    "acquire.balance",
    measures=measurements.balance,
    assumes={"slow": (f"κN/R at most {SLOW}", lambda r, p: r.attention_speed <= SLOW)},
    settled={
        "near": (
            "steps enough: the excess loss comes to 0.05",
            lambda r, p: not math.isnan(r.drift + r.drift_quarter),
        )
    },
    constants=(SLOW, LEVEL),
    holds_at={"kappa": 0.0015},
    fails_at={"kappa": 0.016},
    ranges={"kappa": (0.0003, 0.003), "seed": (0, 99)},
    ground=Ground.OURS,
)
def balance(r: Balance) -> Bounds:
    """At excess loss 0.05 the bounds hold; the drift grows nearly like κ, and rises with N/R and as the loss falls."""
    return Bounds(
        at_least(0.7, r.ratio[0], "α_s/α_r, least"),
        at_most(1.6, r.ratio[2], "α_s/α_r, greatest"),
        between(0.7, r.exponent, 1.1, "exponent of the drift in κ, from a quarter of it"),
        above(r.drift_early, r.drift, "drift of log α_s/α_r, above that before the excess last halved"),
        above(r.drift_apart, r.drift, "the same, above that with four times as many phrases"),
        recorded(r.drift / r.attention_speed, "drift over κN/R"),
    )
