"""Proofs of the page: Claim 2's gradients, and the formulas of Appendix D behind Lemma 2."""

from __future__ import annotations

import sympy as sp
import torch
from torch.func import grad

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import affine, scalar
from book.recall.decoding.answer_gradients import decoded_logits, printed_q_gradient
from book.recall.depends_on_delta import constants_depend_on_delta, delta_numbers
from lib.recall.decoding import answer_gaps, printed_gradient
from lib.recall.reduction import answer_loss


@checked(
    "recall.claim-2", "Claim 2, for any $n$", "$\\partial\\ell_2/\\partial q_i$, $i = 1, 3, 5, 7$", "sympy"
)
def gradients_by_sympy() -> bool:
    """Claim 2 for any n ≥ 3, the n − 3 answers that are not shown counted by one term."""
    q1, q3, q5, q7, n, t = sp.symbols("q1 q3 q5 q7 n T", positive=True)
    c = 1 + q7
    weights = [sp.exp(2 * q * c / t) for q in (q1, q3, q5)]
    total = sum(weights) + n - 3
    loss = sp.log(total) - 2 * q5 * c / t
    p1, p2, p3 = (weight / total for weight in weights)
    printed = {
        q1: 2 * c / t * p1,
        q3: 2 * c / t * p2,
        q5: 2 * c / t * (p3 - 1),
        q7: 2 / t * (p1 * q1 + p2 * q3 + p3 * q5 - q5),
    }
    return all(sp.simplify(sp.diff(loss, q) - value) == 0 for q, value in printed.items())


@checked(
    "recall.claim-2",
    "Proof of Claim 2",
    "the four logits; $\\partial l_i/\\partial q_{2j-1} = 2q_{2j-1} + 2(q_7+1)\\delta_{ij}$ and "
    "$\\partial l_i/\\partial q_7 = 2(q_7+1) + 2q_{2i-1}\\mathbf 1_{i \\le 3}$",
    "sympy",
)
def logits_by_sympy() -> bool:
    """The logits of an answer are (q + c)² at the subject that r* maps to it and q² elsewhere; their derivatives."""
    q = sp.symbols("q1 q3 q5")
    q7 = sp.Symbol("q7")
    squares = sum(x**2 for x in q)
    logits = [(q[i] + q7 + 1) ** 2 + squares - q[i] ** 2 for i in range(3)] + [squares + (q7 + 1) ** 2]
    right = True
    for i, logit in enumerate(logits):
        for j in range(3):
            printed = 2 * q[j] + 2 * (q7 + 1) * int(i == j)
            right &= sp.expand(sp.diff(logit, q[j]) - printed) == 0
        printed = 2 * (q7 + 1) + (2 * q[i] if i < 3 else 0)
        right &= sp.expand(sp.diff(logit, q7) - printed) == 0
    return bool(right)


@checked(
    "recall.lemma-2",
    "Proof of Lemma 2",
    "$\\nabla_q\\ell_2$ and $\\nabla_\\omega\\ell_2$ at zero scores, all seven entries",
    "sympy",
)
def start_by_sympy() -> bool:
    """Both gradients at zero scores, entry by entry, for a free p."""
    p, t = sp.symbols("p T", positive=True)
    c, q = sp.Rational(8, 7), sp.Rational(1, 7)
    by_q = sp.Matrix([2 * c * p, 0, 2 * c * p, 0, 2 * c * (p - 1), 0, 2 * q * (3 * p - 1)]) / t
    printed_q = sp.Matrix([16 * p, 0, 16 * p, 0, 16 * (p - 1), 0, 2 * (3 * p - 1)]) / (7 * t)
    by_omega = q * (by_q - sp.ones(7, 1) * q * sum(by_q))
    linear = [58 * p + 18, 18 - 54 * p, 58 * p + 18, 18 - 54 * p, 58 * p - 94, 18 - 54 * p, 4 - 12 * p]
    gaps = (by_q - printed_q, by_omega - sp.Matrix(linear) / (343 * t))
    return all(gap.expand().is_zero_matrix for gap in gaps)


@checked(
    "recall.lemma-2",
    "Proof of Lemma 2",
    "the same, with $p = 1/(3 + (n-3)e^{-16/(49T)})$ for $n$ from 3 to a million",
    "autograd",
)
def start_by_autograd() -> bool:
    """The printed ∇_ω ℓ₂ at zero scores against automatic differentiation, from 3 to a million subjects."""
    for n in (3.0, 4.0, 50.0, 1e6):
        for t in (1e-3, 0.02, 0.3):
            measured = grad(answer_loss)(torch.zeros(7, dtype=torch.float64), affine(n), scalar(t))
            printed = printed_gradient(scalar(n), scalar(t))
            if not torch.allclose(measured, printed, rtol=1e-10, atol=1e-13 / t):
                return False
    return True


@checked(
    "recall.lemma-2",
    "Proof of Lemma 2",
    "$\\tilde\\omega_5 - \\max\\tilde\\omega_i \\ge 32\\eta_1/(147T)$, with equality at $n = 3$, where "
    "$p = \\tfrac13$ (the printed $p < \\tfrac13$ is $p \\le \\tfrac13$ there)",
    "sympy",
)
def first_lead_by_sympy() -> bool:
    """For 0 < p ≤ 1/3 each other score falls behind ω₅ by at least 32η₁/(147T); equality at p = 1/3, n = 3."""
    p = sp.Symbol("p")
    fifth = 58 * p - 94
    behind = [58 * p + 18 - fifth, 18 - 54 * p - fifth, 4 - 12 * p - fifth]  # linear in p: check both ends
    ends = [sp.expand(lead).subs(p, end) for lead in behind for end in (0, sp.Rational(1, 3))]
    return min(ends) == 343 * sp.Rational(32, 147)


@checked(
    "recall.lemma-2",
    "Proof of Lemma 2",
    "where $\\omega_5$ leads, its lead cannot shrink: the chain of inequalities, at any step size",
    "autograd",
)
def lead_never_shrinks() -> bool:
    """∂ℓ₂/∂q₇ ≥ ∂ℓ₂/∂q₅, Σ q ∂ℓ₂/∂q ≥ ∂ℓ₂/∂q₅ and ∂ℓ₂/∂ωᵢ ≥ ∂ℓ₂/∂ω₅, wherever ω₅ is the largest score."""
    generator = torch.Generator().manual_seed(2)
    for n, t in ((3.0, 0.5), (10.0, 0.05), (1e6, 0.02), (1e6, 1.0)):
        for _ in range(20):
            omega = 3 * torch.randn(7, dtype=torch.float64, generator=generator)
            omega[4] = omega.max() + 0.01
            q = torch.softmax(omega, 0)
            first, second, rest = torch.exp(answer_gaps(q) / t)
            weights = torch.stack([first, second, torch.ones_like(first)])
            by_q = printed_q_gradient(q, weights / (weights.sum() + (n - 3) * rest), t)
            by_omega = grad(answer_loss)(omega, affine(n), scalar(t))
            small = 1e-12 / t
            ordered = bool((by_q >= by_q[4] - small).all()) and float(q @ by_q) >= float(by_q[4]) - small
            if not ordered or not bool((by_omega >= by_omega[4] - small).all()):
                return False
    return True


@checked(
    "recall.lemma-2",
    "Proof of Lemma 2",
    "$l(a_3) - l(a_i) \\ge 2(q_5 - q_{2i-1})$ and $l(a_3) - l(a) \\ge 2q_5$; the exact factor is $2(1+q_7)$",
    "full model",
)
def logit_gaps_hold() -> bool:
    """l(a₃) − l(a₁) = 2(1 + q₇)(q₅ − q₁) ≥ 2(q₅ − q₁), l(a₃) − l(a) = 2(1 + q₇)q₅ ≥ 2q₅, on the full model."""
    generator = torch.Generator().manual_seed(3)
    for _ in range(5):
        omega = torch.randn(7, dtype=torch.float64, generator=generator)
        omega[4] = omega.max()
        q = torch.softmax(omega, 0)
        scores = decoded_logits(5, 0, q)
        gaps = scores[0] - scores[1:]  # a₁, a₂, two that are not shown
        least = 2 * torch.stack([q[4] - q[0], q[4] - q[2], q[4], q[4]])
        exact = (1 + q[6]) * least
        if float((gaps - exact).abs().max()) > 1e-12 or not bool((gaps >= least - 1e-12).all()):
            return False
    return True


erratum(
    "recall.theorem-1",
    rank=Rank.MISPRINT,
    where="Theorem 1, the constants",
    printed=r"\text{there exist constants } C_1, C_2 > 0 \text{ such that for any } T \le C_1/\log n",
    right=r"\text{there exist constants } C_1(\delta), C_2 > 0 \text{ such that for any } T \le C_1/\log n",
    survival=Survival.ONCE_CORRECTED,
    survives="The theorem stands with a $C_1$ that depends on δ; it contains Theorem 3, which needs the same.",
    numbers=delta_numbers,
)(constants_depend_on_delta)
