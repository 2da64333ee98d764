"""Which solution has the lowest loss, for how many subjects: findings of our own about the affine family."""

from __future__ import annotations

from functools import partial
from typing import Any

from book.ledger import Bounds, Check, Ground, at_least, at_most, below, between, near, recorded, statement
from book.recall.common import nothing_is_lower
from book.recall.phases import algebra
from book.recall.phases.program import CLOSE, SMALL, PhaseReport, descent
from lib.recall.phases import SURE
from lib.recall.task import FAMILIES


@statement(
    "recall.phase-diagram",
    runs=descent,
    assumes={
        "perturbed": (f"a small perturbation: 0 < r ≤ {SMALL:g}", lambda r, p: r.perturbed),
        "one_valley": ("the minimum beside the saddle is the lowest", lambda r, p: r.one_valley),
        "small_steps": ("learning rate small enough: the loss never rises", lambda r, p: r.small_steps),
    },
    settled={
        "settled": (f"the run has come to rest: L₁ is within {CLOSE:g} of a minimum", lambda r, p: r.settled)
    },
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
    listed_checks=(
        Check("The slice", "query and EoS never help", "sympy", algebra.query_and_eos_are_useless),
        Check(
            "The slice",
            "exchanging two answers changes $l_0$ alone",
            "sympy",
            algebra.exchange_leaves_the_sum,
        ),
        Check(
            "The slice", "balance within pairs widens every gap", "sympy", algebra.balance_widens_every_gap
        ),
        Check(
            "The slice",
            "no search over all six positions ends below it",
            "search",
            partial(
                nothing_is_lower,
                *((3, 0.05), (3, 0.12), (1000, 0.02), (1_000_000, 0.02), (1_000_000, 0.05)),
                relative=True,
            ),
        ),
        Check("Three solutions", "$S'$ has the sign of $F$", "sympy", algebra.slope_has_the_sign_of_f),
        Check(
            "Three solutions",
            "$P$ and $D$ rise, then fall",
            "exact fractions",
            algebra.series_rises_then_falls,
        ),
        Check("The curvature for any $n$", "$\\lambda(n, T)$", "autograd", algebra.curvature_formula_holds),
        Check("The jump", "$2z(1-z)$, $1 - z = e^{-2z}$", "root finding", algebra.first_order_constant),
        Check("The boundaries' laws", "errors fall with $n$", "root finding", algebra.laws_hold),
    ),
)
def phase_diagram(r: PhaseReport) -> Bounds:
    """Descent from the saddle ends in the best of the three solutions."""
    return Bounds(
        at_most(CLOSE, r.end_loss - r.best_loss, "loss L₁ at the end, above the lowest"),
        near(r.best_kind, r.end_kind, "solution: 0 even, 1 pairwise, 2 one pair"),
    )


@statement(
    "recall.symmetric-window",
    measures=algebra.even_attention,
    assumes={
        "many": ("33 subjects or more", lambda r, p: r.many),
        "inside": ("T in the window", lambda r, p: r.inside),
    },
    holds_at={"subjects": 10_000, "constant": 0.13},
    fails_at={"subjects": 20, "constant": 0.1},
    ranges={"subjects": list(FAMILIES[8:]), "constant": (0.085, 0.19)},
    ground=Ground.OURS,
    listed_checks=(
        Check(
            "Even or one pair",
            "$1 + 4w + W < N$ up to $N = 100$",
            "root finding",
            algebra.even_beats_one_pair,
        ),
    ),
)
def symmetric_window(r: Any) -> Bounds:
    """Search and descent end at even attention, where r* has less than half the probability."""
    return Bounds(
        at_most(0.01, r.searched, "distance of the best attention from even, search"),
        near(0.25, r.descended, "largest weight, descent", absolute=0.01),
        below(0.5, r.p, "p(r*) at the optimum"),
        recorded(r.low, "window, from"),
        recorded(r.high, "window, to"),
    )


@statement(
    "recall.temperature-constant",
    measures=algebra.constant_at,
    assumes={
        "printed": ("C at most 1/40", lambda r, p: r.printed),
        "many": ("as many subjects as the paper's constant needs", lambda r, p: r.many),
    },
    holds_at={"subjects": 1_000_000, "constant": 0.025},
    fails_at={"subjects": 1_000_000, "constant": 0.13},
    ranges={"subjects": list(FAMILIES), "constant": (0.001, 0.2)},
    ground=Ground.OURS,
    listed_checks=(
        Check(
            "Other families",
            "under Assumption 1 no class has more relations than in the affine family",
            "count, families of 4, 5, 6 subjects",
            algebra.no_family_has_more,
        ),
    ),
)
def temperature_constant(r: Any) -> Bounds:
    """Some attention is 0.999 sure at C = 1/40, and the largest C is between the law at a sixth of the odds, and it."""
    return Bounds(
        at_least(SURE, r.p, "best p(r*)"),
        between(r.law_below, r.largest, r.law, "largest C for 0.999, by the law's two sides"),
        near(1.0, r.law / r.largest, "the law over the largest C for 0.999", absolute=0.1),
        recorded(r.largest, "largest C for 0.999"),
        recorded(r.largest_at_three, "largest C for 0.999 with three subjects"),
        recorded(r.enough_from, "subjects from which 1/40 is enough"),
    )
