"""Fine-tuning in full, along the leading directions of each gradient, and on the format token's products alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import course, task
from lib.acquire.course import Learner, whole
from lib.acquire.extraction import Crossed, ask, crossed, filtered
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
    whole("ranks", 1, MOST_RANKS, 1, words="rank"),
    RATE,
    STEPS._replace(default=30, track=(0, 100, 5)),
    Domain("residual", 0, 1, default=1.0, words="residual connection, in questions", track=(0.0, 1.0, 0.05)),
    Domain("tilt", low=-10, high=10, default=0),
    Domain("along", low=0, high=1, integer=True, default=1),
)
"""``residual`` is what p counts for on top of its attention, from the first question on: pre-training has it whole.
``tilt`` is added to each subject's score under p before fine-tuning; ``along`` 0: low-rank steps leave the products
with p as they were."""
LowRank = record("LowRank", (domain.name for domain in DOMAINS))


class Three(NamedTuple):
    """The state: three learners that start alike."""

    full: Learner
    low: Learner
    alone: Learner  # moves the products with p only
    right: Tensor  # (N + 1, 4) leading directions of the low-rank learner's gradient
    first: Spectrum  # of the first gradient
    alike: Tensor  # mean cosine between two fine-tuned facts' parts of it
    uneven: Tensor  # the greatest |α − ½| on [s p] before fine-tuning
    best: Tensor  # (3,) greatest accuracy on unseen facts so far, in hindsight: full, low rank, p alone
    fair: tuple[Crossed, Crossed, Crossed]
    step: Tensor


class Watched(NamedTuple):
    """What is drawn on the way."""

    accuracy: Tensor  # (3,) on unseen facts: full, low rank, p alone
    learned: Tensor  # (2,) on fine-tuned ones; NaN where there are none
    aligned: Tensor  # |cosine| of p and the first direction of the low-rank learner's gradient
    excess: Tensor  # of pre-training


class Compared(NamedTuple):
    """What it comes to."""

    tuned: Tensor
    ranks: Tensor
    values: Tensor  # (5,) σ₁ … σ₄ of the first gradient and the rest, over its norm
    expected: Tensor  # (5,) the same from n and the mean cosine alone
    aligned: Tensor  # |cosine| of p and the first right singular vector
    expected_aligned: Tensor  # √(9n/(9n + 1)) with the whole residual connection
    alike: Tensor  # mean cosine of two fine-tuned facts' gradients
    missed: Tensor  # ‖G − G₁‖/‖G‖
    expected_missed: Tensor
    fair: Tensor  # accuracy on unseen facts at steps that other unseen facts choose, full: see Crossed
    fair_low: Tensor
    fair_alone: Tensor
    best: Tensor  # accuracy on unseen facts at its best step in hindsight, full
    best_low: Tensor
    best_alone: Tensor
    accuracy: Tensor  # … at the end
    accuracy_low: Tensor
    single: Tensor  # hypotheses: rank 1
    whole: Tensor  # the residual connection is as in the paper
    along: Tensor  # low-rank steps move the products with p
    even: Tensor  # attention on questions is ½, to half a hundredth
    several: Tensor  # K at least 2
    filtered: Tensor  # attention on o is at most 2/(3d) before fine-tuning
    some: Tensor  # some fact is fine-tuned
    came: Tensor  # some unseen fact came out, by full or by low-rank steps
    stayed: Tensor  # no step was made
    level: Tensor  # full and low-rank steps are equally good at their best


def low_rank() -> Program:
    """Pre-training, then three kinds of fine-tuning from there."""

    def start(p: Any) -> Three:
        learner, right = course.start(p), guess()
        zero = torch.zeros((), dtype=torch.float64)
        nothing = Spectrum(right[0] * 0, zero, right)
        none = crossed(learner.chosen, learner.chosen, learner.chosen)
        best = torch.zeros(3, dtype=torch.float64)
        return Three(learner, learner, learner, right, nothing, zero, zero, best, (none, none, none), zero)

    def enter(s: Three, p: Any) -> Three:
        scores = s.full.model.scores
        tilted = scores._replace(subject_format=scores.subject_format + p.tilt)
        model = s.full.model._replace(scores=tilted)
        chosen = task.fine_tuned(s.full.known, p.share)
        learner, asked = ask(s.full._replace(model=model, chosen=chosen), p.residual)
        matrix = questions_part(learner.down.features)
        first = leading(matrix, guess(), MORE_ROUNDS)
        best = learner.seen.accuracy[:1].expand(3) + 0
        uneven = (asked.attention - 0.5).abs().amax()
        even = alike(matrix[:-1], learner.chosen)
        fair = crossed(asked.right, asked.lead, chosen)
        return Three(
            learner, learner, learner, first.right, first, even, uneven, best, (fair, fair, fair), s.step * 0
        )

    def tune(s: Three, p: Any) -> tuple[Three, Tensor]:
        now = leading(questions_part(s.low.down.features), s.right, ROUNDS)
        last = torch.zeros_like(s.low.down.features[:, :1, :1])
        last = torch.cat([last[:-1], last[-1:] + 1])  # 1 for p
        down = projected(s.low.down, now.right, p.ranks)
        down = down._replace(features=down.features * (1 - last * (1 - p.along)))
        only = s.alone.down._replace(features=s.alone.down.features * last * p.along)
        ways = (s.full, s.full.down, s.fair[0]), (s.low, down, s.fair[1]), (s.alone, only, s.fair[2])
        moved = [_moved(learner, direction, fair, p) for learner, direction, fair in ways]
        (full, low, alone), fair = zip(*moved, strict=True)
        best = torch.maximum(s.best, torch.stack([each.seen.accuracy[0] for each in (full, low, alone)]))
        after = s._replace(
            full=full, low=low, alone=alone, right=now.right, best=best, fair=fair, step=s.step + 1
        )
        return after, p.seed < 0

    def watch(s: Three, p: Any) -> Watched:
        return Watched(
            torch.stack([each.seen.accuracy[0] for each in (s.full, s.low, s.alone)]),
            torch.stack([s.full.seen.accuracy[3], s.low.seen.accuracy[3]]),
            s.right[-1, 0].abs(),
            s.full.seen.excess,
        )

    stages = (*course.inside(course.pretraining(), "full"), Stage("fine-tuning", enter, tune, "steps"))
    return Program(LowRank, DOMAINS, start, stages, watch, lambda ends, p: _report(ends[-1], p))


def _moved(learner: Learner, down: State, fair: Crossed, p: Any) -> tuple[Learner, Crossed]:
    after, asked = ask(course.move(learner, down, p.rate, p.kappa), p.residual)
    return after, crossed(asked.right, asked.lead, after.chosen, fair)


def _report(s: Three, p: Any) -> Compared:
    tuned = s.full.chosen.sum()
    norm = torch.sqrt(torch.square(s.first.values).sum() + torch.square(s.first.rest) + TINY)
    first, other, aligned = expected_spectrum(tuned, s.alike, p.residual)
    fair = [task.mean_of(each.right, 1 - s.full.chosen) for each in s.fair]
    there = (torch.arange(1, MOST_RANKS, dtype=torch.float64) < tuned).to(torch.float64)
    others = torch.clamp(tuned - MOST_RANKS, min=0)
    flags = {
        "single": p.ranks < 1.5,
        "whole": p.residual > 0.999,
        "along": p.along > 0.5,
        "even": s.uneven < 0.005,
        "several": p.multiplicity >= 2,
        "some": tuned > 0.5,
        "came": s.best[:2].amax() > 0,
        "stayed": s.step < 0.5,
        "level": (s.best[0] - s.best[1]).abs() < 1e-9,
    }
    return Compared(
        tuned=tuned,
        ranks=p.ranks,
        values=torch.cat([s.first.values, s.first.rest.reshape(1)]) / norm,
        expected=torch.cat([first.reshape(1), other * there, (other * torch.sqrt(others)).reshape(1)]),
        aligned=s.first.right[-1, 0].abs(),
        expected_aligned=aligned,
        alike=s.alike,
        missed=torch.sqrt(torch.clamp(1 - torch.square(s.first.values[0] / norm), min=0)),
        expected_missed=torch.sqrt(torch.clamp(1 - first * first, min=0)),
        fair=fair[0],
        fair_low=fair[1],
        fair_alone=fair[2],
        best=s.best[0],
        best_low=s.best[1],
        best_alone=s.best[2],
        accuracy=s.full.seen.accuracy[0],
        accuracy_low=s.low.seen.accuracy[0],
        filtered=filtered(s.full, p.dimension),
        **{name: flag.to(torch.float64) for name, flag in flags.items()},
    )
