"""How cold must it be: the end of Theorem 4's proof with Claim 1, and findings of ours where the paper says
"small enough" and T ≤ C/log n.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from book.ledger import (
    Bounds,
    Check,
    Erratum,
    Ground,
    at_least,
    at_most,
    below,
    between,
    near,
    recorded,
    statement,
    true,
)
from book.recall.common import TOLERANCE, nothing_is_lower
from book.recall.temperature import algebra
from book.recall.temperature.program import EXPANSION, Cooled, cooling
from lib.recall.phases import thresholds


@statement(
    "recall.theorem-4-proof",
    measures=algebra.end_of_proof,
    assumes={"cold": ("temperature small enough: at most 0.03", lambda r, p: r.cold)},
    holds_at={"temperature": 0.01},
    fails_at={"temperature": 0.088},
    ranges={"temperature": (0.0005, 0.12)},
    listed_errata=(
        Erratum(
            where="Appendix B, the gaps d₃ … d₆ and the root of h in Theorem 4's proof",
            printed=(
                r"d_3=-3x^2+3x-\tfrac34,\ d_4=-7x^2+4x-\tfrac34,\ d_5=-7x^2+3x-\tfrac12,\ d_6=-3x^2,\ "
                r"x_0=\tfrac{4-\sqrt6}{10}"
            ),
            right=r"d_3=-2x^2+2x-\tfrac12,\ d_4=d_5=-6x^2+3x-\tfrac12,\ d_6=-2x^2,\ x_0=\tfrac16",
            survives=(
                "The theorem stands. The right h = d₂ − d₆ = −6x² + 4x − ½ increases on (0, ¼) and has the "
                "single root 1/6 there, where d₃, d₄ and d₅ are below d₆, as the argument needs."
            ),
            symbolic=algebra.limit_by_sympy,
            numeric=algebra.limit_numbers,
        ),
        Erratum(
            where="Appendix B, the count of critical points at the end of Theorem 4's proof",
            printed=(
                r"\Psi<0\text{ for all }x<x_0-\epsilon,\ "
                r"\text{so }L_1\text{ has exactly one critical point in }(0,\tfrac14)"
            ),
            right=(
                r"\Psi>0\text{ near }0;\ \text{exactly one with }L_1<\log 2,\ "
                r"\text{and a maximum near }x=3e^{-1/(2T)}"
            ),
            survives=(
                "The theorem stands. The loss at the maximum is above log 2, and the run, once below log 2, "
                "never comes back to it."
            ),
            symbolic=algebra.end_slope_by_sympy,
            numeric=algebra.turning_numbers,
        ),
        Erratum(
            where="Appendix B, the symmetry of the slice in Theorem 4's proof",
            printed=r"L_1(x)=L_1(\tfrac14-x)",
            right=r"L_1(x)=L_1(\tfrac12-x)",
            survives="The theorem stands: what is used, that (0, ¼) is enough, follows from the right symmetry.",
            symbolic=algebra.symmetry_by_sympy,
            numeric=algebra.symmetry_numbers,
        ),
        Erratum(
            where="Appendix B, Ψ, its leading part and h in Theorem 4's proof",
            printed=r"\Psi=(4-16x)e^{(d_2-d_6)/T}-6x+\dots,\quad h=-5x^2+4x^2-\tfrac12",
            right=r"\Psi=(4-16x)e^{(d_2-d_6)/T}-4x+\dots,\quad h=-6x^2+4x-\tfrac12",
            survives=(
                "The theorem stands. The 6x and the 5 follow from the wrong d₆; the second x² of h is a slip of "
                "the pen for x."
            ),
            symbolic=algebra.rescaled_by_sympy,
            numeric=algebra.rescaled_numbers,
        ),
    ),
    listed_checks=(
        Check(
            "End of Theorem 4's proof",
            "$d_2 = -8x^2 + 4x - \\tfrac12$; $d_3, d_4, d_5 < d_6$, on all of $(0, \\tfrac14)$ even",
            "sympy",
            algebra.gaps_by_sympy,
        ),
        Check(
            "End of Theorem 4's proof",
            "$L_1 < \\log 2$ only where $l(r_1) > l(r)$ for all $r \\ne r_1$",
            "count",
            algebra.below_log_2_means_ahead,
        ),
        Check(
            "End of Theorem 4's proof",
            "$L_1(x^*) < \\log 2$ for small $T$",
            "count",
            algebra.minimum_below_log_2,
        ),
    ),
)
def theorem_4_proof(r: Any) -> Bounds:
    """Exactly one critical point with 0 < a < ¼ lies below log 2, and a tends to 1/6."""
    return Bounds(
        near(1.0, r.low, "critical points below log 2"),
        near(1 / 6, r.a, "a, to within T/2 of its limit", absolute=r.temperature / 2),
        recorded(r.points, "critical points"),
    )


@statement(
    "recall.claim-1",
    measures=algebra.leading_part,
    assumes={
        "cold": ("T so small that h outweighs T log(x/(1 − 4x)) at both ends of I", lambda r, p: r.cold)
    },
    holds_at={"temperature": 0.01},
    fails_at={"temperature": 0.08},
    ranges={"temperature": (0.0005, 0.2)},
    listed_errata=(
        Erratum(
            where="Appendix B, the root condition and the derivative in the proof of Claim 1",
            printed=(
                r"h=T\log\tfrac{6x}{4-16x},\quad "
                r"\tilde\Psi'(x_T)=-16e^{h/T}+\tfrac{6x_Th'}{T}-6,\quad h'=4-10x"
            ),
            right=(
                r"h=T\log\tfrac{x}{1-4x},\quad "
                r"\tilde\Psi'(x_T)=-16e^{h/T}+\tfrac{4x_Th'}{T}-4,\quad h'=4-12x"
            ),
            survives="The claim stands: only the constants change, and T Ψ̃′ tends to 4/3.",
            symbolic=algebra.derivative_by_sympy,
            numeric=algebra.derivative_numbers,
        ),
        Erratum(
            where="Appendix B, the sentence before Claim 1",
            printed=r"\tilde\Psi\text{ has a unique root in }(0,\tfrac14)",
            right=r"\text{a unique root in }I;\ \text{on }(0,\tfrac14)\text{ there are three}",
            survives=(
                "The claim speaks of I alone and stands. The others are near 0, where L₁ has its maximum, and near "
                "¼. There the terms left out are as large as those kept, and the true slope has no root."
            ),
            symbolic=algebra.three_roots_by_sympy,
            numeric=algebra.roots_numbers,
        ),
    ),
    listed_checks=(
        Check(
            "Proof of Claim 1",
            "$F' = h' - T(\\tfrac1x + \\tfrac{16}{4-16x})$",
            "sympy",
            algebra.log_condition_by_sympy,
        ),
        Check(
            "Before Claim 1",
            "on $I$, $\\Psi - \\tilde\\Psi$ is at most of order $e^{-\\gamma/T}$, and its derivative of order "
            "$e^{-\\gamma/T}/T$",
            "autograd",
            algebra.remainder_is_small,
        ),
    ),
)
def claim_1(r: Any) -> Bounds:
    """Exactly one root in I, and T Ψ̃′ there is 4/3, give or take a half of it."""
    return Bounds(
        near(1.0, r.roots, "roots in I"),
        between(0.5, r.slope, 2.0, "T times the derivative at the root"),
        recorded(r.root, "the root"),
    )


@statement(
    "recall.sharp-thresholds",
    runs=cooling,
    assumes={
        "lowest": ("the minimum is the lowest point of the slice: T < T₂", lambda r, p: r.lowest),
        "perturbed": ("the perturbation has a part along the way out", lambda r, p: r.perturbed),
        "small_steps": ("learning rate small enough: the loss never rises", lambda r, p: r.small_steps),
    },
    settled={"finished": ("steps enough for stage 2 to converge", lambda r, p: r.finished)},
    good=lambda r: at_least(0.9, r.measured_p, "p(r*) at the end"),
    holds_at={"temperature": 0.088, "steps": 1500},
    fails_at={"temperature": 0.0888, "steps": 1500},
    seeds=10,
    ranges={
        "temperature": (0.012, 0.14),
        "perturbation_radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate_2": (80.0, 1000.0),
        "steps": [2000],
    },
    ground=Ground.OURS,
    listed_checks=(
        Check(
            "The slice",
            "$S$ and its turning points, in $y = \\tfrac14 - x$",
            "sympy",
            algebra.turning_by_sympy,
        ),
        Check("The slice", "the same in code", "autograd", algebra.turning_by_autograd),
        Check(
            "The thresholds",
            "two equations in $(y, T)$ for each",
            "root finding on the slice",
            algebra.thresholds_agree,
        ),
        Check(
            "Off the slice",
            "no random start over all six tokens ends below it",
            "search",
            partial(nothing_is_lower, (3, 0.02), (3, 0.05), (3, 0.088), (3, 0.1)),
        ),
    ),
)
def sharp_thresholds(r: Cooled) -> Bounds:
    """The run ends at the lowest loss, at the root of the slope; each property is lost at its threshold."""
    known = thresholds()
    return Bounds(
        at_most(1e-5, r.measured_loss - r.lowest_loss, "loss L₁ at the end, above the lowest"),
        near(r.predicted_a, r.measured_a, "a, attention on the lesser pair", absolute=TOLERANCE),
        at_most(TOLERANCE, r.mismatch, "imbalance inside the pairs"),
        true(r.as_foretold, "each property of the minimum holds just below its threshold"),
        recorded(known.below_log_2, "T₁"),
        recorded(known.lowest, "T₂"),
        recorded(known.exists, "T₃"),
    )


@statement(
    "recall.attention-of-temperature",
    runs=cooling,
    assumes={
        "expansion": (
            f"T at most {EXPANSION:g}, where the terms left out are below T³",
            lambda r, p: r.expansion,
        ),
        "perturbed": ("the perturbation has a part along the way out", lambda r, p: r.perturbed),
        "small_steps": ("learning rate small enough: the loss never rises", lambda r, p: r.small_steps),
    },
    settled={"finished": ("steps enough for stage 2 to converge", lambda r, p: r.finished)},
    good=lambda r: at_least(0.9, r.measured_p, "p(r*) at the end"),
    holds_at={"temperature": EXPANSION, "steps": 2000},
    fails_at={"temperature": 0.06},
    constants=(0.05,),
    ranges={
        "temperature": [(0.012, 0.018)] * 3 + [(0.002, 0.14)],
        "perturbation_radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate_2": (150.0, 1000.0),
        "steps": [2000],
    },
    ground=Ground.OURS,
    listed_checks=(
        Check("The expansion", "both coefficients", "sympy", algebra.expansion_by_sympy),
        Check("The expansion", "what is left is of order $T^3$", "autograd", algebra.third_order_remains),
    ),
)
def attention_of_temperature(r: Cooled) -> Bounds:
    """a is 1/6 − (log 2/2)T − (9/2 log 2 − 3/4 log² 2)T², up to 25T³."""
    return Bounds(
        at_most(
            25.0, (r.measured_a - r.foretold_a).abs() / r.now_T**3, "distance of a from the law, over T³"
        ),
        near(r.predicted_a, r.measured_a, "a, against the root of the slope", absolute=1e-6),
    )


@statement(
    "recall.how-cold",
    measures=algebra.how_cold,
    assumes={"enough": ("C below 1/8", lambda r, p: r.enough)},
    holds_at={"constant": 0.1, "subjects": 1e100},
    fails_at={"constant": 0.13, "subjects": 1e100},
    constants=(0.99,),
    ranges={"constant": (0.03, 0.5), "subjects": (1e30, 1e140)},
    ground=Ground.OURS,
    listed_checks=(
        Check(
            "The law for three subjects",
            "$\\tfrac32 2^{1/3}$ and $\\tfrac1{18}$",
            "sympy",
            algebra.law_by_sympy,
        ),
        Check(
            "The constant $\\tfrac18$", "no attention does better", "sympy", algebra.no_attention_does_better
        ),
        Check("The exponent $e$", "both sides", "sympy", algebra.exponent_by_sympy),
    ),
)
def how_cold(r: Any) -> Bounds:
    """The odds against r* fall like n^−e for C < ⅛, √e + 2√(1 + e) = 1/√(2C); and three subjects follow their law."""
    return Bounds(
        below(0.0, r.slope, "slope of the log of the odds against r* in log n, from √n to n"),
        near(-r.exponent, r.slope, "the same, by the law", relative=0.05, absolute=0.015),
        between(1 - 1e-9, r.scaled, 6.0, "the odds against r* times n^e"),
        recorded(r.p, "best p(r*) at T = C/log n"),
        near(1.0, r.law, "1 − p(r*) over its law, three subjects at T = 0.004", absolute=0.02),
        recorded(r.from_099, "subjects from which the printed bound gives 0.99"),
        recorded(r.from_0999, "subjects from which the printed bound gives 0.999"),
    )
