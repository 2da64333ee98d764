"""Appendix C formula by formula: equations 19 to 31 and every display between them, by sympy."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp
import torch
from torch import Tensor
from torch.func import grad

from book.recall.common import scalar, transformer
from book.recall.general.checks import EVEN, confusing_prompt, full_model, loss_of
from book.recall.general.program import curvature, lead_of
from lib.recall import model
from lib.recall.general import population
from lib.recall.landscape import ESCAPE_DIRECTION
from lib.recall.logits import printed_logits
from lib.recall.reduction import affine_counts, reduce
from lib.recall.task import affine_family, all_prompts

TILT = [sp.nsimplify(entry) for entry in ESCAPE_DIRECTION]


def start_by_sympy() -> bool:
    """At v = 1/6: logits ¼, 7/36, 5/36 for 2, 1, 0 matches; e^{−1/36T} bounds what their gaps leave."""
    sixth, log_n = sp.Rational(1, 6), sp.Rational(1, 40)  # log n ≤ 1/(40T)
    two, one, none = 2 * (2 * sixth) ** 2 + sixth**2, (2 * sixth) ** 2 + 3 * sixth**2, 5 * sixth**2
    logits = (two, one, none) == tuple(sp.Rational(top, 36) for top in (9, 7, 5))
    return logits and max(log_n - (two - one), 2 * log_n - (two - none)) < -sp.Rational(1, 36)


def counts_by_sympy() -> bool:
    """6(n − 3) relations match once and n(n − 1) − 6(n − 2) never, in the affine family, which has the most."""
    n = sp.symbols("n")
    never = sp.expand(n * (n - 1) - 6 - 6 * (n - 3))
    counted = all(
        torch.allclose(
            reduce(known, all_prompts(known)).log_counts.exp(), affine_counts(scalar(known.subjects))
        )
        for known in map(affine_family, (5, 7))
    )
    return counted and never == sp.expand(n * (n - 1) - 6 * (n - 2)) == sp.expand((n - 3) * (n - 4))


def misprinted_exponent() -> bool:
    """Whether v₀ᵀ∇_v L₁ vanishes as T → 0 faster than e^{−1/36}/T, which grows without bound."""
    t = sp.symbols("T", positive=True)
    right = sp.limit(sp.exp(-1 / (36 * t)) / t, t, 0, "+") == 0
    return right and sp.limit(sp.exp(-sp.Rational(1, 36)) / t, t, 0, "+") == sp.oo


def exponent_numbers() -> dict[str, float]:
    t = 0.002
    counts, weights = population(scalar(1e4), scalar(1.0))
    measured = abs(float(EVEN @ grad(loss_of)(EVEN, counts, weights, scalar(t))))
    paper, right = math.exp(-1 / 36) / t, math.exp(-1 / (36 * t)) / t
    return {"temperature": t, "paper: bound": paper, "right: bound": right, "measured": measured}


def chain_numbers() -> dict[str, float]:
    """By the faithful model, whose attention is read from W^KQ."""
    known, prompt, _ = confusing_prompt(False)
    built = transformer(known)
    t, v = 0.05, torch.tensor([0.25, 0.15, 0.2, 0.1, 0.15, 0.15], dtype=torch.float64)

    def loss(theta: Tensor) -> Tensor:
        block = model.position_block(theta, torch.zeros(7, dtype=torch.float64), built.embedding.shape[1])
        return model.relation_loss_full(built._replace(W_KQ=block), known, prompt, t)

    by_v = grad(lambda u: full_model(u, t)[0])(v)
    return {
        "the formula": float(v[0] * (by_v[0] - v @ by_v)),
        "measured: derivative by v1": float(by_v[0]),
        "measured: derivative by theta1": float(grad(loss)(v.log())[0]),
    }


def bend() -> tuple[Any, Any, Any, Any]:
    """l₁″(0), l₂″(0) along ε̃ from θ = 0, and the first one's parts v′ᵀ∇²l₁v′ and ∇l₁ᵀv″."""
    x, v = sp.symbols("x"), sp.symbols("v1:6")
    weights = [sp.exp(d * x) for d in TILT]
    path = [weight / sum(weights) for weight in weights[:5]]
    first, second = (sp.Matrix([sp.diff(a, x, k).subs(x, 0) for a in path]) for k in (1, 2))
    whole = [sp.nsimplify(sp.diff(logit, x, 2).subs(x, 0)) for logit in printed_logits(*path)[:2]]
    logit = printed_logits(*v)[0]
    slope = sp.Matrix([logit]).jacobian(v).subs({a: sp.Rational(1, 6) for a in v})
    return *whole, first.dot(sp.hessian(logit, v) * first), slope.dot(second)


def bend_by_sympy() -> bool:
    """Whether v′ᵀ∇²l₁v′ = 1/9, ∇l₁ᵀv″ = 1/36, l₁″ = 5/36, l₂″ = 1/36, and none of these is as printed."""
    ours = tuple(sp.Rational(top, 36) for top in (5, 1, 4, 1))
    printed = tuple(sp.Rational(top, 24) for top in (3, 1, 2, 1))
    found = bend()
    return found == ours and all(one != two for one, two in zip(found, printed, strict=True))


def measured_bend(which: int) -> float:
    """T times the bend along ε̃ of :func:`full_model`'s ℓ₁ (0) or p₁(r*) (1) where only r₁ and r₂ count."""
    t = 0.01
    return t * float(curvature(lambda theta: full_model(torch.softmax(theta, 0), t, alone=True)[which]))


def bend_numbers() -> dict[str, float]:
    """T times the curvature of the loss, −½(l₁″ − l₂″)."""
    return {"paper": -1 / 24, "right": -1 / 18, "measured": measured_bend(0)}


def sign_by_sympy() -> bool:
    """Whether p₁″ > 0 at a tie where l₁″ > l₂″ and l′ = 0, so that the loss −log p₁ bends down; − is refuted."""
    x, t = sp.symbols("x T", positive=True)
    a, b = sp.Rational(5, 36), sp.Rational(1, 36)
    p1 = 1 / (1 + sp.exp((b - a) * x**2 / 2 / t))
    second = sp.simplify(sp.diff(p1, x, 2).subs(x, 0))
    loss = sp.simplify(sp.diff(-sp.log(p1), x, 2).subs(x, 0))
    return bool(second > 0) and bool(loss < 0) and sp.simplify(loss + second / p1.subs(x, 0)) == 0


def sign_numbers() -> dict[str, float]:
    """T p₁″(0)."""
    return {"paper: below": 0.0, "right": 1 / 36, "measured": measured_bend(1)}


def along_by_sympy() -> bool:
    """∇l₁, ∇l₂, l₁′ = (v₁+v₂+v₃+v₄)(v₁−v₃+v₂−v₄), and Σvⱼδⱼ² = 1/6 at v = 1/6."""
    v1, v2, v3, v4, v5 = v = sp.symbols("v1:6")
    first, second = printed_logits(*v)[:2]
    ours = (
        [v1 + v2, v1 + v2, v3 + v4, v3 + v4, v5],
        [v1 + v4, v2 + v3, v2 + v3, v1 + v4, v5],
    )
    slopes = all(
        sp.expand(sp.diff(logit, a) - 2 * b) == 0
        for logit, row in zip((first, second), ours, strict=True)
        for a, b in zip(v, row, strict=True)
    )
    along = sum(sp.diff(first, a) * d * a for a, d in zip(v, TILT[:5], strict=True))
    product = (v1 + v2 + v3 + v4) * (v1 - v3 + v2 - v4)
    return slopes and sp.expand(along - product) == 0 and sum(d**2 for d in TILT) / 6 == sp.Rational(1, 6)


def pair_gradient() -> tuple[Any, Any, Any, Any]:
    """v₁ … v₄, p₂, and T ∂ℓ₁/∂v where only the true and the confusing relation have any probability."""
    v = sp.symbols("v1:7")
    p2 = sp.symbols("p2", positive=True)
    logits = printed_logits(*v[:5])
    slope = [sp.expand(p2 * (sp.diff(logits[1], a) - sp.diff(logits[0], a))) for a in v]
    g = (v[0] - v[2]) * (v[1] - v[3])
    return v, p2, slope, g


def factor_by_sympy() -> bool:
    """Whether T ∂ℓ₁/∂v = 2p₂(v₄ − v₂, v₃ − v₁, v₂ − v₄, v₁ − v₃, 0, 0), twice what is printed."""
    v, p2, slope, _ = pair_gradient()
    printed = [p2 * (v[3] - v[1]), p2 * (v[2] - v[0]), p2 * (v[1] - v[3]), p2 * (v[0] - v[2]), 0, 0]
    pairs = list(zip(slope, printed, strict=True))
    return all(sp.expand(a - 2 * b) == 0 for a, b in pairs) and any(sp.expand(a - b) != 0 for a, b in pairs)


def factor_numbers() -> dict[str, float]:
    """∂ℓ₁/∂v₁ by automatic differentiation of the faithful model."""
    t, v = 0.002, torch.tensor([0.26, 0.15, 0.24, 0.14, 0.06, 0.15], dtype=torch.float64)
    measured = float(grad(lambda u: full_model(u, t)[0])(v)[0])
    paper = float(full_model(v, t)[2] * (v[3] - v[1])) / t
    return {"temperature": t, "paper": paper, "right": 2 * paper, "measured": measured}


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


def last_inequality() -> bool:
    """Eq. 31: 2√… g by arithmetic and geometric mean; at v = 1/6 and p₂ > 0.0009 the rate is 1/10000."""
    a, b, left, right = sp.symbols("a b L R", positive=True)
    square = sp.expand(left * b**2 + right * a**2 - 2 * sp.sqrt(left * right) * a * b)
    mean = sp.simplify(square - sp.expand((sp.sqrt(left) * b - sp.sqrt(right) * a) ** 2)) == 0
    return mean and 2 * sp.Rational(9, 10_000) * sp.Rational(2, 36) == sp.Rational(1, 10_000)


def sandwich_by_sympy() -> bool:
    """Whether the odds of r₁ against r₂ are e^{2g/T} for g = (v₁ − v₃)(v₂ − v₄), and not e^{g/T}."""
    v1, v2, v3, v4, _ = v = sp.symbols("v1:6")
    first, second = printed_logits(*v)[:2]
    g = (v1 - v3) * (v2 - v4)
    return sp.expand(first - second - 2 * g) == 0 and sp.expand(first - second - g) != 0


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


def orders_by_sympy() -> bool:
    """The powers of T: of the Chernoff bound, |v₁ − v₃|, |v₂ − v₄|, the errors, and how far small steps lead."""
    t, big, c, x = sp.symbols("T L c x", positive=True)  # L = log(1/T), x = 1/√T
    eta = t ** sp.Rational(3, 2) * big
    spread = (1 / t) / sp.sqrt(big**2 / t**3)
    exact = (
        (spread, sp.sqrt(t) / big),
        (eta * spread, t**2),
        (sp.sqrt(big ** sp.Rational(3, 2) / t * t**2), sp.sqrt(t) * big ** sp.Rational(3, 4)),
    )
    vanish = (
        eta / t * sp.exp(-1 / (36 * t)) / sp.exp(-1 / (40 * t)),
        sp.exp(-c * eta / t**2) / sp.exp(-1 / sp.sqrt(t)),
        t**2 / (eta / t) ** 2,
    )
    logs = [sp.expand_log(sp.log(term), force=True).subs({big: 2 * sp.log(x), t: x**-2}) for term in vanish]
    return all(sp.simplify(one - two) == 0 for one, two in exact) and all(
        sp.limit(entry, x, sp.oo) == -sp.oo for entry in logs
    )


def second_by_sympy() -> bool:
    """Where v·δ = 0: v′ = δ∘v and vᵢ″ = vᵢ(δᵢ² − Σvⱼδⱼ²) along δ; with v·δ left in, the general formula."""
    x, p, q, r = sp.symbols("x p q r", positive=True)  # e^θ of subjects, of answers, of the query
    weights = [w * sp.exp(d * x) for w, d in zip((p, q, p, q, r, 1), TILT, strict=True)]
    path = [w / sum(weights) for w in weights]
    v = [a.subs(x, 0) for a in path]
    mean = sum(a * d**2 for a, d in zip(v, TILT, strict=True))
    return all(
        sp.simplify(sp.diff(a, x).subs(x, 0) - d * b) == 0
        and sp.simplify(sp.diff(a, x, 2).subs(x, 0) - b * (d**2 - mean)) == 0
        for a, b, d in zip(path, v, TILT, strict=True)
    )


def lead_by_sympy() -> bool:
    """p₂ = ½ − y means (v₁ − v₃)(v₂ − v₄) = 2Ty to first order: a y of order T³ is a lead of order T⁴."""
    y, t = sp.symbols("y T", positive=True)
    lead = t / 2 * sp.log((sp.Rational(1, 2) + y) / (sp.Rational(1, 2) - y))
    return sp.series(lead, y, 0, 2).removeO() == 2 * t * y


def curve_by_sympy() -> bool:
    """Eqs 22 and 23: (−log p₁)″ = (p₁′/p₁)² − p₁″/p₁, and the chain rule of p₁(l(x)) to second order."""
    x, t = sp.symbols("x T", positive=True)
    slopes, bends, logits = sp.symbols("a1:3"), sp.symbols("b1:3"), sp.symbols("l1:3")
    p = sp.exp(logits[0] / t) / sum(sp.exp(logit / t) for logit in logits)
    path = [a * x + b * x**2 / 2 for a, b in zip(slopes, bends, strict=True)]
    composed, zero = p.subs(dict(zip(logits, path, strict=True))), dict.fromkeys(logits, 0)
    term_1 = sp.Matrix([p]).jacobian(logits).subs(zero).dot(bends)
    term_2 = sp.Matrix(slopes).dot(sp.hessian(p, logits).subs(zero) * sp.Matrix(slopes))
    value, slope, curve = (sp.diff(composed, x, k).subs(x, 0) for k in range(3))
    loss = sp.diff(-sp.log(composed), x, 2).subs(x, 0)
    return (
        sp.simplify(curve - term_1 - term_2) == 0
        and sp.simplify(loss - (slope / value) ** 2 + curve / value) == 0
    )


def logarithm_by_sympy() -> bool:
    """Whether log(T²/T³)/log(1 + cT) steps, from a lead's root of T³ to T², are of order log(1/T)/T and not 1/T."""
    t, c = sp.symbols("T c", positive=True)
    steps = sp.log(1 / t) / sp.log(1 + c * t)
    return sp.limit(steps * t, t, 0, "+") == sp.oo and sp.limit(steps * t / sp.log(1 / t), t, 0, "+") == 1 / c
