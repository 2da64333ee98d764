"""Proofs of the model: softmax, the dynamical system of Appendix C, Corollary D.5 and Lemma H.1."""

from __future__ import annotations

import math
from functools import partial

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recognise.model.inner_products import SYSTEM, is_the_derivative
from book.recognise.model.random_start import start
from book.recognise.model.tail_bounds import bernstein


@checked(
    "recognise.appendix-b",
    "Equation 17, Section 2.2",
    r"$J(p) = \mathrm{diag}(p) - pp^\top$; $l'(x) = -g(x)$",
    "sympy",
)
def softmax_by_sympy() -> bool:
    """Equation 17: the derivative of softmax is diag(p) − ppᵀ; and the loss's derivative is −g."""
    import sympy as sp

    s, x = sp.symbols("s_0:3"), sp.Symbol("x", real=True)
    total = sum(sp.exp(v) for v in s)
    p = [sp.exp(v) / total for v in s]
    softmax = all(
        sp.simplify(sp.diff(p[i], s[j]) - p[i] * (int(i == j) - p[j])) == 0
        for i in range(3)
        for j in range(3)
    )
    return bool(softmax and sp.simplify(sp.diff(sp.log(1 + sp.exp(-x)), x) + 1 / (1 + sp.exp(x))) == 0)


for name, formula in SYSTEM.items():
    checked(
        "recognise.appendix-c",
        formula.words,
        "the time derivative, for all words and neurons",
        "autograd",
    )(partial(is_the_derivative, name))


def corollary_d_5_in_numbers() -> dict[str, float]:
    """How often some neuron is beyond either bound in forty starts, δ = 0.1."""
    starts = [start(seed, width=128, neurons=128) for seed in range(40)]
    return {
        "paper: fails with probability at most": 0.1,
        "measured: the printed bound fails in a share of": sum(s.d_5_printed > 1 for s in starts) / 40,
        "measured: ours fails in a share of": sum(s.d_5 > 1 for s in starts) / 40,
    }


@erratum(
    "recognise.appendix-d",
    rank=Rank.STATEMENT,
    where="Corollary D.5",
    printed=r"|w_j^\top V p_l| \le \sigma_1\sigma_0\sqrt{\tfrac mL\log\tfrac{m_1nL}\delta}",
    right=r"|w_j^\top V p_l| \le \sigma_1\sigma_0\sqrt{\tfrac{2m}L\log\tfrac{2m_1nL}\delta}",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: it is used up to constants only, and D.8 has room for them.",
    numbers=corollary_d_5_in_numbers,
)
def corollary_d_5_by_sympy() -> bool:
    """The union bound gives δ/2 with √(2 log(2N/δ)); with √(log(N/δ)) one place alone has neurons beyond it.

    Used are exp(−x²) ≥ erfc(x) ≥ 2 exp(−x²)/(√π (x + √(x² + 2))), for N = m₁nL Gaussians, and, for the second, that
    the m₁ neurons are independent.
    """
    import sympy as sp

    many, delta = sp.symbols("N delta", positive=True)
    ours = sp.simplify(many * sp.exp(-sp.log(2 * many / delta)))  # N P(|z| > √(2 log(2N/δ))), from above
    m_1 = sp.Symbol("m_1", positive=True)
    square = sp.log(600 * m_1) / 2  # n = 12, L = 5, δ = 1/10: any constants do
    x = sp.sqrt(square)
    beyond = m_1 * 2 / sp.sqrt(sp.pi) * sp.powsimp(sp.exp(-square)) / (x + sp.sqrt(square + 2))
    return bool(sp.simplify(ours - delta / 2) == 0 and sp.limit(beyond, m_1, sp.oo) == sp.oo)


def lemma_d_8_in_numbers() -> dict[str, float]:
    """Both bounds on |F| at the start, over σ₀σ₁, at m = m₁ = 128, L = 5, n = 12 and δ = 0.1."""
    m, neurons, length, samples, delta = 128, 128, 5, 12, 0.1
    printed = 2 * math.sqrt(2 * length * neurons * m * math.log(2 * length * samples / delta))
    return {
        "paper: as stated": printed,
        "paper: by its proof": printed * math.sqrt(math.log(neurons * samples * length / delta)),
    }


@erratum(
    "recognise.appendix-d",
    rank=Rank.MISPRINT,
    where="Lemma D.8, the bound on the output at the start",
    printed=r"2\sigma_0\sigma_1\sqrt{2Lm_1m\log\tfrac{2Ln}\delta}",
    right=r"2\sigma_0\sigma_1\sqrt{2Lm_1m\,\log\tfrac{m_1nL}\delta\,\log\tfrac{2Ln}\delta}",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: its proof has the second logarithm, and Condition 1 makes either bound small.",
    numbers=lemma_d_8_in_numbers,
)
def lemma_d_8_by_sympy() -> bool:
    """The tail of the proof: m₁ terms of variance proxy σ₀²σ₁²(m/L) log(m₁nL/δ), summed over L places."""
    import sympy as sp

    m, neurons, length, first, second = sp.symbols("m m_1 L A B", positive=True)  # A, B are the logarithms
    proxy = neurons * m / length * first  # over σ₀²σ₁²
    bound = length * 2 * sp.sqrt(2 * proxy * second)  # L times the t at which the tail is δ/(nL)
    printed = 2 * sp.sqrt(2 * length * neurons * m * second)
    return bool(sp.simplify(bound / printed - sp.sqrt(first)) == 0)


def second_bound_in_numbers() -> dict[str, float]:
    """10⁶ variables, each one with probability 10⁻³, at t = V/M: logarithms of P[Z > t] and of both bounds."""
    tail = bernstein(10**6, 1e-3)
    variance, most = 1e3 * (1 - 1e-3), 1 - 1e-3
    log_printed = -min(variance / most**2 / 2, variance / most**2 / 2)
    return {
        "paper: log P at most": log_printed,
        "ours: log P at most": -variance / most**2 / 4,
        "measured: log P": tail.printed + log_printed,
    }


@erratum(
    "recognise.lemma-h-1",
    rank=Rank.STATEMENT,
    where="Lemma H.1, second bound",
    printed=r"\exp\Big(-\min\Big\{\tfrac{t^2}{2V}, \tfrac t{2M}\Big\}\Big)",
    right=r"\exp\Big(-\min\Big\{\tfrac{t^2}{4V}, \tfrac{3t}{4M}\Big\}\Big)",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: the first bound, and what follows with probability 1 − δ, are right.",
    numbers=second_bound_in_numbers,
)
def second_bound_by_sympy() -> bool:
    """The printed exponent exceeds the first one at t = V/M, and a Poisson sum's true one there; ours never does.

    A sum of many rare ones has P[Z > xV] = exp(−V((1 + x) log(1 + x) − x) + o(V)) with M → 1.
    """
    import sympy as sp

    x = sp.Symbol("x", positive=True)  # t M/V; exponents in units of V/M²
    first = x**2 / 2 / (1 + x / 3)
    printed, true = sp.Min(x**2 / 2, x / 2), (1 + x) * sp.log(1 + x) - x
    below_3, above_3 = sp.simplify(first - x**2 / 4), sp.simplify(first - 3 * x / 4)
    return bool(
        printed.subs(x, 1) > first.subs(x, 1)
        and sp.N(printed.subs(x, 1) - true.subs(x, 1)) > 0
        and sp.simplify(below_3 - x**2 * (3 - x) / (4 * (3 + x))) == 0  # ≥ 0 up to 3
        and sp.simplify(above_3 - 3 * x * (x - 3) / (4 * (x + 3))) == 0  # ≥ 0 from 3 on
    )
