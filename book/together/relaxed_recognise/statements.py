"""Yang et al.'s main theorems with one assumption dropped."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, at_most, below, statement
from book.recognise.two_phases import CLOSE, LEAST
from book.together.experiments.relaxed_recognise import LENGTH, SAMPLES, STRAY, WIDTH
from book.together.relaxed import RECOGNISE, within
from book.together.relaxed_recognise.program import End, relaxed_recognise

EARLY = (40.0, 48.0)
"""T₁ of Theorem 3.1, in units of 1/N₀."""
LATE = (40.0, 150.0)
"""T₁ of Theorem 3.2."""
LONG = 480.0
"""A length of training, in units of 1/N₀, after which the loss is low."""
SIZES = (0.6, 0.66)
"""σ₀√(Lm)."""
RATES = (0.8, 1.2)
"""Learning rates, in units of 1/N₀."""
FAILURE = 0.2
"""δ: in so many of the starts a theorem may fail."""
ROOM = STRAY * (1 + SAMPLES * LENGTH / math.sqrt(WIDTH))
"""How large an entry with an irrelevant word may be, in units of C₁₂/n."""


def time_1(p: Any) -> Tensor:
    """T₁ in units of 1/N₀."""
    return p.rate * p.steps_1


def long_enough(r: End, p: Any) -> Tensor:
    """Whether the whole run is long enough."""
    return p.rate * (p.steps_1 + 2 * p.steps_2) >= LONG


DESCENDS = RECOGNISE.keeps("adam", words="descent by gradients, not by Adam")
KEEPS = RECOGNISE.keeps("decay", words="weights do not decay")
RIGHT = RECOGNISE.keeps("noise", words="all labels are right")
UNBIASED = RECOGNISE.keeps("biases", words="there are no biases")
LINEAR = RECOGNISE.keeps("gelu", words="the MLP is linear")
SMALL = (
    f"σ₀√(Lm) from {SIZES[0]:g} to {SIZES[1]:g} (ours)",
    lambda r, p: within(p.sigma_0, SIZES),
)
GENTLE = (
    f"a learning rate from {RATES[0]:g}/N₀ to {RATES[1]:g}/N₀ (ours)",
    lambda r, p: within(p.rate, RATES),
)
RAN = ("a run long enough for the loss to fall", long_enough)
KEPT = RECOGNISE.numbers("none", "scale", "heads", "layers", "norm", "momentum", "matrices")
"""The choices that no statement minds."""
RANGES: dict[str, Any] = {"sigma_0": SIZES, "rate": (0.95, 1.05), "seed": (0, 999)}


@statement(
    "together.relaxed-phase-1",
    runs=relaxed_recognise,
    constants=(LEAST, CLOSE, *SIZES),
    assumes={
        "pace": RECOGNISE.keeps(
            "adam",
            "gelu",
            "residual",
            words="neither Adam, GELU nor a residual stream, with which the model learns at another pace",
        ),
        "unbiased": UNBIASED,
        "right": RIGHT,
        "small": SMALL,
        "gentle": GENTLE,
        "early": (
            f"T₁ from {EARLY[0]:g}/N₀ to {EARLY[1]:g}/N₀ (ours)",
            lambda r, p: within(time_1(p), EARLY),
        ),
    },
    good=lambda r: above(0.0, r.margin, "least margin at T₁"),
    holds_at={"steps_2": 0},
    fails_at={"steps_2": 0, "relaxation": RECOGNISE.index("noise")},
    seeds=10,
    chance=FAILURE,
    ranges={
        **RANGES,
        "relaxation": KEPT
        + RECOGNISE.numbers("decay")
        + KEPT
        + RECOGNISE.numbers("gelu", "biases", "residual", "adam", "noise"),
        "steps_1": [44],
        "steps_2": [0],
    },
    ground=Ground.OURS,
)
def relaxed_phase_1(r: End) -> Bounds:
    """Theorem 3.1's four items at T₁."""
    return Bounds(
        at_least(LEAST, r.aligned, "Theorem 3.1: item 1, least of G(μ₁), G(μ₂), −G(μ₃) at T₁"),
        above(0.0, r.margin, "Theorem 3.1: item 2, least margin y F at T₁"),
        at_most(CLOSE, r.moved, "Theorem 3.1: item 3, products of values until T₁, change over κ"),
        at_least(LEAST, r.loss_1, "Theorem 3.1: item 4, loss at T₁"),
    )


@statement(
    "together.relaxed-phase-2",
    runs=relaxed_recognise,
    constants=(LEAST,),
    assumes={
        "descends": DESCENDS,
        "linear": LINEAR,
        "unbiased": UNBIASED,
        "kept": KEEPS,
        "right": RIGHT,
        "small": SMALL,
        "gentle": GENTLE,
        "late": (
            f"T₁ from {LATE[0]:g}/N₀ to {LATE[1]:g}/N₀ (ours)",
            lambda r, p: within(time_1(p), LATE),
        ),
    },
    settled={"long": RAN},
    good=lambda r: at_least(LEAST, r.least_sum, "least of the three sums in Phase 2"),
    holds_at={"steps_2": 230},
    fails_at={"steps_2": 230, "relaxation": RECOGNISE.index("biases")},
    seeds=10,
    chance=FAILURE,
    ranges={
        **RANGES,
        "relaxation": KEPT
        + RECOGNISE.numbers("residual")
        + KEPT
        + RECOGNISE.numbers("gelu", "biases", "adam", "decay", "noise"),
        "rate": (1.0, 1.1),
        "steps_1": [44],
        "steps_2": [230],
    },
    ground=Ground.OURS,
)
def relaxed_phase_2(r: End) -> Bounds:
    """Theorem 3.2's four items from T₁ on."""
    return Bounds(
        above(0.0, r.score_move, "Theorem 3.2: item 1, least move of a score to its side, over κ"),
        above(0.0, r.product_move, "Theorem 3.2: item 2, least move of a value product, over κ"),
        at_least(LEAST, r.least_output, "Theorem 3.2: item 3, least of G(μ₁), G(μ₂), −G(μ₃) in Phase 2"),
        at_least(LEAST, r.least_sum, "Theorem 3.2: item 4, least of the three sums in Phase 2, in size"),
    )


@statement(
    "together.relaxed-limit",
    runs=relaxed_recognise,
    constants=(LEAST, STRAY),
    assumes={"descends": DESCENDS, "kept": KEEPS, "right": RIGHT, "small": SMALL, "gentle": GENTLE},
    settled={"long": RAN},
    good=lambda r: at_most(LEAST, r.loss, "training loss at the end"),
    holds_at={"steps_2": 230},
    fails_at={"steps_2": 230, "relaxation": RECOGNISE.index("decay")},
    seeds=10,
    chance=FAILURE,
    ranges={
        **RANGES,
        "relaxation": KEPT
        + RECOGNISE.numbers("gelu", "biases", "residual")
        + KEPT
        + RECOGNISE.numbers("adam", "decay", "noise"),
        "rate": (1.0, 1.1),
        "steps_1": [44],
        "steps_2": [230],
    },
    ground=Ground.OURS,
)
def relaxed_limit(r: End) -> Bounds:
    """Theorem 3.3: both losses go on falling, and attention's matrix is as stated."""
    return Bounds(
        at_most(LEAST, r.loss, "Theorem 3.3, item 1: training loss at the end"),
        below(0.0, r.power, "Theorem 3.3, item 1: power of the steps in the training loss"),
        below(0.0, r.unseen_power, "Theorem 3.3, item 1: power in the loss on unseen words"),
        above(0.0, r.growth, "Theorem 3.3, item 1: growth of recombined sentences’ worst margin"),
        above(0.0, r.grown, "Theorem 3.3, item 2: least of C₁₂, C₂₁, −C₃₁, −C₃₂, over κ"),
        at_most(ROOM, r.stray, "Theorem 3.3, item 2: n times the largest with an irrelevant word, over C₁₂"),
    )
