"""The end of Theorem 4's proof: the gaps on the slice, its critical points and their limit."""

from __future__ import annotations

import math
from typing import Any

import torch

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import scalar, three_subjects
from book.recall.temperature.proofs.slice import slice_by_sympy
from book.recall.temperature.slice import critical_points
from lib.recall.landscape import optimum, slice_loss, slice_minimum, wrong_odds
from lib.recall.reduction import relation_logits, relation_loss

PRINTED_LIMIT = (4 - math.sqrt(6)) / 10
"""The limit of a as T → 0 in Theorem 4's proof, as printed."""


def limit_numbers() -> dict[str, float]:
    t = 1e-4
    measured = float(slice_minimum(3, scalar(t)))
    return {"temperature": t, "paper": PRINTED_LIMIT, "right": 1 / 6, "measured": measured}


@erratum(
    "recall.theorem-4-proof",
    rank=Rank.PROOF,
    where="Appendix B, the gaps d₃ … d₆ and the root of h in Theorem 4's proof",
    printed=r"d_3=-3x^2+3x-\tfrac34,\ d_4=-7x^2+4x-\tfrac34,\ d_5=-7x^2+3x-\tfrac12,\ d_6=-3x^2,\ "
    r"x_0=\tfrac{4-\sqrt6}{10}",
    right=r"d_3=-2x^2+2x-\tfrac12,\ d_4=d_5=-6x^2+3x-\tfrac12,\ d_6=-2x^2,\ x_0=\tfrac16",
    survival=Survival.AS_PRINTED,
    survives="The theorem stands. The right h = d₂ − d₆ = −6x² + 4x − ½ increases on (0, ¼) and has the "
    "single root 1/6 there, where d₃, d₄ and d₅ are below d₆, as the argument needs.",
    numbers=limit_numbers,
)
def limit_by_sympy() -> bool:
    """Proves that sympy finds the gaps dⱼ, h = d₂ − d₆ and its root 1/6 from Table 2, all unlike the printed ones."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()
    half = sp.Rational(1, 2)
    ours = [-8 * x**2 + 4 * x - half, -2 * x**2 + 2 * x - half, *[-6 * x**2 + 3 * x - half] * 2, -2 * x**2]
    root = sp.solve(gaps[0] - gaps[4], x)
    behind = all((gap - gaps[4]).subs(x, root[0]) < 0 for gap in gaps[1:4])
    return gaps == [sp.expand(gap) for gap in ours] and root == [sp.Rational(1, 6), half] and behind


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


@erratum(
    "recall.theorem-4-proof",
    rank=Rank.PROOF,
    where="Appendix B, the count of critical points at the end of Theorem 4's proof",
    printed=r"\Psi<0\text{ for all }x<x_0-\epsilon,\ "
    r"\text{so }L_1\text{ has exactly one critical point in }(0,\tfrac14)",
    right=r"\Psi>0\text{ near }0;\ \text{exactly one with }L_1<\log 2,\ "
    r"\text{and a maximum near }x=3e^{-1/(2T)}",
    survival=Survival.AS_PRINTED,
    survives="The theorem stands. The loss at the maximum is above log 2, and the run, once below log 2, "
    "never comes back to it.",
    numbers=turning_numbers,
)
def end_slope_by_sympy() -> bool:
    """Proves that L₁ rises at the end x = 0 of the slice at every T, so that a maximum precedes any inner minimum."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    loss = sp.log(1 + sum(sp.exp(gap / t) for gap in gaps))
    at_zero = sp.diff(loss, x).subs(x, 0)
    return sp.simplify(at_zero - 6 / (t * (sp.exp(1 / (2 * t)) + 2))) == 0  # positive for every T


def symmetry_numbers() -> dict[str, float]:
    t = scalar(0.05)
    paper, right, measured = (float(slice_loss(scalar(x), 3, t)) for x in (0.15, 0.4, 0.1))
    return {"temperature": 0.05, "paper: L1(0.15)": paper, "right: L1(0.4)": right, "L1(0.1)": measured}


@erratum(
    "recall.theorem-4-proof",
    rank=Rank.MISPRINT,
    where="Appendix B, the symmetry of the slice in Theorem 4's proof",
    printed=r"L_1(x)=L_1(\tfrac14-x)",
    right=r"L_1(x)=L_1(\tfrac12-x)",
    survival=Survival.AS_PRINTED,
    survives="The theorem stands: what is used, that (0, ¼) is enough, follows from the right symmetry.",
    numbers=symmetry_numbers,
)
def symmetry_by_sympy() -> bool:
    """Proves that exchanging x and ½ − x permutes the gaps, and exchanging x and ¼ − x does not."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()

    def mirrored(middle: Any) -> bool:
        return sorted(map(str, gaps)) == sorted(str(sp.expand(gap.subs(x, middle - x))) for gap in gaps)

    return mirrored(sp.Rational(1, 2)) and not mirrored(sp.Rational(1, 4))


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


@erratum(
    "recall.theorem-4-proof",
    rank=Rank.PROOF,
    where="Appendix B, Ψ, its leading part and h in Theorem 4's proof",
    printed=r"\Psi=(4-16x)e^{(d_2-d_6)/T}-6x+\dots,\quad h=-5x^2+4x^2-\tfrac12",
    right=r"\Psi=(4-16x)e^{(d_2-d_6)/T}-4x+\dots,\quad h=-6x^2+4x-\tfrac12",
    survival=Survival.AS_PRINTED,
    survives="The theorem stands. The 6x and the 5 follow from the wrong d₆; the second x² of h is a slip of "
    "the pen for x.",
    numbers=rescaled_numbers,
)
def rescaled_by_sympy() -> bool:
    """Proves that Ψ's middle term is −4x and h = −6x² + 4x − ½, which is neither printed form."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()
    h = sp.expand(gaps[0] - gaps[4])
    ours = sp.expand(-6 * x**2 + 4 * x - sp.Rational(1, 2))
    printed = [sp.expand(-5 * x**2 + 4 * x**power - sp.Rational(1, 2)) for power in (1, 2)]
    rising = sp.diff(h, x).subs(x, sp.Rational(1, 4)) > 0  # h′ falls with x: positive on all of (0, ¼)
    return h == ours and h not in printed and sp.diff(gaps[4], x) == -4 * x and bool(rising)


@checked(
    "recall.theorem-4-proof",
    "End of Theorem 4's proof",
    "$d_2 = -8x^2 + 4x - \\tfrac12$; $d_3, d_4, d_5 < d_6$, on all of $(0, \\tfrac14)$ even",
    "sympy",
)
def gaps_by_sympy() -> bool:
    """Proves that d₂ is as printed, and d₃, d₄, d₅ lie below d₆ on all of (0, ¼)."""
    import sympy as sp

    x, _, gaps = slice_by_sympy()
    right = gaps[0] == sp.expand(-8 * x**2 + 4 * x - sp.Rational(1, 2))
    inside = sp.Interval.open(0, sp.Rational(1, 4))
    return right and all(
        sp.solveset(gap >= gaps[4], x, sp.Reals).intersect(inside) is sp.EmptySet for gap in gaps[1:4]
    )


@checked(
    "recall.theorem-4-proof",
    "End of Theorem 4's proof",
    "$L_1 < \\log 2$ only where $l(r_1) > l(r)$ for all $r \\ne r_1$",
    "count",
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


@checked("recall.theorem-4-proof", "End of Theorem 4's proof", "$L_1(x^*) < \\log 2$ for small $T$", "count")
def minimum_below_log_2() -> bool:
    """L₁ < log 2 at the inner minimum for every temperature tried below the threshold."""
    cold = torch.linspace(0.005, 0.0854, 60, dtype=torch.float64)
    return all(float(wrong_odds(optimum(3, t), 3, t)) < 1 for t in cold)
