"""Equations 11–17 by sympy: the derivatives along the way out of the saddle, and the terms of the curvature."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import torch

from book.ledger.proofs import Rank, Survival, checked, erratum, misprint
from book.recall.common import scalar, softmax_by_sympy
from book.recall.escape.derivatives import along_escape_direction
from book.recall.escape.perturbed_descent import DEFAULTS
from lib.recall.escape import saddle_share
from lib.recall.landscape import SADDLE
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
    """The quantities of the equations at x = 0, along θ̃ + xε̃; lists are over the six relations or positions."""

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
    """Return every quantity of equations 11–17, exactly."""
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


def gradient_numbers() -> dict[str, float]:
    """∂l₃/∂v₅ at the saddle."""
    start = torch.softmax(torch.tensor(SADDLE, dtype=torch.float64), 0)
    by_v = torch.func.grad(lambda v: printed_logits(*v[:5])[2])(start)
    return {"paper": 0.0, "right": 0.5, "measured": float(by_v[4])}


@erratum(
    "recall.equations-11-17",
    rank=Rank.MISPRINT,
    where="Appendix B, proof of Lemma 6, the gradients of l₃ … l₆: their fifth entries",
    printed=r"\nabla_v l_3=(1,1,\tfrac12,\tfrac12,0,0)\text{ and likewise for }l_4,l_5,l_6",
    right=r"\nabla_v l_3=(1,1,\tfrac12,\tfrac12,\tfrac12,0)\text{ and likewise for }l_4,l_5,l_6",
    survival=Survival.AS_PRINTED,
    survives="Nothing depends on it: attention on the query does not move, v₅′ = 0.",
    numbers=gradient_numbers,
)
def printed_gradients_differ() -> bool:
    """Proves that of the printed ∇_v l_i only the fifth entries for i = 3 … 6 are wrong: they are ½."""
    gradients = by_sympy().gradients
    wrong = {(i, k) for i in range(6) for k in range(6) if 2 * gradients[i][k] != PRINTED_GRADIENTS[i][k]}
    return wrong == {(i, 4) for i in range(2, 6)} and all(2 * gradients[i][4] == 1 for i in range(2, 6))


def term_2_numbers() -> dict[str, float]:
    """Term II at the default temperature: as printed, by our formula, and what p₁″ leaves beside term I."""
    t = DEFAULTS["temperature"]
    value, _, bend = along_escape_direction(t).probabilities
    p, mismatched = float(value[0]), float(saddle_share(scalar(t)))
    return {
        "temperature": t,
        "paper": -p * mismatched**2 / (16 * t**2),
        "right": -p * mismatched / (32 * t**2),
        "measured": float(bend[0]) - p / (8 * t),
    }


@erratum(
    "recall.equations-11-17",
    rank=Rank.PROOF,
    where="Appendix B, proof of Lemma 6, term II",
    printed=r"-\frac{p_1(0)\,p_1(r_3)^2}{16T^2}",
    right=r"-\frac{p_1(0)\,p_1(r_3)}{32T^2}",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: term II is still exponentially small beside term I.",
    numbers=term_2_numbers,
)
def printed_term_2_differs() -> bool:
    """Proves that term II is −p₁p₃/(32T²) and not the printed −p₁p₃²/(16T²)."""
    terms = by_sympy()
    ours = -terms.right * terms.mismatched / (32 * terms.temperature**2)
    printed = -terms.right * terms.mismatched**2 / (16 * terms.temperature**2)
    return (terms.term_2 - ours).equals(0) and not (terms.term_2 - printed).equals(0)


def curvature_numbers() -> dict[str, float]:
    """Term II of f″ over 1/(16T²), which is p₁(r₃)² as printed: with the printed exponent, with ours, and measured."""
    t = DEFAULTS["temperature"]
    logits = torch.tensor(printed_logits(*torch.softmax(torch.tensor(SADDLE, dtype=torch.float64), 0)[:5]))
    return {
        "temperature": t,
        "paper": 1 / (4 + 2 * math.exp(3 / (16 * t))) ** 2,
        "right": 1 / (4 + 2 * math.exp(1 / (8 * t))) ** 2,
        "measured": float(torch.softmax(logits / t, 0)[2]) ** 2,
    }


@erratum(
    "recall.equations-11-17",
    rank=Rank.MISPRINT,
    where="Appendix B, proof of Lemma 6, the second derivative of the loss at the saddle, the exponent",
    printed=r"p_1(r_3)^2=\tfrac{1}{(4+2e^{3/(16T)})^2}",
    right=r"p_1(r_3)^2=\tfrac{1}{(4+2e^{1/(8T)})^2}",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: the term is exponentially small with either exponent.",
    numbers=curvature_numbers,
)
def printed_exponent_differs() -> bool:
    """Proves that a mismatched relation has probability 1/(4 + 2e^{1/(8T)}) at the saddle, not with 3/(16T)."""
    import sympy as sp

    terms = by_sympy()
    t = terms.temperature
    ours, printed = (1 / (4 + 2 * sp.exp(x / t)) for x in (sp.Rational(1, 8), sp.Rational(3, 16)))
    return (terms.mismatched - ours).equals(0) and not (terms.mismatched - printed).equals(0)


@checked(
    "recall.equations-11-17",
    "Equations 12, 13, 14 and v″",
    r"p_1'(0)=0,\ v'=\tfrac18(1,1,-1,-1,0,0),\ v''=0,\ l'=\tfrac18(0,0,1,0,0,-1)",
    "sympy",
)
def first_derivatives_are_right() -> bool:
    """Proves equations 12 (p₁′ = 0), 13 (v′ and v″ = 0) and 14."""
    terms = by_sympy()
    return (
        [8 * w for w in terms.attention_1] == [1, 1, -1, -1, 0, 0]
        and not any(terms.attention_2)
        and [8 * w for w in terms.logits_1] == [0, 0, 1, 0, 0, -1]
        and terms.probability_1 == 0
    )


@checked(
    "recall.equations-11-17",
    "Equation 16, the six Hessians",
    r"\nabla_v^2l_1,\dots,\nabla_v^2l_6",
    "sympy",
)
def hessians_are_right() -> bool:
    """Proves the six printed Hessians."""
    hessians = by_sympy().hessians
    return all(
        hessians[i][j][k] == 2 * any(j in block and k in block for block in PRINTED_PAIRS[i])
        for i in range(6)
        for j in range(6)
        for k in range(6)
    )


@checked("recall.equations-11-17", "Equation 17", r"l''(0)=\tfrac1{16}(4,0,3,1,1,3)", "sympy")
def second_derivatives_are_right() -> bool:
    """Proves equation 17."""
    return [16 * w for w in by_sympy().logits_2] == [4, 0, 3, 1, 1, 3]


@checked("recall.equations-11-17", "Appendix B, term I", r"\tfrac{p_1(0)}{8T}", "sympy")
def term_1_is_right() -> bool:
    """Proves term I = p₁/(8T)."""
    terms = by_sympy()
    return (terms.term_1 - terms.right / (8 * terms.temperature)).equals(0)


checked(
    "recall.equations-11-17",
    "Equation 15 and the second derivatives of p₁ by l₃ and l₆",
    r"\tfrac{p_1}{T}(\delta_{i1}-p_i),\ \tfrac{p_1}{T^2}(2p_3^2-p_3),\ \tfrac{2p_1p_3p_6}{T^2}",
    "sympy",
)(softmax_by_sympy)

misprint(
    "recall.equations-11-17",
    where="Appendix B, before eq. 16, the second derivative of a logit",
    printed=r"l_i''=v'^\top\nabla^2_vl_i(v)v'+l_i'(v)^\top v''",
    right=r"l_i''=v'^\top\nabla^2_vl_i(v)v'+\nabla_vl_i(v)^\top v''",
    survival=Survival.AS_PRINTED,
    survives="Everything does: $v''$ is 0 here, and Appendix C has the right formula.",
)
