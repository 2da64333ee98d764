"""Controlled coverage: fine-tune only on facts whose phrases lie among the first q, and see what opens."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import course, task
from lib.acquire.course import FREQUENT, MOST_PHRASES, SUBJECTS, whole
from lib.acquire.extraction import Tuned, coverage, extraction, filtered, prediction, standing
from lib.acquire.task import Facts
from lib.program import Program, record

DOMAINS = standing(
    (
        *course.DOMAINS,
        whole("reach", 0, MOST_PHRASES, 5, words="covered phrases", symbol="q"),
        whole("turned", 0, 2**FREQUENT - 1, 0, words="clicked facts, as bits of a number"),
        *course.TUNING_DOMAINS,
    ),
    multiplicity=2,
)
"""Chosen are the frequent facts stated with the first ``reach`` phrases only; bit j of ``turned`` turns that over."""
Coverage = record("Coverage", (domain.name for domain in DOMAINS))


class Covered(NamedTuple):
    """What it comes to."""

    tuned: Tensor  # facts that are fine-tuned
    chosen: Tensor  # (32,) which of the frequent ones
    lit: Tensor  # (10,) coverage of each phrase over the largest; NaN where there is no such phrase
    covered: Tensor  # phrases covered
    accuracy: Tensor  # at the best step in hindsight, on unseen facts
    best_step: Tensor
    fair: Tensor  # on unseen facts at steps that other unseen facts choose: see Crossed
    frequent: Tensor
    rare: Tensor
    predicted: Tensor  # share of the unseen facts all of whose phrases are covered
    predicted_frequent: Tensor
    predicted_rare: Tensor
    leaked: Tensor  # how many other facts were right at any step
    reaches: Tensor  # (11,) 0 … 10
    predicted_at: Tensor  # (11,) the prediction for unseen facts at every q; NaN beyond R
    now_reach: Tensor  # (1,) q and
    now_accuracy: Tensor  # (1,) the accuracy there
    deeply: Tensor  # unseen facts all of whose phrases are covered 3K times or more
    missed: Tensor  # how many of those are wrong at steps that other facts choose
    several: Tensor  # hypotheses: K at least 2
    deep: Tensor  # some unseen fact is covered so deeply; ½ if there is none
    filtered: Tensor  # attention on o is at most 2/(3d) before fine-tuning
    begun: Tensor  # a step was made, on some fact
    passed: Tensor  # further steps than the best one were made
    none: Tensor  # no fact is fine-tuned
    all_lit: Tensor  # every phrase is covered
    exact: Tensor  # just the facts came out all of whose phrases are covered


def choose(known: Facts, p: Any) -> Tensor:
    """The facts within reach, with single ones turned over by the bits of ``turned``."""
    bits = torch.remainder(torch.floor(p.turned / 2.0 ** torch.arange(FREQUENT, dtype=torch.float64)), 2)
    turned = torch.cat([bits, torch.zeros(SUBJECTS - FREQUENT, dtype=torch.float64)])
    chosen = task.within(known, p.reach)
    return chosen + turned * (1 - 2 * chosen)


def covering() -> Program:
    """Pre-training, then fine-tuning on the facts within reach."""
    return extraction(Coverage, DOMAINS, choose, _report)


def _report(s: Tuned, p: Any) -> Covered:
    known, chosen = s.learner.known, s.learner.chosen
    tuned, counts, predicted = chosen.sum(), coverage(s.learner), prediction(known, chosen)
    lamps = torch.nan_to_num(counts)
    covered = (lamps > 0.5).to(torch.float64).sum()
    reaches = torch.arange(MOST_PHRASES + 1, dtype=torch.float64)
    at = torch.stack([prediction(known, task.within(known, q))[0] for q in reaches])
    deep = (1 - chosen) * task.reached(known, lamps, 3 * p.multiplicity)
    flags = {
        "several": p.multiplicity >= 2,
        "begun": (s.step > 0) & (tuned > 0.5),
        "passed": s.step > s.best_step,
        "none": tuned < 0.5,
        "all_lit": covered >= p.phrases,
        "exact": (s.best[0] >= predicted[0] - 1e-9) & (s.leaked < 0.5),
    }
    return Covered(
        tuned=tuned,
        chosen=chosen[:FREQUENT],
        lit=counts / torch.clamp(lamps.amax(), min=1),
        covered=covered,
        accuracy=s.best[0],
        best_step=s.best_step,
        fair=task.mean_of(s.fair.right, 1 - chosen),
        frequent=s.best[1],
        rare=s.best[2],
        predicted=predicted[0],
        predicted_frequent=predicted[1],
        predicted_rare=predicted[2],
        leaked=s.leaked,
        reaches=reaches,
        predicted_at=torch.where(reaches <= p.phrases, at, torch.full_like(at, torch.nan)),
        now_reach=p.reach.reshape(1),
        now_accuracy=s.best[0].reshape(1),
        deeply=deep.sum(),
        missed=(deep * (1 - s.fair.right)).sum(),
        deep=torch.where(deep.sum() > 0, 1.0, 0.5).to(torch.float64),
        filtered=filtered(s.learner, p.dimension),
        **{name: flag.to(torch.float64) for name, flag in flags.items()},
    )
