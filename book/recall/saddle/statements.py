"""Theorem 2 (Theorem 4 of the appendix), Algorithm 1, and what its stages do: Lemmas 5 and 8."""

from __future__ import annotations

from functools import partial
from typing import Any

from book.ledger import Bounds, Check, Erratum, above, at_least, at_most, below, near, recorded, statement
from book.recall.common import TOLERANCE, nothing_is_lower
from book.recall.saddle import stages
from book.recall.saddle.program import TwoStage, warm_up


@statement(
    "recall.theorem-2",
    runs=warm_up,
    assumes={
        "cold": ("T below T₀: the inner minimum of the slice is its lowest point", lambda r, p: r.cold),
        "perturbed": ("the perturbation does not keep the two examples equal", lambda r, p: r.perturbed),
        "small_steps": ("learning rates small enough: the loss never rises", lambda r, p: r.small_steps),
        "endless": ("stage 1 is taken to its limit, t₁ = ∞", lambda r, p: r.endless),
    },
    settled={"settled": ("steps enough for stage 2 to converge", lambda r, p: r.settled)},
    good=lambda r: at_least(0.9, r.probability, "p(r*) at the end"),
    holds_at={},
    fails_at={"temperature": 0.0895},
    seeds=10,
    ranges={
        "temperature": [(0.02, 0.0885)] * 5 + [(1e-4, 10.0)],
        "perturbation_radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate_1": [(20.0, 400.0)] * 5 + [(1.0, 1000.0)],
        "rate_2": [(80.0, 400.0)] * 5 + [(1.0, 1000.0)],
        "to_limit": [1, 1, 1, 1, 1, 0],
        "steps": [1000],
    },
    listed_checks=(
        Check(
            "Theorem 2, the optimum over all six tokens",
            "no random start ends below the slice's lowest point",
            "search",
            partial(nothing_is_lower, (3, 0.03), (3, 0.05), (3, 0.08)),
        ),
    ),
)
def theorem_2(r: TwoStage) -> Bounds:
    """The run ends at the lowest loss of all attention, at (a, a, ½ − a, ½ − a, 0, 0) with a ≠ ¼."""
    return Bounds(
        at_most(1e-6, r.measured_loss - r.lowest, "loss L₁ at the end, above the lowest"),
        near(r.predicted_a, r.measured_a, "a, attention on the lesser pair", absolute=TOLERANCE),
        above(TOLERANCE, (r.measured_a - 0.25).abs(), "distance of a from ¼"),
        at_most(TOLERANCE, r.mismatch, "imbalance inside the pairs"),
        at_most(TOLERANCE, r.leak, "attention on s₃ and EoS"),
    )


@statement(
    "recall.algorithm-1",
    measures=stages.both_stages,
    assumes={"perturbed": ("a perturbation is drawn", lambda r, p: r.perturbed)},
    holds_at={"perturbation_radius": 0.3, "steps": 20},
    fails_at={"perturbation_radius": 0.0, "steps": 20},
    ranges={
        "perturbation_radius": [0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0],
        "steps": (12, 40),
        "seed": (0, 999),
    },
)
def algorithm_1(r: Any) -> Bounds:
    """Stage 1 keeps the two examples equal, stage 2 sets them apart; and the reduction takes the model's steps."""
    return Bounds(
        near(0.0, r.apart, "attention, reduction against full model", absolute=1e-9),
        near(0.0, r.tilt_1, "|v₁ + v₂ − v₃ − v₄| after stage 1", absolute=1e-9),
        above(1e-9, r.tilt_2, "|v₁ + v₂ − v₃ − v₄| after stage 2"),
    )


@statement(
    "recall.lemma-5",
    measures=stages.to_the_saddle,
    assumes={
        "from_zero": ("training starts at zero", lambda r, p: r.from_zero),
        "small_steps": ("learning rate small enough: c₁ at most 400 and 40/T", lambda r, p: r.small_steps),
    },
    settled={"late": ("steps enough: η₁t₁ at least 1000 Te^(1/8T)", lambda r, p: r.late)},
    holds_at={"temperature": 0.05, "tilt": 0.0, "steps": 2000},
    fails_at={"temperature": 0.05, "tilt": 1e-3, "steps": 2000},
    ranges={
        "temperature": [(0.035, 0.3)] * 3 + [(0.02, 1.0)],
        "tilt": [0.0, 0.0, 0.0, 0.0, 0.0, 1e-3],
        "steps": [(3000, 20_000)] * 3 + [(1000, 20_000)],
        "rate": [(20.0, 150.0)] * 3 + [(20.0, 800.0)],
    },
    listed_errata=(
        Erratum(
            where="Appendix B, proof of Lemma 5, the derivatives at a critical point",
            printed=r"\partial L_1/\partial v_1 = -2(p_5+p_6)v_2,\quad \partial L_1/\partial v_2 = -2(p_4+p_6)v_1",
            right=(
                r"\partial L_1/\partial v_1 = -\tfrac2T(p_5+p_6)v_2,\quad "
                r"\partial L_1/\partial v_2 = -\tfrac2T(p_4+p_6)v_1"
            ),
            survives="The lemma stands: the factor is common to both, and only their equality is used.",
            symbolic=stages.simplified_by_sympy,
            numeric=stages.simplified_numbers,
        ),
        Erratum(
            where="Appendix B, proof of Lemma 5, what symmetry says of the critical point",
            printed=r"v_1=v_3,\quad v_4=v_5",
            right=r"v_1=v_3,\quad v_2=v_4",
            survives="The lemma stands: a misprint. Two lines later the right equalities are used.",
            symbolic=stages.twins_by_sympy,
            numeric=lambda: {"v2 at the saddle": 0.25, "v4 at the saddle": 0.25, "v5 at the saddle": 0.0},
        ),
    ),
    listed_checks=(
        Check(
            "Lemma 5, observations 1, 3, 4, 5", "along 400 steps", "autograd", stages.symmetry_along_the_run
        ),
        Check(
            "Lemma 5, observation 2",
            r"\nabla_v L_1 = \tfrac1{9T}(-1,0,-1,0,2,0),\quad \nabla_\theta L_1 = \tfrac16\nabla_v L_1",
            "autograd",
            stages.start_by_autograd,
        ),
        Check(
            "Lemma 5, observations 3 and 4",
            "signs of the derivatives; $L_1 \\ge \\log 6$ where $v_5 \\ge v_1$",
            "sympy",
            stages.observations_by_sympy,
        ),
        Check(
            "Lemma 5, the saddle's directions",
            "down along $(1,1,-1,-1,0,0)$, up along $(1,-1,-1,1,0,0)$",
            "autograd",
            stages.directions_by_autograd,
        ),
    ),
)
def lemma_5(r: Any) -> Bounds:
    """Attention comes ever closer to (¼, ¼, ¼, ¼, 0, 0)."""
    return Bounds(
        near(-1.0, r.exponent, "exponent of its distance to the saddle in the number of steps", absolute=0.1),
        recorded(r.distance, "distance to the saddle"),
        recorded(r.times_steps, "distance times steps"),
    )


@statement(
    "recall.lemma-8",
    measures=stages.evening_out,
    assumes={
        "no_query": ("no attention on the query", lambda r, p: r.no_query),
        "sure": ("l(r₁) above the mean logit", lambda r, p: r.sure),
    },
    holds_at={"query": 0.0, "certain": 1, "temperature": 0.05},
    fails_at={"query": 0.0, "certain": 0, "temperature": 0.05},
    ranges={
        "temperature": (0.002, 10.0),
        "query": [0.0, 0.0, 0.0, 0.1, 0.3],
        "certain": [1, 1, 1, 0],
        "seed": (0, 9999),
    },
    listed_errata=(
        Erratum(
            where="Appendix B, proof of Lemma 8, the mean derivative",
            printed=r"\textstyle\sum_j v_j\,\partial L_1/\partial v_j = \sum_r p_1(r)l(r)",
            right=r"\textstyle\sum_j v_j\,\partial L_1/\partial v_j = \tfrac2T\big(\sum_r p_1(r)l(r) - l(r_1)\big)",
            survives="The lemma stands: the formulas that follow from it in the proof contain the missing term.",
            symbolic=stages.euler_by_sympy,
            numeric=stages.euler_numbers,
        ),
        Erratum(
            where="Appendix B, proof of Lemma 8, both differences of derivatives",
            printed=r"T(\partial_{\theta_1}L_1-\partial_{\theta_2}L_1) = (p_2+p_4)v_1v_4-(p_2+p_5)v_2v_3-\dots",
            right=(
                r"T(\partial_{\theta_1}L_1-\partial_{\theta_2}L_1) = "
                r"2\big((p_2+p_4)v_1v_4-(p_2+p_5)v_2v_3-\dots\big)"
            ),
            survives="The lemma stands: only signs are used.",
            symbolic=stages.differences_by_sympy,
            numeric=stages.difference_numbers,
        ),
    ),
    listed_checks=(
        Check(
            "Lemma 8",
            r"\alpha\ge\beta \Rightarrow v_1v_4\ge v_2v_3,\ p_1(r_4)\ge p_1(r_5)",
            "sympy",
            stages.order_by_sympy,
        ),
        Check(
            "Lemma 8, all eight cases",
            "$\\psi$ falls, at 20 000 draws and T = 0.02",
            "autograd",
            stages.falls(0.02),
        ),
        Check("Lemma 8, all eight cases", "the same at $T = 1$", "autograd", stages.falls(1.0)),
    ),
)
def lemma_8(r: Any) -> Bounds:
    """ψ falls along the gradient flow, at every draw."""
    return Bounds(
        below(0.0, r.pace, "largest rate of log ψ"),
        recorded(r.share, "share of draws where ψ falls"),
        recorded(r.draws, "draws"),
    )
