"""The model of equations 1 and 2, its gradients (Appendix B), its dynamical system (C), and a random start (D)."""

from __future__ import annotations

from functools import partial
from typing import Any

from book.recognise.model.appendix_b import LINES, gradients, softmax_by_sympy
from book.recognise.model.appendix_c import SYSTEM, fits, slopes
from book.recognise.model.appendix_d import (
    LOGARITHMS,
    corollary_d_5_by_sympy,
    corollary_d_5_in_numbers,
    start,
)
from book.recognise.model.equation_1 import by_hand
from book.statements import Bounds, Check, Erratum, at_most, near, statement, told

SMALL_SCALES = {"sigma_0": (0.01, 0.04), "sigma_1": (0.01, 0.04)}
SURE = {"delta": (1e-12, 1e-6), "seed": (0, 9999)}
"""With high probability: where single starts are drawn none of them may fail."""


@statement(
    "recognise.equations-1-2",
    measures=by_hand,
    assumes={"linear": "the MLP is linear"},
    holds_at={"relu": 0},
    fails_at={"relu": 1},
    seeds=10,
    ranges={"seed": (0, 9999)},
    finding=r"With a linear MLP $F = \sum_l\sum_h p_{l,h}G(x_h)$, exactly. A ReLU breaks it.",
)
def equations_1_2(r: Any) -> Bounds:
    """The numbers G(µ) and the scores give output and loss; the order of words does not matter."""
    return Bounds(
        near(0.0, r.output, "difference of outputs, largest", absolute=1e-12),
        near(0.0, r.loss, "difference of losses", absolute=1e-12),
        near(0.0, r.order, "change when words swap places, largest", absolute=1e-12),
    )


@statement(
    "recognise.appendix-b",
    measures=gradients,
    assumes={"transposed": "scores are those of equation 1, keys transposed"},
    holds_at={"turned": 0},
    fails_at={"turned": 1},
    seeds=10,
    ranges={"seed": (0, 9999)},
    uses=("recognise.equations-1-2",),
    finding=(
        r"All twelve printed lines are right, repeated words or not. Keys come first in $X^\top W_K^\top W_Qx_l$ "
        r"and second in $p_{l,h}$; Section 3 once writes the score matrix the other way round."
    ),
    checked=(
        Check(
            "Equation 17, Section 2.2",
            r"$J(p) = \mathrm{diag}(p) - pp^\top$; $l'(x) = -g(x)$",
            "sympy",
            softmax_by_sympy,
        ),
    ),
)
def appendix_b(r: Any) -> Bounds:
    """Every line is the gradient."""
    return Bounds(
        *(
            near(
                0.0, getattr(r, name), f"gradient of the {name}, worst of {len(lines)} lines", absolute=1e-11
            )
            for name, lines in LINES.items()
        )
    )


@statement(
    "recognise.appendix-c",
    measures=slopes,
    assumes={"once": "no word twice in a sample"},
    holds_at={"distinct": 1},
    fails_at={"distinct": 0},
    seeds=10,
    ranges={"seed": (0, 9999)},
    uses=("recognise.assumption-2-3", "recognise.appendix-b"),
    finding=(
        "All eight are right where no sample holds a word twice. Equations 6 and 7 and Lemma C.2 need not even "
        r"that. Misprints without weight: $j \in [m]$ in C.1 is $[m_1]$, and $\nu$ lacks a transpose in C.3."
    ),
    checked=tuple(
        Check(
            formula.words, "the time derivative, for all words and neurons", "autograd", partial(fits, name)
        )
        for name, formula in SYSTEM.items()
    ),
)
def appendix_c(r: Any) -> Bounds:
    """Every formula is the derivative along the real model's flow."""
    return Bounds(
        *(near(0.0, getattr(r, name), f"{f.words}, error", absolute=1e-11) for name, f in SYSTEM.items())
    )


@statement(
    "recognise.appendix-d",
    measures=start,
    assumes={"logarithms": f"the logarithms in σ₀ and σ₁ are worth {LOGARITHMS:g}"},
    holds_at={"sigma_0": 0.05, "sigma_1": 0.04},
    fails_at={"sigma_0": 1.0, "sigma_1": 1.0},
    seeds=10,
    ranges={"width": (128, 1024), "neurons": (128, 512), **SMALL_SCALES, **SURE},
    uses=("recognise.assumption-2-3", "recognise.condition-1", "recognise.equations-1-2"),
    finding=(
        "All bounds hold at all ten starts, after a factor √2 in D.5. Attention is even closer to uniform, "
        r"$1/(L^2m)$. But $|F| \le 0.01$ asks the logarithms in σ₀ and σ₁ to be worth nearly 400."
    ),
    errata=(
        Erratum(
            where="Corollary D.5",
            paper=r"|w_j^\top V p_l| \le \sigma_1\sigma_0\sqrt{\tfrac mL\log\tfrac{m_1nL}\delta}",
            right=r"|w_j^\top V p_l| \le \sigma_1\sigma_0\sqrt{\tfrac{2m}L\log\tfrac{2m_1nL}\delta}",
            survives="Yes: it is used up to constants only, and D.8 has room for them.",
            symbolic=corollary_d_5_by_sympy,
            numeric=corollary_d_5_in_numbers,
        ),
    ),
)
def appendix_d(r: Any) -> Bounds:
    """Each deviation over its bound at δ = 0.1 is at most 1; outputs are at most 0.01."""
    return Bounds(
        at_most(1.0, r.d_1_products, "D.1, products of keys and queries over their bound"),
        at_most(1.0, r.d_1_lengths, "D.1, lengths"),
        at_most(1.0, r.d_2, "D.2, attention away from 1/L, by its proof"),
        at_most(1.0, r.d_3_products, "D.3, products of values and neurons"),
        at_most(1.0, r.d_3_lengths, "D.3, lengths"),
        at_most(1.0, r.d_4, "D.4, lengths of attended values"),
        at_most(1.0, r.d_5, "D.5, what a neuron hears, after correction"),
        at_most(1.0, r.d_6, "D.6, balance of output weights"),
        at_most(1.0, r.d_7, "D.7, |G(µ)| with √(2 log(2d/δ))"),
        at_most(1.0, r.d_8, "D.8, |F| over its bound"),
        at_most(0.01, r.output, "D.8, largest |F|"),
        told(r.d_5_printed, "D.5 as printed"),
    )
