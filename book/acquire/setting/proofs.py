"""Formulas on data and start that were checked: by counting, by sympy and by autograd."""

from __future__ import annotations

import math

import torch

from book.acquire.setting.counts import chance_below_half, hoeffding
from book.acquire.setting.gradients import embedded, vector_gradients
from book.ledger.proofs import checked
from lib.acquire import model
from lib.acquire.task import entropy, facts, three_token_entropy


@checked("acquire.entropy", "Table 3", r"\tfrac12\log 5 = 0.8047", "count")
def table_3_entropy() -> bool:
    """½ log 5 rounds to the 0.8047 of Table 3."""
    return round(three_token_entropy(5), 4) == 0.8047


@checked(
    "acquire.entropy",
    "Section 5, the least cross-entropy, for two and three next tokens",
    r"-\sum_i p_i\log q_i \ge -\sum_i p_i\log p_i,\ \text{equal at } q = p",
    "sympy",
)
def gibbs_by_sympy() -> bool:
    """In logits f the cross-entropy has gradient q − p and Hessian diag q − qqᵀ, which is nowhere negative.

    So the loss is convex, and least where the gradient vanishes: at q = p.
    """
    import sympy as sp

    for size in (2, 3):
        logits = sp.symbols(f"f:{size}", real=True)
        targets = sp.symbols(f"p:{size}", positive=True)
        whole = sum(sp.exp(f) for f in logits)
        guess = [sp.exp(f) / whole for f in logits]
        loss = sp.log(whole) * sum(targets) - sum(p * f for p, f in zip(targets, logits, strict=True))
        slope = [
            sp.simplify(sp.diff(loss, f) - (q * sum(targets) - p))
            for f, q, p in zip(logits, guess, targets, strict=True)
        ]
        along = sp.symbols(f"x:{size}", real=True)
        curve = (
            sum(q * x**2 for q, x in zip(guess, along, strict=True))
            - sum(q * x for q, x in zip(guess, along, strict=True)) ** 2
        )
        pairs = sum(guess[i] * guess[j] * (along[i] - along[j]) ** 2 for i in range(size) for j in range(i))
        turns = [
            sp.simplify(sp.diff(guess[i], logits[j]) - guess[i] * (int(i == j) - guess[j]))
            for i in range(size)
            for j in range(size)
        ]
        if any(slope) or any(turns) or sp.simplify(curve - pairs) != 0:
            return False
    return True


@checked("acquire.entropy", "H", r"\tfrac13\sum_j\omega_j\log K_j", "count")
def entropy_in_lib() -> bool:
    """The library's H, of facts, is the closed form for both weightings."""
    known = facts(12, 6, 4)
    pairs = ((1.0, math.log(4) / 6), (0.0, 4 * math.log(4) / 15))
    return all(abs(float(entropy(known, weighted)) - right) < 1e-12 for weighted, right in pairs)


@checked("acquire.lemma-6", "(44)", r"P[B \le \tfrac{K}{2q}n] \le e^{-nK^2/2q^2}", "count")
def hoeffding_everywhere() -> bool:
    """The bound against the exact law for all K < q up to 12 and n up to 40."""
    return all(
        float(chance_below_half(n, k, q)) <= hoeffding(n, k, q)
        for q in range(2, 13)
        for k in range(1, q)
        for n in (1, 2, 3, 5, 8, 13, 20, 40)
    )


@checked("acquire.lemma-1", "(22), (23)", "as in the statement", "autograd")
def gradients_by_autograd() -> bool:
    """Lemma 1's formula against autograd, on embeddings that are not orthogonal."""
    words, weights = embedded(False, 0)
    prompt = words.rows[[0, 2, 6]]
    loss = -torch.log_softmax(model.logits(weights, prompt), 0)[9]
    by_autograd = torch.autograd.grad(loss, (weights.scores, weights.first_layer))
    by_formula = vector_gradients(weights, prompt, 9)
    return all(float((x - y).abs().max()) < 1e-12 for x, y in zip(by_autograd, by_formula, strict=True))


@checked("acquire.lemmas-2-8", "Lemma 8", r"E\lvert x\rvert = \sigma\sqrt{2/\pi}", "sympy")
def lemma_8_by_sympy() -> bool:
    """E|x| = σ√(2/π)."""
    import sympy as sp

    x, s = sp.symbols("x sigma", positive=True)
    density = sp.exp(-(x**2) / (2 * s**2)) / (s * sp.sqrt(2 * sp.pi))
    return bool(sp.simplify(2 * sp.integrate(x * density, (x, 0, sp.oo)) - s * sp.sqrt(2 / sp.pi)) == 0)
