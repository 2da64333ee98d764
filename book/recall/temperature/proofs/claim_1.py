"""Claim 1: the leading part of the slope on the slice has one root in I, and rises there."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import scalar
from book.recall.temperature.proofs.slice import slice_by_sympy
from book.recall.temperature.proofs.theorem_4 import PRINTED_LIMIT
from book.recall.temperature.slice import (
    CENTRE,
    RADIUS,
    leading,
    log_condition,
    rescaled,
    sign_changes,
    slice_gaps,
)
from lib.recall.landscape import slice_minimum


def derivative_numbers() -> dict[str, float]:
    t = scalar(1e-4)
    a = slice_minimum(3, t)
    slope = torch.func.grad(lambda x: rescaled(x.reshape(1), t)[0])(a)
    paper = 6 * PRINTED_LIMIT * (4 - 10 * PRINTED_LIMIT)
    return {"temperature": 1e-4, "paper": paper, "right": 4 / 3, "measured: T Psi'": float(t * slope)}


@erratum(
    "recall.claim-1",
    rank=Rank.PROOF,
    where="Appendix B, the root condition and the derivative in the proof of Claim 1",
    printed=r"h=T\log\tfrac{6x}{4-16x},\quad "
    r"\tilde\Psi'(x_T)=-16e^{h/T}+\tfrac{6x_Th'}{T}-6,\quad h'=4-10x",
    right=r"h=T\log\tfrac{x}{1-4x},\quad "
    r"\tilde\Psi'(x_T)=-16e^{h/T}+\tfrac{4x_Th'}{T}-4,\quad h'=4-12x",
    survival=Survival.AS_PRINTED,
    survives="The claim stands: only the constants change, and T Ψ̃′ tends to 4/3.",
    numbers=derivative_numbers,
)
def derivative_by_sympy() -> bool:
    """Proves that Ψ̃′ at a root is −16e^{h/T} + 4xh′/T − 4, and that T times it tends to 4/3, unlike as printed."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    h = gaps[0] - gaps[4]
    psi = (4 - 16 * x) * sp.exp(h / t) - 4 * x
    at_root = sp.diff(psi, x).subs(sp.exp(h / t), x / (1 - 4 * x))
    ours = -16 * x / (1 - 4 * x) + 4 * x * (4 - 12 * x) / t - 4
    limit = sp.limit(t * ours.subs(x, sp.Rational(1, 6)), t, 0)
    x0 = (4 - sp.sqrt(6)) / 10
    return sp.simplify(at_root - ours) == 0 and limit == sp.Rational(4, 3) and 6 * x0 * (4 - 10 * x0) != limit


def roots_numbers() -> dict[str, float]:
    t = 0.02
    near = torch.logspace(-14, -2, 6001, dtype=torch.float64)
    x = torch.cat([near, torch.linspace(0.01001, 0.2499999, 60_001, dtype=torch.float64)])
    roots = sign_changes(x, log_condition(x, scalar(t)) > 0)
    first, third = math.exp(-1 / (2 * t)), 0.25 - math.exp(-1 / (8 * t)) / 16
    return {
        "temperature": t,
        "paper": 1.0,
        "right": 3.0,
        "measured": float(len(roots)),
        "first root": roots[0],
        "exp(-1/(2T))": first,
        "last root": roots[-1],
        "1/4 - exp(-1/(8T))/16": third,
    }


@erratum(
    "recall.claim-1",
    rank=Rank.PROOF,
    where="Appendix B, the sentence before Claim 1",
    printed=r"\tilde\Psi\text{ has a unique root in }(0,\tfrac14)",
    right=r"\text{a unique root in }I;\ \text{on }(0,\tfrac14)\text{ there are three}",
    survival=Survival.AS_PRINTED,
    survives="The claim speaks of I alone and stands. The others are near 0, where L₁ has its maximum, and near "
    "¼. There the terms left out are as large as those kept, and the true slope has no root.",
    numbers=roots_numbers,
)
def three_roots_by_sympy() -> bool:
    """Ψ̃ > 0 at 0, < 0 left of x_T and again at ¼, although it rises at x_T: three roots; Ψ(¼) = 0."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    quarter, left = sp.Rational(1, 4), sp.Rational(1, 10)
    psi = (4 - 16 * x) * sp.exp((gaps[0] - gaps[4]) / t) - 4 * x
    whole = sum(sp.diff(gap, x) * sp.exp((gap - gaps[4]) / t) for gap in gaps)
    return (
        psi.subs(x, 0) == 4 * sp.exp(-1 / (2 * t))
        and sp.limit(psi.subs(x, left), t, 0) == -4 * left
        and psi.subs(x, quarter) == -1
        and sp.simplify(whole.subs(x, quarter)) == 0
    )


@checked("recall.claim-1", "Proof of Claim 1", "$F' = h' - T(\\tfrac1x + \\tfrac{16}{4-16x})$", "sympy")
def log_condition_by_sympy() -> bool:
    """F′ = h′ − T(1/x + 16/(4 − 16x)), whatever constant stands before x in the logarithm."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    h = sp.Function("h")(x)
    ours = sp.diff(h, x) - t * (1 / x + 16 / (4 - 16 * x))
    return all(sp.simplify(sp.diff(h - t * sp.log(k * x / (4 - 16 * x)), x) - ours) == 0 for k in (4, 6))


@checked(
    "recall.claim-1",
    "Before Claim 1",
    "on $I$, $\\Psi - \\tilde\\Psi$ is at most of order $e^{-\\gamma/T}$, and its derivative of order "
    "$e^{-\\gamma/T}/T$",
    "autograd",
)
def remainder_is_small() -> bool:
    """On I, |Ψ − Ψ̃| ≤ 8e^{−γ/T} and |Ψ′ − Ψ̃′| ≤ (12/T)e^{−γ/T} with γ the least of d₆ − d_j there, j = 3, 4, 5."""
    x = torch.linspace(CENTRE - RADIUS, CENTRE + RADIUS, 1001, dtype=torch.float64)
    gaps, _ = slice_gaps(x)
    gamma = float((gaps[5] - gaps[2:5]).min())  # classes 0 … 5 are r₁ … r₆
    for temperature in (0.05, 0.02, 0.01, 0.005):
        t = scalar(temperature)

        def rest(at: Tensor, t: Tensor = t) -> Tensor:
            return rescaled(at, t) - leading(at, t)

        slope = torch.func.grad(lambda at: rest(at).sum())(x)
        scale = math.exp(-gamma / temperature)
        rounding = 1e-12 * math.exp(0.0973 / temperature)  # e^{h/T} at the warm end of I
        if float(rest(x).abs().max()) > 8 * scale + rounding:
            return False
        if float(slope.abs().max()) > (12 * scale + rounding) / temperature:
            return False
    return True
