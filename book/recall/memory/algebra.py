"""Three slips in the proof of Lemma 1, by sympy: what the other answers and subjects score, and that relations tie."""

from __future__ import annotations

from typing import Any


def score_by_sympy() -> Any:
    """Σᵢ (δ(i, s) + δ(i, t))² over i = 1 … n, by sympy, and its symbols n, s, t.

    It is the score of an answer a′ given s and r, with t = r⁻¹(a′); of a relation r′ given s and a, with t = r′⁻¹(a);
    of a subject given a and r, with answers for subjects. Beyond n there is no such t.
    """
    import sympy as sp

    n, i, s, t = sp.symbols("n i s t", integer=True, positive=True)
    squared = sp.expand((sp.KroneckerDelta(i, s) + sp.KroneckerDelta(i, t)) ** 2)
    return sp.Sum(squared, (i, 1, n)).doit(), n, s, t


def others_score_two() -> bool:
    """By sympy: 4 if t = s, 2 if t is another, and 1, as printed, only if there is no t."""
    score, n, s, t = score_by_sympy()
    found = [score.subs({s: 1, t: other, n: 3}) for other in (1, 2, 7)]
    general = score.args[0][0]  # where both are at most n
    return found == [4, 2, 1] and general.subs(t, s) == 4 and general.subs({s: 1, t: 2}) == 2


def relations_tie() -> bool:
    """By sympy: the score of a relation depends on t alone, so all with r(s) = a tie; and they average |R|/n."""
    import sympy as sp

    score, _, s, t = score_by_sympy()
    n, slope = sp.symbols("n a", integer=True, positive=True)
    through = sp.Sum(1, (slope, 1, n - 1)).doit()  # affine maps with a s + b = y: one b for each a ≠ 0
    tied = score.free_symbols - {s, t} == {sp.Symbol("n", integer=True, positive=True)}
    return tied and sp.simplify(through - n * (n - 1) / n) == 0 and sp.simplify(through - 1) != 0
