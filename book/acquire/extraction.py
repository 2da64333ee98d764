"""What unseen facts come to when a share of the frequent ones is fine-tuned: the program of Theorem 2's two pages."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import course, task
from lib.acquire.course import SIZES, SUBJECTS
from lib.acquire.extraction import SET, Tuned, coverage, dark, filtered, prediction
from lib.acquire.extraction import extraction as fine_tuned
from lib.program import Program, record

FAILURE = 0.1
"""δ, the probability with which Theorem 2 may fail."""
FILTERED = "the context is filtered before fine-tuning, αₒ ≤ 2/(3d) (Proposition 1)"
"""The words of the hypothesis that all statements on fine-tuning share."""
DOMAINS = (*course.DOMAINS, course.SHARE, *course.TUNING_DOMAINS)
Extraction = record("Extraction", (domain.name for domain in DOMAINS))


class Extracted(NamedTuple):
    """What it comes to, at the end of fine-tuning and at its best step; by full steps where nothing else is said."""

    tuned: Tensor  # n, facts that are fine-tuned
    accuracy: Tensor  # at the end, on unseen facts
    frequent: Tensor  # on the unseen frequent ones; NaN where there are none
    rare: Tensor
    learned: Tensor  # on the fine-tuned ones
    fair: Tensor  # on unseen facts at steps that other unseen facts choose: see Crossed
    fair_low: Tensor  # the same by rank-1 steps
    fair_frequent: Tensor  # on the frequent ones, by full steps
    fair_rare: Tensor
    best: Tensor  # the greatest accuracy on unseen facts of all steps, in hindsight
    best_step: Tensor  # the first step that has it
    best_frequent: Tensor  # the other two at that step
    best_rare: Tensor
    best_low: Tensor  # the greatest by rank-1 steps
    then: Tensor  # on unseen facts after η̃t = 80, a step that no run chooses
    then_low: Tensor  # the same by rank-1 steps
    predicted: Tensor  # share of the unseen facts all of whose phrases are covered
    predicted_frequent: Tensor
    predicted_rare: Tensor
    uncovered: Tensor  # share of the unseen facts one of whose phrases is not
    leaked: Tensor  # how many of those were right at any step, by full or by rank-1 steps
    coverage: Tensor  # (10,) fine-tuned facts stated with each phrase; NaN where there is no such phrase
    covered: Tensor  # phrases covered at least once
    expected: Tensor  # their expected number: R (1 − (1 − K/R)^n)
    excess: Tensor  # pre-training loss minus its entropy
    relative: Tensor  # that over what a guess at random has
    kinds: Tensor  # (5,) answers to unseen questions at the end
    kinds_best: Tensor  # … at the best step
    before: Tensor  # (5,) … before fine-tuning
    lost: Tensor  # share of the accuracy at steps that other facts choose that is gone at the end
    drilled: Tensor  # of the errors at the end, those that are a fine-tuned answer; 0 where there are none
    asked_for: Tensor  # 2 (R/K)² log(R/δ), so many facts cover each phrase half as often as expected or more
    often: Tensor  # hypotheses: n is at least that
    half: Tensor  # each phrase is covered half as often as expected, or more
    many: Tensor  # n at least 3R
    few: Tensor  # n at most 3R/2, and some fact is fine-tuned
    filtered: Tensor  # attention on o is at most 2/(3d) before fine-tuning
    out: Tensor  # some unseen fact has a phrase that no fine-tuned fact has
    scarce: Tensor  # nK at most R/2, and some fact is fine-tuned: half of the phrases are covered by none
    floor: Tensor  # so many unseen facts then have an uncovered phrase with probability 1 − δ: ½ − √(log(1/δ)/2(N − n))
    twice: Tensor  # each phrase is covered by two facts or more
    late: Tensor  # five times as many steps as the best accuracy took
    begun: Tensor  # a step was made, on some fact
    reached: Tensor  # η̃t has come to 80
    came: Tensor  # some unseen fact was right at some step
    none: Tensor  # no fact is fine-tuned


def asked_for(phrases: Tensor | float, multiplicity: Tensor | float) -> Tensor:
    """2 (R/K)² log(R/δ), so many facts cover each phrase half as often as expected or more, but for a chance of δ."""
    return 2 * (phrases / multiplicity) ** 2 * torch.log(torch.as_tensor(phrases / FAILURE))


def extraction() -> Program:
    """Pre-training, then full and rank-1 fine-tuning on a random share of the frequent facts."""
    return fine_tuned(Extraction, DOMAINS, lambda known, p: task.fine_tuned(known, p.share), _report)


def _report(s: Tuned, p: Any) -> Extracted:
    known, seen = s.learner.known, s.learner.seen
    tuned, counts, predicted = (
        s.learner.chosen.sum(),
        coverage(s.learner),
        prediction(known, s.learner.chosen),
    )
    fair, fair_low = (task.by_group(each.right, known, s.learner.chosen) for each in (s.fair, s.fair_low))
    ratio = p.phrases / p.multiplicity
    least = torch.nan_to_num(counts, nan=math.inf).amin()
    out = task.mean_of(dark(s.learner), 1 - s.learner.chosen)
    guess = math.log(SIZES.outputs) - task.entropy(known)
    flags = {
        "often": tuned >= asked_for(p.phrases, p.multiplicity),
        "half": (tuned > 0) & (least >= tuned / (2 * ratio)),
        "many": tuned >= 3 * p.phrases,
        "few": (tuned > 0) & (tuned <= 1.5 * p.phrases),
        "out": out > 0,
        "scarce": (tuned > 0) & (tuned * p.multiplicity <= p.phrases / 2),
        "twice": least >= 2,
        "late": s.step >= 5 * torch.clamp(s.best_step, min=1),
        "begun": (s.step > 0) & (tuned > 0),
        "reached": s.step * p.rate >= SET,
        "came": s.best[0] > 0,
        "none": tuned < 0.5,
    }
    return Extracted(
        tuned=tuned,
        accuracy=seen.accuracy[0],
        frequent=seen.accuracy[1],
        rare=seen.accuracy[2],
        learned=seen.accuracy[3],
        fair=fair[0],
        fair_low=fair_low[0],
        fair_frequent=fair[1],
        fair_rare=fair[2],
        best=s.best[0],
        best_step=s.best_step,
        best_frequent=s.best[1],
        best_rare=s.best[2],
        best_low=s.best_low,
        then=s.then[0],
        then_low=s.then[1],
        predicted=predicted[0],
        predicted_frequent=predicted[1],
        predicted_rare=predicted[2],
        uncovered=out,
        leaked=s.leaked,
        coverage=counts,
        covered=(torch.nan_to_num(counts) > 0.5).to(torch.float64).sum(),
        expected=p.phrases * (1 - (1 - 1 / ratio) ** tuned),
        excess=seen.excess,
        relative=seen.excess / guess,
        kinds=seen.kinds,
        kinds_best=s.best_kinds,
        before=s.before,
        lost=1 - torch.where(fair[0] > 0, seen.accuracy[0] / fair[0], torch.ones_like(tuned)),
        drilled=torch.where(seen.accuracy[0] < 1, seen.kinds[1] / (1 - seen.accuracy[0]), 0 * tuned),
        asked_for=asked_for(p.phrases, p.multiplicity),
        floor=0.5 - torch.sqrt(math.log(1 / FAILURE) / (2 * (SUBJECTS - tuned))),
        filtered=filtered(s.learner, p.dimension),
        **{name: flag.to(torch.float64) for name, flag in flags.items()},
    )
