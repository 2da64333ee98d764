"""Theorems 1 and 3 need a constant C₁ that depends on δ: the proof, and the numbers, for both pages."""

from __future__ import annotations

import sympy as sp

from book.recall.slow_steps import steps_per_factor
from lib.recall.logits import printed_logits


def delta_numbers() -> dict[str, float]:
    """How many more small steps each factor e of 1/δ takes, over 1/log of the growth in a step; n = 10⁴."""
    return {"paper": 0.0, "right": 1.0, "measured": steps_per_factor(10_007.0, 120.0, 3.0, 0)}


def constants_depend_on_delta() -> bool:
    """Proves that at fixed T no C₂ will do for every δ, and that one will for all T up to δ.

    With three subjects all prompts have one loss, which does not change where the two examples are swapped. So descent
    from equal examples keeps them equal, with a logit gap of 0 between the true and the confusing relation. From ξ it
    is after k steps at most Λᵏ‖ξ‖ away from that, Λ = 1 + η₂ℓ, and ‖ξ‖ is at most r, of order T³ log⁻²(1/δ).
    """
    v1, v2, v3, v4, v5 = v = sp.symbols("v1:6")
    logits, swapped = printed_logits(*v), printed_logits(v3, v4, v1, v2, v5)
    first = [sp.expand(logit - logits[0]) for logit in logits]
    kept = {sp.expand(logit - swapped[0]) for logit in swapped} == set(first)
    tie = sp.expand((logits[0] - logits[1]).subs({v3: v1, v4: v2})) == 0
    t, delta, c_2, growth, c, x = sp.symbols("T delta C_2 Lambda c x", positive=True)
    farthest = t**3 / sp.log(1 / delta) ** 2 * growth ** (c_2 * sp.log(1 / t) / t)
    never = sp.limit(farthest, delta, 0, "+") == 0
    # x = log(1/T) at T = δ: a lead rises from δr to order 1 by 1 + cT a step; over log(1/T)/T
    steps = (4 * x + 2 * sp.log(x)) / sp.log(1 + c * sp.exp(-x)) * sp.exp(-x) / x
    return kept and tie and never and sp.simplify(sp.limit(steps, x, sp.oo) - 4 / c) == 0
