"""More than two examples: findings of our own, where the paper has one picture, Figure 2 (b)."""

from __future__ import annotations

import math
from typing import Any

from book.ledger import Bounds, Check, Ground, at_least, at_most, near, recorded, statement
from book.recall.more_examples import evidence
from book.recall.more_examples.program import NEAR, MoreExamples, lesson


@statement(
    "recall.pair-masses",
    runs=lesson,
    assumes={
        "cold": ("T at most a third of the law's smallest gap", lambda r, p: r.cold),
        "perturbed": ("the perturbation sets the pairs apart", lambda r, p: r.perturbed),
        "small_steps": ("learning rate small enough: the loss never rises", lambda r, p: r.small_steps),
    },
    settled={"settled": ("steps enough for the masses to come to rest", lambda r, p: r.settled)},
    good=lambda r: at_least(0.9, r.probability, "probability of the relations that agree"),
    holds_at={"examples": 4, "fixing": 4},
    fails_at={"examples": 4, "fixing": 4, "warmth": 2.0, "rate_2": 30.0},
    ranges={
        "examples": [2, 3, 4],
        "fixing": [2, 3, 4],
        "warmth": [(0.05, 0.33)] * 5 + [(0.1, 3.0)],
        "perturbation_radius": (1e-8, 1.0),
        "rate_2": [(200.0, 1000.0)] * 5 + [(10.0, 3000.0)],
        "seed": (0, 999),
        "steps": [2500],
    },
    ground=Ground.OURS,
    listed_checks=(
        Check(
            "The law, $K \\le t$",
            "the smallest gap is at most $2/(k(k+1))^2$, reached by $1 : 2 : \\dots : k$ alone",
            "sympy",
            evidence.law_maximises_the_smallest_gap,
        ),
        Check(
            "The law, $K \\le t$, and $t = 2$, $K = 3$",
            "no other class is nearer",
            "count",
            evidence.no_other_rival_is_nearer,
        ),
        Check("The law", "its term linear in $T$", "autograd", evidence.linear_term_holds),
        Check(
            "The law",
            "the lowest loss over all positions, query and EoS included",
            "search from random starts",
            evidence.search_finds_the_law,
        ),
        Check("The reduction", "$L_1$ on eight scores", "count", evidence.reduction_is_exact),
    ),
)
def pair_masses(r: MoreExamples) -> Bounds:
    """Every mass is the law's to a quarter of its spacing."""
    return Bounds(
        at_most(NEAR, r.distance, "largest distance from the law, in its spacing"),
        recorded(r.mismatch, "largest difference within a pair"),
        recorded(r.least_gap / r.smallest_gap, "smallest gap over the law's"),
    )


@statement(
    "recall.plateaus",
    measures=evidence.plateaus,
    assumes={
        "few": ("no more examples than fix a relation", lambda r, p: r.few),
        "cold": ("T at most a third of the law's smallest gap", lambda r, p: r.cold),
    },
    holds_at={"examples": 3, "fixing": 3, "warmth": 0.2},
    fails_at={"examples": 4, "fixing": 2, "warmth": 0.2},
    ranges={"examples": [2, 3, 4], "fixing": [2, 3, 4], "warmth": (0.05, 0.5)},
    ground=Ground.OURS,
)
def plateaus(r: Any) -> Bounds:
    """Loss and curvature at equal masses, and the loss while two pairs are tied."""
    return Bounds(
        near(r.permutations, r.start_loss, "loss at equal masses, log K!", absolute=0.01),
        near(r.saddle_curvature, r.curvature, "curvature there, −1/(2TK²)", relative=0.05),
        near(math.log(2), r.plateau, "loss while two are tied", absolute=0.1),
        recorded(r.end_loss, "loss at the end"),
    )


@statement(
    "recall.equal-masses",
    measures=evidence.equal_masses,
    assumes={
        "many": ("three or four examples", lambda r, p: r.many),
        "cold": ("T at most 1/(40 log n)", lambda r, p: r.cold),
    },
    holds_at={"examples": 4, "subjects": 10_007, "temperature": 0.002},
    fails_at={"examples": 2, "subjects": 10_007, "temperature": 0.002},
    ranges={
        "examples": [2, 3, 3, 4, 4],
        "subjects": [101, 1009, 10_007, 100_003, 999_983],
        "temperature": [(0.0007, 0.002)] * 3 + [(0.0007, 0.008)],
    },
    ground=Ground.OURS,
)
def equal_masses(r: Any) -> Bounds:
    """The lowest loss in general position has equal masses."""
    return Bounds(
        near(r.each, r.largest, "largest mass", absolute=0.02),
        near(r.each, r.smallest, "smallest mass", absolute=0.02),
    )
