"""Where the pairwise slice has its minima: thresholds in temperature, the end of Theorem 4's proof, and Claim 1."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from lib.claims import Check, Claim, Erratum, Evidence, Verdict, register
from lib.recall.claims.common import PAPER, scalar, three_subjects
from lib.recall.claims.logits import printed_logits
from lib.recall.dynamics import (
    relation_logits,
    relation_loss,
    slice_gaps,
    slice_loss,
    slice_minimum,
    slice_slope,
)

PAGE = "book/recall/temperature"


def threshold(condition: str) -> float:
    """The temperature below which the pairwise slice of Theorem 2 has a property, by bisection to 1e-10.

    ``condition``: "inside", an inner minimum below the saddle; "global", and no lower point on the slice;
    "log 2", and a loss below log 2 there.

    Raises:
        ValueError: an unknown condition.
    """
    tests = {"inside": _inside, "global": _global, "log 2": _below_log_2}
    if condition not in tests:
        raise ValueError(f"condition = {condition!r}: must be one of {', '.join(map(repr, tests))}")
    low, high = 0.02, 0.2
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if tests[condition](scalar(middle)) else (low, middle)
    return (low + high) / 2


def _slice_at(x: float | Tensor, temperature: Tensor) -> Tensor:
    return slice_loss(torch.as_tensor(x, dtype=torch.float64).reshape(1), three_subjects(), temperature)[0]


def _inside(temperature: Tensor) -> bool:
    """Whether the slice falls anywhere between 0 and ¼: it rises at 0, so it then has an inner minimum."""
    x = torch.linspace(0, 0.25, 20001, dtype=torch.float64)
    return bool((slice_slope(x, three_subjects(), temperature) < 0).any())


def _global(temperature: Tensor) -> bool:
    a = slice_minimum(three_subjects(), temperature)
    return bool(a > 1e-9) and bool(_slice_at(a, temperature) < _slice_at(0.0, temperature))


def _below_log_2(temperature: Tensor) -> bool:
    return bool(_slice_at(slice_minimum(three_subjects(), temperature), temperature) < math.log(2))


PRINTED_LIMIT = (4 - math.sqrt(6)) / 10
"""The limit of a as T → 0 in Theorem 4's proof, as printed."""


def critical_points(temperature: float) -> list[float]:
    """Every x in (0, ¼) where L₁ on the slice turns, by the sign of its slope on a grid that is fine near 0."""
    near = torch.logspace(-30, -2, 2801, dtype=torch.float64)
    x = torch.cat([near, torch.linspace(0.0101, 0.2499, 4801, dtype=torch.float64)])
    rising = slice_slope(x, three_subjects(), scalar(temperature)) > 0
    turns = torch.nonzero(rising[1:] != rising[:-1]).flatten()
    return [float(x[turn] + x[turn + 1]) / 2 for turn in turns]


def theorem_4_proof(temperature: float) -> Evidence:
    """The critical points of the slice, which of them lie below log 2, and where."""
    t = scalar(temperature)
    points = critical_points(temperature)
    low = [x for x in points if float(_slice_at(x, t)) < math.log(2)]
    measured = float(slice_minimum(three_subjects(), t))
    return Evidence(
        hypotheses={"temperature small enough": temperature <= 0.01},
        predicted={"critical points below log 2": 1.0, "a as T falls": 1 / 6, "a as printed": PRINTED_LIMIT},
        measured={
            "critical points": float(len(points)),
            "critical points below log 2": float(len(low)),
            "a": measured,
        },
        conclusion=len(low) == 1 and abs(measured - 1 / 6) < 5e-3,
    )


def limit_by_sympy() -> bool:
    """Whether sympy finds the gaps dⱼ, h = d₂ − d₆ and its root 1/6 from Table 2, all unlike the printed ones."""
    import sympy as sp

    x = sp.symbols("x")
    half = sp.Rational(1, 2)
    logits = printed_logits(x, x, half - x, half - x, sp.Integer(0))
    gaps = [sp.expand(logit - logits[0]) for logit in logits[1:]]
    ours = [-8 * x**2 + 4 * x - half, -2 * x**2 + 2 * x - half, *[-6 * x**2 + 3 * x - half] * 2, -2 * x**2]
    root = sp.solve(gaps[0] - gaps[4], x)
    behind = all((gap - gaps[4]).subs(x, root[0]) < 0 for gap in gaps[1:4])
    return gaps == [sp.expand(gap) for gap in ours] and root == [sp.Rational(1, 6), half] and behind


def _limit_numbers() -> dict[str, float]:
    t = 1e-4
    measured = float(slice_minimum(three_subjects(), scalar(t)))
    return {"temperature": t, "paper": PRINTED_LIMIT, "right": 1 / 6, "measured": measured}


def end_slope_by_sympy() -> bool:
    """Whether L₁ rises at the end x = 0 of the slice at every T, so that a maximum precedes any inner minimum."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    half = sp.Rational(1, 2)
    logits = printed_logits(x, x, half - x, half - x, sp.Integer(0))
    loss = sp.log(sum(sp.exp((logit - logits[0]) / t) for logit in logits))
    at_zero = sp.diff(loss, x).subs(x, 0)
    return sp.simplify(at_zero - 6 / (t * (sp.exp(1 / (2 * t)) + 2))) == 0  # positive for every T


def _turning_numbers() -> dict[str, float]:
    t = 0.05
    maximum, minimum = critical_points(t)
    return {
        "temperature": t,
        "maximum at": maximum,
        "3exp(-1/(2T))": 3 * math.exp(-1 / (2 * t)),
        "L1 there": float(_slice_at(maximum, scalar(t))),
        "log 2": math.log(2),
        "minimum at": minimum,
    }


def slice_by_sympy() -> tuple[Any, Any, list[Any]]:
    """The symbols x and T, and the gaps d₂ … d₆ that Table 2 gives on the slice."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    half = sp.Rational(1, 2)
    logits = printed_logits(x, x, half - x, half - x, sp.Integer(0))
    return x, t, [sp.expand(logit - logits[0]) for logit in logits[1:]]


def symmetry_by_sympy() -> bool:
    """Whether exchanging x and ½ − x permutes the gaps, and exchanging x and ¼ − x does not."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()

    def mirrored(middle: Any) -> bool:
        return sorted(map(str, gaps)) == sorted(str(sp.expand(gap.subs(x, middle - x))) for gap in gaps)

    return mirrored(sp.Rational(1, 2)) and not mirrored(sp.Rational(1, 4))


def _symmetry_numbers() -> dict[str, float]:
    t = scalar(0.05)
    paper, right, measured = (float(_slice_at(x, t)) for x in (0.15, 0.4, 0.1))
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


def _rescaled_numbers() -> dict[str, float]:
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
    return all(_below_log_2(t) for t in cold)


register(
    Claim(
        id="recall.theorem-4-proof",
        paper=PAPER,
        kind="theorem",
        number="4, end of its proof",
        title="One critical point of the slice lies below log 2, and its limit as T falls is known",
        page=PAGE,
        statement=(
            "For small $T$ the loss on the pairwise slice has exactly one critical point with "
            "$0 < a < \\tfrac14$ and $L_1 < \\log 2$. It tends to the root of $d_2 = d_6$, where the confusing "
            "relation and the one that matches only the stronger pair are equally far behind."
        ),
        examine=theorem_4_proof,
        holds_at={"temperature": 0.01},
        fails_at={"temperature": 0.088},
        recorded=Verdict.CORRECTED,
        finding="The limit is 1/6, one third of attention on one pair and two thirds on the other, not (4 − √6)/10.",
        errata=(
            Erratum(
                where="Appendix B, the gaps d₃ … d₆ and the root of h in Theorem 4's proof",
                paper=(
                    r"d_3=-3x^2+3x-\tfrac34,\ d_4=-7x^2+4x-\tfrac34,\ d_5=-7x^2+3x-\tfrac12,\ d_6=-3x^2,\ "
                    r"x_0=\tfrac{4-\sqrt6}{10}"
                ),
                right=(r"d_3=-2x^2+2x-\tfrac12,\ d_4=d_5=-6x^2+3x-\tfrac12,\ d_6=-2x^2,\ x_0=\tfrac16"),
                survives=(
                    "The theorem stands. The right h = d₂ − d₆ = −6x² + 4x − ½ increases on (0, ¼) and has the "
                    "single root 1/6 there, where d₃, d₄ and d₅ are below d₆, as the argument needs."
                ),
                symbolic=limit_by_sympy,
                numeric=_limit_numbers,
            ),
            Erratum(
                where="Appendix B, the count of critical points at the end of Theorem 4's proof",
                paper=(
                    r"\Psi<0\text{ for all }x<x_0-\epsilon,\ "
                    r"\text{so }L_1\text{ has exactly one critical point in }(0,\tfrac14)"
                ),
                right=(
                    r"\Psi>0\text{ near }0;\ \text{exactly one with }L_1<\log 2,\ "
                    r"\text{and a maximum near }x=3e^{-1/(2T)}"
                ),
                survives=(
                    "The theorem stands. The loss at the maximum is above log 2, and the run, once below log 2, "
                    "never comes back to it."
                ),
                symbolic=end_slope_by_sympy,
                numeric=_turning_numbers,
            ),
            Erratum(
                where="Appendix B, the symmetry of the slice in Theorem 4's proof",
                paper=r"L_1(x)=L_1(\tfrac14-x)",
                right=r"L_1(x)=L_1(\tfrac12-x)",
                survives="The theorem stands: what is used, that (0, ¼) is enough, follows from the right symmetry.",
                symbolic=symmetry_by_sympy,
                numeric=_symmetry_numbers,
            ),
            Erratum(
                where="Appendix B, Ψ, its leading part and h in Theorem 4's proof",
                paper=r"\Psi=(4-16x)e^{(d_2-d_6)/T}-6x+\dots,\quad h=-5x^2+4x^2-\tfrac12",
                right=r"\Psi=(4-16x)e^{(d_2-d_6)/T}-4x+\dots,\quad h=-6x^2+4x-\tfrac12",
                survives=(
                    "The theorem stands. The 6x and the 5 follow from the wrong d₆; the second x² of h is a slip of "
                    "the pen for x."
                ),
                symbolic=rescaled_by_sympy,
                numeric=_rescaled_numbers,
            ),
        ),
        checked=(
            Check(
                "End of Theorem 4's proof",
                "$d_2 = -8x^2 + 4x - \\tfrac12$; $d_3, d_4, d_5 < d_6$, on all of $(0, \\tfrac14)$ even",
                "sympy",
                gaps_by_sympy,
            ),
            Check(
                "End of Theorem 4's proof",
                "$L_1 < \\log 2$ only where $l(r_1) > l(r)$ for all $r \\ne r_1$",
                "count",
                below_log_2_means_ahead,
            ),
            Check(
                "End of Theorem 4's proof",
                "$L_1(x^*) < \\log 2$ for small $T$",
                "count",
                minimum_below_log_2,
            ),
        ),
    )
)


CENTRE, RADIUS = 1 / 6, 0.05
"""The interval I of Claim 1: x₀ and an ε that keeps it within (0, ¼)."""


def leading(x: Tensor, temperature: Tensor) -> Tensor:
    """Ψ̃ = (4 − 16x) e^{h/T} − 4x, with the right h = d₂ − d₆."""
    return (4 - 16 * x) * torch.exp((-6 * x**2 + 4 * x - 0.5) / temperature) - 4 * x


def rescaled(x: Tensor, temperature: Tensor) -> Tensor:
    """Ψ = e^{−d₆/T} Σ_j d_j′ e^{d_j/T}, from the reduction's own gaps; it has the sign of L₁'s slope."""
    gaps, slopes = slice_gaps(x, three_subjects().matches[:6])  # (6, X)
    single = -2 * x**2
    return (slopes[1:] * torch.exp((gaps[1:] - single) / temperature)).sum(0)


def log_condition(x: Tensor, temperature: Tensor) -> Tensor:
    """F = h − T log(x/(1 − 4x)): zero where Ψ̃ is, of the same sign, and without overflow."""
    return -6 * x**2 + 4 * x - 0.5 - temperature * torch.log(x / (1 - 4 * x))


def _crossings(x: Tensor, temperature: Tensor) -> list[float]:
    up = log_condition(x, temperature) > 0
    turns = torch.nonzero(up[1:] != up[:-1]).flatten()
    return [float(x[turn] + x[turn + 1]) / 2 for turn in turns]


def claim_1(temperature: float) -> Evidence:
    """The roots of Ψ̃ in I = (x₀ − ε, x₀ + ε), and T Ψ̃′ at the root, by automatic differentiation."""
    t = scalar(temperature)
    x = torch.linspace(CENTRE - RADIUS, CENTRE + RADIUS, 100_001, dtype=torch.float64)
    roots = _crossings(x, t)
    ends = log_condition(x[[0, -1]], t)
    root = roots[0] if roots else math.nan
    slope = float(t * torch.func.grad(lambda at: leading(at, t))(scalar(root)))
    return Evidence(
        hypotheses={
            "T so small that h outweighs T log(x/(1 − 4x)) at both ends of I": bool(ends[0] < 0 < ends[1])
        },
        predicted={"roots in I": 1.0, "T times the derivative, as T falls": 4 / 3},
        measured={"roots in I": float(len(roots)), "root": root, "T times the derivative": slope},
        conclusion=len(roots) == 1 and 2 / 3 < slope < 8 / 3,
    )


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


def _derivative_numbers() -> dict[str, float]:
    t = scalar(1e-4)
    a = slice_minimum(three_subjects(), t)
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


def _roots_numbers() -> dict[str, float]:
    t = 0.02
    near = torch.logspace(-14, -2, 6001, dtype=torch.float64)
    x = torch.cat([near, torch.linspace(0.01001, 0.2499999, 60_001, dtype=torch.float64)])
    roots = _crossings(x, scalar(t))
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
    gaps, _ = slice_gaps(x, three_subjects().matches[:6])
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


register(
    Claim(
        id="recall.claim-1",
        paper=PAPER,
        kind="claim",
        number="1",
        title="The leading part of the slope has one root near its limit, and crosses it steeply",
        page=PAGE,
        statement=(
            "Keep of the slope of $L_1$ only the confusing relation and the one that matches the stronger pair alone: "
            "$\\tilde\\Psi = (4 - 16x)e^{h/T} - 4x$ with $h = d_2 - d_6$. For small $T$ it has exactly one root $x_T$ "
            "in an interval around the root of $h$, and $\\tilde\\Psi'(x_T)$ is of order $1/T$."
        ),
        examine=claim_1,
        holds_at={"temperature": 0.01},
        fails_at={"temperature": 0.08},
        recorded=Verdict.CORRECTED,
        finding="True with the right gaps; the constant is 4/3: $T\\tilde\\Psi'(x_T) \\to \\tfrac43$.",
        errata=(
            Erratum(
                where="Appendix B, the root condition and the derivative in the proof of Claim 1",
                paper=(
                    r"h=T\log\tfrac{6x}{4-16x},\quad "
                    r"\tilde\Psi'(x_T)=-16e^{h/T}+\tfrac{6x_Th'}{T}-6,\quad h'=4-10x"
                ),
                right=(
                    r"h=T\log\tfrac{x}{1-4x},\quad "
                    r"\tilde\Psi'(x_T)=-16e^{h/T}+\tfrac{4x_Th'}{T}-4,\quad h'=4-12x"
                ),
                survives="The claim stands: only the constants change, and T Ψ̃′ tends to 4/3.",
                symbolic=derivative_by_sympy,
                numeric=_derivative_numbers,
            ),
            Erratum(
                where="Appendix B, the sentence before Claim 1",
                paper=r"\tilde\Psi\text{ has a unique root in }(0,\tfrac14)",
                right=r"\text{a unique root in }I;\ \text{on }(0,\tfrac14)\text{ there are three}",
                survives=(
                    "The claim speaks of I alone and stands. The others are near 0, where L₁ has its maximum, and near "
                    "¼. There the terms left out are as large as those kept, and the true slope has no root."
                ),
                symbolic=three_roots_by_sympy,
                numeric=_roots_numbers,
            ),
        ),
        checked=(
            Check(
                "Proof of Claim 1",
                "$F' = h' - T(\\tfrac1x + \\tfrac{16}{4-16x})$",
                "sympy",
                log_condition_by_sympy,
            ),
            Check(
                "Before Claim 1",
                "on $I$, $\\Psi - \\tilde\\Psi$ is at most of order $e^{-\\gamma/T}$, and its derivative of order "
                "$e^{-\\gamma/T}/T$",
                "autograd",
                remainder_is_small,
            ),
        ),
    )
)
