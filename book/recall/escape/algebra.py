"""Equations 11–17 of Huang et al. by sympy and by automatic differentiation: the curvature, term by term."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recall.common import scalar
from lib.recall.landscape import ESCAPE_DIRECTION
from lib.recall.logits import printed_logits

PRINTED_GRADIENTS = (
    (2, 2, 2, 2, 0, 0),
    (2, 2, 2, 2, 0, 0),
    (2, 2, 1, 1, 0, 0),
    (2, 1, 1, 2, 0, 0),
    (1, 2, 2, 1, 0, 0),
    (1, 1, 2, 2, 0, 0),
)
"""Twice the printed ∇_v l_i at ṽ."""

PRINTED_PAIRS = (
    ((0, 1), (2, 3), (4,)),
    ((0, 3), (1, 2), (4,)),
    ((4, 3), (0, 1), (2,)),
    ((4, 1), (0, 3), (2,)),
    ((4, 3), (2, 1), (0,)),
    ((4, 1), (2, 3), (0,)),
)
"""The blocks of 2s in the six printed Hessians."""


class Terms(NamedTuple):
    """What the equations say at x = 0, along θ̃ + xε̃; lists are over the six relations or the six positions."""

    temperature: Any  # T
    attention_1: list[Any]  # v′, eq. 13
    attention_2: list[Any]  # v″
    logits_1: list[Any]  # l′, eq. 14
    logits_2: list[Any]  # l″, eq. 17
    gradients: list[list[Any]]  # ∇_v l_i
    hessians: list[list[list[Any]]]  # ∇²_v l_i, eq. 16
    right: Any  # p₁(r₁)
    mismatched: Any  # p₁(r₃)
    probability_1: Any  # p₁′, eq. 12
    term_1: Any
    term_2: Any


@cache
def by_sympy() -> Terms:
    """Every quantity of equations 11–17, exactly."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    up, down = sp.exp(x / 2), sp.exp(-x / 2)
    v = [w / (2 * (up + down)) for w in (up, up, down, down)] + [sp.Integer(0)] * 2
    symbols = sp.symbols("v1:7")
    forms = printed_logits(*symbols[:5])
    start = {s: w.subs(x, 0) for s, w in zip(symbols, v, strict=True)}
    along = dict(zip(symbols, v, strict=True))
    l_of_x = [sp.expand(form).subs(along) for form in forms]
    v_1, v_2 = ([sp.simplify(sp.diff(w, x, k).subs(x, 0)) for w in v] for k in (1, 2))
    l_1, l_2 = ([sp.simplify(sp.diff(logit, x, k).subs(x, 0)) for logit in l_of_x] for k in (1, 2))
    ell = sp.symbols("l1:7")
    total = sum(sp.exp(m / t) for m in ell)
    p = [sp.exp(m / t) / total for m in ell]
    here = {m: form.subs(start) for m, form in zip(ell, forms, strict=True)}
    first = [sp.diff(p[0], m) for m in ell]
    return Terms(
        temperature=t,
        attention_1=v_1,
        attention_2=v_2,
        logits_1=l_1,
        logits_2=l_2,
        gradients=[[sp.diff(form, s).subs(start) for s in symbols] for form in forms],
        hessians=[sp.hessian(form, symbols).tolist() for form in forms],
        right=p[0].subs(here),
        mismatched=p[2].subs(here),
        probability_1=sp.simplify(sum(first[i].subs(here) * l_1[i] for i in range(6))),
        term_1=sum(first[i].subs(here) * l_2[i] for i in range(6)),
        term_2=sum(
            sp.diff(first[i], ell[j]).subs(here) * l_1[i] * l_1[j] for i in range(6) for j in range(6)
        ),
    )


def curvature_differs() -> bool:
    """The second derivative of L₁ by eq. 11 is −1/(8T) + p₃/(32T²), and not Lemma 6's."""
    import sympy as sp

    found = by_sympy()
    t, p = found.temperature, found.right
    curvature = (found.probability_1 / p) ** 2 - (found.term_1 + found.term_2) / p
    ours = -1 / (8 * t) + 1 / (32 * t**2 * (4 + 2 * sp.exp(1 / (8 * t))))
    printed = -1 / (8 * t) + 1 / (16 * t**2 * (4 + 2 * sp.exp(sp.Rational(3, 16) / t)) ** 2)
    return sp.simplify(curvature - ours) == 0 and sp.simplify(curvature - printed) != 0


def term_1_is_right() -> bool:
    """Term I = p₁/(8T)."""
    found = by_sympy()
    return (found.term_1 - found.right / (8 * found.temperature)).equals(0)


def term_2_differs() -> bool:
    """Term II is −p₁p₃/(32T²) and not the printed −p₁p₃²/(16T²)."""
    found = by_sympy()
    ours = -found.right * found.mismatched / (32 * found.temperature**2)
    printed = -found.right * found.mismatched**2 / (16 * found.temperature**2)
    return (found.term_2 - ours).equals(0) and not (found.term_2 - printed).equals(0)


def gradients_differ() -> bool:
    """Of the printed ∇_v l_i only the fifth entries for i = 3 … 6 differ from sympy's, which are ½."""
    found = by_sympy().gradients
    wrong = {(i, k) for i in range(6) for k in range(6) if 2 * found[i][k] != PRINTED_GRADIENTS[i][k]}
    return wrong == {(i, 4) for i in range(2, 6)} and all(2 * found[i][4] == 1 for i in range(2, 6))


def hessians_are_right() -> bool:
    """The six printed Hessians."""
    found = by_sympy().hessians
    return all(
        found[i][j][k] == 2 * any(j in block and k in block for block in PRINTED_PAIRS[i])
        for i in range(6)
        for j in range(6)
        for k in range(6)
    )


def first_derivatives_are_right() -> bool:
    """Equations 12 (p₁′ = 0), 13 (v′ and v″ = 0) and 14."""
    found = by_sympy()
    return (
        [8 * w for w in found.attention_1] == [1, 1, -1, -1, 0, 0]
        and not any(found.attention_2)
        and [8 * w for w in found.logits_1] == [0, 0, 1, 0, 0, -1]
        and found.probability_1 == 0
    )


def second_derivatives_are_right() -> bool:
    """Equation 17."""
    return [16 * w for w in by_sympy().logits_2] == [4, 0, 3, 1, 1, 3]


class Measured(NamedTuple):
    """Values, first and second derivatives along ε̃, in this order."""

    attention: list[Tensor]  # (4,) each
    logits: list[Tensor]  # (6,)
    shares: list[Tensor]  # (6,)


def by_autograd(temperature: float, tilt: float = 0.0) -> Measured:
    """The same by automatic differentiation at θ̃ + (tilt, 0, 0, 0), through the softmax and Table 2's logits."""
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    base = torch.tensor((tilt, 0, 0, 0), dtype=torch.float64)

    def attention(x: Tensor) -> Tensor:
        return torch.softmax(base + x * direction, 0)

    def logits(x: Tensor) -> Tensor:
        v = attention(x)
        return torch.stack(printed_logits(v[0], v[1], v[2], v[3], torch.zeros_like(x)))

    def shares(x: Tensor) -> Tensor:
        return torch.softmax(logits(x) / temperature, 0)

    def derivatives(function: Callable[[Tensor], Tensor]) -> list[Tensor]:
        first = torch.func.jacfwd(function)
        return [each(scalar(0.0)) for each in (function, first, torch.func.jacfwd(first))]

    return Measured(derivatives(attention), derivatives(logits), derivatives(shares))
