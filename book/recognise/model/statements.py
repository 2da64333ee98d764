"""The model of equations 1 and 2, its gradients (Appendix B), its dynamical system (C), and a random start (D)."""

from __future__ import annotations

from book.ledger import Bounds, Ground, at_most, near, recorded, statement
from book.recognise.model.equation_1 import HandComputation, by_hand
from book.recognise.model.gradients import LINES, LineErrors, gradients
from book.recognise.model.inner_products import SYSTEM, FormulaErrors, slopes
from book.recognise.model.random_start import StartDeviations, start
from book.recognise.model.softmax import SoftmaxErrors, softmax
from book.recognise.model.tail_bounds import BernsteinTails, GaussianTails, bernstein, gaussian

SMALL_SCALES = {"sigma_0": (0.001, 1.0), "sigma_1": (0.001, 1.0)}
LOGARITHMS = 400.0
"""What σ₀√(Lm)·σ₁√m₁ must stay below one over, for |F| ≤ 0.01 at the start."""
DELTA = 0.1
"""The δ of Appendix D's bounds, each of which may fail with this probability."""


@statement(
    "recognise.equations-1-2",
    measures=by_hand,
    assumes={"linear": ("the MLP is linear", lambda r, p: not p.relu)},
    holds_at={"relu": 0},
    fails_at={"relu": 1},
    seeds=10,
    ranges={"seed": (0, 9999)},
    algebra=True,
)
def equations_1_2(r: HandComputation) -> Bounds:
    """The numbers G(µ) and the scores give output and loss; the order of words does not matter."""
    return Bounds(
        near(0.0, r.output, "difference of outputs, largest", absolute=1e-12),
        near(0.0, r.loss, "difference of losses", absolute=1e-12),
        near(0.0, r.order, "change when words swap places, largest", absolute=1e-12),
    )


@statement(
    "recognise.appendix-b",
    measures=gradients,
    planted=("keys and queries exchanged in the scores", {"turned": 1}),
    seeds=10,
    ranges={"seed": (0, 9999)},
    algebra=True,
)
def appendix_b(r: LineErrors) -> Bounds:
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
    assumes={"once": ("no word twice in a sample", lambda r, p: r.occurrences <= 1)},
    holds_at={"distinct": 1},
    fails_at={"distinct": 0},
    seeds=10,
    ranges={"seed": (0, 9999), "distinct": [1, 1, 1, 0]},
    algebra=True,
)
def appendix_c(r: FormulaErrors) -> Bounds:
    """Every formula is the derivative along the real model's flow."""
    return Bounds(
        *(near(0.0, getattr(r, name), f"{f.words}, error", absolute=1e-11) for name, f in SYSTEM.items())
    )


@statement(
    "recognise.appendix-d",
    measures=start,
    ground=Ground.CORRECTED,
    assumes={
        "logarithms": (
            f"the logarithms in σ₀ and σ₁ are worth {LOGARITHMS:g}",
            lambda r, p: p.sigma_0 * p.sigma_1 <= 1 / LOGARITHMS,
        )
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
)
def appendix_d(r: StartDeviations) -> Bounds:
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
    planted=("the derivative diag(p), without ppᵀ", {"diagonal": True}),
    seeds=10,
    ranges={"words": (2, 40), "scale": (0.1, 10.0), "size": (1e-4, 10.0), "seed": (0, 9999)},
)
def softmax_perturbed(r: SoftmaxErrors) -> Bounds:
    """The derivative is right, and what is left is at most ‖ε‖²."""
    return Bounds(
        near(0.0, r.error, "error of the derivative", absolute=1e-12),
        at_most(1.0, r.remainder, "largest entry of ξ over ‖ε‖²"),
    )


@statement(
    "recognise.lemma-h-1",
    measures=bernstein,
    ground=Ground.CORRECTED,
    assumes={"bounded": ("|Z_i| ≤ M", lambda r, p: p.part >= 1)},
    holds_at={"count": 1_000_000, "share": 1e-3},
    fails_at={"count": 1_000_000, "share": 1e-3, "part": 0.01},
    ranges={
        "count": (1, 1_000_000),
        "share": (1e-4, 0.999),
        "ratio": (0.05, 20.0),
        "delta": (1e-6, 0.9),
        "part": [1.0, 1.0, 1.0, 0.01],
    },
)
def lemma_h_1(r: BernsteinTails) -> Bounds:
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
    assumes={"unit": ("entries of variance 1/m", lambda r, p: p.variance == 1)},
    holds_at={},
    fails_at={"variance": 4.0},
    ranges={"width": (1, 4096), "delta": (1e-6, 0.9), "variance": [1.0, 1.0, 1.0, 4.0]},
    loose=("lengths, probability over δ", "products, probability over δ"),
)
def lemma_h_2(r: GaussianTails) -> Bounds:
    """By the laws of χ² and of a Gaussian of random variance: both probabilities are at most δ."""
    return Bounds(
        at_most(1.0, r.lengths, "lengths, probability over δ"),
        at_most(1.0, r.products, "products, probability over δ"),
    )
