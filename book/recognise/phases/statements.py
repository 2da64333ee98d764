"""The two phases: Theorem 3.1 (formally E.28), Theorem 3.2, and when Phase 1 ends."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, Ground, at_most, recorded, statement
from book.recognise.common import ASSUMED, RANGES, WIDE, label_probability
from book.recognise.two_phases import (
    TwoPhases,
    came_to_phase_2,
    came_to_the_end,
    phase_1,
    phase_2,
    two_phases,
)

AMPLE = 25.0
"""The C from which on Phase 1 is long enough for Theorem 3.2."""


@statement(
    "recognise.theorem-3-1",
    runs=two_phases,
    assumes=ASSUMED,
    settled={"reached_1": ("the run comes to T₁", came_to_phase_2)},
    good=lambda r: label_probability(r.margin, " at T₁"),
    exists={"constant": (10.0, 300.0)},
    holds_at={},
    fails_at={"sigma_1": 0.1},
    seeds=10,
    ranges={**RANGES, "end": (1.0, 1.5)},
    sentences={
        "contradicted": "Not with this C, by “{bound}”: the theorem says there is a T₁ at which all of it holds."
    },
)
def theorem_3_1(r: TwoPhases, p: Any) -> Bounds:
    """At T₁ = C/N₀ the MLP is aligned and all samples are right, while the rest and the loss have hardly moved."""
    return Bounds(*phase_1(r), recorded(p.constant, "C"), recorded(r.unit, "T₁ in the paper's time"))


@statement(
    "recognise.theorem-3-2",
    runs=two_phases,
    assumes=ASSUMED,
    settled={"reached": ("the run comes to its end", came_to_the_end)},
    good=lambda r: label_probability(r.margin_end, " at the end"),
    exists={"constant": (10.0, 300.0)},
    holds_at={},
    fails_at={"samples": 30, "length": 10},
    seeds=10,
    ranges={**RANGES, "end": (1.7, 4.0)},
    sentences={
        "contradicted": "Not with this C, by “{bound}”: the theorem says there is a T₁ from which on all of it holds."
    },
)
def theorem_3_2(r: TwoPhases, p: Any) -> Bounds:
    """From T₁ = C/N₀ on scores and values move as stated, and G and its three sums stay of order 1."""
    return Bounds(*phase_2(r, p), recorded(p.constant, "C"))


@statement(
    "recognise.two-ends",
    runs=two_phases,
    assumes={
        "ample": (f"Phase 1 ends at C/N₀ with C at least {AMPLE:g}", lambda r, p: p.constant >= AMPLE),
        "many": ASSUMED["many"],
    },
    holds_at={**WIDE, "constant": AMPLE},
    fails_at={**WIDE, "constant": 10.0},
    ranges={"samples": (40.0, 1e6), "length": (4, 40), "constant": (15.0, 300.0)},
    ground=Ground.OURS,
)
def two_ends(r: TwoPhases, p: Any) -> Bounds:
    """All samples are right first, the signs of Theorem 3.2's item 4 come later, and by C/N₀ both are there."""
    return Bounds(
        at_most(r.signs, r.correct, "all samples right from τ"),
        at_most(p.constant, r.signs, "signs of item 4 from τ"),
        recorded(r.half, "T₀.₅ in τ"),
    )
