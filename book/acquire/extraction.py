"""What unseen facts come to when a share of the frequent ones is fine-tuned: the program of Theorem 2's two pages."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.conditions import FAILURE
from lib.acquire import course, task
from lib.acquire.course import SIZES, SUBJECTS
from lib.acquire.extraction import Tuning, coverage, prediction, uncovered_unseen
from lib.acquire.extraction import extraction as fine_tuned
from lib.program import Program, record

DOMAINS = (*course.DOMAINS, course.SHARE, *course.TUNING_DOMAINS)
Extraction = record("Extraction", (domain.name for domain in DOMAINS))


class Extracted(NamedTuple):
    """What fine-tuning comes to; by full steps unless a field says otherwise, each 0-d unless a shape is given."""

    tuned: Tensor  # n, facts that are fine-tuned
    accuracy: Tensor  # at the end, on unseen facts
    frequent: Tensor  # on the unseen frequent ones; NaN where there are none
    rare: Tensor
    learned: Tensor  # on the fine-tuned ones
    cross_fitted_accuracy: Tensor  # on unseen facts with early stopping: see CrossFitted
    cross_fitted_accuracy_low: Tensor  # the same by rank-1 steps
    cross_fitted_accuracy_frequent: Tensor  # on the frequent ones, by full steps
    cross_fitted_accuracy_rare: Tensor
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
    lost: Tensor  # share of the accuracy with early stopping that is gone at the end
    drilled: Tensor  # of the errors at the end, those that are a fine-tuned answer; 0 where there are none
    asked_for: Tensor  # 2 (R/K)² log(R/δ), so many facts cover each phrase half as often as expected or more
    context_attention: Tensor  # d times the greatest attention on o, before fine-tuning
    floor: Tensor  # see certain_errors
    needed: Tensor  # the least whole number from ``asked_for`` on
    unseen: Tensor  # facts that are not fine-tuned
    right_best: Tensor  # how many of them are answered correctly at the best step
    right_then: Tensor  # … after η̃t = 80
    right_end: Tensor  # … at the last step


def asked_for(phrases: Tensor | float, multiplicity: Tensor | float) -> Tensor:
    """2 (R/K)² log(R/δ), so many facts cover each phrase half as often as expected or more, but for a chance of δ."""
    return 2 * (phrases / multiplicity) ** 2 * torch.log(torch.as_tensor(phrases / FAILURE))


def extraction() -> Program:
    """Pre-training, then full and rank-1 fine-tuning on a random share of the frequent facts."""
    return fine_tuned(Extraction, DOMAINS, lambda known, p: task.fine_tuned(known, p.share), _report)


def certain_errors(tuned: Tensor) -> Tensor:
    """½ − √(log(1/δ)/2(N − n)), 0-d: the share of unseen facts with an uncovered phrase if half of the phrases are.

    With probability 1 − δ it is that or more, over the phrases that unseen facts draw.
    """
    return 0.5 - torch.sqrt(math.log(1 / FAILURE) / (2 * (SUBJECTS - tuned)))


def none_tuned(r: Any, p: Any) -> Tensor:
    """No fact is fine-tuned."""
    return r.tuned < 0.5


def tuning_begun(r: Any, p: Any) -> Tensor:
    """A step of fine-tuning was made, on some fact."""
    return (p.steps > 0) & ~none_tuned(r, p)


def some_extracted(r: Any, p: Any) -> Tensor:
    """Some unseen fact was answered rightly at some step."""
    return r.best > 0


def covered_often(r: Any, p: Any) -> Tensor:
    """Whether as many facts are fine-tuned as Lemma 6 requires."""
    return r.tuned >= r.asked_for


def _report(s: Tuning, p: Any) -> Extracted:
    known, seen, chosen = s.learner.known, s.learner.seen, s.learner.chosen
    tuned, counts, predicted = chosen.sum(), coverage(s.learner), prediction(known, chosen)
    cross_fitted, cross_fitted_low = (
        task.by_group(each.right, known, chosen) for each in (s.cross_fitted, s.cross_fitted_low)
    )
    stopped, end = cross_fitted[0], seen.accuracy[0]
    ratio = p.phrases / p.multiplicity
    random_guess = math.log(SIZES.outputs) - task.entropy(known)
    return Extracted(
        tuned=tuned,
        accuracy=end,
        frequent=seen.accuracy[1],
        rare=seen.accuracy[2],
        learned=seen.accuracy[3],
        cross_fitted_accuracy=stopped,
        cross_fitted_accuracy_low=cross_fitted_low[0],
        cross_fitted_accuracy_frequent=cross_fitted[1],
        cross_fitted_accuracy_rare=cross_fitted[2],
        best=s.best[0],
        best_step=s.best_step,
        best_frequent=s.best[1],
        best_rare=s.best[2],
        best_low=s.best_low,
        then=s.at_set_step[0],
        then_low=s.at_set_step[1],
        predicted=predicted[0],
        predicted_frequent=predicted[1],
        predicted_rare=predicted[2],
        uncovered=task.mean_of(uncovered_unseen(s.learner), 1 - chosen),
        leaked=s.leaked,
        coverage=counts,
        covered=(torch.nan_to_num(counts) > 0.5).to(torch.float64).sum(),
        expected=p.phrases * (1 - (1 - 1 / ratio) ** tuned),
        excess=seen.excess,
        relative=seen.excess / random_guess,
        kinds=seen.kinds,
        kinds_best=s.best_kinds,
        before=s.before,
        lost=1 - torch.where(stopped > 0, end / stopped, torch.ones_like(tuned)),
        drilled=torch.where(end < 1, seen.kinds[1] / (1 - end), 0 * tuned),
        asked_for=asked_for(p.phrases, p.multiplicity),
        context_attention=p.dimension * seen.on_context,
        floor=certain_errors(tuned),
        needed=torch.ceil(asked_for(p.phrases, p.multiplicity)),
        unseen=(1 - chosen).sum(),
        right_best=s.best[0] * (1 - chosen).sum(),
        right_then=s.at_set_step[0] * (1 - chosen).sum(),
        right_end=end * (1 - chosen).sum(),
    )
