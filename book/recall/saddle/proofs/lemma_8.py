"""Lemma 8: the derivatives that make the two tokens of a pair come to have equal attention."""

from __future__ import annotations

import torch
from torch import Tensor

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import scalar, some_attention
from book.recall.saddle.balance import evening_out, printed_differences
from lib.recall.logits import free_relation_loss, printed_gradient, printed_logits, squares


def _at_a_point() -> tuple[Tensor, Tensor, Tensor, float]:
    """Some attention, its probabilities, its gap l(r₁) − Σ p l, and T."""
    v, t = some_attention(1, seed=11)[0], 0.1
    logits = squares(v).sum(-1)
    p = torch.softmax(logits / t, 0)
    return v, p, logits[0] - p @ logits, t


def euler_numbers() -> dict[str, float]:
    v, p, gap, t = _at_a_point()
    measured = float(v @ torch.func.grad(free_relation_loss)(v, scalar(t)))
    return {"paper": float(p @ squares(v).sum(-1)), "right": float(-2 * gap / t), "measured": measured}


@erratum(
    "recall.lemma-8",
    rank=Rank.MISPRINT,
    where="Appendix B, proof of Lemma 8, the mean derivative",
    printed=r"\textstyle\sum_j v_j\,\partial L_1/\partial v_j = \sum_r p_1(r)l(r)",
    right=r"\textstyle\sum_j v_j\,\partial L_1/\partial v_j = \tfrac2T\big(\sum_r p_1(r)l(r) - l(r_1)\big)",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: the formulas that follow from it in the proof contain the missing term.",
    numbers=euler_numbers,
)
def euler_by_sympy() -> bool:
    """Proves that Σ vⱼ ∂L₁/∂vⱼ = (2/T)(Σ p l − l₁), since logits are quadratic, and not Σ p l."""
    import sympy as sp

    v, t = sp.symbols("v1:7", positive=True), sp.symbols("T", positive=True)
    q = sp.symbols("p2:7", positive=True)
    p = [1 - sum(q), *q]
    logits = printed_logits(*v[:5])
    mean = sum(a * b for a, b in zip(p, logits, strict=True))
    left = sum(a * 2 * g / t for a, g in zip(v, printed_gradient(v, p), strict=True))
    return sp.simplify(left - 2 * (mean - logits[0]) / t) == 0 and sp.simplify(left - mean) != 0


def difference_numbers() -> dict[str, float]:
    v, p, gap, t = _at_a_point()
    by_theta = torch.func.grad(lambda theta: free_relation_loss(torch.softmax(theta, 0), scalar(t)))(v.log())
    paper = float(printed_differences(v, p, gap)[0])
    return {"paper": paper, "right": 2 * paper, "measured": float(t * (by_theta[0] - by_theta[1]))}


@erratum(
    "recall.lemma-8",
    rank=Rank.PROOF,
    where="Appendix B, proof of Lemma 8, both differences of derivatives",
    printed=r"T(\partial_{\theta_1}L_1-\partial_{\theta_2}L_1) = (p_2+p_4)v_1v_4-(p_2+p_5)v_2v_3-\dots",
    right=r"T(\partial_{\theta_1}L_1-\partial_{\theta_2}L_1) = "
    r"2\big((p_2+p_4)v_1v_4-(p_2+p_5)v_2v_3-\dots\big)",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: only signs are used.",
    numbers=difference_numbers,
)
def differences_by_sympy() -> bool:
    """Proves that T(∂L₁/∂θ₁ − ∂L₁/∂θ₂) and T(∂L₁/∂θ₃ − ∂L₁/∂θ₄) are twice what is printed."""
    import sympy as sp

    v, q = sp.symbols("v1:7", positive=True), sp.symbols("p2:7", positive=True)
    p = [1 - sum(q), *q]
    logits = printed_logits(*v[:5])
    gap = logits[0] - sum(a * b for a, b in zip(p, logits, strict=True))
    g = [2 * entry for entry in printed_gradient(v, p)]  # T times the derivatives
    mean = sum(a * b for a, b in zip(v, g, strict=True))
    by_theta = [a * (b - mean) for a, b in zip(v, g, strict=True)]
    pairs = zip(
        (by_theta[0] - by_theta[1], by_theta[2] - by_theta[3]), printed_differences(v, p, gap), strict=True
    )
    return all(sp.expand(left - 2 * right) == 0 and sp.expand(left - right) != 0 for left, right in pairs)


@checked(
    "recall.lemma-8",
    "Lemma 8",
    r"\alpha\ge\beta \Rightarrow v_1v_4\ge v_2v_3,\ p_1(r_4)\ge p_1(r_5)",
    "sympy",
)
def order_by_sympy() -> bool:
    """Proves that l₄ − l₅ = 2(v₁v₄ − v₂v₃) where v₅ = 0: α ≥ β makes p₁(r₄) ≥ p₁(r₅)."""
    import sympy as sp

    v1, v2, v3, v4 = sp.symbols("v1:5", positive=True)
    logits = printed_logits(v1, v2, v3, v4, sp.Integer(0))
    return sp.expand(logits[3] - logits[4] - 2 * (v1 * v4 - v2 * v3)) == 0


@checked(
    "recall.lemma-8", "Lemma 8, all eight cases", "$\\psi$ falls, at 20 000 draws and T = 0.02", "autograd"
)
def falls_when_cold() -> bool:
    """Proves by trying that ψ falls at every draw that meets the hypotheses, at T = 0.02."""
    return evening_out(0.0, 1, 0.02).pace < 0


@checked("recall.lemma-8", "Lemma 8, all eight cases", "the same at $T = 1$", "autograd")
def falls_when_warm() -> bool:
    """Proves by trying that ψ falls at every draw that meets the hypotheses, at T = 1."""
    return evening_out(0.0, 1, 1.0).pace < 0
