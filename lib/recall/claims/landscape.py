"""Where the pairwise slice has its minima: thresholds in temperature, and the end of Theorem 4's proof."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lib.claims import Claim, Erratum, Evidence, Verdict, register
from lib.recall.claims.common import PAPER, scalar, three_subjects
from lib.recall.claims.logits import printed_logits
from lib.recall.dynamics import slice_loss, slice_minimum, slice_slope

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
                paper=r"L_1\text{ has exactly one critical point in }(0,\tfrac14)",
                right=(
                    r"\text{exactly one with }L_1<\log 2;\ L_1\text{ also has a maximum near }x=3e^{-1/(2T)}"
                ),
                survives=(
                    "The theorem stands. The loss at the maximum is above log 2, and the run, once below log 2, "
                    "never comes back to it."
                ),
                symbolic=end_slope_by_sympy,
                numeric=_turning_numbers,
            ),
        ),
    )
)
