"""The way out of the saddle by other rules of descent."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, at_least, near, recorded, statement
from book.recall.common import is_perturbed
from book.together.outside.program import WITH_ADAM, WITH_MOMENTUM, End, ruled

CLOSE = 0.01
"""The radius up to which a perturbation starts close to the saddle, ours."""


def is_linear(r: End, p: Any) -> Tensor:
    """Whether a step is linear in the gradients: Adam's is not."""
    return p.rule != WITH_ADAM


def outgrows(r: End, p: Any) -> Tensor:
    """Whether a step adds more to the imbalance than weight decay takes."""
    return r.growth > 0


def has_left(r: End, p: Any) -> Tensor:
    """Whether the run has left the saddle."""
    return r.measured_escape < math.inf


def has_fallen(r: End, p: Any) -> Tensor:
    """Whether the loss ends below log 2."""
    return r.end_loss < math.log(2)


@statement(
    "together.other-rules",
    runs=ruled,
    constants=(0.01,),
    assumes={
        "linear": ("a step is linear in the gradients: plain, with momentum or with weight decay", is_linear),
        "outgrows": ("the curvature adds more in a step than weight decay takes", outgrows),
        "perturbed": ("the perturbation has a part along the way out, ⟨ξ, ε̃⟩ ≠ 0", is_perturbed),
        "close": (
            f"r at most {CLOSE:g}: it starts close to the saddle (ours)",
            lambda r, p: p.perturbation_radius <= CLOSE,
        ),
    },
    settled={
        "late": (
            "steps enough: the saddle is left, or half as many again as predicted are made",
            lambda r, p: has_left(r, p) | (p.steps >= 1.5 * r.predicted_escape + 10),
        )
    },
    good=lambda r: at_least(0.5, (-r.end_loss).exp(), "p(r*) at the end"),
    holds_at={"rule": WITH_MOMENTUM},
    fails_at={"rule": WITH_ADAM, "perturbation_radius": 1e-9},
    seeds=10,
    ranges={
        "rule": [0, 1, 3, 3, 2],
        "temperature": (0.015, 0.0855),
        "perturbation_radius": [(1e-10, 1e-2)] * 4 + [(1e-10, 1.0)],
        "decay": [(1e-4, 0.03)] * 3 + [(1e-4, 0.3)],
        "rate_2": (20.0, 200.0),
        "seed": (0, 999),
        "steps": [1500],
    },
    ground=Ground.OURS,
)
def other_rules(r: End) -> Bounds:
    """The saddle is left when the curvature and the rule say so."""
    return Bounds(
        near(
            r.predicted_escape,
            r.measured_escape,
            "steps until the saddle is left",
            relative=0.1,
            absolute=5.0,
        ),
        recorded(r.end_loss, "loss L₁ at the end"),
        recorded(r.growth, "growth in a step"),
    )
