"""The model of equations 1 and 2, its gradients (Appendix B), its dynamical system (C), and a random start (D)."""

from __future__ import annotations

from functools import partial
from typing import Any

from book.ledger import Bounds, Check, Erratum, at_most, near, recorded, statement
from book.recognise.model.appendix_b import LINES, gradients, softmax_by_sympy
from book.recognise.model.appendix_c import SYSTEM, fits, slopes
from book.recognise.model.appendix_d import (
    LOGARITHMS,
    corollary_d_5_by_sympy,
    corollary_d_5_in_numbers,
    start,
)
from book.recognise.model.appendix_gh import (
    bernstein,
    gaussian,
    second_bound_by_sympy,
    second_bound_in_numbers,
    softmax,
)
from book.recognise.model.equation_1 import by_hand

SMALL_SCALES = {"sigma_0": (0.001, 1.0), "sigma_1": (0.001, 1.0)}
DELTA = 0.1
"""The δ of Appendix D's bounds, each of which may fail with this probability."""


@statement(
    "recognise.equations-1-2",
    measures=by_hand,
    assumes={"linear": ("the MLP is linear", lambda r, p: r.linear)},
    holds_at={"relu": 0},
    fails_at={"relu": 1},
    seeds=10,
    ranges={"seed": (0, 9999)},
    algebra=True,
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
    assumes={"transposed": ("scores are those of equation 1, keys transposed", lambda r, p: r.transposed)},
    holds_at={"turned": 0},
    fails_at={"turned": 1},
    seeds=10,
    ranges={"seed": (0, 9999), "turned": [0, 0, 0, 1]},
    algebra=True,
    listed_checks=(
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
    assumes={"once": ("no word twice in a sample", lambda r, p: r.once)},
    holds_at={"distinct": 1},
    fails_at={"distinct": 0},
    seeds=10,
    ranges={"seed": (0, 9999), "distinct": [1, 1, 1, 0]},
    algebra=True,
    listed_checks=tuple(
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
    assumes={
        "logarithms": (f"the logarithms in σ₀ and σ₁ are worth {LOGARITHMS:g}", lambda r, p: r.logarithms)
    },
    holds_at={"sigma_0": 0.05, "sigma_1": 0.04},
    fails_at={"sigma_0": 1.0, "sigma_1": 1.0},
    seeds=10,
    ranges={
        "width": (16, 1024),
        "neurons": (1, 512),
        "length": (4, 12),
        "samples": [12, 30, 60],
        **SMALL_SCALES,
        "seed": (0, 9999),
    },
    chance=DELTA,
    listed_errata=(
        Erratum(
            where="Corollary D.5",
            printed=r"|w_j^\top V p_l| \le \sigma_1\sigma_0\sqrt{\tfrac mL\log\tfrac{m_1nL}\delta}",
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
        recorded(r.d_5_printed, "D.5 as printed"),
    )


@statement(
    "recognise.softmax",
    measures=softmax,
    assumes={"full": ("the derivative is diag(p) − ppᵀ", lambda r, p: r.full)},
    holds_at={},
    fails_at={"diagonal": True},
    seeds=10,
    ranges={"words": (2, 40), "scale": (0.1, 10.0), "size": (1e-4, 10.0), "seed": (0, 9999)},
    algebra=True,
)
def softmax_perturbed(r: Any) -> Bounds:
    """The derivative is right, and what is left is at most ‖ε‖²."""
    return Bounds(
        near(0.0, r.error, "error of the derivative", absolute=1e-12),
        at_most(1.0, r.remainder, "largest entry of ξ over ‖ε‖²"),
    )


@statement(
    "recognise.lemma-h-1",
    measures=bernstein,
    assumes={"bounded": ("|Z_i| ≤ M", lambda r, p: r.bounded)},
    holds_at={"count": 1_000_000, "share": 1e-3},
    fails_at={"count": 1_000_000, "share": 1e-3, "part": 0.01},
    ranges={
        "count": (1, 1_000_000),
        "share": (1e-4, 0.999),
        "ratio": (0.05, 20.0),
        "delta": (1e-6, 0.9),
        "part": [1.0, 1.0, 1.0, 0.01],
    },
    listed_errata=(
        Erratum(
            where="Lemma H.1, second bound",
            printed=r"\exp\Big(-\min\Big\{\tfrac{t^2}{2V}, \tfrac t{2M}\Big\}\Big)",
            right=r"\exp\Big(-\min\Big\{\tfrac{t^2}{4V}, \tfrac{3t}{4M}\Big\}\Big)",
            survives="Yes: the first bound, and what follows with probability 1 − δ, are right.",
            symbolic=second_bound_by_sympy,
            numeric=second_bound_in_numbers,
        ),
    ),
)
def lemma_h_1(r: Any) -> Bounds:
    """The exact tail is at most the first bound and the corrected second one, and δ where it is to be."""
    return Bounds(
        at_most(1e-9, r.first, "log of the tail over the first bound"),
        at_most(1e-9, r.ours, "log of the tail over the second bound, after correction"),
        at_most(1.0, r.reached, "tail beyond √(2V log 1/δ) + 2M log 1/δ, over δ"),
        recorded(r.printed, "log of the tail over the second bound as printed"),
    )


@statement(
    "recognise.lemma-h-2",
    measures=gaussian,
    assumes={"unit": ("entries of variance 1/m", lambda r, p: r.unit)},
    holds_at={},
    fails_at={"variance": 4.0},
    ranges={"width": (1, 4096), "delta": (1e-6, 0.9), "variance": [1.0, 1.0, 1.0, 4.0]},
)
def lemma_h_2(r: Any) -> Bounds:
    """By the laws of χ² and of a Gaussian of random variance: both probabilities are at most δ."""
    return Bounds(
        at_most(1.0, r.lengths, "lengths, probability over δ"),
        at_most(1.0, r.products, "products, probability over δ"),
    )
