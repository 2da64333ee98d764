"""How many prompts are enough: Theorem 3, and the law behind it."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, at_least, at_most, recorded, statement
from book.recall.common import NO_COLDER
from book.recall.samples.law import SampleLaw
from book.recall.samples.law import sample_law as measured_law
from book.recall.samples.least_samples import LeastSamples, least_samples
from book.recall.samples.program import MISSED, SETS, SIZES, Needed, study
from lib.recall.general import COOL, LARGE, SAFE, UNITS, is_cold, is_large
from lib.recall.task import FAMILIES

KEPT = 0.3
"""From this share ρ of the affine maps on the findings on few prompts hold: with fewer, confusing prompts are rare, and
the other prompts of the data move the two examples unevenly."""
MOST_DEVIATIONS = 4.0
"""Standard deviations that a drawn share may be from the law."""


def keeps_enough(r: Any, p: Any) -> Any:
    """Whether enough of the affine maps are relations."""
    return p.density >= KEPT


def is_identified(r: Needed, p: Any) -> Tensor:
    """Whether two examples fix the relation, as in the affine family."""
    return p.bijections < 0.5


def all_have_confusing(r: Needed, p: Any) -> Tensor:
    """Whether each of the four data sets of this size holds a confusing prompt."""
    return r.fewest_confusing > 0


def has_enough(r: Needed, p: Any) -> Tensor:
    """Whether one of the four data sets lacks a confusing prompt with a probability of δ = 1/20 at most."""
    return p.samples >= r.wanted * math.log(MISSED / SETS) / math.log(MISSED) - 1e-9


def safe_or_late(r: Needed, p: Any) -> Tensor:
    """Whether the theorem can be judged: its event has come, its steps are over, or there is nothing to wait for."""
    nothing_to_wait_for = ~all_have_confusing(r, p) | ~is_identified(r, p)
    return (r.now_worst >= SAFE) | (p.steps >= r.safe_by) | nothing_to_wait_for


@statement(
    "recall.theorem-3",
    runs=study,
    assumes={
        "cold": (
            f"T at most 1/(40 log n), and at most T₀ = {COOL:g} (T₀ is ours)",
            lambda r, p: is_cold(p.subjects, p.temperature),
        ),
        "identified": ("two examples fix the relation (Assumption 1)", is_identified),
        "enough": (
            "|D| large enough: all four data sets hold a confusing prompt but for a chance of δ = 1/20 "
            "(ours: the print asks for far more prompts)",
            has_enough,
        ),
        "large": (
            f"η₁ of the right size: c₁m log(1/T) at least {LARGE[0]:g}, u = η₁m/(36T) at most {LARGE[1]:g} "
            "(both ours)",
            lambda r, p: is_large(r.mismatched_part, p.rate_1, p.temperature),
        ),
        "perturbed": (
            "a perturbation of radius T³ is drawn, or of a larger one (larger is ours)",
            lambda r, p: p.radius >= p.temperature**3,
        ),
    },
    settled={
        "safe_or_late": (
            f"{UNITS} T log(1/T)/(η₂p_conf) small steps ({UNITS} is ours), of order log(1/T)/T",
            safe_or_late,
        )
    },
    good=lambda r: at_least(0.9, r.now_probability, "p(r*) on new prompts"),
    holds_at={"subjects": 999_983, "temperature": 0.0018, "samples": 16, "radius": 6e-9},
    fails_at={"subjects": 999_983, "temperature": 0.02, "samples": 16},
    chance=MISSED,
    seeds=3,
    constants=(SAFE,),
    ranges={
        "subjects": list(FAMILIES),
        "temperature": [(0.001, 0.002)] * 5 + [(0.001, 0.2)],
        "density": (0.3, 1.0),
        "rate_1": [(90.0, 250.0)] * 5 + [(1.0, 400.0)],
        "rate_2": [(600.0, 2000.0)] * 5 + [(10.0, 2000.0)],
        "radius": (1e-9, 1e-2),
        "samples": [2, 4, 8, 16, 16, 32, 32],
        "seed": (0, 999),
        "steps": [2000],
    },
    no_farther=NO_COLDER,
    sentences={
        "contradicted": "Fails here, in “{bound}”. The theorem allows it with probability δ: where a data set lacks a "
        "confusing prompt, which one run in 20 may have."
    },
)
def theorem_3(r: Needed) -> Bounds:
    """p(r*), which the proof calls accuracy, on the worst prompt there can be, after each of four data sets."""
    return Bounds(
        at_most(1 - SAFE, 1 - r.now_worst, "1 − p(r*) on the worst prompt, of four data sets"),
        recorded(r.now_accuracy, "how often r* is the most likely"),
        recorded(r.printed, "prompts by Lemma 9, up to constants"),
    )


@statement(
    "recall.few-samples",
    measures=least_samples,
    assumes={
        "identified": ("two examples fix the relation (Assumption 1)", lambda r, p: p.bijections == 0),
        "confusing": (
            f"Assumption 2 with ζ at least {KEPT:g}: ρ at least {KEPT:g} (this ζ is ours)",
            keeps_enough,
        ),
    },
    holds_at={},
    fails_at={"bijections": 1},
    constants=(0.99, KEPT),
    ranges={"density": [(KEPT, 1.0)] * 4 + [(0.05, 1.0)], "first_seed": (0, 900)},
)
def few_samples(r: LeastSamples) -> Bounds:
    """The least |D| for p(r*) ≥ 0.99 on every prompt does not grow with the triplets, over sixteen decades."""
    return Bounds(
        at_most(0.05, r.fit.high, "exponent in the number of triplets, upper end of its interval"),
        at_most(SIZES[-1], r.most, "largest of the least numbers of prompts"),
        recorded(r.fit.exponent, "exponent in the number of triplets"),
        recorded(r.fit.decades, "decades of triplets"),
    )


@statement(
    "recall.sample-law",
    measures=measured_law,
    assumes={
        "identified": ("two examples fix the relation", lambda r, p: p.bijections == 0),
        "kept": (f"ρ at least {KEPT:g} (ours)", keeps_enough),
    },
    holds_at={"density": 0.5, "bijections": 0},
    fails_at={"density": 0.5, "bijections": 1},
    chance=0.1,
    constants=(KEPT,),
    ranges={"density": [(KEPT, 1.0)] * 3 + [(0.02, 1.0)], "bijections": [0, 0, 0, 1]},
    ground=Ground.OURS,
)
def sample_law(r: SampleLaw) -> Bounds:
    """Data sets lack a confusing prompt as often as the law says; those that have one teach r* on new prompts."""
    return Bounds(
        recorded(r.drawn_1, "data sets of 1 without a confusing prompt"),
        recorded(r.drawn_2, "data sets of 2 without a confusing prompt"),
        recorded(r.drawn_4, "data sets of 4 without a confusing prompt"),
        recorded(r.drawn_8, "data sets of 8 without a confusing prompt"),
        at_most(MOST_DEVIATIONS, r.deviations, "distance of the shares from the law, in standard deviations"),
        at_least(SAFE, r.with_one, "least accuracy with a confusing prompt in each data set"),
        recorded(r.without, "least accuracy without"),
    )
