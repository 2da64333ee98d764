"""Lemma 5: the derivatives of L₁ where the two examples have equal attention, and stage 1 on its way to the saddle."""

from __future__ import annotations

from typing import Any

import torch

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import curvature_by_autograd, scalar, three_subjects
from lib.recall.landscape import ESCAPE_DIRECTION, SWAP
from lib.recall.logits import free_relation_loss, printed_gradient, printed_logits, squares
from lib.recall.reduction import relation_loss


def symmetric_gradient() -> tuple[list[Any], Any, Any]:
    """∂L₁/∂vᵢ by eqs 4–9 where v₁ = v₃, v₂ = v₄ and so p₁ = p₂, p₃ = … = p₆; with v and p₃."""
    import sympy as sp

    v1, v2, v5, v6, p, t = sp.symbols("v1 v2 v5 v6 p T", positive=True)
    half = sp.Rational(1, 2) - 2 * p  # p₁ = p₂
    v = [v1, v2, v1, v2, v5, v6]
    gradient = [sp.factor(2 * g / t) for g in printed_gradient(v, [half, half, p, p, p, p])]
    return gradient, v, (p, t)


def simplified_numbers() -> dict[str, float]:
    v, t = torch.tensor([0.3, 0.2, 0.3, 0.2, 0, 0], dtype=torch.float64), 0.05
    p = torch.softmax(squares(v).sum(-1) / t, 0)
    measured = float(torch.func.grad(free_relation_loss)(v, scalar(t))[0])
    paper = -2 * float(p[4] + p[5]) * 0.2
    return {"temperature": t, "paper": paper, "right": paper / t, "measured": measured}


@erratum(
    "recall.lemma-5",
    rank=Rank.MISPRINT,
    where="Appendix B, proof of Lemma 5, the derivatives at a critical point",
    printed=r"\partial L_1/\partial v_1 = -2(p_5+p_6)v_2,\quad \partial L_1/\partial v_2 = -2(p_4+p_6)v_1",
    right=r"\partial L_1/\partial v_1 = -\tfrac2T(p_5+p_6)v_2,\quad "
    r"\partial L_1/\partial v_2 = -\tfrac2T(p_4+p_6)v_1",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: eqs 4 and 5 have the factor, and only that the two are equal is used.",
    numbers=simplified_numbers,
)
def simplified_by_sympy() -> bool:
    """Proves that ∂L₁/∂v₁ = −(2/T)(p₅ + p₆)v₂ where v₅ = 0 and v is symmetric, and not without the 1/T."""
    gradient, (_, v2, _, _, v5, _), (p, t) = symmetric_gradient()
    ours, printed = -2 * (p + p) * v2 / t, -2 * (p + p) * v2
    at = gradient[0].subs(v5, 0)
    return (at - ours).equals(0) and not (at - printed).equals(0)


def saddle_numbers() -> dict[str, float]:
    """The attention v₂, v₄ and v₅ at the saddle."""
    return {"v2 at the saddle": 0.25, "v4 at the saddle": 0.25, "v5 at the saddle": 0.0}


@erratum(
    "recall.lemma-5",
    rank=Rank.MISPRINT,
    where="Appendix B, proof of Lemma 5, what symmetry says of the critical point",
    printed=r"v_1=v_3,\quad v_4=v_5",
    right=r"v_1=v_3,\quad v_2=v_4",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: a misprint. Two lines later the right equalities are used.",
    numbers=saddle_numbers,
)
def twins_by_sympy() -> bool:
    """Proves that symmetry means v₂ = v₄ and excludes v₄ = v₅ at the critical point found, where v₅ = 0 < v₄."""
    gradient, v, _ = symmetric_gradient()
    return v[1] == v[3] and v[3] != v[4] and gradient[1] == gradient[3] and gradient[3] != gradient[4]


@checked("recall.lemma-5", "Lemma 5, observations 1, 3, 4, 5", "along 400 steps", "autograd")
def symmetry_along_the_run() -> bool:
    """Observations 1, 3, 4 and 5 at each of 400 steps from zero."""
    reduced, t = three_subjects(), scalar(0.05)
    theta, swap = torch.zeros(6, dtype=torch.float64), torch.tensor(SWAP)
    for step in range(400):
        v = torch.softmax(theta, 0)
        by_v = torch.func.grad(free_relation_loss)(v, t)
        logits = squares(v).sum(-1)
        same = torch.equal(v, v[swap]) and bool((logits[2:] - logits[2]).abs().max() < 1e-15)
        signs = bool((by_v[:4] < 0).all() and by_v[4] > 0) if step else True
        if not (same and signs and (step == 0 or v[4] < v[0]) and bool(v[1] > 0)):
            return False
        gradient = torch.func.grad(relation_loss)(theta, reduced, t)
        theta = theta - 100 * t**2 * (gradient + gradient[swap]) / 2
    return True


@checked(
    "recall.lemma-5",
    "Lemma 5, observation 2",
    r"\nabla_v L_1 = \tfrac1{9T}(-1,0,-1,0,2,0),\quad \nabla_\theta L_1 = \tfrac16\nabla_v L_1",
    "autograd",
)
def start_by_autograd() -> bool:
    """Observation 2: the gradient at θ = 0 is (−1, 0, −1, 0, 2, 0)/(9T) by v, a sixth of that by θ."""
    t = scalar(0.05)
    by_v = torch.func.grad(free_relation_loss)(torch.full((6,), 1 / 6, dtype=torch.float64), t)
    by_theta = torch.func.grad(relation_loss)(torch.zeros(6, dtype=torch.float64), three_subjects(), t)
    printed = torch.tensor([-1, 0, -1, 0, 2, 0], dtype=torch.float64) / (9 * t)
    worst = torch.maximum((by_v - printed).abs().max(), (by_theta - printed / 6).abs().max())
    return bool(worst < 1e-12)


@checked(
    "recall.lemma-5",
    "Lemma 5, observations 3 and 4",
    "signs of the derivatives; $L_1 \\ge \\log 6$ where $v_5 \\ge v_1$",
    "sympy",
)
def observations_by_sympy() -> bool:
    """Observations 3 and 4: the signs of the derivatives, and loss ≥ log 6 exactly where v₅ ≥ v₁ or v₂ = 0."""
    import sympy as sp

    gradient, (v1, v2, _, _, v5, _), (p, t) = symmetric_gradient()
    wanted = [-4 * p * v2 / t, 4 * p * (v5 - v1) / t] * 2 + [8 * p * v2 / t, sp.Integer(0)]
    logits = printed_logits(v1, v2, v1, v2, v5)
    ahead = 2 * v2 * (v1 - v5)
    tied = all(sp.expand(logits[0] - logit - ahead) == 0 for logit in logits[2:])
    tied = tied and sp.expand(logits[0] - logits[1]) == 0  # so L₁ = log(2 + 4 exp(−ahead/T))
    return tied and all(sp.simplify(one - two) == 0 for one, two in zip(gradient, wanted, strict=True))


@checked(
    "recall.lemma-5",
    "Lemma 5, the saddle's directions",
    "down along $(1,1,-1,-1,0,0)$, up along $(1,-1,-1,1,0,0)$",
    "autograd",
)
def directions_by_autograd() -> bool:
    """At the saddle the loss curves down along (1, 1, −1, −1, 0, 0) and up along (1, −1, −1, 1, 0, 0)."""
    ways = (ESCAPE_DIRECTION, (0.5, -0.5, -0.5, 0.5, 0.0, 0.0))
    down, up = (float(curvature_by_autograd(three_subjects(), scalar(0.05), way)) for way in ways)
    return down < 0 < up
