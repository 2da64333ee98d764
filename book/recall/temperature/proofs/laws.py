"""The laws for a(T), for the error of three subjects, and for the odds against r* at T = C/log n."""

from __future__ import annotations

import math

import torch

from book.ledger.proofs import checked
from book.recall.common import scalar, three_subjects
from book.recall.temperature.program import BEND, LIMIT, RIVALS, SLOPE, expansion
from book.recall.temperature.proofs.slice import slice_by_sympy
from lib.recall.landscape import slice_minimum
from lib.recall.reduction import relation_logits


@checked("recall.attention-of-temperature", "The expansion", "both coefficients", "sympy")
def expansion_by_sympy() -> bool:
    """Proves that h(x) = T log(x/(1 − 4x)) is solved by LIMIT + SLOPE T + BEND T² up to T³, the rest being e^{−1/(9T)}.

    At 1/6 the relations left out are 1/9 or more behind r₆, so that they change a by an exponentially small amount.
    """
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    slope, bend = -sp.log(2) / 2, -sp.Rational(9, 2) * sp.log(2) + sp.Rational(3, 4) * sp.log(2) ** 2
    sixth = sp.Rational(1, 6)
    h = gaps[0] - gaps[4]
    rest = (h - t * sp.log(x / (1 - 4 * x))).subs(x, sixth + slope * t + bend * t**2)
    series = sp.series(rest, t, 0, 3).removeO()
    behind = [(gap - gaps[4]).subs(x, sixth) for gap in gaps[1:4]]
    same = math.isclose(slope, SLOPE) and math.isclose(bend, BEND) and math.isclose(sixth, LIMIT)
    return sp.simplify(sp.expand_log(series, force=True)) == 0 and max(behind) == -sp.Rational(1, 9) and same


@checked("recall.attention-of-temperature", "The expansion", "what is left is of order $T^3$", "autograd")
def third_order_remains() -> bool:
    """a − (LIMIT + SLOPE T + BEND T²), divided by T³, is steady from T = 0.002 down to 0.0005: about −16."""
    left = [float(slice_minimum(3, scalar(t)) - expansion(scalar(t))) / t**3 for t in (0.002, 0.001, 0.0005)]
    return max(left) - min(left) < 1 and -18 < min(left) <= max(left) < -14


@checked("recall.how-cold", "The law for three subjects", "$\\tfrac32 2^{1/3}$ and $\\tfrac1{18}$", "sympy")
def law_by_sympy() -> bool:
    """Proves that e^{1/(18T)} S → (3/2) 2^{1/3} at x = 1/6 − (log 2/2) T, as T → 0."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    near = sp.Rational(1, 6) - sp.log(2) / 2 * t
    powers = [sp.limit((gap.subs(x, near) + sp.Rational(1, 18)) / t, t, 0) for gap in gaps]
    total = sum(sp.exp(power) for power in powers)  # d₃ … d₅ are further behind: their powers are −∞
    right = sp.Rational(3, 2) * sp.cbrt(2)
    return sp.simplify(total - right) == 0 and math.isclose(right, RIVALS)


@checked("recall.how-cold", "The constant $\\tfrac18$", "no attention does better", "sympy")
def no_attention_does_better() -> bool:
    """Two kinds of n − 3 relations match one example's pair only: they are 2v₃v₄ and 2v₁v₂ behind, one of them ≤ 1/8.

    So n e^{−1/(8T)} cannot vanish at any attention if T log n > 1/8. At (¼, ¼, ¼, ¼, 0, 0) no class of one match is
    less than 1/8 behind, and none of no match less than 1/4.
    """
    import sympy as sp

    v1, v2, v3, v4 = sp.symbols("v1:5", positive=True)
    # ab ≤ ((a + b)/2)² for both, and (m/2)² with m ≤ ½ for the smaller of the two masses
    amgm = all(
        sp.expand(((a + b) / 2) ** 2 - a * b - ((a - b) / 2) ** 2) == 0 for a, b in ((v1, v2), (v3, v4))
    )
    saddle = torch.tensor([0.25] * 4 + [0.0] * 2, dtype=torch.float64)
    reduced = three_subjects()
    logits = relation_logits(saddle, reduced.matches)
    size = reduced.matches.sum((1, 2))
    once, never = logits[0] - logits[size == 1], logits[0] - logits[size == 0]
    return amgm and float(once.min()) == 1 / 8 and float(never.min()) == 1 / 4


@checked("recall.how-cold", "The exponent $e$", "both sides", "sympy")
def exponent_by_sympy() -> bool:
    """The depth where both rivals cost n^−e, and that at no d ≤ ¼ another gap is too small for the other terms."""
    import sympy as sp

    e, c, d = sp.symbols("e C d", positive=True)
    met = sp.sqrt(e * c / 8) + sp.sqrt((1 + e) * c / 2) - sp.Rational(1, 4)
    box = sp.sqrt(e) + 2 * sp.sqrt(1 + e) - 1 / sp.sqrt(2 * c)
    weaker = 2 * (sp.Rational(1, 4) - d) ** 2
    stronger, crossed = 2 * (sp.Rational(1, 4) + d) ** 2, sp.Rational(1, 8) + 6 * d**2
    spare = (stronger - weaker, crossed - weaker, sp.Rational(1, 4) + 4 * d**2 - 2 * weaker)
    positive = all(coefficient > 0 for gap in spare for coefficient in sp.Poly(sp.expand(gap), d).coeffs())
    return sp.simplify(met * sp.sqrt(8 / c) - box) == 0 and positive
