"""Lemma 6: the curvature along ε̃ at the saddle, as printed and as it is, and the loss there."""

from __future__ import annotations

import math

import torch

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import curvature_by_autograd, scalar, three_subjects
from book.recall.escape.perturbed_descent import DEFAULTS, FINITE_SCORES, guaranteed_drop, saddle_gap
from book.recall.escape.proofs.equations_11_17 import by_sympy
from lib.recall.escape import free_loss, printed_curvature, saddle_spectrum


def curvature_numbers() -> dict[str, float]:
    """The curvature along ε̃ at the default temperature: as printed, by our formula, and by autograd."""
    t = scalar(DEFAULTS["temperature"])
    return {
        "temperature": float(t),
        "paper": float(printed_curvature(t)),
        "right": float(saddle_spectrum(t)[0]),
        "measured": float(curvature_by_autograd(three_subjects(), t)),
    }


@erratum(
    "recall.lemma-6",
    rank=Rank.PROOF,
    where="Appendix B, the curvature at the end of Lemma 6's proof",
    printed=r"-\frac{1}{8T}+\frac{1}{16T^2\left(4+2e^{3/(16T)}\right)^2}",
    right=r"-\frac{1}{8T}+\frac{1}{32T^2\left(4+2e^{1/(8T)}\right)}",
    survival=Survival.AS_PRINTED,
    survives=(
        "The lemma stands: the right second term, too, is smaller than the first at every temperature and "
        "vanishes exponentially as T falls."
    ),
    numbers=curvature_numbers,
)
def printed_curvature_differs() -> bool:
    """Proves that the second derivative of L₁ by eq. 11 is −1/(8T) + p₃/(32T²), and not Lemma 6's."""
    import sympy as sp

    terms = by_sympy()
    t, p = terms.temperature, terms.right
    curvature = (terms.probability_1 / p) ** 2 - (terms.term_1 + terms.term_2) / p
    ours = -1 / (8 * t) + 1 / (32 * t**2 * (4 + 2 * sp.exp(1 / (8 * t))))
    printed = -1 / (8 * t) + 1 / (16 * t**2 * (4 + 2 * sp.exp(sp.Rational(3, 16) / t)) ** 2)
    return sp.simplify(curvature - ours) == 0 and sp.simplify(curvature - printed) != 0


def drop_numbers() -> dict[str, float]:
    """What Lemma 7 promises at T = 0.02 and δ = 0.1, over T³."""
    t, delta = 0.02, 0.1
    log = math.log(6 / (delta * t))
    return {
        "temperature": t,
        "paper: drop over T^3": 1.0,
        "right: drop over T^3, up to constants": log**-3,
        "right: the same with the constants of Proposition 1": guaranteed_drop(t, delta) / t**3,
    }


@erratum(
    "recall.lemma-6",
    rank=Rank.PROOF,
    where="Appendix B, end of Lemma 6's proof, Lemma 7 applied",
    printed=r"L_1(\theta_t)-L_1(\tilde\theta)\le-\Omega(T^3)",
    right=r"L_1(\theta_t)-L_1(\tilde\theta)\le-\Omega\big(T^3\log^{-3}\tfrac1{T\delta}\big)",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: the gap to log 2 is exponentially small in $1/T$ and less than that, too.",
    numbers=drop_numbers,
)
def printed_drop_differs() -> bool:
    """Proves that with α = 1/T², ρ = 1/T³ and γ = 1/T Lemma 7's drop is o(T³), and still above the gap as T falls."""
    import sympy as sp

    t, delta, x = sp.symbols("T delta x", positive=True)
    alpha, rho, gamma, d = t**-2, t**-3, 1 / t, 6
    drop = gamma**3 / rho**2 / sp.log(d * alpha / (delta * gamma)) ** 3
    ours = t**3 / sp.log(d / (delta * t)) ** 3
    gap = sp.log(1 + 2 * sp.exp(-1 / (8 * t)))
    enough = sp.limit((gap / ours).subs({t: 1 / x, delta: sp.Rational(1, 10)}), x, sp.oo) == 0
    return sp.simplify(drop / ours) == 1 and sp.limit(drop / t**3, t, 0, "+") == 0 and enough


@checked(
    "recall.lemma-6",
    "Appendix B, the least eigenvalue at the saddle",
    r"\lambda_{\min}(\nabla^2L_1(\tilde\theta))\le f''(0)\text{, in fact with equality}",
    "autograd",
)
def least_eigenvalue_is_along_escape_direction() -> bool:
    """Proves that the Hessian's least eigenvalue is the curvature along ε̃, and that the others are as derived."""
    for t in torch.tensor([0.01, 0.05, 0.2, 1.0], dtype=torch.float64):
        hessian = torch.func.hessian(free_loss)(torch.zeros(FINITE_SCORES, dtype=torch.float64), t)
        eigenvalues = torch.linalg.eigvalsh(hessian)
        if not torch.allclose(eigenvalues, saddle_spectrum(t).sort().values, rtol=1e-9, atol=1e-11):
            return False
    return True


@checked("recall.lemma-6", "Appendix B, the order of the curvature", r"f''(0)\lesssim-1/T", "grid")
def curvature_is_always_negative() -> bool:
    """Proves −1/(8T) ≤ curvature ≤ −0.768/(8T) at every temperature: the claimed order −1/T."""
    t = torch.logspace(-3, 4, 7001, dtype=torch.float64)
    scaled = 8 * t * saddle_spectrum(t)[:, 0]
    return bool((scaled >= -1).all()) and bool((scaled <= -0.768).all())


@checked(
    "recall.lemma-6",
    "Appendix B, the loss at the saddle",
    r"L_1(\tilde\theta)\downarrow\log 2\text{, with error }\log(1+2e^{-1/(8T)})",
    "reduction",
)
def saddle_loss_tends_to_log_2() -> bool:
    """Proves L₁(θ̃) = log 2 + log(1 + 2e^{−1/(8T)}): above log 2, and tending to it."""
    saddle = torch.zeros(FINITE_SCORES, dtype=torch.float64)
    return all(
        math.isclose(
            float(free_loss(saddle, scalar(t))) - math.log(2), saddle_gap(t), rel_tol=1e-9, abs_tol=1e-12
        )
        for t in (0.01, 0.05, 0.5)
    )
