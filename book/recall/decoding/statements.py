"""The second decoding step and the two together: Claim 2, Lemma 2 and Theorem 1."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.ledger import Bounds, at_least, at_most, near, recorded, statement
from book.recall.common import scalar
from book.recall.decoding.answer_gradients import GradientError, gradient_error
from book.recall.decoding.both_steps import FinalAnswer, final_answer
from book.recall.decoding.masking import Unmasked, unmasked
from book.recall.decoding.order import ErrorOrder, error_order
from book.recall.decoding.program import DecodingReport, decode
from lib.recall.general import COLD, COOL, LARGE, UNITS, is_cold, is_large


def is_cold_enough(r: DecodingReport, p: Any) -> Tensor:
    """Whether T ≤ 1/(40 log n)."""
    return p.temperature <= COLD / torch.log(p.subjects)


def is_large_enough(r: DecodingReport, p: Any) -> Tensor:
    """Whether the proof's bound on the lead after the large step is as large as its other bounds need it."""
    return r.printed_gap >= r.needed_gap


def is_theorem_1_cold(r: FinalAnswer, p: Any) -> Tensor:
    """Whether T ≤ min(1/(40 log n), T₀)."""
    return is_cold(scalar(float(p.subjects)), scalar(p.temperature))


def is_theorem_1_large(r: FinalAnswer, p: Any) -> Tensor:
    """Whether η₁ lies between the two ends of its range; m is 2/3 on the whole affine family."""
    return is_large(scalar(2 / 3), scalar(p.rate_1), scalar(p.temperature))


MILLION = {"subjects": 1_000_003, "rate_1": 100.0, "rate_2": 200.0, "patience": 1.0}


@statement(
    "recall.masked-logits",
    measures=unmasked,
    assumes={"cold": ("T at most 1/(40 log n)", lambda r, p: p.warmth <= 1)},
    holds_at={},
    fails_at={"warmth": 64.0},
    ranges={"subjects": [3, 5, 7], "warmth": (0.5, 64.0)},
)
def masked_logits(r: Unmasked, p: Any) -> Bounds:
    """Without the mask tokens of the other kinds would have next to no probability."""
    return Bounds(
        # r* is ahead of the n answers by 1/6 and of the n subjects by more
        at_most(
            2 * p.subjects ** (1 - 40 / 6), r.untrained, "other tokens' probability, first step, untrained"
        ),
        recorded(r.first, "other tokens' probability, first step, trained"),
        recorded(r.second, "other tokens' probability, second step, trained"),
    )


@statement(
    "recall.claim-2",
    measures=gradient_error,
    assumes={"decoded": ("the decoded relation is r*", lambda r, p: p.wrong == 0)},
    holds_at={"subjects": 5, "temperature": 0.1, "wrong": 0},
    fails_at={"subjects": 5, "temperature": 0.1, "wrong": 1},
    ranges={"subjects": [3, 5, 7], "temperature": (0.003, 3.0), "wrong": [0, 0, 1]},
    algebra=True,
)
def claim_2(r: GradientError) -> Bounds:
    """The printed gradients are those of the full model at random attention."""
    return Bounds(near(0.0, r.error, "largest difference, over the largest gradient", absolute=1e-12))


@statement(
    "recall.lemma-2",
    runs=decode,
    assumes={
        "cold": ("T at most 1/(40 log n)", is_cold_enough),
        "large": (
            "c₁ so large that the proof's inequalities, with numbers, give the bound right after the step: "
            "1 − e^(−32η₁/147T) at least 7/2 (√T + T log 4) (the numbers are ours)",
            is_large_enough,
        ),
    },
    good=lambda r: at_most(0.01, r.error_end, "error 1 − p₂(a₃) at the end"),
    holds_at={},
    fails_at={"rate_1": 1.0},
    ranges={
        "subjects": (3.0, 1e6),
        "temperature": (1e-4, 0.05),
        "rate_1": (0.5, 1000.0),
        "rate_2": (1.0, 1000.0),
        "seed": (0, 999),
    },
)
def lemma_2(r: DecodingReport) -> Bounds:
    """The error is below e^(−1/√T) from the large step on, and ever further below it as T falls."""
    return Bounds(
        at_most(r.error_bound, r.error_worst, "largest error 1 − p₂(a₃) from the large step on"),
        at_most(1e-9, r.shrink, "largest fall of the lead ω₅ − max ωᵢ in a small step"),
        at_most(r.ratios[0], r.ratios[1], "error over bound after one step, at T/3 against T"),
        at_most(r.ratios[1], r.ratios[2], "the same, at T/10 against T/3"),
    )


@statement(
    "recall.lemma-2-order",
    measures=error_order,
    assumes={
        "cold": ("T at most 1/(40 log n)", lambda r, p: p.cold <= COLD),
        "order": ("η₁ = c₁T^(3/2) log(1/T), whatever c₁ is", lambda r, p: p.rate_power == 1.5),
    },
    holds_at={},
    fails_at={"rate_power": 2.0},
    constants=(COOL,),
    ranges={"rate_1": (0.3, 300.0), "rate_power": [1.5, 1.5, 1.5, 2.0], "cold": (0.003, 0.1)},
)
def lemma_2_order(r: ErrorOrder) -> Bounds:
    """−log of the error grows faster than 1/√T."""
    return Bounds(
        at_least(0.5, r.fit.low, "exponent of 1/T in −log of the error, lower end of its interval"),
        recorded(r.fit.exponent, "exponent of 1/T in −log of the error"),
        recorded(r.slowly.exponent, "the same, over log(1/T)"),
    )


@statement(
    "recall.theorem-1",
    measures=final_answer,
    assumes={
        "cold": (f"T at most 1/(40 log n), and at most T₀ = {COOL:g} (T₀ is ours)", is_theorem_1_cold),
        "large": (
            f"η₁ of the right size: c₁m log(1/T) at least {LARGE[0]:g}, u = η₁m/(36T) at most {LARGE[1]:g} "
            "(both ours)",
            is_theorem_1_large,
        ),
        "patient": (
            f"steps enough: C₂ = t₂T/log(1/T) at least {UNITS}/c₂ ({UNITS} is ours)",
            lambda r, p: p.rate_2 * p.patience >= UNITS,
        ),
    },
    holds_at={**MILLION, "temperature": 0.0018},
    fails_at={**MILLION, "temperature": 0.02},
    ranges={
        "subjects": [3, 5, 7, 11, 31, 101, 1009, 10_007, 1_000_003],
        "temperature": (0.0004, 0.0022),
        "rate_1": (70.0, 300.0),
        "rate_2": (1000.0, 2000.0),
        "patience": (0.12, 0.25),
        "seed": (0, 999),
    },
)
def theorem_1(r: FinalAnswer) -> Bounds:
    """Both decoding steps together give the final answer probability 0.99."""
    return Bounds(
        at_least(0.99, r.both, "probability of the final answer"),
        recorded(r.relation, "probability of r*"),
        recorded(r.error, "error of the second step"),
    )
