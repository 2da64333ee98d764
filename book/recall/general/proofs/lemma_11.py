"""Lemma 11: how the lead grows on a confusing prompt, eqs 26 to 31, and the bounds on p₁(r*)."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp
import torch
from torch.func import grad

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import scalar
from book.recall.general.full_model import full_model
from book.recall.general.program import lead_of, one_large_step
from lib.program import defaults, run
from lib.recall.logits import printed_logits

DEFAULTS = defaults(one_large_step())


def pair_gradient() -> tuple[Any, Any, Any, Any]:
    """v₁ … v₄, p₂, and T ∂ℓ₁/∂v where only the true and the confusing relation have any probability."""
    v = sp.symbols("v1:7")
    p2 = sp.symbols("p2", positive=True)
    logits = printed_logits(*v[:5])
    slope = [sp.expand(p2 * (sp.diff(logits[1], a) - sp.diff(logits[0], a))) for a in v]
    g = (v[0] - v[2]) * (v[1] - v[3])
    return v, p2, slope, g


def factor_numbers() -> dict[str, float]:
    """∂ℓ₁/∂v₁ by automatic differentiation of the faithful model."""
    t, v = 0.002, torch.tensor([0.26, 0.15, 0.24, 0.14, 0.06, 0.15], dtype=torch.float64)
    measured = float(grad(lambda u: full_model(u, t)[0])(v)[0])
    paper = float(full_model(v, t)[2] * (v[3] - v[1])) / t
    return {"temperature": t, "paper": paper, "right": 2 * paper, "measured": measured}


@erratum(
    "recall.equations-19-31",
    rank=Rank.MISPRINT,
    where="Appendix C, proof of Lemma 11, the derivatives on a confusing prompt",
    printed=r"\partial\ell_1/\partial v_1 = \tfrac1T(p_2(v_4-v_2)+\dots),\ \dots",
    right=r"\partial\ell_1/\partial v_1 = \tfrac1T(2p_2(v_4-v_2)+\dots),\ \dots",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: eqs 28 to 31 contain the factor 2.",
    numbers=factor_numbers,
)
def factor_by_sympy() -> bool:
    """Proves that T ∂ℓ₁/∂v = 2p₂(v₄ − v₂, v₃ − v₁, v₂ − v₄, v₁ − v₃, 0, 0), twice what is printed."""
    v, p2, slope, _ = pair_gradient()
    printed = [p2 * (v[3] - v[1]), p2 * (v[2] - v[0]), p2 * (v[1] - v[3]), p2 * (v[0] - v[2]), 0, 0]
    pairs = list(zip(slope, printed, strict=True))
    return all(sp.expand(a - 2 * b) == 0 for a, b in pairs) and any(sp.expand(a - b) != 0 for a, b in pairs)


def sandwich_numbers() -> dict[str, float]:
    """p₁(r*) of the faithful model above the printed bound."""
    t, v = 0.002, torch.tensor([0.27, 0.18, 0.21, 0.13, 0.06, 0.15], dtype=torch.float64)
    g = float(lead_of(v))
    return {
        "temperature": t,
        "paper: upper bound": 1 / (1 + math.exp(-g / t)),
        "right: upper bound": 1 / (1 + math.exp(-2 * g / t)),
        "measured": float(full_model(v, t)[1]),
    }


@erratum(
    "recall.equations-19-31",
    rank=Rank.PROOF,
    where="Appendix C, end of the proof of Lemma 11",
    printed=r"p_1(Z') \le \frac1{1+\exp(-g_k/T)}",
    right=r"p_1(Z') \le \frac1{1+\exp(-2g_k/T)}",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands. In Lemma 10 g is 2(v₁ − v₃)(v₂ − v₄), in Lemma 11 half of that, and the bound "
    "was carried over. What is used holds with either: all confusing prompts are nearly equal.",
    numbers=sandwich_numbers,
)
def sandwich_by_sympy() -> bool:
    """Proves that the odds of r₁ against r₂ are e^{2g/T} for g = (v₁ − v₃)(v₂ − v₄), and not e^{g/T}."""
    v1, v2, v3, v4, _ = v = sp.symbols("v1:6")
    first, second = printed_logits(*v)[:2]
    g = (v1 - v3) * (v2 - v4)
    return sp.expand(first - second - 2 * g) == 0 and sp.expand(first - second - g) != 0


checked("recall.equations-19-31", "Lemma 10, the gap", r"l(r_1)-l(r_2) = 2(v_1-v_3)(v_2-v_4)", "sympy")(
    sandwich_by_sympy
)


@checked(
    "recall.equations-19-31",
    "Lemma 11, the first lead",
    r"p_2 = \tfrac12 - \Omega(T^3) \Rightarrow (v_1-v_3)(v_2-v_4) \gtrsim T^4",
    "sympy",
)
def lead_by_sympy() -> bool:
    """p₂ = ½ − y means (v₁ − v₃)(v₂ − v₄) = 2Ty to first order: a y of order T³ is a lead of order T⁴."""
    y, t = sp.symbols("y T", positive=True)
    lead = t / 2 * sp.log((sp.Rational(1, 2) + y) / (sp.Rational(1, 2) - y))
    return sp.series(lead, y, 0, 2).removeO() == 2 * t * y


@checked(
    "recall.equations-19-31",
    "Lemmas 10 and 11, the lower bound on $p_1$, and eq. 31",
    "all along a run, until 0.999",
    "gradient descent, n = 10⁴",
)
def along_a_run() -> bool:
    """The lower bound on p₁ of Lemmas 10 and 11, the right upper one, and eq. 31, until 0.999; n = 10⁴."""
    t, n, c_2 = (DEFAULTS[name] for name in ("temperature", "subjects", "rate_2"))
    history = run(one_large_step()).histories[1]
    g = lead_of(history.rows.attention)  # (S,)
    chance = history.rows.probability[:, 2]
    rest = 4 * math.exp(-math.sqrt(1 / t)) + n**2 * math.exp(-1 / (18 * t))
    above = chance >= 1 / (1 + torch.exp(-2 * g / t) + rest)
    below = chance <= 1 / (1 + torch.exp(-2 * g / t)) * (1 + 1e-12)
    steps = torch.tensor(history.steps, dtype=torch.float64)
    least = torch.log1p(scalar(c_2 * t * DEFAULTS["density"] / 10_000)) * steps.diff()
    escaped = g[:-1] > t**4
    grows = (g[1:] / g[:-1]).log() >= least
    return bool((above & below).all() and grows[escaped].all() and escaped.any())


@checked(
    "recall.equations-19-31", "Eqs 26 to 30, and the bound on ‖ε‖", "one step of the lead, exactly", "sympy"
)
def growth_by_sympy() -> bool:
    """Eqs 26 to 30 and the mean derivative −4p₂p_conf g/T: exact where only two relations count."""
    v, p2, slope, g = pair_gradient()
    v1, v2, v3, v4, _, _ = v
    mean = sum(a * b for a, b in zip(v, slope, strict=True))
    by_theta = [a * (b - mean) for a, b in zip(v, slope, strict=True)]
    norm = sum(a**2 for a in v)
    left, right, a, b = v1**2 + v3**2, v2**2 + v4**2, v1 - v3, v2 - v4
    third, fourth = v3 * by_theta[2] - v1 * by_theta[0], v4 * by_theta[3] - v2 * by_theta[1]
    dot = sum(x * y for x, y in zip(v, by_theta, strict=True))
    identities = (
        (mean, -4 * p2 * g),
        (third, 2 * p2 * (left * b + 2 * (v3**2 - v1**2) * g)),  # eq. 28
        (fourth, 2 * p2 * (right * a + 2 * (v4**2 - v2**2) * g)),  # eq. 29
        (dot, 2 * p2 * (2 * norm - (v1 + v2 + v3 + v4)) * g),  # above eq. 30
        (sum(x**2 for x in slope), 8 * p2**2 * (a**2 + b**2)),  # after eq. 31
    )
    eta, x, y, z = sp.symbols("eta x y z")  # x = vᵀ∇_θL, y and z the two brackets
    one, two = eta * (a * x + y), eta * (b * x + z)
    step = eta * (
        2 * a * b * x + eta * a * b * x**2 + b * y + a * z + eta * y * z + eta * a * x * z + eta * b * x * y
    )  # eq. 27
    taken = (a + one) * (b + two) - a * b
    return (
        all(sp.expand(p - q) == 0 for p, q in identities)
        and sp.expand(taken - (a * two + b * one + one * two)) == 0  # eq. 26
        and sp.expand(taken - step) == 0
    )


@checked("recall.equations-19-31", "Eq. 31", r"2 \cdot 0.0009 \cdot \tfrac1{18} = 10^{-4}", "sympy")
def last_inequality() -> bool:
    """Eq. 31: 2√… g by arithmetic and geometric mean; at v = 1/6 and p₂ > 0.0009 the rate is 1/10000."""
    a, b, left, right = sp.symbols("a b L R", positive=True)
    square = sp.expand(left * b**2 + right * a**2 - 2 * sp.sqrt(left * right) * a * b)
    mean = sp.simplify(square - sp.expand((sp.sqrt(left) * b - sp.sqrt(right) * a) ** 2)) == 0
    return mean and 2 * sp.Rational(9, 10_000) * sp.Rational(2, 36) == sp.Rational(1, 10_000)
