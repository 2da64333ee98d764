"""Proofs of the balancing: the limits of the ratios, where they rest, and the loss's equation."""

from __future__ import annotations

from book.ledger.proofs import checked
from book.recognise.common import separator_by_sympy


@checked(
    "recognise.lemma-4-5",
    "The limits of the ratios",
    r"\tfrac{51p+5L-12}{9p-L} \to \tfrac{17}3,\ \tfrac{51p+5L-12}{6p+2L-3} \to \tfrac{17}2",
    "sympy",
)
def ratios_by_sympy() -> bool:
    """With λ₄ = 0: Σ/(Σ₂ + Σ₃ + Σ₄ − Σ₁) = (51p + 5L − 12)/(9p − L), Σ/(Σ₁ − Σ₂) = (51p + 5L − 12)/(6p + 2L − 3)."""
    import sympy as sp

    p, length, (both, two, _), _ = separator_by_sympy(2)
    one = 3 * both
    total = one + 2 * two
    top = 51 * p + 5 * length - 12
    first = sp.simplify(total / (2 * two - one) - top / (9 * p - length))
    second = sp.simplify(total / (one - two) - top / (6 * p + 2 * length - 3))
    ends = [sp.limit(top / x, p, sp.oo) for x in (9 * p - length, 6 * p + 2 * length - 3)]
    return bool(first == 0 and second == 0 and ends == [sp.Rational(17, 3), sp.Rational(17, 2)])


@checked(
    "recognise.lemma-4-5",
    "Proof of Lemma F.6, where R(t) rests",
    r"R_\star = \tfrac32 \in [1, 3], \text{ and it attracts}",
    "sympy",
)
def balance_by_sympy() -> bool:
    """Proof of Lemma F.6: with Σ₄ and irrelevant words left out, R = (2Σ₂ − Σ₁)/(Σ₁ − Σ₂) rests where R = 3/2."""
    import sympy as sp

    one, two, c = sp.symbols("S1 S2 c", positive=True)
    # late in training g' = −g (yF)', with (y F)' from G' = n-weighted sums
    target, common = one - two, one - 2 * two
    rise = {one: -one * (2 * target + common), two: -two * (-(target + common))}
    ratio = (2 * two - one) / (one - two)
    motion = sum(sp.diff(ratio, s) * v for s, v in rise.items())
    at = motion.subs(two, c * one)
    roots = [r for r in sp.solve(sp.together(at), c) if r > 0]
    values = {sp.simplify(ratio.subs({two: r * one})) for r in roots}
    slope = sp.diff(sp.simplify(at / one), c).subs(c, sp.Rational(5, 7))
    return values == {sp.Rational(3, 2)} and bool(slope < 0)


@checked(
    "recognise.theorem-f-8",
    "Theorem F.8 with its constant",
    r"\hat L' = -N\hat L^2/\lVert g\rVert^2",
    "sympy",
)
def loss_by_sympy() -> bool:
    """𝓛' = −N𝓛²/‖g‖² has 𝓛 = 1/((N/‖g‖²)(t − T₁) + 1/𝓛(T₁)): Theorem F.8 with its constant."""
    import sympy as sp

    t, start, n, square, first = sp.symbols("t T1 N s L1", positive=True)
    loss = 1 / (n / square * (t - start) + 1 / first)
    return bool(sp.simplify(sp.diff(loss, t) + n * loss**2 / square) == 0)
