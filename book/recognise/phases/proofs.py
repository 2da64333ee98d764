"""The erratum of Theorem 3.2: −G(μ₃) has no upper bound of order 1."""

from __future__ import annotations

from book.ledger.proofs import Rank, Survival, erratum
from book.recognise.common import separator_by_sympy
from book.recognise.two_phases import two_phases
from lib.program import run


def sign_in_numbers() -> dict[str, float]:
    """−G(μ₃) at T₁ and its ratio to G(μ₁) at the end, from the mean start."""
    r = run(two_phases(), random=0).report
    return {
        "measured: −G(μ₃) at T₁": -float(r.signals[2]),
        "measured: its last ratio to G(μ₁)": float(r.ratio),
    }


@erratum(
    "recognise.theorem-3-2",
    rank=Rank.MISPRINT,
    where="Theorem 3.2, item 3",
    printed=r"-G^{(t)}(\mu_3) \le \Omega(1)",
    right=r"-G^{(t)}(\mu_3) \ge \Omega(1)",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: the text after the theorem, Theorem E.27 and item 4 all say the right thing.",
    numbers=sign_in_numbers,
)
def sign_by_sympy() -> bool:
    """Along the separator −G(μ₃) = ρ p(9p − L)/D grows without bound, so it has no upper bound of order 1."""
    import sympy as sp

    rho = sp.Symbol("rho", positive=True)
    p, length, (both, single, _), determinant = separator_by_sympy(2)
    common = rho * p * (2 * single - 3 * both)
    at = common.subs({p: 20, length: 6})
    right = sp.simplify(common - rho * p * (9 * p - length) / determinant) == 0
    return bool(right and sp.limit(at, rho, sp.oo) == sp.oo)
