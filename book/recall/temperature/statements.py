"""How cold must it be: the end of Theorem 4's proof with Claim 1, and findings of ours where the paper says
"small enough" and T ≤ C/log n.
"""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import (
    Bounds,
    Ground,
    at_least,
    at_most,
    below,
    between,
    near,
    recorded,
    statement,
    true,
)
from book.recall.common import SMALL_STEPS, TOLERANCE, is_perturbed
from book.recall.temperature.best_at_constant import BestAtConstant, best_at_constant
from book.recall.temperature.program import EXPANSION, Cooled, cooling
from book.recall.temperature.slice import EndOfProof, LeadingPart, end_of_proof, leading_part
from lib.recall.landscape import ESCAPED
from lib.recall.phases import ENOUGH, thresholds

PERTURBED = ("the perturbation has a part along the way out", is_perturbed)
FINISHED = ("steps enough for stage 2 to converge", lambda r, p: r.finished)


def has_minimum(r: Cooled, p: Any) -> Tensor:
    """Whether the slice has an inner minimum."""
    return r.predicted_a > 0  # NaN is not more


def is_lowest(r: Cooled, p: Any) -> Tensor:
    """Whether the inner minimum is the lowest point of the slice."""
    return r.predicted_loss < r.end_loss  # NaN is not less


def is_below_log_2(r: Cooled, p: Any) -> Tensor:
    """Whether the loss at the inner minimum is below log 2."""
    return r.predicted_loss < math.log(2)  # NaN is not less


def is_unequal(r: Cooled, p: Any) -> Tensor:
    """Whether the two pairs have unequal attention at the end: their masses differ by 1 − 4a."""
    return 1 - 4 * r.measured_a > ESCAPED


def is_lost_at_thresholds(r: Cooled, p: Any) -> Tensor:
    """Whether each of the minimum's three properties holds just below its threshold."""
    known = thresholds()
    return (
        (has_minimum(r, p) == (p.temperature < known.exists))
        & (is_lowest(r, p) == (p.temperature < known.lowest))
        & (is_below_log_2(r, p) == (p.temperature < known.below_log_2))
    )


@statement(
    "recall.theorem-4-proof",
    measures=end_of_proof,
    ground=Ground.CORRECTED,
    assumes={"cold": ("temperature small enough: at most 0.03 (ours)", lambda r, p: p.temperature <= 0.03)},
    holds_at={"temperature": 0.01},
    fails_at={"temperature": 0.088},
    ranges={"temperature": (0.0005, 0.12)},
)
def theorem_4_proof(r: EndOfProof, p: Any) -> Bounds:
    """Exactly one critical point with 0 < a < ¼ lies below log 2, and a tends to 1/6."""
    return Bounds(
        near(1.0, r.low, "critical points below log 2"),
        near(1 / 6, r.a, "a, to within T/2 of its limit", absolute=p.temperature / 2),
        recorded(r.points, "critical points"),
    )


@statement(
    "recall.claim-1",
    measures=leading_part,
    assumes={
        "cold": (
            "T so small that h outweighs T log(x/(1 − 4x)) at both ends of I",
            lambda r, p: r.first < 0 < r.last,
        )
    },
    holds_at={"temperature": 0.01},
    fails_at={"temperature": 0.08},
    ranges={"temperature": (0.0005, 0.2)},
)
def claim_1(r: LeadingPart) -> Bounds:
    """Exactly one root in I, and T Ψ̃′ there is 4/3, give or take a half of it."""
    return Bounds(
        near(1.0, r.roots, "roots in I"),
        between(0.5, r.slope, 2.0, "T times the derivative at the root"),
        recorded(r.root, "the root"),
    )


@statement(
    "recall.sharp-thresholds",
    runs=cooling,
    assumes={
        "lowest": ("the minimum is the lowest point of the slice: T < T₂", is_lowest),
        "perturbed": PERTURBED,
        "small_steps": SMALL_STEPS,
    },
    settled={"finished": FINISHED},
    good=lambda r: at_least(0.9, r.measured_p, "p(r*) at the end"),
    holds_at={"temperature": 0.088, "steps": 1500},
    fails_at={"temperature": 0.0888, "steps": 1500},
    seeds=10,
    ranges={
        "temperature": (0.012, 0.14),
        "perturbation_radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate_2": (80.0, 1000.0),
        "steps": [2000],
    },
    ground=Ground.OURS,
)
def sharp_thresholds(r: Cooled, p: Any) -> Bounds:
    """The run ends at the lowest loss, at the root of the slope; each property is lost at its threshold."""
    known = thresholds()
    return Bounds(
        at_most(1e-5, r.measured_loss - r.lowest_loss, "loss L₁ at the end, above the lowest"),
        near(r.predicted_a, r.measured_a, "a, attention on the lesser pair", absolute=TOLERANCE),
        at_most(TOLERANCE, r.mismatch, "imbalance inside the pairs"),
        true(is_lost_at_thresholds(r, p), "each property of the minimum holds just below its threshold"),
        recorded(known.below_log_2, "T₁"),
        recorded(known.lowest, "T₂"),
        recorded(known.exists, "T₃"),
    )


@statement(
    "recall.attention-of-temperature",
    runs=cooling,
    assumes={
        "expansion": (
            f"T at most {EXPANSION:g}, where the terms left out are below T³",
            lambda r, p: p.temperature <= EXPANSION,
        ),
        "perturbed": PERTURBED,
        "small_steps": SMALL_STEPS,
    },
    settled={"finished": FINISHED},
    good=lambda r: at_least(0.9, r.measured_p, "p(r*) at the end"),
    holds_at={"temperature": EXPANSION, "steps": 2000},
    fails_at={"temperature": 0.06},
    constants=(0.05,),
    ranges={
        "temperature": [(0.012, 0.018)] * 3 + [(0.002, 0.14)],
        "perturbation_radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate_2": (150.0, 1000.0),
        "steps": [2000],
    },
    ground=Ground.OURS,
)
def attention_of_temperature(r: Cooled, p: Any) -> Bounds:
    """a is 1/6 − (log 2/2)T − (9/2 log 2 − 3/4 log² 2)T², up to 25T³."""
    return Bounds(
        at_most(
            25.0,
            (r.measured_a - r.foretold_a).abs() / p.temperature**3,
            "distance of a from the law, over T³",
        ),
        near(r.predicted_a, r.measured_a, "a, against the root of the slope", absolute=1e-6),
    )


@statement(
    "recall.how-cold",
    measures=best_at_constant,
    assumes={"enough": ("C below 1/8", lambda r, p: p.constant < ENOUGH)},
    holds_at={"constant": 0.1, "subjects": 1e100},
    fails_at={"constant": 0.13, "subjects": 1e100},
    constants=(0.99,),
    ranges={"constant": (0.001, 0.5), "subjects": (1e30, 1e140)},
    ground=Ground.OURS,
)
def how_cold(r: BestAtConstant) -> Bounds:
    """The odds against r* fall like n^−e for C < ⅛, √e + 2√(1 + e) = 1/√(2C); and three subjects follow their law."""
    return Bounds(
        below(0.0, r.slope, "slope of the log of the odds against r* in log n, from √n to n"),
        near(-r.exponent, r.slope, "the same, by the law", relative=0.05, absolute=0.015),
        between(1 - 1e-9, r.scaled, 6.0, "the odds against r* times n^e"),
        recorded(r.p, "best p(r*) at T = C/log n"),
        near(1.0, r.law, "1 − p(r*) over its law, three subjects at T = 0.004", absolute=0.02),
        recorded(r.from_099, "subjects from which the printed bound gives 0.99"),
        recorded(r.from_0999, "subjects from which the printed bound gives 0.999"),
    )
