"""Any number of subjects (Appendix C): Lemma 9, one large step; Lemmas 10 and 11, the small ones; eqs 19 to 31."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, at_most, below, between, near, recorded, statement
from book.ledger.rates import grows_at_most_as
from book.recall.common import NO_COLDER, scalar
from book.recall.drawn_samples import DrawnSamples, drawn_samples
from book.recall.general.near_saddle import NearSaddle, near_saddle
from book.recall.general.program import OneLargeReport, one_large_step
from book.recall.general.start import AtTheStart, at_the_start
from book.recall.slow_steps import (
    MoreSteps,
    NumberOfSteps,
    SlowSteps,
    more_steps,
    number_of_steps,
    slow_steps,
)
from lib.recall.general import COLD, COOL, LARGE, SAFE, UNITS, is_cold, is_large, large_rate
from lib.recall.task import FAMILIES


def is_cold_enough(r: OneLargeReport, p: Any) -> Tensor:
    """Whether T ≤ min(1/(40 log n), T₀)."""
    return is_cold(p.subjects, p.temperature)


def is_large_enough(r: OneLargeReport, p: Any) -> Tensor:
    """Whether η₁ lies between the two ends of its range."""
    return is_large(r.mismatched_part, p.rate_1, p.temperature)


def has_confusing(r: OneLargeReport, p: Any) -> Tensor:
    """Whether the data hold a confusing prompt."""
    return r.confusing_share > 0


def is_tied(r: OneLargeReport, p: Any) -> Tensor:
    """Whether the two examples have the same scores to the last."""
    return r.example_gap == 0


def freed_or_late(r: OneLargeReport, p: Any) -> Tensor:
    """Whether Lemma 10 can be judged: its event has come, its steps are over, or there is nothing to wait for."""
    return (r.freed_after < math.inf) | (p.steps >= r.freed_by) | ~has_confusing(r, p)


def safe_or_late(r: OneLargeReport, p: Any) -> Tensor:
    """Whether Lemma 11 can be judged: its event has come, its steps are over, or there is nothing to wait for."""
    nothing_to_wait_for = ~has_confusing(r, p) | is_tied(r, p)
    return (r.safe_after < math.inf) | (p.steps >= r.safe_by) | nothing_to_wait_for


COLD_WORDS = f"T at most 1/(40 log n), and at most T₀ = {COOL:g} (T₀ is ours)"
LARGE_WORDS = (
    f"η₁ of the right size: c₁m log(1/T) at least {LARGE[0]:g}, u = η₁m/(36T) at most {LARGE[1]:g} "
    "(both ours)"
)
LARGE_STEP = {
    "cold": (COLD_WORDS, is_cold_enough),
    "large": (LARGE_WORDS, is_large_enough),
    "enough": (
        "all prompts, or at least T⁻³ log²(1/T) of them",
        lambda r, p: (p.all_prompts > 0.5) | (p.prompts >= r.wanted),
    ),
}
SMALL_STEPS = {
    "has_confusing": ("the data hold a confusing prompt", has_confusing),
    "perturbed": (
        "a perturbation of radius T³ is drawn, or of a larger one (larger is ours)",
        lambda r, p: p.radius >= p.temperature**3,
    ),
}
SIZES = {
    "subjects": list(FAMILIES),
    "temperature": [(0.001, 0.002)] * 5 + [(0.001, 0.2)],
    "density": (0.3, 1.0),
    "rate_1": [(90.0, 250.0)] * 5 + [(1.0, 400.0)],
}
RUNS = SIZES | {
    "density": (0.5, 1.0),
    "rate_2": [(600.0, 2000.0)] * 5 + [(10.0, 2000.0)],
    "radius": (1e-9, 1e-2),
    "seed": (0, 999),
    "all_prompts": [1, 1, 1, 1, 1, 0],
    "steps": [2000],
}


@statement(
    "recall.lemma-9",
    runs=one_large_step,
    assumes=LARGE_STEP,
    good=lambda r: at_least(0.9, r.confusing_after, "p(r*) on confusing prompts after the large step"),
    holds_at={"steps": 1},
    fails_at={"rate_1": 1.0, "steps": 1},
    ranges=SIZES | {"density": (0.05, 1.0), "all_prompts": [1, 1, 1, 0]},
    no_farther=NO_COLDER,
)
def lemma_9(r: OneLargeReport, p: Any) -> Bounds:
    """Attention as stated to second order, and p₁(r*) on both kinds of prompt; its symmetry is of drawn samples."""
    return Bounds(
        at_most(r.second_order, r.distance, "distance from the lemma's attention"),
        recorded(r.asymmetry, "|v₁ − v₃|"),
        recorded(r.answer_asymmetry, "|v₂ − v₄|"),
        between(1 / 3, r.share_of_mismatched, 4 / 5, "m/p_mis, α's constant times 216"),
        at_most(r.error_allowed, r.error_plain, "1 − p(r*) on the worst non-confusing prompt"),
        at_most(r.error_allowed, r.error_confusing, "|½ − p(r*)| on the worst confusing one"),
        at_most(
            r.ratios[0], r.ratios[1], "log of error over e^(−1/√T), as many subjects as T allows, at T/3"
        ),
        at_most(r.ratios[1], r.ratios[2], "the same at T/10"),
    )


def is_cold_enough_at_once(r: Any, p: Any) -> Tensor:
    """Whether it is cold enough, where temperature and number of subjects are plain numbers."""
    return is_cold(scalar(p.subjects), scalar(getattr(p, "temperature", COOL)))


def is_large_enough_at_once(r: Any, p: Any) -> Tensor:
    """Whether η₁ is of the right size from T₀ = 0.002 down, or at the one temperature."""
    return is_large(r.mismatched_part, scalar(p.rate_1), scalar(getattr(p, "temperature", COOL)))


@statement(
    "recall.lemma-9-samples",
    measures=drawn_samples,
    assumes={
        "cold": (COLD_WORDS, lambda r, p: p.cold <= COLD),
        "large": (LARGE_WORDS, is_large_enough_at_once),
        "enough": (
            "|D| grows faster than T⁻³ log²(1/T) log(1/δ), by T^(−1/5) or more (1/5 is ours)",
            lambda r, p: p.power >= 3.2,
        ),
    },
    holds_at={},
    fails_at={"power": 2.0},
    constants=(COOL,),
    ranges={
        "power": [(3.2, 4.2)] * 3 + [(2.0, 4.2)],
        "delta": (0.1, 0.9),
        "density": (0.2, 0.9),
        "rate_1": [(110.0, 200.0)] * 5 + [(1.0, 400.0)],
        "cold": (0.01, 0.05),
        "seed": (0, 999),
    },
)
def lemma_9_samples(r: DrawnSamples) -> Bounds:
    """Lemma 9 on drawn data sets: |v₁ − v₃| at the share 1 − δ/3 of them, all else at every one."""
    return Bounds(
        at_least(2.0, r.subject.low, "exponent of |v₁ − v₃| in T, lower end of its interval"),
        recorded(r.subject.exponent, "exponent of |v₁ − v₃| in T"),
        recorded(r.subject.first, "|v₁ − v₃| over that power of T, cold half"),
        recorded(r.subject.last, "the same, warm half"),
        at_most(0.0, r.answer.max(), "log of |v₂ − v₄| over e^(−1/40T), largest"),
        at_most(r.answer[0], r.answer[-1], "log of |v₂ − v₄| over e^(−1/40T), at T₀/10 against T₀"),
        at_most(1.0, r.distance.max(), "distance from the lemma's attention, over (η₁m/36T)²/4, largest"),
        at_most(0.0, r.plain.max(), "log of 1 − p(r*) over e^(−1/√T), worst non-confusing prompt, largest"),
        at_most(r.plain[0], r.plain[-1], "log of 1 − p(r*) over e^(−1/√T), at T₀/10 against T₀"),
        at_most(0.0, r.confusing.max(), "log of |½ − p(r*)| over e^(−1/√T), worst confusing prompt, largest"),
        at_most(r.confusing[0], r.confusing[-1], "log of |½ − p(r*)| over e^(−1/√T), at T₀/10 against T₀"),
        recorded(r.mismatched_part / r.mismatched_share, "m/p_mis of the family"),
        recorded(r.least_prompts, "prompts at T₀"),
        recorded(r.most_prompts, "prompts at T₀/10"),
    )


@statement(
    "recall.lemma-10",
    runs=one_large_step,
    ground=Ground.CORRECTED,
    assumes=LARGE_STEP | SMALL_STEPS,
    settled={
        "freed_or_late": (
            "18 log(1/T²)/(c₂p_conf T) small steps (18 is ours), of order log(1/T)/T",
            freed_or_late,
        )
    },
    good=lambda r: at_least(0.9, r.worst, "p(r*) on the worst prompt at the end"),
    holds_at={"radius": 8e-9, "steps": 560},
    fails_at={"radius": 0.0, "steps": 560},
    ranges=RUNS,
    no_farther=NO_COLDER,
)
def lemma_10(r: OneLargeReport) -> Bounds:
    """The loss on every confusing prompt falls below log 2 by (p_conf T)³ within a number of steps."""
    return Bounds(
        at_most(r.freed_by, r.freed_after, "small steps until the loss is below log 2 by (p_conf T)³"),
        recorded(math.log(2) + torch.log(r.worst), "drop below log 2 at the end"),
        recorded(r.rate, "rate of the lead, by the law"),
        recorded(r.measured_rate, "rate of the lead, by autograd"),
    )


@statement(
    "recall.lemma-11",
    runs=one_large_step,
    assumes=LARGE_STEP | SMALL_STEPS,
    settled={"safe_or_late": (f"{UNITS} T log(1/T)/(η₂p_conf) small steps ({UNITS} is ours)", safe_or_late)},
    good=lambda r: at_least(0.9, r.worst, "p(r*) on the worst prompt at the end"),
    holds_at={"radius": 8e-9},
    fails_at={"temperature": 0.02, "steps": 400},
    ranges=RUNS,
    no_farther=NO_COLDER,
)
def lemma_11(r: OneLargeReport) -> Bounds:
    """Within 200 units of steps every confusing prompt has p₁(r*) ≥ 0.999; the proof gives 40 000."""
    return Bounds(
        at_least(SAFE, r.worst, "least p(r*) on any prompt"),
        at_most(UNITS, UNITS * r.safe_after / r.safe_by, "steps, in the lemma's unit T log(1/T)/(η₂p_conf)"),
    )


@statement(
    "recall.slow-steps",
    measures=slow_steps,
    assumes={
        "slow": (
            "c₂ at most 32: η₂ at most 1/ℓ, by Proposition 1, whose 1/32 is that of three subjects (ours)",
            lambda r, p: p.rate_2 <= 32,
        ),
        "cold": (COLD_WORDS, is_cold_enough_at_once),
        "large": (LARGE_WORDS, is_large_enough_at_once),
        "enough": ("|D| of order T⁻³ log²(1/T) log(1/δ) or more", lambda r, p: p.power >= 3),
        "perturbed": ("ξ is drawn from a ball of radius T³ or more", lambda r, p: p.radius_power <= 3),
    },
    holds_at={},
    fails_at={"temperature": 0.02},
    constants=(SAFE, 0.99),
    ranges={
        "rate_2": (25.0, 40.0),
        "temperature": [(0.0015, 0.002)] * 5 + [(0.0015, 0.1)],
        "subjects": list(FAMILIES),
        "density": (0.4, 0.9),
        "rate_1": [(110.0, 200.0)] * 5 + [(1.0, 400.0)],
        "power": (3.0, 4.2),
        "radius_power": (2.0, 3.0),
        "delta": (0.1, 0.9),
        "draws": [8],
        "seed": (0, 999),
    },
)
def at_the_proofs_rate(r: SlowSteps, p: Any) -> Bounds:
    """At c₂ ≤ 32 a share 1 − δ/3 of the draws at least does what Lemmas 10 and 11, and 1 − δ what Theorem 1 says."""
    least = 1 - p.delta / 3
    return Bounds(
        at_least(least, r.freed, "share of draws freed within Lemma 10's steps"),
        at_least(least, r.safe, "share of draws with p(r*) ≥ 0.999 on every prompt within Lemma 11's steps"),
        at_least(1 - p.delta, r.right, "share of draws with the final answer at 0.99 on every prompt"),
        recorded(r.units, "most steps until 0.999, in units of T log(1/T)/(η₂p_conf)"),
    )


@statement(
    "recall.more-steps",
    measures=more_steps,
    assumes={
        "cold": (COLD_WORDS, is_cold_enough_at_once),
        "large": (LARGE_WORDS, is_large_enough_at_once),
        "enough": ("|D| of order T⁻³ log²(1/T) log(1/δ) or more", lambda r, p: p.power >= 3),
        "perturbed": (
            "ξ is drawn from a ball of radius T³, or of a larger one (larger is ours)",
            lambda r, p: p.radius_power <= 3,
        ),
    },
    holds_at={},
    fails_at={"temperature": 0.004, "times": 2.0},
    constants=(SAFE, 0.99),
    ranges={
        "rate_2": (600.0, 2000.0),
        "temperature": [(0.0015, 0.002)] * 5 + [(0.0015, 0.1)],
        "subjects": list(FAMILIES),
        "density": (0.5, 0.9),
        "rate_1": [(110.0, 200.0)] * 5 + [(1.0, 400.0)],
        "power": (3.0, 4.2),
        "radius_power": (2.0, 3.0),
        "times": (2.0, 20.0),
        "draws": [4],
        "seed": (0, 999),
    },
)
def many_more_steps(r: MoreSteps) -> Bounds:
    """What Lemma 11 and Theorem 1 say holds from Lemma 11's steps on, over twenty times as many."""
    return Bounds(
        at_least(SAFE, r.later, "least p(r*) on any prompt, from Lemma 11's steps to twenty times as many"),
        at_least(0.99, r.answer, "least probability of the final answer after all of them"),
        recorded(r.moved, "how far stage 2 moves attention, over α"),
        recorded(r.window, "all steps, over log^(3/2)(1/T)/T"),
    )


@statement(
    "recall.number-of-steps",
    measures=number_of_steps,
    assumes={
        "order": ("η₂ = c₂T²", lambda r, p: p.rate_power == 2),
        "cold": (COLD_WORDS, is_cold_enough_at_once),
        "large": (LARGE_WORDS, is_large_enough_at_once),
        "enough": ("|D| of order T⁻³ log²(1/T) log(1/δ) or more", lambda r, p: p.power >= 3),
        "perturbed": ("ξ is drawn from a ball of radius T³", lambda r, p: p.radius_power == 3),
    },
    holds_at={},
    fails_at={"rate_power": 2.5},
    constants=(SAFE, COOL),
    ranges={
        "subjects": list(FAMILIES),
        "density": (0.4, 0.9),
        "rate_1": [(110.0, 200.0)] * 5 + [(1.0, 400.0)],
        "power": (3.0, 4.2),
        "rate_power": [2.0, 2.0, 2.0, 2.5],
        "seed": (0, 999),
    },
)
def steps_as_temperature_falls(r: NumberOfSteps) -> Bounds:
    """Both numbers of steps grow like log(1/T)/T at most, and by log(1/δ) over the log of the growth in a step."""
    return Bounds(
        grows_at_most_as(1.0, r.freed, "exponent of 1/T, Lemma 10's steps over log(1/T)"),
        grows_at_most_as(1.0, r.safe, "exponent of 1/T, Lemma 11's steps over log(1/T)"),
        near(
            1.0, r.per_factor, "steps more for each factor e of 1/δ, over 1/log of the growth", absolute=0.25
        ),
        recorded(r.bare.exponent, "exponent of 1/T, Lemma 10's steps without the logarithm"),
        recorded(r.bare.low, "lower end of its interval"),
        recorded(r.safe.first, "constant of Lemma 11's steps, warm half"),
        recorded(r.safe.last, "constant of Lemma 11's steps, cold half"),
    )


NEAR = 0.7
"""Up to this η₁m/(36T) attention after the large step is nearer to even attention than to the saddle: to 0.73."""


def is_near(r: NearSaddle, p: Any) -> Tensor:
    """Whether the large step is small enough to leave attention nearer to even attention than to the saddle."""
    eta = large_rate(scalar(p.rate_1), scalar(p.temperature))
    return eta * r.mismatched_part / (36 * p.temperature) <= NEAR


@statement(
    "recall.near-saddle",
    measures=near_saddle,
    assumes={
        "cold": (COLD_WORDS, is_cold_enough_at_once),
        "large": (LARGE_WORDS, is_large_enough_at_once),
        "near": (
            f"u = η₁m/(36T) at most {NEAR:g} (ours): whatever c₁ is, this is so from some temperature down",
            is_near,
        ),
    },
    holds_at={},
    fails_at={"temperature": 0.004},
    constants=(SAFE, COOL),
    ranges={
        "subjects": list(FAMILIES),
        "temperature": [(0.001, 0.002)] * 5 + [(0.001, 0.02)],
        "density": (0.4, 1.0),
        "rate_1": (90.0, 180.0),
        "seed": (0, 999),
    },
    no_farther=NO_COLDER,
)
def at_a_low_temperature(r: NearSaddle) -> Bounds:
    """After the large step attention is nearer to even than to the saddle, and at 0.999 it is not exactly in pairs."""
    return Bounds(
        below(0.0, r.nearer, "distance to even attention less that to the saddle"),
        above(0.01, r.within, "difference within a pair at the end"),
        above(0.01, r.between, "difference between the pairs at the end"),
        at_least(SAFE, r.worst, "least p(r*) on any prompt at the end"),
        recorded(r.even, "distance to even attention"),
    )


@statement(
    "recall.equations-19-31",
    measures=at_the_start,
    ground=Ground.CORRECTED,
    assumes={"cold": ("T at most 1/(40 log n)", lambda r, p: p.temperature <= COLD / math.log(p.subjects))},
    holds_at={"subjects": 10_007.0, "temperature": 0.0025, "density": 0.5},
    fails_at={"subjects": 10_007.0, "temperature": 0.02, "density": 0.5},
    ranges={"subjects": list(FAMILIES), "temperature": (0.0005, 0.05), "density": (0.02, 1.0)},
)
def equations_19_31(r: AtTheStart) -> Bounds:
    """Eqs 19 to 21 at the start; eq. 31's growth after the large step is Lemma 11's."""
    return Bounds(
        at_least(r.low - r.small, r.least, "eq. 19, least derivative by v₅ less another"),
        below(r.high + r.small, r.largest, "eq. 19, largest"),
        below(r.small, r.still, "eq. 20, largest derivative by v₂, v₄, v₆"),
        below(r.small, r.balance, "eq. 21, sum of those by v₁, v₃, v₅"),
        recorded(r.part, "derivative by v₅ over m/(3T)"),
    )
