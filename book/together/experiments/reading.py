"""Detector and memory trained together, in full: the table ``book/data/together-reading``.

    python -m book experiments together reading [--workers N|ADDRESS] [--quick]

Yang et al.'s transformer reads sentences, the memory of *Stored, then looked up* answers, both from random starts and
by gradient descent. A row is one run; those of one way of teaching go side by side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import softplus

from lib.recognise import model
from lib.recognise.model import Weights, initial_weights
from lib.recognise.task import Dataset, class_counts, draw
from lib.together import memory
from lib.together.memory import ANSWERS, FIRST, NEURONS, SUBJECTS, WORDINGS

SAMPLES, LENGTH, WIDTH, LAYER = 60, 4, 64, 16
"""n, L, m and m₁ of the detector."""
SIGMA_0, SIGMA_1 = 0.1, 1.0
"""σ₀√(Lm) and σ₁√m₁."""
RATES = (0.5, 0.25)
"""Learning rates of the detector, in τ = N₀t, and of the memory where it learns from answers."""
STEPS, STORING = 800, 400
"""Steps of a run, and before it of the memory alone where the facts are stored first."""
TOLD = 0.75
"""From this mean probability of the right name on, or up to 1 less it, sentences are told apart; so are names."""
NEAR = 0.05
"""The loss of answers waits while it is so near to log 2."""
PAGE_1 = 2.0
"""The memory's learning rate on statements, as in *Stored, then looked up*."""
SEEDS, FEW_SEEDS = 10, 1
RELATIONS = (0, next(r for r, images in enumerate(ANSWERS) if bool((images != ANSWERS[0]).all())))
"""r₁ and r₀, which no subject answers alike."""


class Way(NamedTuple):
    """What is told: the weights of the losses, and whether the memory is stored before and frozen."""

    answers: float = 1.0
    labels: float = 0.0
    statements: float = 0.0
    stored: bool = False


WAYS = {
    "stored, answers": Way(stored=True),
    "stored, labels": Way(answers=0.0, labels=1.0, stored=True),
    "answers": Way(),
    "labels": Way(labels=1.0),
    "statements": Way(statements=1.0),
    "statements, a tenth": Way(statements=0.1),
    "statements, a hundredth": Way(statements=0.01),
}
"""By name."""

SETTINGS: dict[str, Any] = {
    "samples": SAMPLES,
    "length": LENGTH,
    "width": WIDTH,
    "neurons": LAYER,
    "sigma_0": SIGMA_0,
    "sigma_1": SIGMA_1,
    "rates": list(RATES),
    "steps": STEPS,
    "storing": STORING,
    "ways": {name: way._asdict() for name, way in WAYS.items()},
}
"""The sizes of the runs."""


class Courses(NamedTuple):
    """What was measured before each step of runs side by side, each (steps, runs), and where they ended."""

    losses: Tensor
    """The losses of the answers."""
    named: Tensor
    """Mean probability of the right name."""
    own: Tensor
    """Mean of m*/(m* + m'): how much likelier an answer is by its own name than by the other."""
    weights: Weights
    features: Tensor


class Sentences(NamedTuple):
    """Training sentences and as many new ones, with irrelevant words of their own: (2n, L) and (2n,)."""

    words: Tensor
    labels: Tensor
    vocabulary: int

    def half(self, first: bool) -> Dataset:
        """The training sentences, or the new ones."""
        kept = slice(0, SAMPLES) if first else slice(SAMPLES, None)
        return Dataset(self.words[kept], self.labels[kept], torch.empty(0), self.vocabulary)


def drawn(generator: Generator) -> Sentences:
    """Sentences, each type in its share among the training sentences and among the new ones."""
    counts = class_counts(SAMPLES)
    both = draw([2 * count for count in counts], LENGTH, generator)
    places = [(both.types == k).nonzero().flatten() for k in range(4)]
    order = torch.cat(
        [at[:count] for at, count in zip(places, counts, strict=True)]
        + [at[count:] for at, count in zip(places, counts, strict=True)]
    )
    return Sentences(both.words[order], both.labels[order], both.vocabulary)


def answers_of(features: Tensor) -> Tensor:
    """m(a* | s, r) of each subject, by the relation that is asked for and by the one that is named; (3, 2, 2).

    The memory says a word out of 30; a relation is named in each of its wordings as often.
    """
    rows = torch.cat([torch.arange(WORDINGS) + FIRST + r * WORDINGS for r in RELATIONS])
    h = features[:SUBJECTS, None] + features[None, rows]
    said = torch.softmax((h * h).mean(-1), -1).reshape(SUBJECTS, 2, WORDINGS, -1).mean(2)  # (3, 2, 30)
    right = SUBJECTS + torch.stack([ANSWERS[r] for r in RELATIONS], 1)  # (3, 2)
    return said[torch.arange(SUBJECTS)[:, None], :, right]


def answers_loss(outputs: Tensor, labels: Tensor, right: Tensor) -> Tensor:
    """−log p(a* | X, s) in the mean over sentences and subjects; 0-d. ``right``: of :func:`answers_of`."""
    named = torch.sigmoid(torch.stack([outputs, -outputs], 1))  # (n, 2)
    asked = torch.where(labels > 0, 0, 1)
    return -torch.log((named[:, None] * right.permute(1, 0, 2)[asked]).sum(-1)).mean()


def own_name(right: Tensor) -> Tensor:
    """The mean of m*/(m* + m') over subjects and relations, 0-d: ½ where the names are not told apart."""
    return (right.diagonal(dim1=1, dim2=2) / right.sum(2)).mean()


def taught(way: str, seeds: Sequence[int], steps: int = STEPS) -> tuple[Courses, list[Sentences], Tensor]:
    """Runs side by side: their courses, their sentences, and a (runs, m₁).

    Raises:
        ValueError: ``way`` is no key of :data:`WAYS`.
    """
    if way not in WAYS:
        raise ValueError(f"way = {way!r}: must be one of {'; '.join(WAYS)}")
    sentences, starts, layers = [], [], []
    for seed in seeds:
        generator = Generator().manual_seed(seed)
        sentences.append(drawn(generator))
        sizes = WIDTH, LAYER, sentences[-1].vocabulary
        scales = SIGMA_0 / math.sqrt(LENGTH * WIDTH), SIGMA_1 / math.sqrt(LAYER)
        starts.append(initial_weights(*sizes, *scales, generator))
        layers.append(2.0 * torch.randint(0, 2, (LAYER,), generator=generator).to(torch.float64) - 1)
    weights = Weights(*(torch.stack(part) for part in zip(*starts, strict=True)))
    words, labels = (torch.stack([getattr(each, name) for each in sentences]) for name in ("words", "labels"))
    layer, at = torch.stack(layers), torch.tensor([float(seed) for seed in seeds], dtype=torch.float64)

    def of_one(weights: Weights, features: Tensor, layer: Tensor, words: Tensor, labels: Tensor) -> Any:
        train = Sentences(words, labels, sentences[0].vocabulary).half(True)
        return _slopes(WAYS[way], weights, features, layer, train)

    slopes = torch.func.vmap(of_one)
    features, stating = _memories(at, WAYS[way])
    rows = []
    for _ in range(steps):
        (slope, push), seen = slopes(weights, features, layer, words, labels)
        rows.append(torch.stack(seen))
        pace = WIDTH * SIGMA_1**2  # N₀ = ‖a‖²σ₁²m
        weights = Weights(*(x - RATES[0] / pace * y for x, y in zip(weights, slope, strict=True)))
        if not WAYS[way].stored:
            features = stating(features - RATES[1] * NEURONS * push)
    losses, named, own = torch.stack(rows, 1)
    return Courses(losses, named, own, weights, features), sentences, layer


def _slopes(told: Way, weights: Weights, features: Tensor, layer: Tensor, train: Dataset) -> Any:
    """The gradients of a run's loss with respect to weights and features, and what is measured."""

    def loss(weights: Weights, features: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        outputs, right = model.outputs(weights, layer, train), answers_of(features)
        answers, names = (
            answers_loss(outputs, train.labels, right),
            softplus(-train.labels * outputs).mean(),
        )
        seen = (answers, torch.sigmoid(train.labels * outputs).mean(), own_name(right))
        return told.answers * answers + told.labels * names, seen

    return torch.func.grad(loss, argnums=(0, 1), has_aux=True)(weights, features)


def _memories(seeds: Tensor, told: Way) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """The memories with which runs begin, and a step on the statements of all facts."""
    four, none = (torch.tensor(float(x), dtype=torch.float64) for x in (WORDINGS, 0))
    known = memory.world(seeds[0], four, four, none, none)  # all facts in all wordings: no seed matters
    wanted, features = memory.targets(known), torch.func.vmap(memory.start)(seeds)

    def stating(rate: float) -> Callable[[Tensor], Tensor]:
        return torch.func.vmap(lambda each: memory.descend(each, known, wanted, rate)[0])

    for _ in range(STORING if told.stored else 0):
        features = stating(PAGE_1)(features)
    return features, stating(PAGE_1 * told.statements) if told.statements > 0 else lambda each: each


def reading(way: str, seeds: int, first: int = 0, steps: int = STEPS) -> list[dict[str, Any]]:
    """A row for each of so many runs, from seed ``first`` on; steps are ∞ for what never comes."""
    courses, sentences, layers = taught(way, range(first, first + seeds), steps)
    return [
        {"seed": first + i, **_row(courses, i, sentences[i].half(False), layers[i])} for i in range(seeds)
    ]


def _row(courses: Courses, i: int, new: Dataset, layer: Tensor) -> dict[str, float]:
    """What is stored of one run."""
    losses, named, own = (part[:, i] for part in courses[:3])
    detects, recalls = (_first((part - 0.5).abs() >= TOLD - 0.5) for part in (named, own))
    outputs = model.outputs(Weights(*(part[i] for part in courses.weights)), layer, new)
    told_apart = (new.labels * outputs > 0).to(torch.float64).mean()
    return {
        "detects": detects,
        "recalls": recalls,
        "waits": float(((losses - math.log(2)).abs() <= NEAR).sum()),
        "loss": float(losses[-1]),
        "named": float(named[-1]),
        "own": float(own[-1]),
        "new_answered": float(torch.exp(-answers_loss(outputs, new.labels, answers_of(courses.features[i])))),
        "new_told_apart": float(torch.maximum(told_apart, 1 - told_apart)),
    }


def _first(happens: Tensor) -> float:
    """The first place where something happens, ∞ for none."""
    places = happens.nonzero()
    return float(places[0]) if len(places) else math.inf


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Every way of teaching."""
    return [{"way": way, "seeds": FEW_SEEDS if quick else SEEDS} for way in WAYS]
