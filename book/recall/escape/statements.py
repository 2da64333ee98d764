"""The way out of the saddle: Lemma 6, the equations of its proof, Lemma 7 at work, Proposition 1 and Lemma 12."""

from __future__ import annotations

import math
from typing import Any

import torch

from book.ledger import Bounds, Check, Erratum, at_least, at_most, below, near, recorded, statement
from book.recall.common import softmax_by_sympy, three_subjects
from book.recall.escape import algebra, curvature, smoothness
from book.recall.escape.program import Escape, escape
from lib.recall.escape import HESSIAN_LIPSCHITZ

COLD = {"temperature": 0.02}


def terms(temperature: float, tilt: float) -> dict[str, Any]:
    """Equations 11–17 against automatic differentiation at the saddle, or ``tilt`` away from it in θ₁."""
    found = algebra.by_autograd(temperature, tilt)
    eighth, sixteenth = torch.tensor([0.0, 0, 1, 0, 0, -1]) / 8, torch.tensor([4.0, 0, 3, 1, 1, 3]) / 16
    shares, slopes, bends = found.shares
    p, other = float(shares[0]), float(shares[2])
    return {
        "at_the_saddle": tilt == 0,
        "attention": float(found.attention[2].abs().max()),
        "slope": float((found.logits[1] - eighth).abs().max()),
        "bend": float((found.logits[2] - sixteenth).abs().max()),
        "probability_1": abs(float(slopes[0])),
        "probability_2": float(bends[0]),
        "terms": p / (8 * temperature) - p * other / (32 * temperature**2),
    }


@statement(
    "recall.lemma-6",
    runs=escape,
    assumes={
        "cold": ("T small enough: the loss at the inner minimum is below log 2", lambda r, p: r.cold),
        "perturbed": ("the perturbation has a part along the way out, ⟨ξ, ε̃⟩ ≠ 0", lambda r, p: r.perturbed),
        "small_steps": ("learning rate small enough: the loss never rises", lambda r, p: r.small_steps),
    },
    settled={"settled": ("steps enough for stage 2 to converge", lambda r, p: r.settled)},
    good=lambda r: at_least(0.9, torch.exp(-r.end_loss), "p(r*) at the end"),
    holds_at={},
    fails_at={"temperature": 0.087},
    seeds=10,
    ranges={
        "temperature": [(0.015, 0.0855)] * 5 + [(1e-3, 10.0)],
        "perturbation_radius": (1e-10, 1.0),
        "seed": (0, 999),
        "rate_2": [(80.0, 400.0)] * 5 + [(1.0, 2000.0)],
        "steps": [1500],
    },
    listed_errata=(
        Erratum(
            where="Appendix B, the curvature at the end of Lemma 6's proof",
            printed=r"-\frac{1}{8T}+\frac{1}{16T^2\left(4+2e^{3/(16T)}\right)^2}",
            right=r"-\frac{1}{8T}+\frac{1}{32T^2\left(4+2e^{1/(8T)}\right)}",
            survives=(
                "The lemma stands: the right second term, too, is smaller than the first at every temperature and "
                "vanishes exponentially as T falls."
            ),
            symbolic=algebra.curvature_differs,
            numeric=curvature.curvature_numbers,
        ),
    ),
    listed_checks=(
        Check(
            "Appendix B, the least eigenvalue at the saddle",
            r"\lambda_{\min}(\nabla^2L_1(\tilde\theta))\le f''(0)\text{, in fact with equality}",
            "autograd",
            curvature.least_is_along_the_direction,
        ),
        Check(
            "Appendix B, the order of the curvature", r"f''(0)\lesssim-1/T", "grid", curvature.always_negative
        ),
        Check(
            "Appendix B, the loss at the saddle",
            r"L_1(\tilde\theta)\downarrow\log 2\text{, with error }\log(1+2e^{-1/(8T)})",
            "reduction",
            curvature.saddle_loss_is_right,
        ),
    ),
)
def lemma_6(r: Escape) -> Bounds:
    """The loss ends below log 2, and the curvature along ε̃ is negative: −1/(8T) + p₃/(32T²)."""
    return Bounds(
        below(math.log(2), r.end_loss, "loss L₁ at the end"),
        below(0.0, r.curvature, "curvature along ε̃ at the saddle"),
        near(r.right_curvature, r.curvature, "the same, against its formula", relative=1e-9),
    )


@statement(
    "recall.equations-11-17",
    measures=terms,
    assumes={"at_the_saddle": ("at the saddle", lambda r, p: r.at_the_saddle)},
    holds_at={"temperature": 0.05, "tilt": 0.0},
    fails_at={"temperature": 0.05, "tilt": 0.1},
    ranges={"temperature": (0.005, 5.0), "tilt": [0.0, 0.0, 0.1, -0.3]},
    listed_errata=(
        Erratum(
            where="Appendix B, proof of Lemma 6, the gradients of l₃ … l₆: their fifth entries",
            printed=r"\nabla_v l_3=(1,1,\tfrac12,\tfrac12,0,0)\text{ and likewise for }l_4,l_5,l_6",
            right=r"\nabla_v l_3=(1,1,\tfrac12,\tfrac12,\tfrac12,0)\text{ and likewise for }l_4,l_5,l_6",
            survives="Nothing depends on it: attention on the query does not move, v₅′ = 0.",
            symbolic=algebra.gradients_differ,
            numeric=curvature.gradient_numbers,
        ),
        Erratum(
            where="Appendix B, proof of Lemma 6, term II",
            printed=r"-\frac{p_1(0)\,p_1(r_3)^2}{16T^2}",
            right=r"-\frac{p_1(0)\,p_1(r_3)}{32T^2}",
            survives="The lemma stands: term II is still exponentially small beside term I.",
            symbolic=algebra.term_2_differs,
            numeric=curvature.term_2_numbers,
        ),
    ),
    listed_checks=(
        Check(
            "Equations 12, 13, 14 and v″",
            r"p_1'(0)=0,\ v'=\tfrac18(1,1,-1,-1,0,0),\ v''=0,\ l'=\tfrac18(0,0,1,0,0,-1)",
            "sympy",
            algebra.first_derivatives_are_right,
        ),
        Check(
            "Equation 16, the six Hessians",
            r"\nabla_v^2l_1,\dots,\nabla_v^2l_6",
            "sympy",
            algebra.hessians_are_right,
        ),
        Check(
            "Equation 17", r"l''(0)=\tfrac1{16}(4,0,3,1,1,3)", "sympy", algebra.second_derivatives_are_right
        ),
        Check("Appendix B, term I", r"\tfrac{p_1(0)}{8T}", "sympy", algebra.term_1_is_right),
        Check(
            "Equation 15 and the second derivatives of p₁ by l₃ and l₆",
            r"\tfrac{p_1}{T}(\delta_{i1}-p_i),\ \tfrac{p_1}{T^2}(2p_3^2-p_3),\ \tfrac{2p_1p_3p_6}{T^2}",
            "sympy",
            softmax_by_sympy,
        ),
    ),
)
def equations_11_17(r: Any) -> Bounds:
    """v″ = 0, l′ and l″ as given, p₁′ = 0 and p₁″ the sum of its two terms."""
    return Bounds(
        near(0.0, r.attention, "|v″|, largest", absolute=1e-10),
        near(0.0, r.slope, "error of l′, largest", absolute=1e-10),
        near(0.0, r.bend, "error of l″, largest", absolute=1e-10),
        near(0.0, r.probability_1, "|p₁′|", absolute=1e-10),
        near(r.terms, r.probability_2, "p₁″, against term I + term II", absolute=1e-10),
    )


@statement(
    "recall.lemma-7",
    measures=curvature.perturbed_descent,
    assumes={
        "in_ball": ("ξ is drawn from a ball of the lemma's radius", lambda r, p: r.in_ball),
        "rare": ("δ at most dα/γ", lambda r, p: r.rare),
        "small_steps": (
            "η at most c/α, c the universal constant: here ½ will do",
            lambda r, p: r.small_steps,
        ),
    },
    holds_at={**COLD, "delta": 0.1, "constant": 0.5, "radius_factor": 1.0},
    fails_at={**COLD, "delta": 0.1, "constant": 0.5, "radius_factor": 0.0},
    ranges={"temperature": (0.003, 0.06), "delta": (1e-4, 0.9), "constant": (0.25, 1.0), "draws": [1000]},
)
def lemma_7(r: Any) -> Bounds:
    """A share 1 − δ of the draws falls by cγ³/ρ² over a cubed logarithm."""
    return Bounds(
        at_least(r.wanted, r.share, "share of draws that fall enough"),
        recorded(r.promised, "the drop that is promised"),
        recorded(r.median_drop, "median drop"),
        recorded(r.steps, "steps"),
    )


@statement(
    "recall.proposition-1",
    measures=smoothness.smoothness,
    assumes={"cold": ("T below T₀ = 0.02", lambda r, p: r.cold)},
    holds_at=COLD,
    fails_at={"temperature": 4.0},
    ranges={"temperature": (1e-4, 0.5)},
    listed_errata=(
        Erratum(
            where="Appendix E, proof of Proposition 2 (and the start of Appendix B): the probability vector",
            printed=r"p=\mathrm{softmax}(l)",
            right=r"p=\mathrm{softmax}(l/T)",
            survives="A misprint: with the factor 1/T put in, the three displayed derivatives are right.",
            symbolic=smoothness.softmax_needs_temperature,
            numeric=smoothness.softmax_numbers,
        ),
    ),
    listed_checks=(
        Check(
            "Appendix E, the derivatives of Ψ",
            r"\nabla\Psi,\ \nabla^2\Psi,\ \nabla^3\Psi\text{ as a mean, a covariance, a third central moment}",
            "autograd",
            smoothness.cumulants_are_right,
        ),
        Check(
            "Appendix E, the bounds",
            r"\tfrac{H}{T}+\tfrac{2G^2}{T^2},\quad \tfrac{6HG}{T^2}+\tfrac{8G^3}{T^3}",
            "autograd, with the sharp G = 2√2 and H = 4",
            smoothness.bounds_hold,
        ),
        Check(
            "Appendix E, the number of quadratic forms",
            r"13",
            "count",
            lambda: len(three_subjects().matches) == 13,
        ),
    ),
)
def proposition_1(r: Any) -> Bounds:
    """The two constants grow like 1/T² and 1/T³."""
    return Bounds(
        near(2.0, r.second, "exponent of the gradient's constant, over a factor of 16 in T", absolute=0.02),
        near(3.0, r.third, "exponent of the Hessian's constant", absolute=0.02),
        near(1 / 32, r.gradient, "T²ℓ", relative=0.001),
        near(HESSIAN_LIPSCHITZ, r.hessian, "T³ρ", relative=0.05),
    )


@statement(
    "recall.lemma-12",
    measures=smoothness.distance_moved,
    assumes={"small_steps": ("η at most 1/ℓ", lambda r, p: r.small_steps)},
    holds_at={**COLD, "rate": 32.0, "steps": 400},
    fails_at={**COLD, "rate": 3200.0, "steps": 20},
    ranges={"temperature": (0.002, 1.0), "rate": (1.0, 1000.0), "steps": (1, 600), "seed": (0, 999)},
    listed_checks=(
        Check(
            "Appendix E, proof of Lemma 12",
            r"\sum_k\|x_{k+1}-x_k\|^2=\eta^2\sum_k\|\nabla f(x_k)\|^2\le\tfrac{2(f(x_0)-f^\star)}{\ell}",
            "sympy, with equality on a parabola",
            smoothness.descent_lemma_sums,
        ),
    ),
)
def lemma_12(r: Any) -> Bounds:
    """t steps move by at most √(2t(f(x₀) − inf f)/ℓ)."""
    return Bounds(
        at_most(1.0, r.moved, "distance over the bound, largest"),
        recorded(r.rise, "largest rise of the loss"),
    )
