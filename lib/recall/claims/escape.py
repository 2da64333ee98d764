"""The way out of the saddle: Lemma 6."""

from __future__ import annotations

import math

from lib.claims import Claim, Erratum, Evidence, Verdict, register
from lib.recall.claims.common import DEFAULTS, PAPER, scalar, three_subjects
from lib.recall.claims.logits import printed_logits
from lib.recall.dynamics import escape_curvature, warm_up
from lib.solve import run

PAGE = "book/recall/escape"


def paper_curvature(temperature: float) -> float:
    """Lemma 6's formula as printed: −1/(8T) + 1/(16T²(4 + 2e^{3/(16T)})²)."""
    t = temperature
    return -1 / (8 * t) + 1 / (16 * t**2 * (4 + 2 * math.exp(3 / (16 * t))) ** 2)


def right_curvature(temperature: float) -> float:
    """The second derivative along ε̃: −1/(8T) + p₃/(32T²) with p₃ = 1/(4 + 2e^{1/(8T)})."""
    t = temperature
    return -1 / (8 * t) + 1 / (32 * t**2 * (4 + 2 * math.exp(1 / (8 * t))))


def lemma_6(**configuration: float) -> Evidence:
    """The curvature at the saddle, and whether the loss falls below log 2 after the perturbation."""
    t = configuration["temperature"]
    result = run(warm_up(), **configuration).report
    curvature = float(escape_curvature(three_subjects(), scalar(t)))
    return Evidence(
        hypotheses={
            "temperature below its threshold": bool(result.cold),
            "a perturbation is drawn": bool(result.perturbed),
        },
        predicted={
            "curvature": right_curvature(t),
            "curvature as printed": paper_curvature(t),
            "loss below": math.log(2),
        },
        measured={"curvature": curvature, "loss": float(result.measured_loss)},
        conclusion=abs(curvature - right_curvature(t)) < 1e-9 * abs(curvature)
        and curvature < 0
        and float(result.measured_loss) < math.log(2),
    )


def curvature_by_sympy() -> bool:
    """Whether sympy's second derivative of L₁(θ̃ + xε̃) at 0 is ours and is not the printed one."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    up, down = sp.exp(x / 2), sp.exp(-x / 2)
    first, second = up / (2 * (up + down)), down / (2 * (up + down))
    logits = sp.Matrix(printed_logits(first, first, second, second, sp.Integer(0)))
    loss = sp.log(sum(sp.exp((logit - logits[0]) / t) for logit in logits))
    found = sp.diff(loss, x, 2).subs(x, 0)
    ours = -1 / (8 * t) + 1 / (32 * t**2 * (4 + 2 * sp.exp(1 / (8 * t))))
    printed = -1 / (8 * t) + 1 / (16 * t**2 * (4 + 2 * sp.exp(sp.Rational(3, 16) / t)) ** 2)
    return sp.simplify(found - ours) == 0 and sp.simplify(found - printed) != 0


def _curvature_numbers() -> dict[str, float]:
    t = DEFAULTS["temperature"]
    measured = float(escape_curvature(three_subjects(), scalar(t)))
    return {"temperature": t, "paper": paper_curvature(t), "right": right_curvature(t), "measured": measured}


register(
    Claim(
        id="recall.lemma-6",
        paper=PAPER,
        kind="lemma",
        number="6",
        title="After the perturbation the loss falls below log 2",
        page=PAGE,
        statement=(
            "Below a temperature that depends on $\\delta$ alone, with probability $1 - \\delta$ polynomially many "
            "steps after the perturbation bring $L_1$ below $\\log 2$; the curvature of $L_1$ along "
            "$\\tfrac12(1,1,-1,-1,0,0)$ at the saddle is of order $-1/T$."
        ),
        examine=lemma_6,
        holds_at=DEFAULTS,
        fails_at={**DEFAULTS, "perturbation_radius": 0.0},
        recorded=Verdict.CORRECTED,
        finding="The escape is as stated; the second term of the printed curvature is not.",
        errata=(
            Erratum(
                where="Appendix B, term II of Lemma 6's proof and the curvature that follows from it",
                paper=r"-\frac{1}{8T}+\frac{1}{16T^2\left(4+2e^{3/(16T)}\right)^2}",
                right=r"-\frac{1}{8T}+\frac{1}{32T^2\left(4+2e^{1/(8T)}\right)}",
                survives=(
                    "The lemma stands: the right second term, too, is smaller than the first at every temperature "
                    "and vanishes exponentially as T falls."
                ),
                symbolic=curvature_by_sympy,
                numeric=_curvature_numbers,
            ),
        ),
    )
)
