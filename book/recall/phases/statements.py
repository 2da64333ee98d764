"""Which solution has the lowest loss, for how many subjects: findings of our own about the affine family."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, at_least, at_most, below, between, near, recorded, statement
from book.recall.common import SMALL_STEPS
from book.recall.phases.best_attention import ConstantAt, EvenAttention, constant_at, even_attention
from book.recall.phases.program import CLOSE, SMALL, PhaseReport, descent
from lib.recall.phases import PRINTED, SURE, opening
from lib.recall.task import FAMILIES


def is_slightly_perturbed(r: PhaseReport, p: Any) -> Tensor:
    """Whether there is a perturbation, and a small one."""
    return (p.radius > 0) & (p.radius <= SMALL)


def nearest_is_lowest(r: PhaseReport, p: Any) -> Tensor:
    """Whether the minimum beside the saddle is the lowest one."""
    return (r.valley_large - r.best_large).abs() < 1e-6


def has_settled(r: PhaseReport, p: Any) -> Tensor:
    """Whether the loss is close to a minimum's, or nothing was perturbed."""
    return ((r.end_loss - r.basin_loss).abs() < CLOSE) | (p.radius == 0)


@statement(
    "recall.phase-diagram",
    runs=descent,
    assumes={
        "perturbed": (f"a small perturbation: 0 < r ≤ {SMALL:g}", is_slightly_perturbed),
        "one_valley": ("the minimum beside the saddle is the lowest", nearest_is_lowest),
        "small_steps": SMALL_STEPS,
    },
    settled={"settled": (f"the run has come to rest: L₁ is within {CLOSE:g} of a minimum", has_settled)},
    good=lambda r: at_least(0.9, r.end_probability, "p(r*) at the end"),
    holds_at={"subjects": 1_000_000, "temperature": 0.02},
    fails_at={"subjects": 3, "temperature": 0.0895},
    constants=(0.324,),
    seeds=10,
    ranges={
        "subjects": list(FAMILIES),
        "temperature": (0.0015, 0.3),
        "radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate": (50.0, 200.0),
        "steps": [3000],
    },
    ground=Ground.OURS,
    loose=("loss L₁ at the end, above the lowest",),
)
def phase_diagram(r: PhaseReport) -> Bounds:
    """Descent from the saddle ends in the best of the three solutions."""
    return Bounds(
        at_most(CLOSE, r.end_loss - r.best_loss, "loss L₁ at the end, above the lowest"),
        near(r.best_kind, r.end_kind, "solution: 0 even, 1 pairwise, 2 one pair"),
    )


@statement(
    "recall.symmetric-window",
    measures=even_attention,
    assumes={
        "many": ("33 subjects or more", lambda r, p: p.subjects > opening()[0]),
        "inside": ("T in the window", lambda r, p: r.low <= r.temperature <= r.high),
    },
    holds_at={"subjects": 10_000, "constant": 0.13},
    fails_at={"subjects": 20, "constant": 0.1},
    ranges={"subjects": list(FAMILIES[8:]), "constant": (0.085, 0.19)},
    ground=Ground.OURS,
)
def symmetric_window(r: EvenAttention) -> Bounds:
    """Search and descent end at even attention, where r* has less than half the probability."""
    return Bounds(
        at_most(0.005, r.searched, "distance of the best attention from even, search"),
        near(0.25, r.descended, "largest weight, descent", absolute=0.01),
        below(0.5, r.p, "p(r*) at the optimum"),
        recorded(r.low, "window, from"),
        recorded(r.high, "window, to"),
    )


@statement(
    "recall.temperature-constant",
    measures=constant_at,
    assumes={
        "printed": ("C at most 1/40", lambda r, p: p.constant <= PRINTED),
        "many": ("as many subjects as the paper's constant needs", lambda r, p: p.subjects >= r.enough_from),
    },
    holds_at={"subjects": 1_000_000, "constant": 0.025},
    fails_at={"subjects": 1_000_000, "constant": 0.13},
    constants=(SURE,),
    loose=("1 − best p(r*)",),  # at a million subjects; it is sharp at 119
    ranges={"subjects": list(FAMILIES), "constant": (0.001, 0.2)},
    ground=Ground.OURS,
)
def temperature_constant(r: ConstantAt) -> Bounds:
    """Some attention is 0.999 sure at C = 1/40, and the largest C is between the law at a sixth of the odds, and it."""
    return Bounds(
        at_most(1 - SURE, 1 - r.p, "1 − best p(r*)"),
        between(r.law_below, r.largest, r.law, "largest C for 0.999, by the law's two sides"),
        near(1.0, r.law / r.largest, "the law over the largest C for 0.999", absolute=0.1),
        recorded(r.largest, "largest C for 0.999"),
        recorded(r.largest_at_three, "largest C for 0.999 with three subjects"),
        near(119.0, r.enough_from, "subjects from which 1/40 is enough"),
    )
