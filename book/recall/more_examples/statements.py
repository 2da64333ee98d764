"""More than two examples: findings of our own, where the paper has one picture, Figure 2 (b)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.ledger import Bounds, Ground, at_least, at_most, near, recorded, statement
from book.recall.common import SMALL_STEPS
from book.recall.more_examples import plateaus as tied_pairs
from book.recall.more_examples import search
from book.recall.more_examples.program import COLD, NEAR, PARTED, STILL, TIED, MoreExamples, lesson


def is_cold(r: Any, p: Any) -> Tensor:
    """Whether T is at most a third of the law's smallest gap."""
    return p.warmth <= COLD


def is_set_apart(r: MoreExamples, p: Any) -> Tensor:
    """Whether the perturbation sets the pairs apart."""
    return r.equal_pairs < 1.5


def has_settled(r: MoreExamples, p: Any) -> Tensor:
    """Whether the masses have come to rest, or are the law's already, or are tied for good."""
    parted = torch.where(is_cold(r, p), r.end_loss < TIED, r.end_loss < r.start_loss - PARTED)
    at_rest = (r.end_gradient < STILL * r.end_loss) & parted
    return at_rest | (r.distance <= NEAR) | ~is_set_apart(r, p)


COLD_ENOUGH = ("T at most a third of the law's smallest gap", is_cold)


@statement(
    "recall.pair-masses",
    runs=lesson,
    assumes={
        "cold": COLD_ENOUGH,
        "perturbed": ("the perturbation sets the pairs apart", is_set_apart),
        "small_steps": SMALL_STEPS,
    },
    settled={"settled": ("steps enough for the masses to come to rest", has_settled)},
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
    measures=tied_pairs.plateaus,
    assumes={
        "few": ("no more examples than fix a relation", lambda r, p: p.examples <= p.fixing),
        "cold": COLD_ENOUGH,
    },
    holds_at={"examples": 3, "fixing": 3, "warmth": 0.2},
    fails_at={"examples": 4, "fixing": 2, "warmth": 0.2},
    ranges={"examples": [2, 3, 4], "fixing": [2, 3, 4], "warmth": (0.05, 0.5)},
    ground=Ground.OURS,
)
def plateaus(r: tied_pairs.Plateaus) -> Bounds:
    """Loss and curvature at equal masses, and the loss while two pairs are tied."""
    return Bounds(
        near(r.permutations, r.start_loss, "loss at equal masses, log K!", absolute=0.01),
        near(r.saddle_curvature, r.curvature, "curvature there, −1/(2TK²)", relative=0.05),
        near(math.log(2), r.plateau, "loss while two are tied", absolute=0.1),
        recorded(r.end_loss, "loss at the end"),
    )


@statement(
    "recall.equal-masses",
    measures=search.equal_masses,
    assumes={
        "many": ("three or four examples", lambda r, p: p.examples in (3, 4)),
        "general": ("a hundred subjects or more (ours)", lambda r, p: p.subjects >= 100),
        "cold": (
            "T at most 1/(40 log n), and at most 0.004 (ours)",
            lambda r, p: p.temperature <= min(1 / (40 * math.log(p.subjects)), 0.004),
        ),
    },
    holds_at={"examples": 4, "subjects": 10_007, "temperature": 0.002},
    fails_at={"examples": 2, "subjects": 10_007, "temperature": 0.002},
    ranges={
        "examples": [2, 3, 3, 4, 4],
        "subjects": [11, 101, 101, 1009, 10_007, 100_003, 999_983],
        "temperature": [(0.0007, 0.002), (0.001, 0.004), (0.0035, 0.0045), (0.0007, 0.008)],
    },
    ground=Ground.OURS,
)
def equal_masses(r: search.EqualMasses) -> Bounds:
    """The lowest loss in general position has equal masses."""
    return Bounds(
        near(r.each, r.largest, "largest mass", absolute=0.02),
        near(r.each, r.smallest, "smallest mass", absolute=0.02),
    )
