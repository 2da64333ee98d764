"""Fine-tuning in full, along the leading directions of each gradient, and on the format token's products alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import course, task
from lib.acquire.course import Learner, whole
from lib.acquire.extraction import CrossFitted, answer_questions, cross_fitted
from lib.acquire.low_rank import (
    MORE_ROUNDS,
    MOST_RANKS,
    ROUNDS,
    Spectrum,
    alike,
    expected_spectrum,
    guess,
    leading,
    projected,
    questions_part,
)
from lib.acquire.tokens import TINY, State
from lib.domain import Domain
from lib.program import Program, Stage, record

RATE, STEPS = course.TUNING_DOMAINS
DOMAINS = (
    *course.DOMAINS,
    course.SHARE,
    whole("ranks", 1, MOST_RANKS, 1, words="rank of the updates"),
    RATE,
    STEPS._replace(default=30, track=(0, 100, 5)),
    Domain("residual", 0, 1, default=1.0, words="residual connection", track=(0.0, 1.0, 0.05)),
    Domain("tilt", low=-10, high=10, default=0),
    Domain("along", low=0, high=1, integer=True, default=1),
)
"""``residual`` is what p counts for on top of its attention, from the first question on; in pre-training it is 1.
``tilt`` is added to each subject's score under p before fine-tuning. With ``along`` = 0 low-rank steps leave the
products with p as they were."""
LowRank = record("LowRank", (domain.name for domain in DOMAINS))


class ThreeLearners(NamedTuple):
    """The state: three learners that start alike."""

    full: Learner
    low: Learner  # moves along the leading directions of its gradient
    alone: Learner  # moves the products with p only
    right: Tensor  # (N + 1, 4) leading directions of the low-rank learner's gradient
    first: Spectrum  # of the first gradient
    alike: Tensor  # mean cosine between two fine-tuned facts' parts of it
    uneven: Tensor  # the greatest |α − ½| on [s p] before fine-tuning
    best: Tensor  # (3,) greatest accuracy on unseen facts so far, in hindsight: full, low rank, p alone
    cross_fitted: tuple[CrossFitted, CrossFitted, CrossFitted]
    step: Tensor


class Watched(NamedTuple):
    """What is drawn on the way."""

    accuracy: Tensor  # (3,) on unseen facts: full, low rank, p alone
    learned: Tensor  # (2,) on fine-tuned ones; NaN where there are none
    aligned: Tensor  # |cosine| of p and the first direction of the low-rank learner's gradient
    excess: Tensor  # of pre-training


class Compared(NamedTuple):
    """What the three kinds of fine-tuning come to; each 0-d unless a shape is given."""

    tuned: Tensor  # facts that are fine-tuned
    ranks: Tensor
    values: Tensor  # (5,) σ₁ … σ₄ of the first gradient and the rest, over its norm
    expected: Tensor  # (5,) the same from n and the mean cosine alone
    aligned: Tensor  # |cosine| of p and the first right singular vector
    expected_aligned: Tensor  # √(9n/(9n + 1)) with the whole residual connection
    alike: Tensor  # mean cosine of two fine-tuned facts' gradients
    missed: Tensor  # ‖G − G₁‖/‖G‖
    expected_missed: Tensor
    left: Tensor  # the square of what is missed: what a drawing of squares leaves
    expected_left: Tensor
    left_here: Tensor  # … of what the updates' rank leaves
    uneven: Tensor  # the greatest |α − ½| on [s p] before fine-tuning
    cross_fitted_accuracy: Tensor  # on unseen facts with early stopping, full: see CrossFitted
    cross_fitted_accuracy_low: Tensor
    cross_fitted_accuracy_alone: Tensor
    best: Tensor  # accuracy on unseen facts at its best step, full
    best_low: Tensor
    best_alone: Tensor
    accuracy: Tensor  # … at the end
    accuracy_low: Tensor
    context_attention: Tensor  # d times the greatest attention on o, before fine-tuning


def low_rank() -> Program:
    """Pre-training, then three kinds of fine-tuning from there."""
    stages = (*course.inside(course.pretraining(), "full"), Stage("fine-tuning", _enter, _tune, "steps"))
    return Program(LowRank, DOMAINS, _start, stages, _watch, lambda ends, p: _report(ends[-1], p))


def _start(p: Any) -> ThreeLearners:
    learner, right = course.start(p), guess()
    zero = torch.zeros((), dtype=torch.float64)
    no_answers = cross_fitted(learner.chosen, learner.chosen, learner.chosen)
    return ThreeLearners(
        full=learner,
        low=learner,
        alone=learner,
        right=right,
        first=Spectrum(right[0] * 0, zero, right),
        alike=zero,
        uneven=zero,
        best=torch.zeros(3, dtype=torch.float64),
        cross_fitted=(no_answers, no_answers, no_answers),
        step=zero,
    )


def _enter(s: ThreeLearners, p: Any) -> ThreeLearners:
    """Tilt the scores, choose the facts, and take the first gradient apart."""
    scores = s.full.model.scores
    tilted = scores._replace(subject_format=scores.subject_format + p.tilt)
    model = s.full.model._replace(scores=tilted)
    chosen = task.fine_tuned(s.full.known, p.share)
    learner, answers = answer_questions(s.full._replace(model=model, chosen=chosen), p.residual)
    matrix = questions_part(learner.down.features)
    first = leading(matrix, guess(), MORE_ROUNDS)
    begun = cross_fitted(answers.right, answers.lead, chosen)
    return ThreeLearners(
        full=learner,
        low=learner,
        alone=learner,
        right=first.right,
        first=first,
        alike=alike(matrix[:-1], learner.chosen),
        uneven=(answers.attention - 0.5).abs().amax(),
        best=learner.seen.accuracy[:1].expand(3) + 0,
        cross_fitted=(begun, begun, begun),
        step=s.step * 0,
    )


def _tune(s: ThreeLearners, p: Any) -> tuple[ThreeLearners, Tensor]:
    """A step of each learner; it is never done before its number of steps."""
    spectrum = leading(questions_part(s.low.down.features), s.right, ROUNDS)
    is_format = torch.zeros_like(s.low.down.features[:, :1, :1])
    is_format = torch.cat([is_format[:-1], is_format[-1:] + 1])  # 1 for p, the last token
    low_down = projected(s.low.down, spectrum.right, p.ranks)
    low_down = low_down._replace(features=low_down.features * (1 - is_format * (1 - p.along)))
    alone_down = s.alone.down._replace(features=s.alone.down.features * is_format * p.along)
    full, full_fitted = _moved(s.full, s.full.down, s.cross_fitted[0], p)
    low, low_fitted = _moved(s.low, low_down, s.cross_fitted[1], p)
    alone, alone_fitted = _moved(s.alone, alone_down, s.cross_fitted[2], p)
    accuracy = torch.stack([learner.seen.accuracy[0] for learner in (full, low, alone)])
    after = s._replace(
        full=full,
        low=low,
        alone=alone,
        right=spectrum.right,
        best=torch.maximum(s.best, accuracy),
        cross_fitted=(full_fitted, low_fitted, alone_fitted),
        step=s.step + 1,
    )
    return after, p.seed < 0


def _moved(learner: Learner, down: State, before: CrossFitted, p: Any) -> tuple[Learner, CrossFitted]:
    """A step of one learner, and its answers with early stopping."""
    after, answers = answer_questions(course.move(learner, down, p.rate, p.kappa), p.residual)
    return after, cross_fitted(answers.right, answers.lead, after.chosen, before)


def _watch(s: ThreeLearners, p: Any) -> Watched:
    return Watched(
        torch.stack([learner.seen.accuracy[0] for learner in (s.full, s.low, s.alone)]),
        torch.stack([s.full.seen.accuracy[3], s.low.seen.accuracy[3]]),
        s.right[-1, 0].abs(),
        s.full.seen.excess,
    )


def _report(s: ThreeLearners, p: Any) -> Compared:
    tuned = s.full.chosen.sum()
    norm = torch.sqrt(torch.square(s.first.values).sum() + torch.square(s.first.rest) + TINY)
    first, other, aligned = expected_spectrum(tuned, s.alike, p.residual)
    stopped = [task.mean_of(each.right, 1 - s.full.chosen) for each in s.cross_fitted]
    exists = (torch.arange(1, MOST_RANKS, dtype=torch.float64) < tuned).to(torch.float64)
    used = (torch.arange(MOST_RANKS, dtype=torch.float64) < p.ranks).to(torch.float64)
    further = torch.clamp(tuned - MOST_RANKS, min=0)  # how many singular values are not shown
    return Compared(
        tuned=tuned,
        ranks=p.ranks,
        values=torch.cat([s.first.values, s.first.rest.reshape(1)]) / norm,
        expected=torch.cat([first.reshape(1), other * exists, (other * torch.sqrt(further)).reshape(1)]),
        aligned=s.first.right[-1, 0].abs(),
        expected_aligned=aligned,
        alike=s.alike,
        missed=torch.sqrt(torch.clamp(1 - torch.square(s.first.values[0] / norm), min=0)),
        expected_missed=torch.sqrt(torch.clamp(1 - first * first, min=0)),
        left=torch.clamp(1 - torch.square(s.first.values[0] / norm), min=0),
        expected_left=torch.clamp(1 - first * first, min=0),
        left_here=torch.clamp(1 - (torch.square(s.first.values / norm) * used).sum(), min=0),
        uneven=s.uneven,
        cross_fitted_accuracy=stopped[0],
        cross_fitted_accuracy_low=stopped[1],
        cross_fitted_accuracy_alone=stopped[2],
        best=s.best[0],
        best_low=s.best[1],
        best_alone=s.best[2],
        accuracy=s.full.seen.accuracy[0],
        accuracy_low=s.low.seen.accuracy[0],
        context_attention=p.dimension * s.full.seen.on_context,
    )
