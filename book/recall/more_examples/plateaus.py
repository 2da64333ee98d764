"""The plateaus of training with more than two examples: equal masses, and two pairs tied."""

from __future__ import annotations

import math
from typing import NamedTuple

from book.recall.more_examples.program import lesson
from lib.program import run


class Plateaus(NamedTuple):
    """Losses and curvatures of the plateaus, and what is predicted of them."""

    permutations: float  # log K!, the loss at equal masses
    start_loss: float
    saddle_curvature: float  # −1/(2TK²)
    curvature: float
    plateau: float  # the loss while two pairs are tied; NaN if they never are
    end_loss: float


def plateaus(examples: int, fixing: int, warmth: float) -> Plateaus:
    """Loss and curvature at equal masses, and the loss of the plateau where two pairs stay tied."""
    outcome = run(lesson(), examples=examples, fixing=fixing, warmth=warmth, steps=800, tie=1e-6)
    end, rows = outcome.report, outcome.histories[0].rows
    loss = rows.loss[:, 0]
    share = 0.9 if examples > 2 else 2.0  # two examples are tied from the start
    below = loss < share * float(end.start_loss)
    tied = ((rows.masses[:, 0] - rows.masses[:, 1]).abs() < 0.01) & below
    return Plateaus(
        permutations=math.lgamma(examples + 1),
        start_loss=float(end.start_loss),
        saddle_curvature=float(end.saddle_curvature),
        curvature=float(end.curvature),
        plateau=float(loss[tied].min()) if tied.any() else math.nan,
        end_loss=float(end.end_loss),
    )
