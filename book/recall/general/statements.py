"""Any number of subjects (Appendix C): Lemma 9, one large step; Lemmas 10 and 11, the small ones; eqs 19 to 31."""

from __future__ import annotations

import math
from typing import Any

import torch

from book.ledger import Bounds, Check, Erratum, at_least, at_most, below, between, recorded, statement
from book.recall.common import chain_rule_by_sympy, softmax_by_sympy
from book.recall.general import algebra, checks, large_step
from book.recall.general.program import OneLargeReport, one_large_step
from lib.recall.general import COOL, LARGE, SAFE, UNITS
from lib.recall.task import FAMILIES

LARGE_STEP = {
    "cold": (f"T at most 1/(40 log n), and at most T₀ = {COOL:g}", lambda r, p: r.cold),
    "large": (
        f"η₁ of the right size: c₁m log(1/T) at least {LARGE[0]:g}, u = η₁m/(36T) at most {LARGE[1]:g}",
        lambda r, p: r.large,
    ),
    "enough": ("all prompts, or at least T⁻³ log²(1/T) of them", lambda r, p: r.enough),
}
SMALL_STEPS = {
    "has_confusing": ("the data hold a confusing prompt", lambda r, p: r.has_confusing),
    "perturbed": ("a perturbation of radius T³ or more is drawn", lambda r, p: r.perturbed),
}
SIZES = {
    "subjects": list(FAMILIES),
    "temperature": [(0.001, 0.002)] * 5 + [(0.001, 0.2)],
    "density": (0.3, 1.0),
    "rate_1": [(90.0, 250.0)] * 5 + [(1.0, 400.0)],
}
RUNS = SIZES | {
    "density": (0.5, 1.0),
    "rate_2": [(600.0, 2000.0)] * 5 + [(10.0, 2000.0)],
    "radius": (1e-9, 1e-2),
    "seed": (0, 999),
    "all_prompts": [1, 1, 1, 1, 1, 0],
    "steps": [2000],
}


@statement(
    "recall.lemma-9",
    runs=one_large_step,
    assumes=LARGE_STEP,
    good=lambda r: at_least(0.9, r.confusing_after, "p(r*) on confusing prompts after the large step"),
    holds_at={"steps": 1},
    fails_at={"rate_1": 1.0, "steps": 1},
    ranges=SIZES | {"density": (0.05, 1.0), "all_prompts": [1, 1, 1, 0]},
)
def lemma_9(r: OneLargeReport) -> Bounds:
    """Attention as stated to second order, its symmetry, and p₁(r*) on both kinds of prompt."""
    return Bounds(
        at_most(r.second_order, r.distance, "distance from the lemma's attention"),
        at_most(r.temperature**2, r.asymmetry, "|v₁ − v₃|"),
        at_most(torch.exp(-1 / (40 * r.temperature)), r.answer_asymmetry, "|v₂ − v₄|"),
        between(1 / 3, r.share_of_mismatched, 4 / 5, "m/p_mis, α's constant times 216"),
        at_most(r.error_allowed, r.error_plain, "1 − p(r*) on the worst non-confusing prompt"),
        at_most(r.error_allowed, r.error_confusing, "|½ − p(r*)| on the worst confusing one"),
        at_most(
            r.ratios[0], r.ratios[1], "log of error over e^(−1/√T), as many subjects as T allows, at T/3"
        ),
        at_most(r.ratios[1], r.ratios[2], "the same at T/10"),
    )


@statement(
    "recall.lemma-10",
    runs=one_large_step,
    assumes=LARGE_STEP | SMALL_STEPS,
    settled={
        "freed_or_late": (
            "18 log(1/T²)/(c₂p_conf T) small steps, of order log(1/T)/T",
            lambda r, p: r.freed_or_late,
        )
    },
    good=lambda r: at_least(0.9, r.worst, "p(r*) on the worst prompt at the end"),
    holds_at={"radius": 8e-9, "steps": 560},
    fails_at={"radius": 0.0, "steps": 560},
    ranges=RUNS,
    listed_errata=(
        Erratum(
            where="Lemma 10, the number of steps",
            printed=r"O\left(\tfrac1T\right)",
            right=r"O\left(\tfrac1T\log\tfrac1T\right)",
            survives=(
                "Nothing later needs it: Lemma 11 allows for the logarithm, and the proof writes Õ. It is needed "
                "unless the sample has already made $v_1 - v_3$ nearly as large as the $T^2$ that Lemma 9 allows: "
                "from a perturbation of radius $T^3$, growing by $1 + O(T)$ a step, a lead of $T^4$ takes so long."
            ),
            symbolic=algebra.logarithm_by_sympy,
            numeric=large_step.logarithm_numbers,
        ),
    ),
)
def lemma_10(r: OneLargeReport) -> Bounds:
    """The loss on every confusing prompt falls below log 2 by (p_conf T)³ within a number of steps."""
    return Bounds(
        at_most(r.freed_by, r.freed_after, "small steps until the loss is below log 2 by (p_conf T)³"),
        recorded(math.log(2) + torch.log(r.worst), "drop below log 2 at the end"),
        recorded(r.rate, "rate of the lead, by the law"),
        recorded(r.measured_rate, "rate of the lead, by autograd"),
    )


@statement(
    "recall.lemma-11",
    runs=one_large_step,
    assumes=LARGE_STEP | SMALL_STEPS,
    settled={"safe_or_late": ("200 T log(1/T)/(η₂p_conf) small steps", lambda r, p: r.safe_or_late)},
    good=lambda r: at_least(0.9, r.worst, "p(r*) on the worst prompt at the end"),
    holds_at={},
    fails_at={"temperature": 0.02, "steps": 400},
    ranges=RUNS,
)
def lemma_11(r: OneLargeReport) -> Bounds:
    """Within 200 units of steps every confusing prompt has p₁(r*) ≥ 0.999; the proof gives 40 000."""
    return Bounds(
        at_least(SAFE, r.worst, "least p(r*) on any prompt"),
        at_most(UNITS, UNITS * r.safe_after / r.safe_by, "steps, in the lemma's unit T log(1/T)/(η₂p_conf)"),
    )


@statement(
    "recall.equations-19-31",
    measures=checks.at_the_start,
    assumes={"cold": ("T at most 1/(40 log n)", lambda r, p: r.cold)},
    holds_at={"subjects": 10_007.0, "temperature": 0.0025, "density": 0.5},
    fails_at={"subjects": 10_007.0, "temperature": 0.02, "density": 0.5},
    ranges={"subjects": list(FAMILIES), "temperature": (0.0005, 0.05), "density": (0.02, 1.0)},
    listed_errata=(
        Erratum(
            where="Appendix C, after eq. 21, twice",
            printed=r"|v_0^\top\nabla L_1| = O(\exp(-\tfrac1{36})/T)",
            right=r"|v_0^\top\nabla L_1| = O(\exp(-\tfrac1{36T})/T)",
            survives="The lemma stands: a T is missing in the exponent, and the next lines use it.",
            symbolic=algebra.misprinted_exponent,
            numeric=algebra.exponent_numbers,
        ),
        Erratum(
            where="Appendix C, proof of Lemma 9, the chain rule",
            printed=r"\partial L_1/\partial v_i = v_i(\partial L_1/\partial v_i - v^\top\nabla_v L_1)",
            right=r"\partial L_1/\partial\theta_i = v_i(\partial L_1/\partial v_i - v^\top\nabla_v L_1)",
            survives="The lemma stands: a misprint for eq. 10.",
            symbolic=chain_rule_by_sympy,
            numeric=algebra.chain_numbers,
        ),
        Erratum(
            where="Appendix C, proof of Lemma 10, the bend of the logits, eqs 24 and 25",
            printed=(
                r"v'^\top\nabla^2l_1v' = \tfrac1{12},\quad \nabla l_i^\top v'' = \tfrac1{24},\quad "
                r"l_1''=\tfrac18,\quad l_2''=\tfrac1{24}"
            ),
            right=(
                r"v'^\top\nabla^2l_1v' = \tfrac19,\quad \nabla l_i^\top v'' = \tfrac1{36},\quad "
                r"l_1''=\tfrac5{36},\quad l_2''=\tfrac1{36}"
            ),
            survives=(
                "The lemma stands: the curvature is −p_conf/(18T), a little more than the −p_conf/(24T) that the "
                "printed numbers give. They take the second derivative of v₅ to be that of the others."
            ),
            symbolic=algebra.bend_by_sympy,
            numeric=algebra.bend_numbers,
        ),
        Erratum(
            where="Appendix C, proof of Lemma 10, the sign before the conclusion for confusing prompts",
            printed=r"p_1''(0) = -\Theta(1/T)",
            right=r"p_1''(0) = \Theta(1/T)",
            survives="The lemma stands: term I is positive in eq. 24, and the next line needs it so.",
            symbolic=algebra.sign_by_sympy,
            numeric=algebra.sign_numbers,
        ),
        Erratum(
            where="Appendix C, proof of Lemma 11, the derivatives on a confusing prompt",
            printed=r"\partial\ell_1/\partial v_1 = \tfrac1T(p_2(v_4-v_2)+\dots),\ \dots",
            right=r"\partial\ell_1/\partial v_1 = \tfrac1T(2p_2(v_4-v_2)+\dots),\ \dots",
            survives="The lemma stands: eqs 28 to 31 contain the factor 2.",
            symbolic=algebra.factor_by_sympy,
            numeric=algebra.factor_numbers,
        ),
        Erratum(
            where="Appendix C, end of the proof of Lemma 11",
            printed=r"p_1(Z') \le \frac1{1+\exp(-g_k/T)}",
            right=r"p_1(Z') \le \frac1{1+\exp(-2g_k/T)}",
            survives=(
                "The lemma stands. In Lemma 10 g is 2(v₁ − v₃)(v₂ − v₄), in Lemma 11 half of that, and the bound "
                "was carried over. What is used holds with either: all confusing prompts are nearly equal."
            ),
            symbolic=algebra.sandwich_by_sympy,
            numeric=algebra.sandwich_numbers,
        ),
    ),
    listed_checks=(
        Check(
            "Lemma 9, logits at the start",
            r"\tfrac14,\ \tfrac7{36},\ \tfrac5{36}",
            "sympy",
            algebra.start_by_sympy,
        ),
        Check(
            "Lemma 9, the start",
            r"p_1(r_1) = \tfrac1{I(Z)} - O(e^{-1/36T}),\ 1 \le I \le 6",
            "count, n = 10⁴",
            checks.start_by_counting,
        ),
        Check(
            "Lemma 9, how many match once or never",
            "$6(n-3)$; $n(n-1) - 6(n-2)$",
            "sympy, count",
            algebra.counts_by_sympy,
        ),
        Check(
            "Before eq. 19, and eqs 19 to 21",
            "bounds on every kind of prompt",
            "autograd",
            checks.bounds_at_random,
        ),
        Check(
            "Lemma 9, after eq. 21",
            r"|v_1+v_3+v_5-\tfrac12| \lesssim \eta_1^2/T^2,\ |v_5-v_i| = \Theta(p_{mis}\eta_1/T)",
            "one step, four sizes",
            checks.step_by_size,
        ),
        Check(
            "Lemma 9, the two examples, by $v_i/v_j = e^{\\theta_i-\\theta_j}$ (Taylor's remainder is larger)",
            r"|v_1-v_3| = o(T^2),\ |v_2-v_4| = o(e^{-1/40T})",
            "autograd, n from 10³ to 10⁶",
            checks.examples_stay_even,
        ),
        Check(
            "Lemmas 9 to 11, powers of T",
            "Chernoff's bound, $|v_1-v_3|$, the errors, how far small steps lead",
            "sympy",
            algebra.orders_by_sympy,
        ),
        Check(
            "Lemma 10, at $\\tilde\\theta$; eq. 25",
            r"\lVert\nabla_v\ell_1\rVert_\infty \lesssim \tfrac1T\max(|v_1-v_3|, |v_2-v_4|),\ p_1'' = o(\tfrac1T)",
            "autograd, n = 10⁴",
            checks.quiet_after_the_step,
        ),
        Check(
            "Lemma 10, before the bend",
            r"v_i'' = v_i(\delta_i^2 - \textstyle\sum_jv_j\delta_j^2)",
            "sympy",
            algebra.second_by_sympy,
        ),
        Check(
            "Lemma 10, gradients along ε̃",
            r"l_1' = (v_1+v_2+v_3+v_4)(v_1-v_3+v_2-v_4),\ \textstyle\sum v_j\delta_j^2 = \tfrac16",
            "sympy",
            algebra.along_by_sympy,
        ),
        Check("Eqs 22 and 23", "second derivatives through the softmax", "sympy", algebra.curve_by_sympy),
        Check(
            "Lemma 10, before eq. 25",
            r"\partial^2p_1/\partial l_i\partial l_j,\ \dots",
            "sympy",
            softmax_by_sympy,
        ),
        Check(
            "Lemma 10, the gap",
            r"l(r_1)-l(r_2) = 2(v_1-v_3)(v_2-v_4)",
            "sympy",
            algebra.sandwich_by_sympy,
        ),
        Check(
            "Lemma 11, the first lead",
            r"p_2 = \tfrac12 - \Omega(T^3) \Rightarrow (v_1-v_3)(v_2-v_4) \gtrsim T^4",
            "sympy",
            algebra.lead_by_sympy,
        ),
        Check(
            "Lemmas 10 and 11, the lower bound on $p_1$, and eq. 31",
            "all along a run, until 0.999",
            "gradient descent, n = 10⁴",
            checks.along_a_run,
        ),
        Check(
            "Eqs 26 to 30, and the bound on ‖ε‖",
            "one step of the lead, exactly",
            "sympy",
            algebra.growth_by_sympy,
        ),
        Check("Eq. 31", r"2 \cdot 0.0009 \cdot \tfrac1{18} = 10^{-4}", "sympy", algebra.last_inequality),
    ),
)
def equations_19_31(r: Any) -> Bounds:
    """Eqs 19 to 21 at the start; eq. 31's growth after the large step is Lemma 11's."""
    return Bounds(
        at_least(r.low - r.small, r.least, "eq. 19, least derivative by v₅ less another"),
        below(r.high + r.small, r.largest, "eq. 19, largest"),
        below(r.small, r.still, "eq. 20, largest derivative by v₂, v₄, v₆"),
        below(r.small, r.balance, "eq. 21, sum of those by v₁, v₃, v₅"),
        recorded(r.part, "derivative by v₅ over m/(3T)"),
    )
