"""Unseen facts: how many a fine-tuned model gives out, by multiplicity, phrases and fine-tuning (Theorem 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from lib.domain import Domain
from lib.knowledge import data
from lib.knowledge.data import Facts
from lib.knowledge.dynamics import course
from lib.knowledge.dynamics.course import TUNING_DOMAINS, Learner, Tuning
from lib.solve import Program, record

DOMAINS = (*course.DOMAINS, Domain("share", low=0, high=1), *TUNING_DOMAINS)
DEFAULTS = {**course.DEFAULTS, "share": 0.5, **course.TUNING}
GOOD = 0.9
"""The accuracy on unseen facts that counts as extraction."""


Extraction = record("Extraction", (domain.name for domain in DOMAINS))
"""The parameters, each a 0-d tensor: see :class:`Sharing`."""


class Sharing(Tuning, Protocol):
    """The share of the frequent facts that are fine-tuned, beside what all courses have."""

    @property
    def share(self) -> Tensor: ...


class Extracted(NamedTuple):
    """What it comes to, at the end of fine-tuning and at its best step."""

    tuned: Tensor  # facts that are fine-tuned
    accuracy: Tensor  # at the end, on unseen facts
    frequent: Tensor  # on the unseen frequent ones; NaN where there are none
    rare: Tensor
    best: Tensor  # the greatest accuracy on unseen facts of all steps
    best_step: Tensor  # the first step that has it
    best_frequent: Tensor  # the other two at that step
    best_rare: Tensor
    predicted: Tensor  # share of the unseen facts all of whose phrases are covered
    predicted_frequent: Tensor
    predicted_rare: Tensor
    coverage: Tensor  # (10,) fine-tuned facts stated with each phrase; NaN where there is no such phrase
    covered: Tensor  # phrases covered at least once
    expected: Tensor  # their expected number: R (1 − (1 − K/R)^n)
    excess: Tensor  # pre-training loss minus its entropy
    kinds: Tensor  # (5,) answers to unseen questions at the end
    kinds_best: Tensor  # … at the best step
    before: Tensor  # (5,) … before fine-tuning
    enough: Tensor  # lights: every phrase is covered
    acquired: Tensor  # the pre-training loss is within 0.1 of its entropy
    early: Tensor  # the last step is the best
    verdict: Tensor  # 0 confirmed, 1 contradicted, 2 outside, 3 beyond
    story: Tensor  # 0 extracted, 1 extracted and then overfitted, 2 not extracted, 3 nothing fine-tuned


class Tuned(NamedTuple):
    """A learner in fine-tuning, and the best that it has been."""

    learner: Learner
    step: Tensor
    best: Tensor  # (4,) accuracies at the best step, as in Seen
    best_step: Tensor
    best_kinds: Tensor  # (5,)
    before: Tensor  # (5,) kinds of answers before fine-tuning


def by_share(known: Facts, p: Sharing) -> Tensor:
    """A random share of the frequent facts."""
    return data.fine_tuned(known, p.share)


def extraction(
    choose: Callable[[Facts, Any], Tensor] = by_share,
    parameters: Callable[..., Any] = Extraction,
    domains: tuple[Domain, ...] = DOMAINS,
    report: Callable[[Extracted, Tuned, Any], Any] = lambda found, s, p: found,
) -> Program:
    """Pre-training, then fine-tuning on the facts that ``choose(known, parameters)`` marks."""
    tuning = course.fine_tuning(choose)

    def start(p: Any) -> Tuned:
        learner = course.start(p)
        zero, seen = torch.zeros((), dtype=torch.float64), learner.seen
        return Tuned(learner, zero, seen.accuracy, zero, seen.kinds, seen.kinds)

    def enter(s: Tuned, p: Any) -> Tuned:
        learner = tuning.enter(s.learner, p)
        seen = learner.seen
        return Tuned(learner, torch.zeros_like(s.step), seen.accuracy, s.step * 0, seen.kinds, seen.kinds)

    def tune(s: Tuned, p: Any) -> tuple[Tuned, Tensor]:
        learner, done = tuning.step(s.learner, p)
        now = s.step + 1
        better = learner.seen.accuracy[0] > s.best[0] + 1e-9
        return (
            s._replace(
                learner=learner,
                step=now,
                best=torch.where(better, learner.seen.accuracy, s.best),
                best_step=torch.where(better, now, s.best_step),
                best_kinds=torch.where(better, learner.seen.kinds, s.best_kinds),
            ),
            done,
        )

    stages = (*course.inside(course.pretraining(), "learner"), tuning._replace(enter=enter, step=tune))
    return Program(
        parameters,
        domains,
        start,
        stages,
        lambda s, p: s.learner.seen,
        lambda ends, p: report(found(ends[-1], p), ends[-1], p),
    )


def prediction(known: Facts, chosen: Tensor) -> Tensor:
    """Share of facts all of whose phrases some chosen fact is stated with: (3,) unseen, unseen frequent, rare.

    The relation-covering characterisation: fine-tuning lowers a phrase only if a fine-tuned fact has it.
    """
    reached = data.reached(known, data.covered(known, chosen))
    unseen = 1 - chosen
    groups = (unseen, unseen * known.frequent, 1 - known.frequent)
    return torch.stack([data.mean_of(reached, group) for group in groups])


def found(s: Tuned, p: Any) -> Extracted:
    """The report of a course with fine-tuning."""
    known, chosen, seen = s.learner.known, s.learner.chosen, s.learner.seen
    real = s.learner.used > 0.5
    coverage = data.covered(known, chosen)
    tuned = chosen.sum()
    predicted = prediction(known, chosen)
    covered = (real & (coverage > 0.5)).to(torch.float64).sum()
    enough = covered >= p.phrases
    acquired = seen.excess <= 0.1
    early = seen.accuracy[0] >= s.best[0] - 1e-9
    good = s.best[0] >= GOOD
    holds = enough & acquired
    verdict = torch.where(holds, torch.where(good, 0.0, 1.0), torch.where(good, 3.0, 2.0))
    story = torch.where(good, torch.where(seen.accuracy[0] >= GOOD, 0.0, 1.0), 2.0)
    return Extracted(
        tuned=tuned,
        accuracy=seen.accuracy[0],
        frequent=seen.accuracy[1],
        rare=seen.accuracy[2],
        best=s.best[0],
        best_step=s.best_step,
        best_frequent=s.best[1],
        best_rare=s.best[2],
        predicted=predicted[0],
        predicted_frequent=predicted[1],
        predicted_rare=predicted[2],
        coverage=torch.where(real, coverage, torch.full_like(coverage, torch.nan)),
        covered=covered,
        expected=p.phrases * (1 - (1 - p.multiplicity / p.phrases) ** tuned),
        excess=seen.excess,
        kinds=seen.kinds,
        kinds_best=s.best_kinds,
        before=s.before,
        enough=enough.to(torch.float64),
        acquired=acquired.to(torch.float64),
        early=early.to(torch.float64),
        verdict=verdict.to(torch.float64),
        story=torch.where(tuned < 0.5, 3.0, story.to(torch.float64)),
    )
