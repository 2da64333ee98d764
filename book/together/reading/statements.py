"""A detector that names the relation and a memory that answers, trained together: findings of ours."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, at_most, near, recorded, statement
from book.together.reading.program import Read, reading_together
from book.together.reading.worth import Worth, worth

SETTLED = 0.02
"""The tie has been reached when the loss is within this of log 2."""
ROUNDING = 1e-9
"""What rounding may add: logarithms are up to 10⁵ where features are large and the temperature is low."""
EASY = (0.7, 1.5)
"""Temperatures at which it is reached in these steps at these learning rates."""


def answers_alone(r: Read, p: Any) -> Tensor:
    """Whether neither labels nor statements are given."""
    return (p.labels == 0) & (p.statements == 0)


def is_perturbed(r: Read, p: Any) -> Tensor:
    """Whether the perturbation sets the two kinds of sentences apart."""
    return r.separation > 0


def is_exchanged(r: Read, p: Any) -> Tensor:
    """Whether both models have come to use each name for the other relation."""
    return r.exchanged > 0


def long_enough(r: Read, p: Any) -> Tensor:
    """Whether stage 2 has steps for the predicted wait, a fifth more, and 220 to learn in."""
    return p.steps >= 1.2 * r.predicted_escape + 220


@statement(
    "together.answers-alone",
    runs=reading_together,
    constants=(*EASY, 0.01),
    assumes={
        "alone": ("only answers are told: no labels, no statements", answers_alone),
        "perturbed": ("the perturbation sets the two kinds of sentences apart", is_perturbed),
        "close": ("a small perturbation, r at most 0.01 (ours)", lambda r, p: p.perturbation_radius <= 0.01),
        "easy": (
            f"T from {EASY[0]:g} to {EASY[1]:g} (ours)",
            lambda r, p: (p.temperature >= EASY[0]) & (p.temperature <= EASY[1]),
        ),
    },
    settled={
        "tied": (
            "steps enough before the perturbation: the loss is close to log 2",
            lambda r, p: r.tie_loss < math.log(2) + SETTLED,
        ),
        "late": ("steps enough after it", long_enough),
    },
    good=lambda r: at_least(0.9, r.named, "probability of the right name"),
    holds_at={"tie_steps": 200, "steps": 700},
    fails_at={"labels": 1.0, "tie_steps": 200, "steps": 700},
    seeds=10,
    ranges={
        "labels": [0.0, 0.0, 0.0, 0.0, 0.1],
        "statements": [0.0, 0.0, 0.0, 0.0, 0.1],
        "perturbation_radius": [1e-6, 1e-5, 1e-4, 1e-3, 1e-2],
        "temperature": [EASY] * 4 + [(0.5, 5.0)],
        "multiplicity": [1, 2, 3, 4],
        "seed": (0, 999),
        "tie_steps": [400],
        "steps": [1200],
    },
    ground=Ground.OURS,
)
def answers_only(r: Read) -> Bounds:
    """The loss waits at log 2 as long as predicted; detector and memory then agree, whatever the names mean."""
    return Bounds(
        at_least(math.log(2) - 1e-12, r.tie_loss, "loss of answers before the perturbation"),
        near(
            r.predicted_escape,
            r.measured_escape,
            "steps until the sentences are apart",
            relative=0.15,
            absolute=5.0,
        ),
        at_least(0.75, r.waited, "the earlier of detection and recall, as a part of the later"),
        above(0.0, r.agree, "agreement of detector and memory on the names"),
        at_least(0.8, r.answered, "probability of the right answer"),
        recorded(r.named, "probability of the right name"),
        recorded(r.own, "share of the right answer by its own name"),
        recorded(r.detects, "steps until sentences are told apart"),
        recorded(r.recalls, "steps until names are told apart"),
        recorded(r.growth, "growth in a step at the tie"),
    )


@statement(
    "together.worth-of-answers",
    measures=worth,
    assumes={
        "blind": ("the detector or the names tell nothing apart", lambda r, p: p.told == 0),
    },
    holds_at={},
    fails_at={"told": 1, "size": 3.0},
    ranges={
        "temperature": (0.1, 10.0),
        "told": [0, 0, 0, 1],
        "size": (0.1, 30.0),
        "seed": (0, 9999),
    },
    algebra=True,
    ground=Ground.OURS,
)
def worth_of_answers(r: Worth) -> Bounds:
    """The pull of an answer by m* − m′, at most that of a label; the exchange; log 2 while nothing is told apart."""
    return Bounds(
        near(0.0, r.off, "pull of the answers less the formula's, largest", absolute=ROUNDING),
        at_most(1 + ROUNDING, r.ratio, "pull of an answer over that of a label, largest"),
        near(
            0.0,
            r.exchanged,
            "change of the loss when names and signs are exchanged, largest",
            absolute=ROUNDING,
        ),
        at_least(math.log(2) - ROUNDING, r.blind, "loss of answers while nothing is told apart, least"),
    )
