"""Controlled coverage: fine-tune only on facts whose phrases lie among the first q, and see what opens."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from lib.domain import Domain
from lib.knowledge import data
from lib.knowledge.data import Facts
from lib.knowledge.dynamics import course, multiplicity
from lib.knowledge.dynamics.course import FREQUENT, MOST_PHRASES, SUBJECTS, Tuning
from lib.knowledge.dynamics.multiplicity import Extracted, Tuned
from lib.solve import Program, record

DOMAINS = (
    *course.DOMAINS,
    Domain("reach", low=0, high=MOST_PHRASES, integer=True),
    Domain("turned", low=0, high=2**FREQUENT - 1, integer=True),
    *course.TUNING_DOMAINS,
)
DEFAULTS = {**course.DEFAULTS, "multiplicity": 2, "reach": 5, "turned": 0, **course.TUNING}


Coverage = record("Coverage", (domain.name for domain in DOMAINS))
"""The parameters, each a 0-d tensor: see :class:`Reaching`."""


class Reaching(Tuning, Protocol):
    """Which facts are fine-tuned, beside what all courses have."""

    @property
    def reach(self) -> Tensor: ...  # q: the frequent facts that are stated with the first q phrases only
    @property
    def turned(self) -> Tensor: ...  # bit j turns that over for fact j


class Covered(NamedTuple):
    """What it comes to."""

    tuned: Tensor  # facts that are fine-tuned
    chosen: Tensor  # (32,) which of the frequent ones
    lit: Tensor  # (10,) coverage of each phrase over the largest; NaN where there is no such phrase
    covered: Tensor  # phrases covered
    accuracy: Tensor  # at the best step, on unseen facts
    best_step: Tensor
    frequent: Tensor
    rare: Tensor
    predicted: Tensor  # share of the unseen facts all of whose phrases are covered
    predicted_frequent: Tensor
    predicted_rare: Tensor
    reaches: Tensor  # (11,) 0 … 10
    predicted_at: Tensor  # (11,) the prediction for unseen facts at every q; NaN beyond R
    now_reach: Tensor  # (1,) q and
    now_accuracy: Tensor  # (1,) the accuracy there
    some: Tensor  # lights: some fact is fine-tuned
    acquired: Tensor  # the pre-training loss is within 0.1 of its entropy
    plain: Tensor  # facts are chosen by q alone
    verdict: Tensor  # 0 as predicted, 1 fewer than predicted, 2 more, 3 nothing fine-tuned
    story: Tensor


def choose(known: Facts, p: Reaching) -> Tensor:
    """The facts within reach, with single ones turned over by the bits of ``turned``."""
    bits = torch.remainder(torch.floor(p.turned / 2.0 ** torch.arange(FREQUENT, dtype=torch.float64)), 2)
    turned = torch.cat([bits, torch.zeros(SUBJECTS - FREQUENT, dtype=torch.float64)])
    chosen = data.within(known, p.reach)
    return chosen + turned * (1 - 2 * chosen)


def covering() -> Program:
    """The course of :func:`~lib.knowledge.dynamics.multiplicity.extraction` with facts chosen by their phrases."""
    return multiplicity.extraction(choose, Coverage, DOMAINS, _report)


def _report(found: Extracted, s: Tuned, p: Reaching) -> Covered:
    known = s.learner.known
    reaches = torch.arange(MOST_PHRASES + 1, dtype=torch.float64)
    at = torch.stack([multiplicity.prediction(known, data.within(known, q))[0] for q in reaches])
    miss = found.best - found.predicted
    verdict = torch.where(miss.abs() < 0.05, 0.0, torch.where(miss < 0, 1.0, 2.0))
    verdict = torch.where(found.tuned < 0.5, 3.0, verdict.to(torch.float64))
    most = torch.clamp(torch.nan_to_num(found.coverage).amax(), min=1)
    return Covered(
        tuned=found.tuned,
        chosen=s.learner.chosen[:FREQUENT],
        lit=found.coverage / most,
        covered=found.covered,
        accuracy=found.best,
        best_step=found.best_step,
        frequent=found.best_frequent,
        rare=found.best_rare,
        predicted=found.predicted,
        predicted_frequent=found.predicted_frequent,
        predicted_rare=found.predicted_rare,
        reaches=reaches,
        predicted_at=torch.where(reaches <= p.phrases, at, torch.full_like(at, torch.nan)),
        now_reach=p.reach.reshape(1),
        now_accuracy=found.best.reshape(1),
        some=(found.tuned > 0.5).to(torch.float64),
        acquired=found.acquired,
        plain=(p.turned < 0.5).to(torch.float64),
        verdict=verdict,
        story=verdict,
    )
