"""Table 2's gaps, eqs 4–9 and the chain rule of eq. 10, by sympy."""

from __future__ import annotations

from collections.abc import Callable

from lib.recall.logits import printed_gradient, printed_logits


def gaps_by_sympy() -> bool:
    """Whether the five gaps of Table 2 are the products by which the conditions are proved."""
    import sympy as sp

    v1, v2, v3, v4, v5 = v = sp.symbols("v1:6")
    l1, l2, l3, l4, l5, l6 = printed_logits(*v)
    swap = 2 * (v1 - v3) * (v2 - v4)
    ours = {
        l2: swap,
        l3: 2 * v4 * (v3 - v5),
        l4: swap + 2 * v2 * (v3 - v5),
        l5: swap + 2 * v4 * (v1 - v5),
        l6: 2 * v2 * (v1 - v5),
    }
    return all(sp.expand(l1 - logit - gap) == 0 for logit, gap in ours.items())


def by_sympy(entry: int) -> Callable[[], bool]:
    """Whether eq. 4 + ``entry`` is the derivative of −log p₁(r₁) by v with Table 2's logits."""

    def passes() -> bool:
        import sympy as sp

        v = sp.symbols("v1:7")
        p = sp.symbols("p2:7")
        chances = [1 - sum(p), *p]
        logits = printed_logits(*v[:5])
        slope = sum(q * sp.diff(logit, v[entry]) for q, logit in zip(chances, logits, strict=True))
        slope -= sp.diff(logits[0], v[entry])
        return sp.expand(slope - 2 * printed_gradient(v, chances)[entry]) == 0

    return passes
