"""The second decoding step and the two together: Claim 2, Lemma 2 and Theorem 1."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, Check, at_least, at_most, near, recorded, statement
from book.recall.decoding import algebra, both
from book.recall.decoding.program import DecodingReport, decode
from lib.recall.general import COOL, LARGE, UNITS

MILLION = {"subjects": 1_000_003, "rate_1": 100.0, "rate_2": 200.0, "patience": 1.0}


@statement(
    "recall.claim-2",
    measures=algebra.gradients,
    assumes={"decoded": ("the decoded relation is r*", lambda r, p: r.decoded)},
    holds_at={"subjects": 5, "temperature": 0.1, "wrong": 0},
    fails_at={"subjects": 5, "temperature": 0.1, "wrong": 1},
    ranges={"subjects": [3, 5, 7], "temperature": (0.003, 3.0), "wrong": [0, 0, 1]},
    algebra=True,
    listed_checks=(
        Check(
            "Claim 2, for any $n$",
            "$\\partial\\ell_2/\\partial q_i$, $i = 1, 3, 5, 7$",
            "sympy",
            algebra.gradients_by_sympy,
        ),
        Check(
            "Proof of Claim 2",
            "the four logits; $\\partial l_i/\\partial q_{2j-1} = 2q_{2j-1} + 2(q_7+1)\\delta_{ij}$ and "
            "$\\partial l_i/\\partial q_7 = 2(q_7+1) + 2q_{2i-1}\\mathbf 1_{i \\le 3}$",
            "sympy",
            algebra.logits_by_sympy,
        ),
    ),
)
def claim_2(r: Any) -> Bounds:
    """The printed gradients are those of the full model at random attention."""
    return Bounds(near(0.0, r.error, "largest difference, over the largest gradient", absolute=1e-12))


@statement(
    "recall.lemma-2",
    runs=decode,
    assumes={
        "cold": ("T at most 1/(40 log n)", lambda r, p: r.cold),
        "large": (
            "the large step is large enough: the proof's bounds with numbers suffice",
            lambda r, p: r.large,
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
    listed_checks=(
        Check(
            "Proof of Lemma 2",
            "$\\nabla_q\\ell_2$ and $\\nabla_\\omega\\ell_2$ at zero scores, all seven entries",
            "sympy",
            algebra.start_by_sympy,
        ),
        Check(
            "Proof of Lemma 2",
            "the same, with $p = 1/(3 + (n-3)e^{-16/(49T)})$ for $n$ from 3 to a million",
            "autograd",
            algebra.start_by_autograd,
        ),
        Check(
            "Proof of Lemma 2",
            "$\\tilde\\omega_5 - \\max\\tilde\\omega_i \\ge 32\\eta_1/(147T)$, with equality at $n = 3$, where "
            "$p = \\tfrac13$ (the printed $p < \\tfrac13$ is $p \\le \\tfrac13$ there)",
            "sympy",
            algebra.first_lead_by_sympy,
        ),
        Check(
            "Proof of Lemma 2",
            "where $\\omega_5$ leads, its lead cannot shrink: the chain of inequalities, at any step size",
            "autograd",
            algebra.lead_never_shrinks,
        ),
        Check(
            "Proof of Lemma 2",
            "$l(a_3) - l(a_i) \\ge 2(q_5 - q_{2i-1})$ and $l(a_3) - l(a) \\ge 2q_5$; the exact factor is "
            "$2(1+q_7)$",
            "full model",
            algebra.logit_gaps_hold,
        ),
    ),
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
    "recall.theorem-1",
    measures=both.theorem,
    assumes={
        "cold": (f"T at most 1/(40 log n), and at most T₀ = {COOL:g}", lambda r, p: r.cold),
        "large": (
            f"η₁ of the right size: c₁m log(1/T) at least {LARGE[0]:g}, u = η₁m/(36T) at most {LARGE[1]:g}",
            lambda r, p: r.large,
        ),
        "patient": (f"steps enough: C₂ = t₂T/log(1/T) at least {UNITS}/c₂", lambda r, p: r.patient),
    },
    holds_at={**MILLION, "temperature": 0.0018},
    fails_at={**MILLION, "temperature": 0.02},
    ranges={
        "subjects": [3, 5, 7, 11, 31, 101, 1009, 10_007, 1_000_003],
        "temperature": (0.001, 0.0022),
        "rate_1": (70.0, 200.0),
        "rate_2": (1000.0, 2000.0),
        "patience": (0.12, 0.25),
        "seed": (0, 999),
    },
)
def theorem_1(r: Any) -> Bounds:
    """Both decoding steps together give the final answer probability 0.99."""
    return Bounds(
        at_least(0.99, r.both, "probability of the final answer"),
        recorded(r.relation, "probability of r*"),
        recorded(r.error, "error of the second step"),
    )
