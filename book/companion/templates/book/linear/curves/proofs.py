"""What is proved of the paper's formulas."""

from __future__ import annotations

import sympy
from livetorch.ledger.proofs import checked

TIME, SINGULAR_VALUE, START = sympy.symbols("t s u_0", positive=True)
CURVE = SINGULAR_VALUE / (1 + (SINGULAR_VALUE / START - 1) * sympy.exp(-2 * SINGULAR_VALUE * TIME))


@checked("linear.learning-curve", "the learning curve", r"u(t)=\frac{s\,e^{2st}}{e^{2st}-1+s/u_0}", "sympy")
def curve_solves_its_equation() -> bool:
    """The sigmoid has u′ = 2u (s − u) and u(0) = u₀, and is the paper's formula."""
    grown = sympy.exp(2 * SINGULAR_VALUE * TIME)
    printed = SINGULAR_VALUE * grown / (grown - 1 + SINGULAR_VALUE / START)
    moves = sympy.diff(CURVE, TIME) - 2 * CURVE * (SINGULAR_VALUE - CURVE)
    return all(sympy.simplify(zero) == 0 for zero in (moves, CURVE.subs(TIME, 0) - START, CURVE - printed))


@checked(
    "linear.learning-curve",
    "the time of learning",
    r"t_{1/2}=\frac{1}{2s}\ln\left(\frac{s}{u_0}-1\right)",
    "sympy",
)
def half_time_is_right() -> bool:
    """At that time the sigmoid is at s/2."""
    half = sympy.log(SINGULAR_VALUE / START - 1) / (2 * SINGULAR_VALUE)
    return bool(sympy.simplify(CURVE.subs(TIME, half) - SINGULAR_VALUE / 2) == 0)


@checked("linear.learning-curve", "balanced layers", r"\frac{d}{dt}\left(a^2-b^2\right)=0", "sympy")
def balance_is_conserved() -> bool:
    """With a′ = b (s − ab) and b′ = a (s − ab) layers that start balanced stay so, and u = ab has u′ = 2u (s − u)."""
    a, b = sympy.symbols("a b", positive=True)
    error = SINGULAR_VALUE - a * b
    first, second = b * error, a * error
    product = (first * b + a * second).subs(b, a) - 2 * a**2 * (SINGULAR_VALUE - a**2)
    return all(sympy.simplify(zero) == 0 for zero in (2 * a * first - 2 * b * second, product))
