"""The race of G(μ₁), G(μ₂), G(μ₃): Lemma 4.3 (in full Theorem E.19), equations 4 and 5, and where it ends."""

from __future__ import annotations

import math

from book.ledger import (
    Bound,
    Bounds,
    Ground,
    above,
    at_least,
    at_most,
    below,
    near,
    recorded,
    statement,
    true,
)
from book.recognise.common import ASSUMED, END_OF_PHASE_1, RANGES, WIDE, label_probability
from book.recognise.race.equations_4_5 import Errors, errors
from book.recognise.race.program import ROOM, Race, moment, moment_with_room, race, ratio_lasts
from lib.recognise.gradient_flow import has_reached

REACHED = {"reached": ("the run comes to its end", lambda r, p: has_reached(r.last, 10**p.end))}


def recognises(r: Race) -> Bound:
    """Whether a new sample, whose other words say nothing, would be told apart."""
    return label_probability(r.unseen, " by the three words alone")


@statement(
    "recognise.lemma-4-3",
    runs=race,
    assumes=ASSUMED,
    settled=REACHED,
    good=recognises,
    exists={"end": (1.5, 8.0)},
    holds_at={"end": math.log10(END_OF_PHASE_1)},
    fails_at={"samples": 30, "length": 10, "end": math.log10(END_OF_PHASE_1)},
    seeds=10,
    ranges={**RANGES, "end": (1.5, 5.0)},
    constants=(0.05,),
    sentences={
        "contradicted": "Not with this T₁, the end of the run: the lemma says that the inequality holds up to some T₁."
    },
)
def lemma_4_3(r: Race) -> Bounds:
    """From T₀.₅ to the end of the run both inequalities hold with one C above 0."""
    return Bounds(
        at_most(r.last, moment_with_room(r), "T₀.₅ in τ, at most T₁"),
        at_least(ROOM, r.left, "C of the left inequality at T₁"),
        at_least(ROOM, r.right, "C of the right one at T₁"),
        recorded(r.last, "T₁ in τ"),
    )


@statement(
    "recognise.equations-4-5",
    measures=errors,
    assumes={"unit_layer": ("a_j = ±1", lambda r, p: p.layer_size == 1)},
    holds_at={},
    fails_at={"layer_size": 0.5},
    seeds=10,
    ranges={"seed": (0, 9999)},
    algebra=True,
)
def equations_4_5(r: Errors) -> Bounds:
    """Both are the derivatives along the real model's flow."""
    return Bounds(
        near(0.0, r.first, "eq. 4, relative error", absolute=1e-12),
        near(0.0, r.second, "eq. 5, relative error", absolute=1e-12),
    )


@statement(
    "recognise.max-margin",
    runs=race,
    assumes={
        "infinite": ("infinite width: attention uniform and N constant", lambda r, p: p.width > 1e20),
        "clear": ("no type of samples on the brink of supporting the separator", lambda r, p: r.brink > 0.2),
    },
    settled={**REACHED, "late": ("at τ = 10⁶ or later", lambda r, p: r.last >= 1e6)},
    good=recognises,
    holds_at=WIDE,
    fails_at={"width": 64.0, "layer": 0.1, "neurons": 1, "random": 0},
    ranges={
        "samples": (6.0, 1e6),
        "length": (4, 100),
        "positive": (0.05, 0.95),
        "single": (0.05, 0.95),
        "first": (0.05, 0.95),
        "end": (6.0, 8.0),
    },
    ground=Ground.OURS,
)
def max_margin(r: Race) -> Bounds:
    """Late in training τG′ on the three words is the separator, and τ times the loss its squared norm."""
    return Bounds(
        near(0.0, r.apart, "largest distance of τG′(µ) from the separator", absolute=3e-3),
        near(1.0, r.loss / r.square, "τ times the loss over ‖g‖²", absolute=1e-3),
    )


@statement(
    "recognise.forever",
    runs=race,
    assumes={
        "enough": ("n > 3(L + 1)", ratio_lasts),
        "infinite": ("infinite width", lambda r, p: p.width > 1e20),
        "shares": ASSUMED["shares"],
    },
    settled=REACHED,
    good=recognises,
    exists={"end": (1.5, 8.0)},
    holds_at={**WIDE, "samples": 36, "length": 10},
    fails_at={**WIDE, "samples": 30, "length": 10},
    ranges={"samples": (12.0, 1e6), "length": (4, 100)},
    ground=Ground.OURS,
    sentences={
        "contradicted": "Not yet: n is large enough, but at the end of this run the slopes are still outside."
    },
)
def forever(r: Race) -> Bounds:
    """The slopes come into the cone and are in it at the end of the run."""
    return Bounds(
        above(1.0, r.slopes, "−G′(µ₃) over the larger target's, at the end"),
        below(2.0, r.slopes, "the same, below the sum of both"),
        true(moment(r) <= r.last, "both sides hold at the end"),
        recorded(r.limit, "the limit of −G′(µ₃)/G′(µ₁)"),
    )
