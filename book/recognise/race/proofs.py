"""Proofs of the race: the stray factor in equation 4, and the separator's algebra."""

from __future__ import annotations

from typing import Any

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recognise.common import separator_by_sympy
from book.recognise.race.equations_4_5 import errors, output_slopes


def stray_in_numbers() -> dict[str, float]:
    """dG(μ₁)/dt with a_j = 1 and a_j = −1 in the second term, against the gradients."""
    right, printed = output_slopes(), output_slopes(stray=-1.0)
    return {
        "paper, with a_j = -1": float(printed.printed[0]),
        "right": float(right.printed[0]),
        "measured": float(right.measured[0]),
    }


@erratum(
    "recognise.equations-4-5",
    rank=Rank.MISPRINT,
    where="Equation 4, second term",
    printed=r"\frac{m_1}n\sum_ig_iy_i\sum_l a_{j_1}p_l^\top V^\top W_V\mu",
    right=r"\frac{m_1}n\sum_ig_iy_i\sum_l p_l^\top V^\top W_V\mu",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: the index j₁ is summed over already, and Definition E.18 prints the term without it.",
    numbers=stray_in_numbers,
)
def stray_by_sympy() -> bool:
    """Σ_j a_j (a_j x) = m₁ x for a_j² = 1: no a_j is left, and with one left the sum over j is not the same."""
    import sympy as sp

    a, x = sp.symbols("a1:4"), sp.Symbol("x")
    total = sum(aj * aj * x for aj in a)
    signs = [(1, -1, 1), (-1, -1, -1)]
    right = all(total.subs(dict(zip(a, s, strict=True))) == 3 * x for s in signs)
    printed = [3 * s[0] * x == 3 * x for s in signs]
    return right and not all(printed)


@checked(
    "recognise.equations-4-5",
    "Eq. 4, first term; Definition E.18",
    r"\sum_{j_1j_2}a_{j_1}a_{j_2}\langle w_{j_1},w_{j_2}\rangle",
    "autograd",
)
def equation_4_is_the_gradient() -> bool:
    """Without the stray factor equation 4 is the derivative of G along the real model's flow."""
    return errors().first < 1e-12


@checked("recognise.equations-4-5", "Eq. 5", r"\tfrac{2m_1}n\sum_ig_iy_iF_i", "autograd")
def equation_5_is_the_gradient() -> bool:
    """Equation 5 is the derivative of the sum of neuron correlations along the real model's flow."""
    return errors().second < 1e-12


def _signals(p: Any, multipliers: Any) -> tuple[Any, Any]:
    """g of the separator on a target and on the common word, for n = 6p."""
    both, single, neither = multipliers
    return 3 * p * both - p * single, 3 * p * both - 2 * p * single - p * neither


@checked(
    "recognise.max-margin",
    "The separator as n/L grows",
    r"(G_1, G_2, G_3) \to (2, 2, -3),\ \lVert g\rVert^2 \to 17",
    "sympy",
)
def far_by_sympy() -> bool:
    """p → ∞: (G₁, G₂, G₃) → (2, 2, −3), λ in the ratio 7 : 15 : 15 : 0, ‖g‖² → 17."""
    import sympy as sp

    p, _, multipliers, _ = separator_by_sympy(2)
    both, single, _ = multipliers
    target, common = _signals(p, multipliers)
    square = 3 * p * both + 2 * p * single
    limits = [sp.limit(x, p, sp.oo) for x in (target, common, single / both, square)]
    return limits == [2, -3, sp.Rational(15, 7), 17]


@checked(
    "recognise.max-margin",
    "Pulls tend to the multipliers",
    r"V' = -\lVert g_w - g\rVert^2 - \sum_in_iw_i(y_iF_i - 1) \le 0",
    "sympy",
)
def balance_by_sympy() -> bool:
    """V = Σ n(w − λ log w) falls: V′ = −‖g_w − g‖² − Σ n w (yF − 1) + Σ n λ (yF − 1), for any numbers of samples.

    Along w′ = w(1 − yF_w), where g_w is the sum of y w x over all samples and F_w what it makes of one; F is that of
    λ. The last sum is 0 for the separator's multipliers.
    """
    import sympy as sp

    n, w, multipliers = (sp.symbols(f"{name}1:5", positive=True) for name in ("n", "w", "lambda"))
    length, y, holds = sp.Symbol("L"), (1, -1, -1, -1), ((1, 1, 1), (1, 0, 1), (0, 1, 1), (0, 0, 1))

    def signals(v: Any) -> list[Any]:
        return [sum(y[k] * n[k] * v[k] * holds[k][h] for k in range(4)) for h in range(3)]

    def margins(v: Any) -> list[Any]:
        g = signals(v)
        words = [sum(x * word for x, word in zip(held, g, strict=True)) for held in holds]
        return [y[k] * words[k] + (length - sum(holds[k])) * v[k] for k in range(4)]

    apart = [a - b for a, b in zip(w, multipliers, strict=True)]
    square = sum(x**2 for x in signals(apart))
    square += sum(n[k] * (length - sum(holds[k])) * apart[k] ** 2 for k in range(4))
    fall = sum(n[k] * apart[k] * (1 - margin) for k, margin in enumerate(margins(w)))
    spare = sum(n[k] * apart[k] * (margin - 1) for k, margin in enumerate(margins(multipliers)))
    return bool(sp.expand(fall + square + spare) == 0)


@checked(
    "recognise.forever",
    "The border, all four types active",
    r"-G_3 - G_1 \propto p(2L-3)(2p-L-1)",
    "sympy",
)
def border_by_sympy() -> bool:
    """All four active: −G₃ − G₁ ∝ p(2L − 3)(2p − L − 1) and G₁ + G₂ + G₃ ∝ 2p(L + 2p)(2L − 3), over the determinant."""
    import sympy as sp

    p, length, multipliers, det = separator_by_sympy(3)
    target, common = _signals(p, multipliers)
    left = sp.simplify((-common - target) * det - p * (2 * length - 3) * (2 * p - length - 1))
    right = sp.simplify((2 * target + common) * det - 2 * p * (length + 2 * p) * (2 * length - 3))
    return bool(left == 0 and right == 0)


@checked("recognise.forever", "The ratio, fourth type inactive", r"R = \tfrac{9p-L}{6p+2L-3}", "sympy")
def ratio_by_sympy() -> bool:
    """Without the fourth R = (9p − L)/(6p + 2L − 3); it is out iff 6p² + 27p − 6 ≥ L² + 13Lp − 5L."""
    import sympy as sp

    p, length, multipliers, _ = separator_by_sympy(2)
    target, common = _signals(p, multipliers)
    ratio = sp.simplify(-common / target - (9 * p - length) / (6 * p + 2 * length - 3))
    slack = sp.factor(sp.together(-common - 1))
    numerator = sp.numer(slack)
    wanted = 6 * p**2 + 27 * p - 6 - length**2 - 13 * length * p + 5 * length
    return bool(ratio == 0 and sp.simplify(sp.expand(numerator - wanted)) == 0)


@checked(
    "recognise.forever",
    "The two cases are all, and do not disagree",
    r"\lambda_1, \lambda_2 > 0;\ p \le L - 1 \Rightarrow \lambda_4 > 0",
    "sympy",
)
def cases_by_sympy() -> bool:
    """For L ≥ 4 multipliers are positive; the fourth is −f over a determinant, f as above; p ≤ L − 1 makes f negative.

    So one of the two cases is the separator, and n > 3(L + 1) decides in both: where the fourth is out, p > L − 1.
    """
    import sympy as sp

    p, length, four, det = separator_by_sympy(3)
    _, _, three, small = separator_by_sympy(2)
    more = sp.Symbol("x", nonnegative=True)  # L = 4 + x

    def grows(what: Any) -> bool:
        shown = sp.Poly(sp.cancel(what).subs(length, 4 + more), p, more)
        return all(value > 0 for value in shown.coeffs()) and shown.coeff_monomial(1) > 0

    f = 6 * p**2 + 27 * p - 6 - length**2 - 13 * length * p + 5 * length
    out = [-f.subs(p, end).subs(length, 4 + more).expand() for end in (0, length - 1)]  # f is convex in p
    both, single = (value * small for value in three[:2])
    right = 9 * both - 4 * single  # 2g[μ₁] + g[μ₃] over p where the fourth is out
    positive = [four[0] * det, four[1] * det, det, both, single, small, right]
    return bool(all(map(grows, [*positive, *out])) and sp.cancel(four[2] * det + f) == 0)
