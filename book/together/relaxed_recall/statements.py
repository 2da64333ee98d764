"""Huang et al.'s four main statements with one assumption dropped."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, at_most, below, statement
from book.recall.common import TOLERANCE, is_perturbed
from book.together.relaxed import COLD, RECALL, within
from book.together.relaxed_recall.program import End, relaxed_recall
from lib.recall.general import COOL, SAFE

WARM = (0.055, 0.065)
"""Temperatures of Theorem 2 and Lemma 6."""
RATES = (100.0, 150.0)
"""Learning rates there, c₁ and c₂."""
LONG = 19_000
"""T times the sum of c over all steps, from which on attention has left Madrid and EoS."""
LARGE = (100.0, 140.0)
"""c₁ of the large step, η₁ over T^{3/2} log(1/T)."""
LONG_COLD = 2_500
"""c₂T times the steps after the large one, from which on the answer is certain."""
APART = 0.05
"""How far attention on a pair must be from ¼ to count as unequal."""
SURE = 0.99
"""The least probability of the answer in Theorem 1."""
WAITS = 3
"""How many times the predicted wait must fit into stage 2."""


def long_enough(r: End, p: Any) -> Tensor:
    """Whether both stages are long enough at a warm temperature."""
    long = (p.rate_1 * p.steps_1 + p.rate_2 * p.steps_2) * p.temperature >= LONG
    return long & (p.steps_2 >= WAITS * r.waits)


def large(r: End, p: Any) -> Tensor:
    """Whether stage 1 is one large step."""
    rate = p.rate_1 * p.temperature.sqrt() / -p.temperature.log()
    return (p.steps_1 == 1) & within(rate, LARGE)


def long_after(r: End, p: Any) -> Tensor:
    """Whether stage 2 is long enough after a large step."""
    return (p.rate_2 * p.temperature * p.steps_2 >= LONG_COLD) & (p.steps_2 >= WAITS * r.waits)


SQUARES = RECALL.keeps("relu", "gelu", words="the MLP’s activation is the square")
KEEPS = RECALL.keeps("decay", words="weights do not decay")
RIGHT = RECALL.keeps("noise", words="all labels are right")
PUSHED = ("the perturbation has a part along the way out, ⟨ξ, ε̃⟩ ≠ 0", is_perturbed)


@statement(
    "together.relaxed-pairs",
    runs=relaxed_recall,
    constants=(*WARM, *RATES),
    assumes={
        "square": SQUARES,
        "single": RECALL.keeps("layers", words="attention has one layer"),
        "kept": KEEPS,
        "right": RIGHT,
        "perturbed": PUSHED,
        "warm": (
            f"T from {WARM[0]:g} to {WARM[1]:g} (ours)",
            lambda r, p: within(p.temperature, WARM),
        ),
        "gentle": (
            f"c₁ and c₂ from {RATES[0]:g} to {RATES[1]:g} (ours)",
            lambda r, p: within(p.rate_1, RATES) & within(p.rate_2, RATES),
        ),
    },
    settled={"long": ("stages long enough for attention to leave Madrid and EoS", long_enough)},
    good=lambda r: at_least(0.5, (-r.loss).exp(), "p(r*) at the end"),
    holds_at={},
    fails_at={"relaxation": RECALL.index("decay")},
    seeds=10,
    ranges={
        "relaxation": RECALL.numbers("none", "biases", "norm", "residual", "adam", "momentum")
        + RECALL.numbers("biases", "norm", "adam", "momentum", "layers", "relu", "gelu", "decay", "noise"),
        "temperature": WARM,
        "perturbation_radius": [1e-5, 1e-4, 1e-3],
        "rate_1": (130.0, 150.0),
        "rate_2": (130.0, 150.0),
        "steps_1": [1500],
        "steps_2": [1500],
        "seed": (0, 999),
    },
    ground=Ground.OURS,
)
def relaxed_pairs(r: End) -> Bounds:
    """Theorem 2: attention is (a, a, ½ − a, ½ − a, 0, 0) with a ≠ ¼; Lemma 6: the loss is below log 2."""
    return Bounds(
        above(APART, r.apart, "Theorem 2: distance of a from ¼"),
        at_most(TOLERANCE, r.imbalance, "Theorem 2: imbalance inside the pairs"),
        at_most(TOLERANCE, r.leak, "Theorem 2: attention on Madrid and EoS"),
        below(math.log(2), r.loss, "Lemma 6: loss L₁ at the end"),
    )


@statement(
    "together.relaxed-answers",
    runs=relaxed_recall,
    constants=(COOL, *LARGE),
    assumes={
        "square": SQUARES,
        "kept": KEEPS,
        "right": RIGHT,
        "unbiased": RECALL.keeps("biases", words="the keys have no biases"),
        "perturbed": PUSHED,
        "cold": (f"T at most {COOL:g}", lambda r, p: p.temperature <= COOL),
        "large": (
            f"stage 1 is one large step, η₁ = c₁T^(3/2) log(1/T) with c₁ from {LARGE[0]:g} to {LARGE[1]:g} (ours)",
            large,
        ),
    },
    settled={"long": ("steps enough after the large one", long_after)},
    good=lambda r: at_least(SURE, r.answer, "probability of the final answer"),
    holds_at=COLD,
    fails_at={**COLD, "relaxation": RECALL.index("decay")},
    seeds=10,
    ranges={
        "relaxation": RECALL.numbers("none", "layers", "norm", "residual", "adam", "momentum") * 2
        + RECALL.numbers("relu", "gelu", "biases", "decay", "noise"),
        "temperature": (0.0016, 0.002),
        "perturbation_radius": [1e-5, 1e-4, 1e-3],
        "rate_1": [17_900.0],
        "rate_2": [1000.0],
        "steps_1": [1],
        "steps_2": [2000],
        "seed": (0, 999),
    },
    ground=Ground.OURS,
)
def relaxed_answers(r: End) -> Bounds:
    """Theorem 3: the relation is certain on every prompt; Theorem 1: so is the final answer."""
    return Bounds(
        at_most(1 - SAFE, r.unsure, "Theorem 3: 1 − p(r*)"),
        at_least(SURE, r.answer, "Theorem 1: probability of the final answer"),
    )
