"""Lemma 7: the logarithm in it must not be below 1."""

from __future__ import annotations

import math

import sympy as sp

from book.ledger.proofs import Rank, Survival, erratum

DELTA, CONSTANT = 0.9, 0.5


def promise_numbers() -> dict[str, float]:
    """The drop that is promised for cos x − 1 with c = ½, and how deep it is."""
    return {"delta": DELTA, "paper": CONSTANT / math.log(1 / DELTA) ** 3, "right": 2.0}


@erratum(
    "recall.lemma-7",
    rank=Rank.STATEMENT,
    where="Lemma 7, how large δ may be",
    printed=r"\delta\in(0,\tfrac{d\alpha}{\gamma}]",
    right=r"\delta\in(0,\tfrac{d\alpha}{e\gamma}]",
    survival=Survival.ONCE_CORRECTED,
    survives="Where the logarithm is below 1 the lemma promises more than a function may have to give: "
    "$\\gamma(\\cos kx - 1)/k^2$ has $d = 1$, $\\alpha = \\gamma$ and $\\rho = \\gamma k$, and is $2\\gamma/k^2$ deep. "
    "With a logarithm of 1 or more nothing is lost: for $L_1$ that is $\\delta \\le 1/(eT)$, which is above 1.",
    numbers=promise_numbers,
)
def promise_is_unbounded() -> bool:
    """Proves that the drop promised for γ(cos kx − 1)/k² exceeds its depth as δ → 1, whatever the constant."""
    x, gamma, k, c, delta = sp.symbols("x gamma k c delta", positive=True)
    f = gamma * (sp.cos(k * x) - 1) / k**2
    curvature, third = sp.diff(f, x, 2), sp.diff(f, x, 3)
    constants = curvature.subs(x, 0) == -gamma and sp.simplify(third - gamma * k * sp.sin(k * x)) == 0
    depth = -f.subs(x, sp.pi / k)
    promised = c * gamma**3 / (gamma * k) ** 2 / sp.log(1 / delta) ** 3  # ηα = c, dα/γ = 1
    ratio = sp.simplify(promised / depth)
    return (
        constants and ratio.free_symbols == {c, delta} and sp.limit(ratio.subs(c, 1), delta, 1, "-") == sp.oo
    )
