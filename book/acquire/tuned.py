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

from book.acquire.common import Run, pretrained
from lib.acquire.extraction import answer_kinds, crossed, margins
from lib.acquire.task import by_group, covered, fine_tuned
from lib.acquire.tokens import Scores, Sizes, State, fine_tuning, moved, rank_one

RATE = 4.0
"""η̃ of fine-tuning."""
STEPS = 75
"""Of pre-training after stage I, at η̃ = 4N."""
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


def filtered(model: Run) -> bool:
    """Whether pre-training has left at most 2/(3d) of the attention on o, as Proposition 1 has it."""
    return model.moments[-1].on_context <= 2 / (3 * model.dimension)


class Curve(NamedTuple):
    """Fine-tuning step by step, t = 0 first.

    Attributes:
        model: before fine-tuning. ``state``: after it.
        chosen: (N,) the facts fine-tuned. ``coverage``: (R,) how many of them use each phrase.
        accuracy: (T + 1, 4) on unseen facts, the frequent and the rare ones among them, and those fine-tuned.
        kinds: (T + 1, 5) shares of the answers to unseen questions, as in ``answer_kinds``.
        attention: (T + 1, N) on the subject.
        fair: (4,) the accuracies at steps that no fact chooses for itself: see ``Crossed``.
    """

    model: Run
    state: State
    chosen: Tensor
    coverage: Tensor
    accuracy: Tensor
    kinds: Tensor
    attention: Tensor
    fair: Tensor


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

    rows, fair = [], None
    for moment in fine_tuning(model.state, chosen, sizes, model.kappa, steps, rate, move):
        state, now = moment
        each = answer_kinds(now.logits, known, chosen, sizes.answers)
        lead = margins(now.logits, sizes.answers)
        kinds, fair = by_group(each, known, chosen), crossed(each[:, -1], lead, chosen, fair)
        rows.append((kinds[:, -1], kinds[0], now.attention[:, 0]))
    accuracy, shares, attention = map(torch.stack, zip(*rows, strict=True))
    assert fair
    judged = by_group(fair.right, known, chosen)
    return Curve(model, state, chosen, covered(known, chosen), accuracy, shares, attention, judged)


@lru_cache(maxsize=512)
def tuned(*, share: float = 0.5, steps: int = 60, variant: str = "full", **start: Any) -> Curve:
    """:func:`trained` with what ``start`` says, then :func:`tune`."""
    return tune(trained(**start), share, steps, variant)


def curves(seeds: int = 5, first: int = 0, **run: Any) -> list[Curve]:
    """:func:`tuned` at so many seeds from ``first`` on, whatever comes out."""
    return [tuned(seed=seed, **run) for seed in range(first, first + seeds)]


def along(name: str, values: Sequence[int], **run: Any) -> dict[str, Any]:
    """Mean accuracy on unseen facts, at steps that other facts choose, as one parameter of :func:`tuned` grows.

    Returns:
        ``accuracy`` by value; ``changes`` from each value to the next; ``hindsight``, the least rise of the accuracy at
        the best step, and the greatest; ``tuned``, the number of fine-tuned facts;
        ``filtered``, as :func:`all_filtered`.
    """
    found = {value: curves(**{name: value}, **run) for value in values}
    accuracy, best = ({value: mean(cs) for value, cs in found.items()} for mean in (fair, at_best))
    every = [c for cs in found.values() for c in cs]
    return {
        "accuracy": accuracy,
        "changes": [accuracy[b] - accuracy[a] for a, b in pairwise(values)],
        "hindsight": sorted(best[b] - best[a] for a, b in pairwise(values)),
        "tuned": float(every[0].chosen.sum()),
        "filtered": all_filtered(every),
    }


def jackknife(without: Sequence[float]) -> float:
    """The standard error of a number over starts, from what it is without each of them."""
    return (
        math.sqrt((len(without) - 1) * pvariance(without)) if all(map(math.isfinite, without)) else math.nan
    )


def fair(found: list[Curve]) -> float:
    """Mean accuracy on unseen facts, each at a step that others choose."""
    return fmean(c.fair[0] for c in found)


def at_best(found: list[Curve]) -> float:
    """Mean accuracy on unseen facts at the best step of each, in hindsight."""
    return fmean(c.accuracy[:, 0].max() for c in found)


def all_filtered(found: list[Curve]) -> bool:
    """Whether the context is filtered before fine-tuning in each."""
    return all(filtered(c.model) for c in found)


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
