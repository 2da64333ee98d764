"""Proofs of the phase diagram: the slice holds the optimum, three solutions compete on it, the curvature, the laws."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations
from random import Random
from typing import Any

import torch
from scipy.optimize import brentq

from book.ledger.proofs import checked
from book.recall.common import affine, curvature_by_autograd, nothing_is_lower, scalar
from lib.recall.escape import saddle_spectrum
from lib.recall.landscape import saddle_curvature, saddle_odds
from lib.recall.phases import FIRST_ORDER, one_pair_from, one_pair_law, window, window_law
from lib.recall.reduction import affine_counts, match_classes, prompt_histograms
from lib.recall.task import knowledge, prompts


def _logits() -> tuple[list[Any], list[Any], Any]:
    """sympy: the logits of the 13 classes in x₁, x₂, x₃, y₁, y₂, their numbers in N = n − 2, and the symbols."""
    import sympy as sp

    x1, x2, x3, y1, y2, size = symbols = sp.symbols("x1 x2 x3 y1 y2 N", nonnegative=True)
    weights = [[2 * x * y for y in (y1, y2)] for x in (x1, x2, x3)]
    logits = [
        sp.expand(sum(weights[i][j] * int(row[i][j]) for i in range(3) for j in range(2)))
        for row in match_classes(2).tolist()
    ]
    numbers = [sp.Integer(1)] * 6 + [size - 1] * 6 + [(size - 1) * (size - 2)]
    return logits, numbers, symbols


def _rises_then_falls(values: list[Fraction]) -> bool:
    rising = [after > before for before, after in pairwise(values)]
    return rising == sorted(rising, reverse=True)


@checked("recall.phase-diagram", "The slice", "query and EoS never help", "sympy")
def query_and_eos_are_useless() -> bool:
    """Query: no logit falls with x₃, and r*'s does not know it. EoS: with ordered x and y no gap is negative."""
    import sympy as sp

    logits, _, (x1, x2, x3, y1, y2, _) = _logits()
    rising = all(c >= 0 for logit in logits for c in sp.Poly(sp.diff(logit, x3), y1, y2).coeffs())
    s, r = sp.symbols("s r", nonnegative=True)
    ordered = {x1: x2 + s, y1: y2 + r, x3: 0}
    gaps = [sp.expand((logits[0] - logit).subs(ordered)) for logit in logits]
    behind = all(c >= 0 for gap in gaps for c in sp.Poly(gap, x2, y2, s, r).coeffs())
    return rising and not logits[0].has(x3) and behind


@checked("recall.phase-diagram", "The slice", "exchanging two answers changes $l_0$ alone", "sympy")
def exchange_leaves_the_sum() -> bool:
    """With x₃ = 0, exchanging y₁ and y₂ permutes the terms of Σ_c N_c e^{ℓ_c/T}: only ℓ₀ changes, by the order."""
    import sympy as sp

    logits, numbers, (x1, x2, x3, y1, y2, _) = _logits()

    def terms(first: Any, second: Any) -> Counter[Any]:
        total: Counter[Any] = Counter()
        for logit, number in zip(logits, numbers, strict=True):
            total[sp.expand(logit.subs(x3, 0).subs({y1: first, y2: second}, simultaneous=True))] += number
        return Counter({key: sp.expand(value) for key, value in total.items()})

    gain = sp.expand(logits[0] - logits[0].subs({y1: y2, y2: y1}, simultaneous=True))
    return terms(y1, y2) == terms(y2, y1) and sp.expand(gain - 2 * (x1 - x2) * (y1 - y2)) == 0


@checked("recall.phase-diagram", "The slice", "balance within pairs widens every gap", "sympy")
def balance_widens_every_gap() -> bool:
    """With pᵢ = xᵢ + yᵢ, qᵢ = xᵢ − yᵢ the gaps, and the mean of the two crossed ones, fall with q: best at q = 0."""
    import sympy as sp

    p1, p2, q1, q2 = sp.symbols("p1 p2 q1 q2")
    x1, x2, y1, y2 = (p1 + q1) / 2, (p2 + q2) / 2, (p1 - q1) / 2, (p2 - q2) / 2
    true = 2 * (x1 * y1 + x2 * y2)
    crossed = ((true - 2 * x1 * y2) + (true - 2 * x2 * y1)) / 2
    squares = sp.Rational(1, 4) * (p1**2 + p2**2 + (p1 - p2) ** 2 - q1**2 - q2**2 - (q1 - q2) ** 2)
    return all(
        sp.expand(difference) == 0
        for difference in (
            2 * x2 * y2 - (p2**2 - q2**2) / 2,
            2 * (x1 - x2) * (y1 - y2) - ((p1 - p2) ** 2 - (q1 - q2) ** 2) / 2,
            crossed - squares,
            true - (p1**2 - q1**2 + p2**2 - q2**2) / 2,
        )
    )


@checked("recall.phase-diagram", "The slice", "no search over all six positions ends below it", "search")
def no_search_ends_lower() -> bool:
    """Proves by search over all six positions, at five n and T, that nothing is below the slice."""
    places = ((3, 0.05), (3, 0.12), (1000, 0.02), (1_000_000, 0.02), (1_000_000, 0.05))
    return nothing_is_lower(*places, relative=True)


@checked("recall.phase-diagram", "Three solutions", "$S'$ has the sign of $F$", "sympy")
def slope_has_the_sign_of_f() -> bool:
    """With c the weights of a series in d² that rises, then falls, dS/dd = (2dE/T)·F as the page prints S and F."""
    import sympy as sp

    d, t, size = sp.symbols("d T N", positive=True)
    a, b = sp.Rational(1, 4) + d, sp.Rational(1, 4) - d
    near, w = sp.exp(-2 * d**2 / t), size * sp.exp(-1 / (8 * t))
    rest = size * (size - 1) * sp.exp(-1 / (4 * t))
    odds = (
        sp.exp(-8 * d**2 / t)
        + size * (sp.exp(-2 * b**2 / t) + sp.exp(-2 * a**2 / t))
        + 2 * w * near**3
        + rest * near**2
    )
    g = sp.sinh(d / t) / d - 4 * sp.cosh(d / t)
    slope = 2 * d * near / t * (w * g - 8 * near**3 - 12 * w * near**2 - 4 * rest * near)
    return sp.simplify(sp.expand((sp.diff(odds, d) - slope).rewrite(sp.exp))) == 0


@checked("recall.phase-diagram", "Three solutions", "$P$ and $D$ rise, then fall", "exact fractions")
def series_rises_then_falls() -> bool:
    """Step 7 in exact fractions: P and D rise, then fall, and P₀ = 1/(24T²) − 2; the series in d² has two changes."""
    for inverse in (2, 5, 11, 25, 60):  # 1/T
        t, count = Fraction(1, inverse), 90
        g = [
            (1 / (t * (2 * j + 1)) - 4) * Fraction(math.factorial(j), math.factorial(2 * j)) / (4 * t) ** j
            for j in range(count)
        ]
        D = [
            sum(math.comb(k, j) * Fraction(3, 2) ** (k - j) * g[j] for j in range(k + 1)) - Fraction(12, 2**k)
            for k in range(count)
        ]
        P = [2**k * (after - before) - 6 for k, (before, after) in enumerate(pairwise(D))]
        if P[0] != 1 / (24 * t * t) - 2 or not (_rises_then_falls(P) and _rises_then_falls(D)):
            return False
    return True


@checked("recall.phase-diagram", "The curvature for any $n$", "$\\lambda(n, T)$", "autograd")
def curvature_formula_holds() -> bool:
    """λ(n, T) against differentiating the full loss twice, and at n = 3 against the right Lemma 6."""
    for n in (3.0, 7.0, 64.0, 1e4, 1e6):
        for temperature in (0.005, 0.012, 0.03, 0.2):
            t = scalar(temperature)
            apart = saddle_curvature(scalar(n), t) - curvature_by_autograd(affine(n), t)
            if abs(float(apart)) * 8 * temperature > 1e-9:  # in units of 1/(8T), the first term of Lemma 6
                return False
    three, t = scalar(3.0), scalar(0.05)
    return math.isclose(saddle_curvature(three, t), saddle_spectrum(t)[0], rel_tol=1e-12)


@checked("recall.phase-diagram", "The jump", "$2z(1-z)$, $1 - z = e^{-2z}$", "root finding")
def first_order_constant() -> bool:
    """2z(1 − z) at the positive root of 1 − z = exp(−2z)."""
    z = brentq(lambda z: 1 - z - math.exp(-2 * z), 0.1, 1.0)
    return abs(2 * z * (1 - z) - FIRST_ORDER) < 1e-7


@checked("recall.phase-diagram", "The boundaries' laws", "errors fall with $n$", "root finding")
def laws_hold() -> bool:
    """The laws of both boundaries come closer to the measured ones, relatively, with every factor 100 in n."""
    n = torch.tensor([1e2, 1e4, 1e6], dtype=torch.float64)
    (low, high), (law_low, law_high) = window(n), window_law(n)
    far = [law_low / low - 1, law_high / high - 1, one_pair_law(n) / one_pair_from(n) - 1]
    return all(bool((x.abs()[1:] < x.abs()[:-1]).all()) and float(x.abs()[-1]) < 0.02 for x in far)


@checked("recall.symmetric-window", "Even or one pair", "$1 + 4w + W < N$ up to $N = 100$", "root finding")
def even_beats_one_pair() -> bool:
    """Step 8: at the window's warm end 1 + 4w + W < N = n − 2 up to 100; from there on N > 1 + 4 log²N·N/(N − 1)."""
    n = torch.arange(33, 103, dtype=torch.float64)
    w, rest = saddle_odds(n, window(n)[1])
    beyond = all(1 + 4 * math.log(size) ** 2 * size / (size - 1) < size for size in (100, 1e3, 1e6))
    return bool((1 + 4 * w + rest < n - 2).all()) and beyond


@checked(
    "recall.temperature-constant",
    "Other families",
    "under Assumption 1 no class has more relations than in the affine family",
    "count, families of 4, 5, 6 subjects",
)
def no_family_has_more() -> bool:
    """Families grown at random under Assumption 1: on no prompt has a class more relations than the affine family."""
    for n in (4, 5, 6):  # of six subjects there is no affine family
        family: list[tuple[int, ...]] = []
        for r in Random(n).sample(list(permutations(range(n))), math.factorial(n)):
            if all(sum(x == y for x, y in zip(r, other, strict=True)) < 2 for other in family):
                family.append(r)
        known, rows = knowledge([list(r) for r in family]), [list(row) for row in permutations(range(n), 3)]
        true = [r for r in range(len(family)) for _ in rows]
        counts = prompt_histograms(known, prompts(known, rows * len(family), true))
        if (counts > affine_counts(scalar(float(n)))).any():
            return False
    return True
