"""Fine-tuning along the best low-rank approximation of each gradient, beside full fine-tuning (Appendix H)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from lib.domain import Domain
from lib.knowledge import data
from lib.knowledge.dynamics import course
from lib.knowledge.dynamics.course import SIZES, SUBJECTS, TUNING_DOMAINS, Learner
from lib.knowledge.dynamics.multiplicity import Sharing
from lib.knowledge.dynamics.tokens import TINY, State, unit
from lib.solve import Program, Stage, record

MOST_RANKS = 4
FIRST_ROUNDS = 4
"""Of the power method, from the direction of the step before."""
ROUNDS, MORE_ROUNDS = 1, 6
"""In a step, and for the first gradient, whose values are shown."""

NONE = 1e-10
"""What is left of a direction below this is rounding: the gradient has fewer ranks."""

DOMAINS = (
    *course.DOMAINS,
    Domain("share", low=0, high=1),
    Domain("ranks", low=1, high=MOST_RANKS, integer=True),
    *TUNING_DOMAINS,
)
DEFAULTS = {**course.DEFAULTS, "share": 0.5, "ranks": 1, **course.TUNING, "steps": 30}


LowRank = record("LowRank", (domain.name for domain in DOMAINS))
"""The parameters, each a 0-d tensor: see :class:`Ranking`."""


class Ranking(Sharing, Protocol):
    """How many directions are kept, beside what all courses with a share have."""

    @property
    def ranks(self) -> Tensor: ...


class Spectrum(NamedTuple):
    """The leading part of a gradient as a matrix of tokens by neurons.

    Attributes:
        values: (4,) the largest singular values. ``rest``: 0-d, root of the sum of squares of all others.
        right: (N + 1, 4) the vectors on the side of the tokens s_1 … s_N, p, orthonormal columns.
    """

    values: Tensor
    rest: Tensor
    right: Tensor


class Pair(NamedTuple):
    """The state: two learners that start alike."""

    full: Learner
    low: Learner
    right: Tensor  # (N + 1, 4) leading directions of the low-rank learner's gradient
    first: Spectrum  # of the first gradient
    alike: Tensor  # mean cosine between two fine-tuned facts' parts of it
    best: Tensor  # (2,) greatest accuracy on unseen facts so far: full, low rank


class Watched(NamedTuple):
    """What is drawn on the way."""

    accuracy: Tensor  # (2,) on unseen facts: full, low rank
    learned: Tensor  # (2,) on fine-tuned ones; NaN where there are none
    aligned: Tensor  # |cosine| of p and the first direction of the low-rank learner's gradient
    excess: Tensor  # of pre-training


class Compared(NamedTuple):
    """What it comes to."""

    tuned: Tensor
    values: Tensor  # (5,) σ₁ … σ₄ of the first gradient and the rest, over its norm
    expected: Tensor  # (5,) the same from n and the mean cosine alone
    aligned: Tensor  # |cosine| of p and the first right singular vector
    expected_aligned: Tensor  # √(9n/(9n + 1))
    alike: Tensor  # mean cosine of two fine-tuned facts' gradients
    missed: Tensor  # ‖G − G₁‖/‖G‖
    expected_missed: Tensor
    best: Tensor  # accuracy on unseen facts at its best step, full
    best_low: Tensor
    accuracy: Tensor  # … at the end
    accuracy_low: Tensor
    single: Tensor  # lights: rank 1
    many: Tensor  # at least as many fine-tuned facts as phrases
    verdict: Tensor  # 0 as good, 1 worse, 2 better, 3 nothing fine-tuned
    story: Tensor


def leading(matrix: Tensor, right: Tensor, rounds: int) -> Spectrum:
    """The four largest singular values from a guess of their directions; traceable.

    The first direction by the power method: it stands far out. Without it orthogonal iteration with the fourth power
    of the Gram matrix turns the guess into the others; they lie close together, so they are exact to some per cent.

    Args:
        matrix: (N + 1, V m). ``right``: (N + 1, 4).
        rounds: for the directions beyond the first.
    """
    gram = matrix @ matrix.T
    first = right[:, 0]
    for _ in range(FIRST_ROUNDS):
        first = unit(gram @ first)
    power = gram - (first * (gram @ first)).sum() * first[:, None] * first
    for _ in range(2):
        power = power @ power
        power = power / (torch.diagonal(power).sum() + TINY)
    others = right[:, 1:]
    for _ in range(rounds):
        turned, columns = power @ others, [first]
        for c in range(MOST_RANKS - 1):
            column = unit(turned[:, c])
            for _ in range(2):  # once leaves rounding
                for earlier in columns:
                    column = column - earlier * (earlier * column).sum()
                some = torch.square(column).sum() > NONE**2
                column = torch.where(some, unit(column), torch.zeros_like(column))
            columns.append(column)
        others = torch.stack(columns[1:], 1)
    found = torch.cat([first[:, None], others], 1)
    values = torch.sqrt(torch.square(found.T @ matrix).sum(1))
    rest = torch.clamp(torch.square(matrix).sum() - torch.square(values).sum(), min=0)
    return Spectrum(values, torch.sqrt(rest), found)


def questions_part(down: Tensor) -> Tensor:
    """The rows of s_1 … s_N and p, (N + 1, V m): all others are 0."""
    rows = torch.cat([down[1 : 1 + SUBJECTS], down[SIZES.format :]])
    return rows.reshape(SUBJECTS + 1, -1)


def projected(down: State, right: Tensor, ranks: Tensor) -> State:
    """The direction with its features' part replaced by that along the first ``ranks`` of the directions."""
    kept = right * (torch.arange(MOST_RANKS, dtype=torch.float64) < ranks)
    rows = (kept @ (kept.T @ questions_part(down.features))).reshape(SUBJECTS + 1, *down.features.shape[1:])
    shape = torch.zeros_like(down.features)
    features = torch.cat([shape[:1], rows[:-1], shape[1 + SUBJECTS : SIZES.format], rows[-1:]])
    return down._replace(features=features)


def low_rank() -> Program:
    """Pre-training, then both kinds of fine-tuning from there."""

    def start(p: Ranking) -> Pair:
        learner = course.start(p)
        zero = torch.zeros((), dtype=torch.float64)
        right = _guess()
        return Pair(
            learner,
            learner,
            right,
            Spectrum(right[0] * 0, zero, right),
            zero,
            torch.zeros(2, dtype=torch.float64),
        )

    def enter(s: Pair, p: Ranking) -> Pair:
        learner = course.ask(s.full._replace(chosen=data.fine_tuned(s.full.known, p.share)))
        matrix = questions_part(learner.down.features)
        first = leading(matrix, _guess(), MORE_ROUNDS)
        best = learner.seen.accuracy[:1].expand(2) + 0
        return Pair(learner, learner, first.right, first, _alike(matrix[:-1], learner.chosen), best)

    def tune(s: Pair, p: Ranking) -> tuple[Pair, Tensor]:
        full = course.ask(course.move(s.full, s.full.down, p.rate, p.kappa))
        now = leading(questions_part(s.low.down.features), s.right, ROUNDS)
        down = projected(s.low.down, now.right, p.ranks)
        low = course.ask(course.move(s.low, down, p.rate, p.kappa))
        best = torch.maximum(s.best, torch.stack([full.seen.accuracy[0], low.seen.accuracy[0]]))
        return s._replace(full=full, low=low, right=now.right, best=best), p.seed < 0

    def watch(s: Pair, p: Ranking) -> Watched:
        return Watched(
            torch.stack([s.full.seen.accuracy[0], s.low.seen.accuracy[0]]),
            torch.stack([s.full.seen.accuracy[3], s.low.seen.accuracy[3]]),
            s.right[-1, 0].abs(),
            s.full.seen.excess,
        )

    stages = (*course.inside(course.pretraining(), "full"), Stage("fine-tuning", enter, tune, "steps"))
    return Program(LowRank, DOMAINS, start, stages, watch, lambda ends, p: _report(ends[-1], p))


def expected_spectrum(tuned: Tensor, alike: Tensor) -> tuple[Tensor, Tensor]:
    """Singular values over the norm (σ₁; all others alike) if all n facts' parts g_j have one length and cosine ρ.

    With attention ½ the gradient is G = (½ D, (3/2) D 1)/n with columns g_j in D. In the plane of 1/√n and p,
    σ₁² = (g²/n²)(1 + (n − 1)ρ)(1 + 9n)/4 with right vector ∝ (1, 3√n), so that its cosine with p is √(9n/(9n + 1));
    the other n − 1 are (g/n)√(1 − ρ)/2.
    """
    n = torch.clamp(tuned, min=1)
    first = (1 + (n - 1) * alike) * (1 + 9 * n)
    other = torch.clamp(1 - alike, min=0)
    whole = first + (n - 1) * other
    return torch.sqrt(first / whole), torch.sqrt(other / whole)


def _guess() -> Tensor:
    """p, and three waves over the subjects."""
    place = torch.arange(SUBJECTS, dtype=torch.float64)
    waves = torch.stack([torch.sin(place * (1 + c) + c) for c in range(MOST_RANKS - 1)], 1)
    blank = torch.zeros(SUBJECTS, 1, dtype=torch.float64)
    last = torch.cat([torch.ones(1, dtype=torch.float64), torch.zeros(MOST_RANKS - 1, dtype=torch.float64)])
    return torch.cat([torch.cat([blank, waves], 1), last[None]])


def _alike(parts: Tensor, chosen: Tensor) -> Tensor:
    """The mean cosine between two chosen rows; 0 if there are not two."""
    length = torch.sqrt(torch.square(parts).sum(1, keepdim=True) + TINY)
    whole = ((parts / length) * chosen[:, None]).sum(0)
    n = chosen.sum()
    return (torch.square(whole).sum() - n) / torch.clamp(n * (n - 1), min=1)


def _report(s: Pair, p: Ranking) -> Compared:
    tuned = s.full.chosen.sum()
    norm = torch.sqrt(torch.square(s.first.values).sum() + torch.square(s.first.rest) + TINY)
    first, other = expected_spectrum(tuned, s.alike)
    there = (torch.arange(1, MOST_RANKS, dtype=torch.float64) < tuned).to(torch.float64)
    others = torch.clamp(tuned - MOST_RANKS, min=0)
    full, low = s.full.seen.accuracy, s.low.seen.accuracy
    gain = s.best[1] - s.best[0]
    verdict = torch.where(gain.abs() < 0.05, 0.0, torch.where(gain < 0, 1.0, 2.0)).to(torch.float64)
    verdict = torch.where(tuned < 0.5, 3.0, verdict)
    return Compared(
        tuned=tuned,
        values=torch.cat([s.first.values, s.first.rest.reshape(1)]) / norm,
        expected=torch.cat([first.reshape(1), other * there, (other * torch.sqrt(others)).reshape(1)]),
        aligned=s.first.right[-1, 0].abs(),
        expected_aligned=torch.sqrt(9 * tuned / (9 * tuned + 1)),
        alike=s.alike,
        missed=torch.sqrt(torch.clamp(1 - torch.square(s.first.values[0] / norm), min=0)),
        expected_missed=torch.sqrt(torch.clamp(1 - first * first, min=0)),
        best=s.best[0],
        best_low=s.best[1],
        accuracy=full[0],
        accuracy_low=low[0],
        single=(p.ranks < 1.5).to(torch.float64),
        many=(tuned >= p.phrases).to(torch.float64),
        verdict=verdict,
        story=verdict,
    )
