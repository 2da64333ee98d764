"""Fine-tuning at sizes and in variants that figures do not have: a pre-trained model, and its answers step by step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import fmean, pvariance
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.pretraining import Run, pretrained
from lib.acquire.extraction import answer_kinds, cross_fitted, margins
from lib.acquire.task import by_group, covered, fine_tuned
from lib.acquire.tokens import Scores, Sizes, State, fine_tuning, moved, rank_one

RATE = 4.0
"""η̃ of fine-tuning."""
STEPS = 75
"""Steps of pre-training after stage I, at η̃ = 4N."""
VARIANTS = (
    "full",
    "rank 1",
    "attention frozen",
    "answers kept",
    "phrases kept",
    "only p",
    "only subjects",
)
"""How fine-tuning goes: on all that the loss moves; with the best rank-1 approximation of the first layer's gradient;
with attention as it was; with the answers' or the phrases' products with p as they were; on the first layer's products
with p alone, or with the subjects alone.
"""


def trained(
    subjects: int = 48,
    phrases: int = 8,
    multiplicity: int = 4,
    seed: int = 0,
    *,
    neurons: int = 6,
    kappa: float = 0.004,
) -> Run:
    """Pre-train as the figures do: stage I at 2.2 times the predicted rate, d nine times the number of outputs."""
    return pretrained(
        subjects,
        phrases,
        multiplicity,
        neurons,
        kappa,
        stretch=9.0,
        first=1.56,
        steps_2=0,
        steps_3=STEPS,
        pace=4.0,
        seed=seed,
    )


class Curve(NamedTuple):
    """Fine-tuning step by step, t = 0 first."""

    model: Run  # before fine-tuning
    state: State  # after it
    chosen: Tensor  # (N,) 1 for a fact that is fine-tuned
    coverage: Tensor  # (R,) how many of them use each phrase
    accuracy: (
        Tensor  # (T + 1, 4) on unseen facts, the frequent and the rare ones among them, and those fine-tuned
    )
    kinds: Tensor  # (T + 1, 5) shares of the answers to unseen questions, as in ``answer_kinds``
    attention: Tensor  # (T + 1, N) on the subject
    cross_fitted: Tensor  # (4,) the accuracies at steps that no fact chooses for itself: see ``CrossFitted``


def tune(model: Run, share: float, steps: int, variant: str = "full", rate: float = RATE) -> Curve:
    """Fine-tune on a share of the frequent facts.

    Raises:
        ValueError: no fact is left to fine-tune, or ``variant`` is none of :data:`VARIANTS`.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant = {variant!r}: must be one of {', '.join(VARIANTS)}")
    sizes, known = model.sizes, model.known
    chosen = fine_tuned(known, share)
    if not bool(chosen.any()):
        raise ValueError(f"share = {share}: must leave at least 1 fact to fine-tune")

    def move(state: State, down: State, rate: float, kappa: float) -> State:
        return moved(state, allowed(down, sizes, variant), rate, kappa)

    rows, stopping = [], None
    for moment in fine_tuning(model.state, chosen, sizes, model.kappa, steps, rate, move):
        state, passed = moment
        answers = answer_kinds(passed.logits, known, chosen, sizes.answers)
        lead = margins(passed.logits, sizes.answers)
        kinds, stopping = (
            by_group(answers, known, chosen),
            cross_fitted(answers[:, -1], lead, chosen, stopping),
        )
        rows.append((kinds[:, -1], kinds[0], passed.attention[:, 0]))
    accuracy, shares, attention = map(torch.stack, zip(*rows, strict=True))
    assert stopping
    stopped = by_group(stopping.right, known, chosen)
    return Curve(model, state, chosen, covered(known, chosen), accuracy, shares, attention, stopped)


@lru_cache(maxsize=512)
def tuned(*, share: float = 0.5, steps: int = 60, variant: str = "full", **start: Any) -> Curve:
    """:func:`trained` with what ``start`` says, then :func:`tune`."""
    return tune(trained(**start), share, steps, variant)


def curves(seeds: int = 5, first: int = 0, **run: Any) -> list[Curve]:
    """:func:`tuned` at so many seeds from ``first`` on, whatever comes out."""
    return [tuned(seed=seed, **run) for seed in range(first, first + seeds)]


class Trend(NamedTuple):
    """Mean accuracy on unseen facts as one parameter grows."""

    accuracy: dict[int, float]  # by the parameter's value, with early stopping
    changes: list[float]  # of that, from each value to the next
    greatest_rise_at_best: float  # of the accuracy at the best step, from one value to the next
    tuned: float  # facts that are fine-tuned
    context_attention: float  # see :func:`context_attention`


def along(name: str, values: Sequence[int], **run: Any) -> Trend:
    """Mean accuracy on unseen facts, with early stopping, as one parameter of :func:`tuned` grows."""
    runs = {value: curves(**{name: value}, **run) for value in values}
    accuracy, best = (
        {value: mean(at_value) for value, at_value in runs.items()}
        for mean in (cross_fitted_accuracy, best_accuracy)
    )
    rises = [best[after] - best[before] for before, after in pairwise(values)]
    every = [curve for at_value in runs.values() for curve in at_value]
    return Trend(
        accuracy=accuracy,
        changes=[accuracy[after] - accuracy[before] for before, after in pairwise(values)],
        greatest_rise_at_best=max(rises),
        tuned=float(every[0].chosen.sum()),
        context_attention=context_attention(every),
    )


def jackknife(without: Sequence[float]) -> float:
    """The standard error of a number over starts, from what it is without each of them."""
    return (
        math.sqrt((len(without) - 1) * pvariance(without)) if all(map(math.isfinite, without)) else math.nan
    )


def cross_fitted_accuracy(curves: Sequence[Curve]) -> float:
    """Mean accuracy on unseen facts, each with early stopping."""
    return fmean(curve.cross_fitted[0] for curve in curves)


def best_accuracy(curves: Sequence[Curve]) -> float:
    """Mean accuracy on unseen facts at the best step of each."""
    return fmean(curve.accuracy[:, 0].max() for curve in curves)


def last_accuracy(curves: Sequence[Curve]) -> float:
    """Mean accuracy on unseen facts at the last step."""
    return fmean(curve.accuracy[-1, 0] for curve in curves)


def context_attention(curves: Sequence[Curve]) -> float:
    """d times the attention on o that pre-training has left, the greatest of all runs and prompts."""
    return max(curve.model.dimension * curve.model.moments[-1].on_context for curve in curves)


def allowed(down: State, sizes: Sizes, variant: str) -> State:
    """The step that a variant of fine-tuning takes, from minus the gradient."""
    n, p = sizes.subjects, sizes.format
    if variant == "rank 1":
        return State(rank_one(down.features), down.scores)
    if variant == "attention frozen":
        return State(down.features, Scores(*(torch.zeros_like(field) for field in down.scores)))
    features = down.features.clone()
    if variant == "answers kept":
        features[p, sizes.answers : sizes.answers + n] = 0
    if variant == "phrases kept":
        features[p, 1 + n : 1 + n + sizes.phrases] = 0
    if variant == "only p":
        features[:p] = 0
    if variant == "only subjects":
        features[p] = 0
    return State(features, down.scores)
