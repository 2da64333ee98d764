"""What bears out the slice's formulas, thresholds and expansion, the end of Theorem 4's proof, and Claim 1."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from scipy.optimize import root
from torch import Tensor

from book.recall.common import lowest_on_slice, scalar, searched, three_subjects
from book.recall.temperature.program import BEND, GAP, LIMIT, RIVALS, SLOPE, foretold
from lib.program import run
from lib.recall.algorithm import two_stage_descent
from lib.recall.landscape import best_probability, depth_slope, optimum, slice_loss, slice_minimum, wrong_odds
from lib.recall.logits import printed_logits
from lib.recall.phases import ENOUGH, SURE, printed_suffices_from, thresholds
from lib.recall.reduction import relation_logits, relation_loss

PRINTED_LIMIT = (4 - math.sqrt(6)) / 10
"""The limit of a as T → 0 in Theorem 4's proof, as printed."""


def changes(x: Tensor, condition: Tensor) -> list[float]:
    """Midway between the points of the grid ``x`` where the condition starts or ends."""
    places = torch.nonzero(condition[1:] != condition[:-1]).flatten()
    return ((x[places] + x[places + 1]) / 2).tolist()


def critical_points(temperature: float) -> list[float]:
    """Every x in (0, ¼) where L₁ on the slice turns, by the sign of its slope on a grid that is fine near 0."""
    near = torch.logspace(-30, -2, 2801, dtype=torch.float64)
    x = torch.cat([near, torch.linspace(0.0101, 0.2499, 4801, dtype=torch.float64)])
    return changes(x, depth_slope(0.25 - x, 3, scalar(temperature), x) < 0)


def end_of_proof(temperature: float) -> dict[str, float]:
    """The critical points of the slice, which of them lie below log 2, and where."""
    t = scalar(temperature)
    points = critical_points(temperature)
    return {
        "cold": temperature <= 0.03,
        "temperature": temperature,
        "points": len(points),
        "low": sum(float(slice_loss(scalar(x), 3, t)) < math.log(2) for x in points),
        "a": float(slice_minimum(3, t)),
    }


def slice_by_sympy() -> tuple[Any, Any, list[Any]]:
    """The symbols x and T, and the gaps d₂ … d₆ that Table 2 gives on the slice."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    half = sp.Rational(1, 2)
    logits = printed_logits(x, x, half - x, half - x, sp.Integer(0))
    return x, t, [sp.expand(logit - logits[0]) for logit in logits[1:]]


def limit_by_sympy() -> bool:
    """Whether sympy finds the gaps dⱼ, h = d₂ − d₆ and its root 1/6 from Table 2, all unlike the printed ones."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()
    half = sp.Rational(1, 2)
    ours = [-8 * x**2 + 4 * x - half, -2 * x**2 + 2 * x - half, *[-6 * x**2 + 3 * x - half] * 2, -2 * x**2]
    root = sp.solve(gaps[0] - gaps[4], x)
    behind = all((gap - gaps[4]).subs(x, root[0]) < 0 for gap in gaps[1:4])
    return gaps == [sp.expand(gap) for gap in ours] and root == [sp.Rational(1, 6), half] and behind


def limit_numbers() -> dict[str, float]:
    t = 1e-4
    measured = float(slice_minimum(3, scalar(t)))
    return {"temperature": t, "paper": PRINTED_LIMIT, "right": 1 / 6, "measured": measured}


def end_slope_by_sympy() -> bool:
    """Whether L₁ rises at the end x = 0 of the slice at every T, so that a maximum precedes any inner minimum."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    loss = sp.log(1 + sum(sp.exp(gap / t) for gap in gaps))
    at_zero = sp.diff(loss, x).subs(x, 0)
    return sp.simplify(at_zero - 6 / (t * (sp.exp(1 / (2 * t)) + 2))) == 0  # positive for every T


def turning_numbers() -> dict[str, float]:
    t = 0.05
    maximum, minimum = critical_points(t)
    return {
        "temperature": t,
        "maximum at": maximum,
        "3exp(-1/(2T))": 3 * math.exp(-1 / (2 * t)),
        "L1 there": float(slice_loss(scalar(maximum), 3, scalar(t))),
        "log 2": math.log(2),
        "minimum at": minimum,
    }


def symmetry_by_sympy() -> bool:
    """Whether exchanging x and ½ − x permutes the gaps, and exchanging x and ¼ − x does not."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()

    def mirrored(middle: Any) -> bool:
        return sorted(map(str, gaps)) == sorted(str(sp.expand(gap.subs(x, middle - x))) for gap in gaps)

    return mirrored(sp.Rational(1, 2)) and not mirrored(sp.Rational(1, 4))


def symmetry_numbers() -> dict[str, float]:
    t = scalar(0.05)
    paper, right, measured = (float(slice_loss(scalar(x), 3, t)) for x in (0.15, 0.4, 0.1))
    return {"temperature": 0.05, "paper: L1(0.15)": paper, "right: L1(0.4)": right, "L1(0.1)": measured}


def rescaled_by_sympy() -> bool:
    """Whether Ψ's middle term is −4x and h = −6x² + 4x − ½, which is neither printed form."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()
    h = sp.expand(gaps[0] - gaps[4])
    ours = sp.expand(-6 * x**2 + 4 * x - sp.Rational(1, 2))
    printed = [sp.expand(-5 * x**2 + 4 * x**power - sp.Rational(1, 2)) for power in (1, 2)]
    rising = sp.diff(h, x).subs(x, sp.Rational(1, 4)) > 0  # h′ falls with x: positive on all of (0, ¼)
    return h == ours and h not in printed and sp.diff(gaps[4], x) == -4 * x and bool(rising)


def rescaled_numbers() -> dict[str, float]:
    x = 0.1
    v = torch.tensor([x, x, 0.5 - x, 0.5 - x, 0, 0], dtype=torch.float64)
    logits = relation_logits(v, three_subjects().matches)[:6]  # r₁ … r₆
    return {
        "x": x,
        "paper: h, as printed": -5 * x**2 + 4 * x**2 - 0.5,
        "paper: h, from its gaps": -5 * x**2 + 4 * x - 0.5,
        "right: h": -6 * x**2 + 4 * x - 0.5,
        "measured: h": float(logits[1] - logits[5]),
    }


def gaps_by_sympy() -> bool:
    """Whether d₂ is as printed, and d₃, d₄, d₅ lie below d₆ on all of (0, ¼)."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()
    right = gaps[0] == sp.expand(-8 * x**2 + 4 * x - sp.Rational(1, 2))
    inside = sp.Interval.open(0, sp.Rational(1, 4))
    return right and all(
        sp.solveset(gap >= gaps[4], x, sp.Reals).intersect(inside) is sp.EmptySet for gap in gaps[1:4]
    )


def below_log_2_means_ahead() -> bool:
    """At 4000 random attentions and temperatures: L₁ < log 2 only where the true relation leads all others."""
    generator = torch.Generator().manual_seed(0)
    theta = 3 * torch.randn(4000, 6, dtype=torch.float64, generator=generator)
    t = 10 ** (-3 * torch.rand(4000, dtype=torch.float64, generator=generator))
    reduced = three_subjects()
    loss = torch.func.vmap(lambda scores, warmth: relation_loss(scores, reduced, warmth))(theta, t)
    logits = torch.func.vmap(lambda scores: relation_logits(torch.softmax(scores, 0), reduced.matches))(theta)
    low = loss < math.log(2)
    return bool(low.sum() > 100) and bool((logits[low, 1:6] < logits[low, :1]).all())


def minimum_below_log_2() -> bool:
    """L₁ < log 2 at the inner minimum for every temperature tried below the threshold."""
    cold = torch.linspace(0.005, 0.0854, 60, dtype=torch.float64)
    return all(float(wrong_odds(optimum(3, t), 3, t)) < 1 for t in cold)


CENTRE, RADIUS = 1 / 6, 0.05
"""The interval I of Claim 1: x₀ and an ε that keeps it within (0, ¼)."""


def leading(x: Tensor, temperature: Tensor) -> Tensor:
    """Ψ̃ = (4 − 16x) e^{h/T} − 4x, with the right h = d₂ − d₆."""
    return (4 - 16 * x) * torch.exp((-6 * x**2 + 4 * x - 0.5) / temperature) - 4 * x


def slice_gaps(x: Tensor) -> tuple[Tensor, Tensor]:
    """l_c − l_1 of r₁ … r₆ on the slice, and their derivatives by x, from the reduction: (6, X) each."""
    matches = three_subjects().matches[:6]

    def gaps(at: Tensor) -> Tensor:
        none = torch.zeros_like(at)
        v = torch.stack([at, at, 0.5 - at, 0.5 - at, none, none], -1)
        return torch.func.vmap(lambda row: relation_logits(row, matches - matches[:1]), out_dims=1)(v)

    behind, slopes = torch.func.jvp(gaps, (x,), (torch.ones_like(x),))[:2]
    return behind, slopes


def rescaled(x: Tensor, temperature: Tensor) -> Tensor:
    """Ψ = e^{−d₆/T} Σ_j d_j′ e^{d_j/T}, from the reduction's own gaps; it has the sign of L₁'s slope."""
    gaps, slopes = slice_gaps(x)  # (6, X)
    single = -2 * x**2
    return (slopes[1:] * torch.exp((gaps[1:] - single) / temperature)).sum(0)


def log_condition(x: Tensor, temperature: Tensor) -> Tensor:
    """F = h − T log(x/(1 − 4x)): zero where Ψ̃ is, of the same sign, and without overflow."""
    return -6 * x**2 + 4 * x - 0.5 - temperature * torch.log(x / (1 - 4 * x))


def leading_part(temperature: float) -> dict[str, float]:
    """The roots of Ψ̃ in I = (x₀ − ε, x₀ + ε), and T Ψ̃′ at the root, by automatic differentiation."""
    t = scalar(temperature)
    x = torch.linspace(CENTRE - RADIUS, CENTRE + RADIUS, 100_001, dtype=torch.float64)
    value = log_condition(x, t)
    roots = changes(x, value > 0)
    root_x = roots[0] if roots else math.nan
    slope = float(t * torch.func.grad(lambda at: leading(at, t))(scalar(root_x)))
    return {"cold": bool(value[0] < 0 < value[-1]), "roots": len(roots), "root": root_x, "slope": slope}


def derivative_by_sympy() -> bool:
    """Whether at a root of Ψ̃ its derivative is −16e^{h/T} + 4xh′/T − 4, and T times it tends to 4/3, unlike printed."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    h = gaps[0] - gaps[4]
    psi = (4 - 16 * x) * sp.exp(h / t) - 4 * x
    at_root = sp.diff(psi, x).subs(sp.exp(h / t), x / (1 - 4 * x))
    ours = -16 * x / (1 - 4 * x) + 4 * x * (4 - 12 * x) / t - 4
    limit = sp.limit(t * ours.subs(x, sp.Rational(1, 6)), t, 0)
    x0 = (4 - sp.sqrt(6)) / 10
    return sp.simplify(at_root - ours) == 0 and limit == sp.Rational(4, 3) and 6 * x0 * (4 - 10 * x0) != limit


def derivative_numbers() -> dict[str, float]:
    t = scalar(1e-4)
    a = slice_minimum(3, t)
    slope = torch.func.grad(lambda x: rescaled(x.reshape(1), t)[0])(a)
    paper = 6 * PRINTED_LIMIT * (4 - 10 * PRINTED_LIMIT)
    return {"temperature": 1e-4, "paper": paper, "right": 4 / 3, "measured: T Psi'": float(t * slope)}


def three_roots_by_sympy() -> bool:
    """Ψ̃ > 0 at 0, < 0 left of x_T and again at ¼, although it rises at x_T: three roots; Ψ(¼) = 0."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    quarter, left = sp.Rational(1, 4), sp.Rational(1, 10)
    psi = (4 - 16 * x) * sp.exp((gaps[0] - gaps[4]) / t) - 4 * x
    whole = sum(sp.diff(gap, x) * sp.exp((gap - gaps[4]) / t) for gap in gaps)
    return (
        psi.subs(x, 0) == 4 * sp.exp(-1 / (2 * t))
        and sp.limit(psi.subs(x, left), t, 0) == -4 * left
        and psi.subs(x, quarter) == -1
        and sp.simplify(whole.subs(x, quarter)) == 0
    )


def roots_numbers() -> dict[str, float]:
    t = 0.02
    near = torch.logspace(-14, -2, 6001, dtype=torch.float64)
    x = torch.cat([near, torch.linspace(0.01001, 0.2499999, 60_001, dtype=torch.float64)])
    roots = changes(x, log_condition(x, scalar(t)) > 0)
    first, third = math.exp(-1 / (2 * t)), 0.25 - math.exp(-1 / (8 * t)) / 16
    return {
        "temperature": t,
        "paper": 1.0,
        "right": 3.0,
        "measured": float(len(roots)),
        "first root": roots[0],
        "exp(-1/(2T))": first,
        "last root": roots[-1],
        "1/4 - exp(-1/(8T))/16": third,
    }


def log_condition_by_sympy() -> bool:
    """F′ = h′ − T(1/x + 16/(4 − 16x)), whatever constant stands before x in the logarithm."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    h = sp.Function("h")(x)
    ours = sp.diff(h, x) - t * (1 / x + 16 / (4 - 16 * x))
    return all(sp.simplify(sp.diff(h - t * sp.log(k * x / (4 - 16 * x)), x) - ours) == 0 for k in (4, 6))


def remainder_is_small() -> bool:
    """On I, |Ψ − Ψ̃| ≤ 8e^{−γ/T} and |Ψ′ − Ψ̃′| ≤ (12/T)e^{−γ/T} with γ the least of d₆ − d_j there, j = 3, 4, 5."""
    x = torch.linspace(CENTRE - RADIUS, CENTRE + RADIUS, 1001, dtype=torch.float64)
    gaps, _ = slice_gaps(x)
    gamma = float((gaps[5] - gaps[2:5]).min())  # classes 0 … 5 are r₁ … r₆
    for temperature in (0.05, 0.02, 0.01, 0.005):
        t = scalar(temperature)

        def rest(at: Tensor, t: Tensor = t) -> Tensor:
            return rescaled(at, t) - leading(at, t)

        slope = torch.func.grad(lambda at: rest(at).sum())(x)
        scale = math.exp(-gamma / temperature)
        rounding = 1e-12 * math.exp(0.0973 / temperature)  # e^{h/T} at the warm end of I
        if float(rest(x).abs().max()) > 8 * scale + rounding:
            return False
        if float(slope.abs().max()) > (12 * scale + rounding) / temperature:
            return False
    return True


@functools.cache
def by_two_equations() -> tuple[float, float, float]:
    """T₁, T₂ and T₃ from two equations in (y, T) each: L₁ turns at x = ¼ − y, and its loss is log 2, S(y) = 1; or that
    of the end, S(y) = S(¼); or the turn is double: there minimum and maximum meet.
    """

    def solved(second: Any, y: float, temperature: float) -> float:
        def both(p: Tensor) -> Tensor:
            return torch.stack([turning(p[0], p[1]), second(p[0], p[1])])

        def plain(p: Any) -> tuple[Any, Any]:
            point = torch.as_tensor(p)
            return both(point).numpy(), torch.func.jacrev(both)(point).numpy()

        return float(root(plain, (y, temperature), jac=True, tol=1e-14).x[1])

    quarter = scalar(0.25)
    return (
        solved(lambda y, t: wrong_odds(y, 3, t) - 1, 0.18, 0.085),
        solved(lambda y, t: wrong_odds(y, 3, t) - wrong_odds(quarter, 3, t), 0.195, 0.088),
        solved(torch.func.grad(turning), 0.215, 0.0908),
    )


def turning(y: Tensor, temperature: Tensor) -> Tensor:
    """2e^{−y/T} times 4y(2e^{(1/8 − 6y²)/T} + 3e^{−4y²/T} + cosh(y/T)) − sinh(y/T): zero where L₁ turns."""
    square, t = y * y, temperature
    back = torch.exp(-2 * y / t)
    rising = (
        16 * torch.exp((1 / 8 - 6 * square - y) / t) + 24 * torch.exp(-(4 * square + y) / t) + 4 * (1 + back)
    )
    return y * rising - (1 - back)


def thresholds_agree() -> bool:
    """The two equations against root finding on the slice."""
    return all(threshold_twice(number)["same"] for number in (1, 2, 3))


def threshold_twice(number: int) -> dict[str, float]:
    """T₁, T₂ or T₃ by both, and whether they agree to 10⁻⁹."""
    one, other = by_two_equations()[number - 1], thresholds()[number - 1]
    return {"equations": one, "search": other, "same": abs(one - other) < 1e-9}


def behind(x: float) -> dict[str, float]:
    """How far r₆, the confusing r₂ and the mismatched r₄ and r₅ are behind the true relation on the slice."""
    gaps, _ = slice_gaps(scalar(x).reshape(1))
    return {"r₆": -float(gaps[5]), "confusing r₂": -float(gaps[1]), "r₄, r₅": -float(gaps[3])}


def off_the_slice(temperature: float) -> dict[str, float]:
    """The lowest loss on the slice, and that of random starts over all six tokens."""
    return {"slice": lowest_on_slice(3, temperature), "search": searched(3, temperature)[1]}


def turning_by_sympy() -> bool:
    """Whether S and the equation of the turning points follow from Table 2 by x = ¼ − y."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    y = sp.symbols("y", positive=True)
    quarter, eighth = sp.Rational(1, 4), sp.Rational(1, 8)
    total = sum(sp.exp(gap / t) for gap in gaps).subs(x, quarter - y)
    ours = (
        sp.exp(-8 * y**2 / t)
        + 2 * sp.exp(-(eighth + 6 * y**2) / t)
        + 2 * sp.exp(-(eighth + 2 * y**2) / t) * sp.cosh(y / t)
    )
    inner = 2 * sp.exp((eighth - 6 * y**2) / t) + 3 * sp.exp(-4 * y**2 / t) + sp.cosh(y / t)
    turn = 4 * y * inner - sp.sinh(y / t)
    slope = -t * sp.diff(ours, y) * sp.exp((eighth + 2 * y**2) / t) / 2
    same = sp.simplify(sp.expand((total - ours).rewrite(sp.exp))) == 0
    return same and sp.simplify(sp.expand((slope - turn).rewrite(sp.exp))) == 0


def turning_by_autograd() -> bool:
    """The library's odds and slope, S and the equation of the turning points against all thirteen classes."""
    generator = torch.Generator().manual_seed(0)
    y = 0.25 * torch.rand(200, dtype=torch.float64, generator=generator)
    for temperature in (0.01, 0.05, 0.09, 0.14):
        t = scalar(temperature)

        def loss(at: Tensor, t: Tensor = t) -> Tensor:
            none = torch.full_like(at, -math.inf)
            half = torch.log((0.25 + at) / (0.25 - at)) / 2
            theta = torch.stack([-half, -half, half, half, none, none], -1)
            return torch.func.vmap(lambda row: relation_loss(row, three_subjects(), t))(theta)

        if float((torch.log1p(wrong_odds(y, 3, t)) - loss(y)).abs().max()) > 1e-13:
            return False
        falling = torch.func.grad(lambda at: loss(at).sum())(y)  # by y, which is against x
        clear = falling.abs() > 1e-9
        if not bool((torch.sign(turning(y, t)) == -torch.sign(falling))[clear].all()):
            return False
        if not bool((torch.sign(turning(y, t)) == -torch.sign(depth_slope(y, 3, t))).all()):
            return False
    return True


def expansion_by_sympy() -> bool:
    """Whether h(x) = T log(x/(1 − 4x)) is solved by LIMIT + SLOPE T + BEND T² up to T³, the rest being e^{−1/(9T)}.

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


def third_order_remains() -> bool:
    """a − (LIMIT + SLOPE T + BEND T²), divided by T³, is steady from T = 0.002 down to 0.0005: about −16."""
    left = [float(slice_minimum(3, scalar(t)) - foretold(scalar(t))) / t**3 for t in (0.002, 0.001, 0.0005)]
    return max(left) - min(left) < 1 and -18 < min(left) <= max(left) < -14


def how_cold(constant: float, subjects: float) -> dict[str, float]:
    """The best p(r*) at T = C/log n, how its odds change with n, and what three subjects need.

    The confusing relation is 8d² behind for weights ¼ ± d, the n − 2 that miss the weaker pair 2(¼ − d)². Both cost
    n^−e if 8d² = eC and 2(¼ − d)² = (1 + e)C; without d, √e + 2√(1 + e) = 1/√(2C).
    """
    cold, k = scalar(0.004), 1 / math.sqrt(2 * constant)

    def log_odds(n: float) -> float:
        size, t = scalar(n), scalar(constant / math.log(n))
        return float(torch.log(wrong_odds(optimum(size, t), size, t)))

    odds = log_odds(float(subjects))
    exponent = max((2 * math.sqrt(k**2 - 3) - k) / 3, 0.0) ** 2 if k > math.sqrt(3) else 0.0
    return {
        "enough": constant < ENOUGH,
        "p": 1 / (1 + math.exp(min(odds, 700.0))),
        "slope": 2 * (odds - log_odds(math.sqrt(subjects))) / math.log(subjects),
        "exponent": exponent,
        "scaled": math.exp(min(odds + exponent * math.log(subjects), 700.0)),
        "law": (1 - float(best_probability(3, cold))) / (RIVALS * math.exp(-GAP / float(cold))),
        "from_099": printed_suffices_from(0.99),
        "from_0999": printed_suffices_from(SURE),
    }


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


def cut_short(steps: int) -> dict[str, float]:
    """Where Algorithm 1 ends at T = 0.02 if each of its stages has so many steps."""
    end = run(two_stage_descent(three_subjects()), temperature=0.02, to_limit=0, steps=steps).report
    a, leak = float(end.lesser), float(end.leak)
    return {"a": a, "leak": leak, "over_the_rest": a / (1 - leak)}


def law_by_sympy() -> bool:
    """Whether e^{1/(18T)} S → (3/2) 2^{1/3} at x = 1/6 − (log 2/2) T, as T → 0."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    near = sp.Rational(1, 6) - sp.log(2) / 2 * t
    powers = [sp.limit((gap.subs(x, near) + sp.Rational(1, 18)) / t, t, 0) for gap in gaps]
    total = sum(sp.exp(power) for power in powers)  # d₃ … d₅ are further behind: their powers are −∞
    right = sp.Rational(3, 2) * sp.cbrt(2)
    return sp.simplify(total - right) == 0 and math.isclose(right, RIVALS)


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
