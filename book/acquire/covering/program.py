"""Controlled coverage: fine-tune only on facts whose phrases lie among the first q, and see what opens."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import course, task
from lib.acquire.course import FREQUENT, MOST_PHRASES, SUBJECTS, whole
from lib.acquire.extraction import Tuning, coverage, extraction, prediction, with_defaults
from lib.acquire.task import Facts
from lib.program import Program, record

DOMAINS = with_defaults(
    (
        *course.DOMAINS,
        whole("reach", 0, MOST_PHRASES, 5, words="phrases to cover (q)"),
        whole("turned", 0, 2**FREQUENT - 1, 0, words="facts switched by hand (code)"),
        *course.TUNING_DOMAINS,
    ),
    multiplicity=2,
)
"""Fine-tuned are the frequent facts stated with the first ``reach`` phrases only; bit j of ``turned`` flips fact j."""
Coverage = record("Coverage", (domain.name for domain in DOMAINS))


class Covered(NamedTuple):
    """What fine-tuning within the first q phrases comes to; each 0-d unless a shape is given."""

    tuned: Tensor  # facts that are fine-tuned
    chosen: Tensor  # (32,) which of the frequent ones
    relative_coverage: (
        Tensor  # (10,) coverage of each phrase over the largest; NaN where there is no such phrase
    )
    covered: Tensor  # phrases covered
    accuracy: Tensor  # at the best step, on unseen facts
    best_step: Tensor
    fair: Tensor  # on unseen facts with early stopping: see CrossFitted
    frequent: Tensor
    rare: Tensor
    predicted: Tensor  # share of the unseen facts all of whose phrases are covered
    predicted_frequent: Tensor
    predicted_rare: Tensor
    leaked: Tensor  # how many other facts were right at any step
    predicted_at: Tensor  # (11,) the prediction for unseen facts at every q from 0 to 10; NaN beyond R
    deeply: Tensor  # unseen facts all of whose phrases are covered 3K times or more
    missed: Tensor  # how many of those are wrong with early stopping
    unseen: Tensor  # facts that are not fine-tuned
    reachable: Tensor  # those all of whose phrases are covered
    right_best: Tensor  # how many of them are answered correctly at the best step
    right_end: Tensor  # … at the last
    context_attention: Tensor  # d times the greatest attention on o, before fine-tuning


def choose(known: Facts, p: Any) -> Tensor:
    """The facts within reach, single ones flipped by the bits of ``turned``; (N,) of 0 and 1."""
    bits = torch.remainder(torch.floor(p.turned / 2.0 ** torch.arange(FREQUENT, dtype=torch.float64)), 2)
    turned = torch.cat([bits, torch.zeros(SUBJECTS - FREQUENT, dtype=torch.float64)])
    chosen = task.within(known, p.reach)
    return chosen + turned * (1 - 2 * chosen)


def covering() -> Program:
    """Pre-training, then fine-tuning on the facts within reach."""
    return extraction(Coverage, DOMAINS, choose, _report)


def _report(s: Tuning, p: Any) -> Covered:
    known, chosen = s.learner.known, s.learner.chosen
    counts, predicted = coverage(s.learner), prediction(known, chosen)
    counted = torch.nan_to_num(counts)
    reaches = torch.arange(MOST_PHRASES + 1, dtype=torch.float64)
    predicted_at = torch.stack([prediction(known, task.within(known, reach))[0] for reach in reaches])
    deep = (1 - chosen) * task.reached(known, counted, 3 * p.multiplicity)
    return Covered(
        tuned=chosen.sum(),
        chosen=chosen[:FREQUENT],
        relative_coverage=counts / torch.clamp(counted.amax(), min=1),
        covered=(counted > 0.5).to(torch.float64).sum(),
        accuracy=s.best[0],
        best_step=s.best_step,
        fair=task.mean_of(s.cross_fitted.right, 1 - chosen),
        frequent=s.best[1],
        rare=s.best[2],
        predicted=predicted[0],
        predicted_frequent=predicted[1],
        predicted_rare=predicted[2],
        leaked=s.leaked,
        predicted_at=torch.where(
            reaches <= p.phrases, predicted_at, torch.full_like(predicted_at, torch.nan)
        ),
        deeply=deep.sum(),
        missed=(deep * (1 - s.cross_fitted.right)).sum(),
        unseen=(1 - chosen).sum(),
        reachable=predicted[0] * (1 - chosen).sum(),
        right_best=s.best[0] * (1 - chosen).sum(),
        right_end=s.learner.seen.accuracy[0] * (1 - chosen).sum(),
        context_attention=p.dimension * s.learner.seen.on_context,
    )
