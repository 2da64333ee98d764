"""Algorithm 1 with three subjects, beside what Theorem 2 and its lemmas predict."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recall.common import SLICE_X
from lib.program import Program
from lib.recall.algorithm import Descent, End, perturbation, two_stage_descent
from lib.recall.escape import escape_time
from lib.recall.landscape import (
    ESCAPE_DIRECTION,
    ESCAPED,
    imbalance,
    inner_minimum,
    saddle_curvature,
    slice_loss,
)
from lib.recall.reduction import affine_reduced

SUBJECTS = 3


class TwoStage(NamedTuple):
    """The result of Algorithm 1, beside what Theorem 2 and its lemmas predict."""

    slice_loss: Tensor  # (101,) L₁ at attention (x, x, ½ − x, ½ − x, 0, 0), x from 0 to ½
    predicted_a: Tensor  # the first minimum of the slice below the saddle; NaN if there is none inside
    measured_a: Tensor  # the smaller of (v₁ + v₂)/2 and (v₃ + v₄)/2
    predicted_loss: Tensor
    measured_loss: Tensor
    predicted_escape: Tensor  # steps until the saddle is left, from the curvature along ε̃
    measured_escape: Tensor
    mismatch: Tensor  # largest of |v₁ − v₂|, |v₃ − v₄|
    leak: Tensor  # v₅ + v₆
    overlap: Tensor  # ⟨ξ, ε̃⟩
    probability: Tensor  # of the true relation
    confusing: Tensor  # of the confusing relation
    answer: Tensor  # probability of the right answer
    attention: Tensor  # (6,) v at the end
    end_loss: Tensor  # L₁ at the end of the slice, x = 0
    lowest: Tensor  # L₁ at the lowest point of the slice, and so of all attention
    rise: Tensor  # the largest rise of L₁ + L₂ over one step
    steps_taken: Tensor  # of stage 2
    first_wins: Tensor  # the first pair has more of it


def warm_up() -> Program:
    """Algorithm 1 in the setting of Theorem 2: three subjects and all six bijections."""
    program = two_stage_descent(affine_reduced(SUBJECTS))

    def report(ends: tuple[Descent, ...], p: Any) -> TwoStage:
        return _report(program.report(ends, p), p)

    return program._replace(report=report)


def _report(end: End, p: Any) -> TwoStage:
    t = p.temperature
    along_slice = slice_loss(SLICE_X, SUBJECTS, t)
    one_pair_loss = along_slice[0]
    predicted_a = inner_minimum(SUBJECTS, t)  # without one the theorem predicts nothing
    predicted_loss = slice_loss(predicted_a, SUBJECTS, t)
    lowest = torch.where(predicted_loss < one_pair_loss, predicted_loss, one_pair_loss)  # NaN is not less
    direction = torch.tensor(ESCAPE_DIRECTION, dtype=torch.float64)
    overlap = perturbation(p.seed, p.perturbation_radius)[:6] @ direction
    growth = torch.log1p(-p.rate_2 * t**2 * saddle_curvature(SUBJECTS, t))
    return TwoStage(
        slice_loss=along_slice,
        predicted_a=predicted_a,
        measured_a=end.lesser,
        predicted_loss=predicted_loss,
        measured_loss=end.loss,
        predicted_escape=escape_time(overlap, growth),
        measured_escape=end.escape,
        mismatch=end.mismatch,
        leak=end.leak,
        overlap=overlap,
        probability=end.probability,
        confusing=end.confusing,
        answer=end.answer,
        attention=end.attention,
        end_loss=one_pair_loss,
        lowest=lowest,
        rise=end.rise,
        steps_taken=end.steps,
        first_wins=imbalance(end.attention) > ESCAPED,
    )
