"""Algorithm 1 with three subjects, beside what Theorem 2 and its lemmas predict."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.program import Program
from lib.recall.algorithm import ESCAPED, Descent, End, Schedule, two_stage_descent
from lib.recall.escape import escape_time
from lib.recall.landscape import ESCAPE_DIRECTION, imbalance, inner_minimum, saddle_curvature, slice_loss
from lib.recall.reduction import affine_reduced

SUBJECTS = 3


class TwoStage(NamedTuple):
    """What Algorithm 1 comes to, beside what Theorem 2 and its lemmas predict."""

    slice_x: Tensor  # (101,) x from 0 to ½
    slice_loss: Tensor  # (101,) L₁ at attention (x, x, ½ − x, ½ − x, 0, 0)
    predicted_a: Tensor  # the first minimum of the slice below the saddle; NaN if there is none inside
    predicted_rest: Tensor  # ½ − a, the attention on each token of the other pair
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
    cold: Tensor  # the slice's inner minimum is its lowest point
    perturbed: Tensor  # ⟨ξ, ε̃⟩ ≠ 0
    small_steps: Tensor  # the loss never rose
    endless: Tensor  # stage 1 was taken to its limit
    settled: Tensor  # stage 2 ended before its steps were spent
    inside: Tensor  # the slice has an inner minimum
    left: Tensor  # the two examples have unlike attention
    first_wins: Tensor  # the first pair has more of it


def warm_up() -> Program:
    """Algorithm 1 in the setting of Theorem 2: three subjects and all six bijections."""
    program = two_stage_descent(affine_reduced(SUBJECTS))

    def report(ends: tuple[Descent, ...], p: Schedule) -> TwoStage:
        return _report(program.report(ends, p), p)

    return program._replace(report=report)


def _report(end: End, p: Schedule) -> TwoStage:
    t = p.temperature
    x = torch.linspace(0, 0.5, 101, dtype=torch.float64)
    at = slice_loss(x, SUBJECTS, t)
    predicted_a = inner_minimum(SUBJECTS, t)  # without one the theorem predicts nothing
    predicted_loss = slice_loss(predicted_a, SUBJECTS, t)
    cold = predicted_loss < at[0]  # NaN is not less
    direction = torch.tensor(ESCAPE_DIRECTION, dtype=torch.float64)
    overlap = noise.ball(p.seed, 13, p.perturbation_radius)[:6] @ direction
    growth = torch.log1p(-p.rate_2 * t**2 * saddle_curvature(SUBJECTS, t))
    return TwoStage(
        slice_x=x,
        slice_loss=at,
        predicted_a=predicted_a,
        predicted_rest=0.5 - predicted_a,
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
        end_loss=at[0],
        lowest=torch.where(cold, predicted_loss, at[0]),
        cold=cold,
        perturbed=overlap != 0,
        small_steps=end.rise < 1e-9,
        endless=p.to_limit > 0.5,
        settled=end.stopped,
        inside=predicted_a > 0,
        left=imbalance(end.attention).abs() > ESCAPED,
        first_wins=imbalance(end.attention) > ESCAPED,
    )
