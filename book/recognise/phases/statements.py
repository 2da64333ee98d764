"""The two phases: Theorem 3.1 (formally E.28), Theorem 3.2, and when Phase 1 ends."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, Ground, above, at_least, at_most, recorded, statement
from book.ledger.rates import grows_at_most_as
from book.recognise import gaussian_phase_2
from book.recognise.common import ASSUMED, RANGES, WIDE, label_probability
from book.recognise.phases.ends_in_the_limit import Ends, ends_in_the_limit
from book.recognise.phases.wide_model import AtT1, Trend, at_t_1, trend
from book.recognise.two_phases import (
    CLOSE,
    LEAST,
    STILL,
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
        "shares": ASSUMED["shares"],
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


@statement(
    "recognise.two-ends-limit",
    measures=ends_in_the_limit,
    assumes={"infinite": ("infinite width", lambda r, p: p.width > 1e20)},
    holds_at={},
    fails_at={"width": 64.0},
    ranges={"length": (5, 100), "width": [1e30, 1e30, 64.0]},
    ground=Ground.OURS,
)
def two_ends_limit(r: Ends) -> Bounds:
    """With ever more samples both moments come to one number, the same for every L."""
    return Bounds(
        at_most(0.01, r.apart, "distance of the two moments at n = 100,000 L, in τ"),
        at_most(0.01, r.changed, "change of the second since n = 10,000 L"),
        at_least(50.0, r.shrinking, "distance at n = 1,000 L over that at a hundred times as many"),
        at_most(0.001, r.by_length, "the second at n = 100,000 L, difference from that at L = 4"),
        recorded(r.moment, "moment at n = 100,000 L"),
    )


@statement(
    "recognise.theorem-3-1-samples",
    measures=at_t_1,
    assumes={
        "wide": ("m at least m₁ and L²", lambda r, p: p.width >= max(p.neurons, p.length**2)),
        "long": (
            "m at least 32L/(s₀s₁)², with s₀ = σ₀√(Lm), s₁ = σ₁√m₁",
            lambda r, p: p.width * (p.sigma_0 * p.sigma_1) ** 2 >= 32 * p.length,
        ),
        "many": ("n at least 3L²", lambda r, p: p.samples >= 3 * p.length**2),
        "fit": (
            "s₀s₁ at most 0.6, s₁ within a quarter of 1",
            lambda r, p: p.sigma_0 * p.sigma_1 <= 0.6 and 0.75 <= p.sigma_1 <= 1.25,
        ),
    },
    exists={"constant": (30.0, 100.0)},
    holds_at={"starts": 1},
    fails_at={"starts": 1, "width": 64},
    seeds=5,
    constants=(0.6,),
    ranges={
        "seed": (0, 9999),
        "samples": [48, 60, 90],
        "neurons": [4, 16, 32],
        "sigma_0": (0.4, 0.6),
        "sigma_1": (0.8, 1.2),
        "width": [1024, 2048],
    },
)
def theorem_3_1_samples(r: AtT1, p: Any) -> Bounds:
    """At one T₁ every training sample is right, and neurons, values, keys, queries and scores have hardly moved."""
    return Bounds(
        at_least(LEAST, r.aligned, "item 1, least of G(μ₁), G(μ₂), −G(μ₃) at T₁"),
        above(0.0, r.margin, "item 2, least margin y F of any sample at T₁"),
        at_most(CLOSE, r.values, "item 3, products of two values until T₁, change over a squared length"),
        at_least(LEAST, r.loss, "item 4, loss at T₁"),
        at_most(STILL, r.neurons, "item 3, products of two neurons, the same"),
        at_most(STILL / 10, r.keys, "item 3, products of two keys, of two queries, the same"),
        at_most(STILL / 100, r.scores, "item 3, scores over √m, change"),
        recorded(p.constant, "C"),
    )


@statement(
    "recognise.theorem-3-2-samples",
    measures=gaussian_phase_2.phase_2,
    assumes=gaussian_phase_2.ASSUMED,
    holds_at={},
    fails_at={"constant": 40.0},
    seeds=5,
    ranges=gaussian_phase_2.RANGES,
)
def theorem_3_2_samples(r: Any, p: Any) -> Bounds:
    """From T₁ until τ = 20 m all four items hold, and every sample is right; before T₁ Lemma 4.3's inequality comes."""
    return Bounds(
        above(0.0, r.least_rate, "item 1, least rate of the four scores"),
        above(
            0.0, min(r.least_12, r.least_13, r.least_23), "item 2, least rate of the three products of values"
        ),
        at_least(LEAST, r.least_output, "item 3, least of G(μ₁), G(μ₂), −G(μ₃)"),
        at_least(LEAST, r.least_sum, "item 4, least of the three sums, in size"),
        at_least(LEAST, r.least_margin, "least margin y F of any sample"),
        at_most(p.constant, r.half, "T₀.₅ of Lemma 4.3 in τ"),
        at_least(gaussian_phase_2.ROOM, r.least_left, "C of Lemma 4.3's left inequality, least"),
        at_least(gaussian_phase_2.ROOM, r.least_right, "C of its right one, least"),
    )


@statement(
    "recognise.theorem-3-1-trend",
    measures=trend,
    assumes={"fixed": ("σ₀√(Lm) and σ₁√m₁ stay as m grows", lambda r, p: p.power <= 0)},
    holds_at={"power": 0.0},
    fails_at={"power": 0.5},
)
def theorem_3_1_trend(r: Trend) -> Bounds:
    """What moves until T₁ is of the orders in m that Theorem E.28 prints."""
    return Bounds(
        grows_at_most_as(-1.0, r.neurons, "products of two neurons, exponent in m"),
        grows_at_most_as(-1.0, r.values, "products of two values, exponent in m"),
        grows_at_most_as(-1.5, r.scores, "scores, exponent in m"),
        grows_at_most_as(-2.0, r.keys, "products of two keys, of two queries, exponent in m"),
    )
