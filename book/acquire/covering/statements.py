"""Which facts open: those whose phrases are covered, how deeply they must be, and what multiplicity does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import linear_regression
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.conditions import FILTERED
from book.acquire.covering.program import Covered, covering
from book.acquire.extraction import tuning_begun
from book.acquire.fine_tuning import Curve, along, context_attention, curves, jackknife
from book.ledger import Bounds, Ground, above, at_least, at_most, between, recorded, statement


@statement(
    "acquire.covering",
    runs=covering,
    assumes={
        "several": (
            "each frequent fact is stated with two phrases or more",
            lambda r, p: p.multiplicity >= 2,
        ),
        "deep": (
            "some unseen fact has only phrases that are covered 3K times or more",
            lambda r, p: r.deeply > 0,
        ),
        "filtered": FILTERED,
    },
    settled={
        "begun": ("a step of fine-tuning was made, on some fact", tuning_begun),
        "passed": ("steps enough to pass the best one", lambda r, p: p.steps > r.best_step),
    },
    good=lambda r: at_least(0.9, r.fair, "unseen facts right with early stopping"),
    holds_at={"phrases": 6},
    fails_at={"phrases": 8, "multiplicity": 1, "reach": 6},
    seeds=10,
    ranges={
        "phrases": (6, 10),
        "multiplicity": (1, 5),
        "reach": (3, 10),
        "rate": [2.0, 4.0, 8.0],
        "seed": (0, 99),
    },
    ground=Ground.SHARPENED,
)
def relation_covering(r: Covered) -> Bounds:
    """No fact with an uncovered phrase is ever right; stopped by others almost all deeply covered ones are."""
    return Bounds(
        at_most(0.0, r.leaked, "facts with an uncovered phrase right at any step"),
        at_most(2.0, r.missed, "facts covered 3K times or more, wrong with early stopping"),
        recorded(r.deeply, "facts covered 3K times or more"),
        recorded(r.fair, "unseen facts right with early stopping"),
        recorded(r.accuracy, "unseen facts right at the best step"),
    )


UNIVERSES, LEVELS, FACTS = (4, 6, 8, 12), (1, 2, 4, 8), (1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24)
"""Numbers of phrases, each with K = R, so that one fact covers all; multiplicities at R = 8; facts fine-tuned."""


class Depth(NamedTuple):
    """How many fine-tuned facts it takes until half of the unseen facts asked for are right."""

    context_attention: float  # dαₒ before fine-tuning, the greatest of all runs
    least: float  # that number over R, the least of all R = K
    most: float
    power: float  # with which exponent it grows with R = K
    error: float  # twice the standard error of that
    power_k: float  # with which exponent it grows with K at R = 8
    error_k: float


def facts_until_half(who: str, seeds: int = 4) -> Depth:
    """How many fine-tuned facts it takes until half of the unseen facts are right, in the mean over seeds.

    Facts are right or wrong with early stopping.

    Args:
        who: "rare" or "frequent": which unseen facts are counted.
        seeds: how many starts.
    """
    column = 2 if who == "rare" else 1
    by_phrases, by_multiplicity = [(r, r) for r in UNIVERSES], [(8, k) for k in LEVELS]
    runs = {(r, k): _by_number_of_facts(r, k, seeds) for r, k in dict.fromkeys(by_phrases + by_multiplicity)}
    right = {
        size: torch.stack(
            [torch.stack([curve.cross_fitted[column] for curve in curves]) for curves in at_size]
        )
        for size, at_size in runs.items()
    }
    ratios = [_half(right[size].mean(1)) / size[0] for size in by_phrases]
    power, error = _power([right[size] for size in by_phrases], UNIVERSES)
    power_k, error_k = _power([right[size] for size in by_multiplicity], LEVELS)
    every = [curve for at_size in runs.values() for curves in at_size for curve in curves]
    return Depth(context_attention(every), min(ratios), max(ratios), power, error, power_k, error_k)


def _by_number_of_facts(phrases: int, multiplicity: int, seeds: int) -> list[list[Curve]]:
    """For each number of ``FACTS`` a run at each seed."""
    return [
        curves(seeds, phrases=phrases, multiplicity=multiplicity, share=count / 24, steps=24)
        for count in FACTS
    ]


def _half(right: Tensor) -> float:
    """The number of facts at which half are right for the first time, between two of ``FACTS``; infinite if never."""
    k = next((place for place, share in enumerate(right.tolist()) if share >= 0.5), None)
    if not k:
        return FACTS[0] if k == 0 else math.inf
    part = float((0.5 - right[k - 1]) / (right[k] - right[k - 1]))
    return FACTS[k - 1] + part * (FACTS[k] - FACTS[k - 1])


def _power(right: Sequence[Tensor], steps: Sequence[int]) -> tuple[float, float]:
    """The slope of log :func:`_half` against log ``steps``, and twice its error; infinite where half are never right.

    Args:
        right: for each of the steps a row for each number of facts and a column for each seed.
    """

    def slope(seeds: Sequence[int]) -> float:
        values = [_half(each[:, seeds].mean(1)) for each in right]
        if not all(map(math.isfinite, values)):
            return math.inf
        return linear_regression(list(map(math.log, steps)), list(map(math.log, values))).slope

    every = range(right[0].shape[1])
    without = [slope([k for k in every if k != seed]) for seed in every]
    return slope(every), 2 * jackknife(without) if all(map(math.isfinite, without)) else math.inf


@statement(
    "acquire.depth",
    measures=facts_until_half,
    assumes={
        "rare": ("the facts asked for are rare: stated with one phrase", lambda r, p: p.who == "rare"),
        "filtered": FILTERED,
    },
    holds_at={"who": "rare"},
    fails_at={"who": "frequent"},
    ground=Ground.OURS,
)
def depth(r: Depth) -> Bounds:
    """Half of the rare facts come out when some R to 2R facts are fine-tuned, and a larger K saves few of these."""
    return Bounds(
        at_least(1.0, r.least, "fine-tuned facts over R, least"),
        at_most(2.0, r.most, "fine-tuned facts over R, most"),
        between(0.75, r.power, 1.25, "exponent in R"),
        between(-0.5, r.power_k, 0.0, "exponent in K"),
        recorded(r.error, "twice its error"),
        recorded(r.error_k, "twice the error of that"),
    )


class Doublings(NamedTuple):
    """Mean accuracy on unseen facts as the multiplicity grows, with early stopping."""

    accuracy: dict[int, float]  # by K
    tuned: float  # facts that are fine-tuned
    context_attention: float  # dαₒ before fine-tuning, the greatest of all runs
    smallest_gain: float  # from one K to the next
    gain: float  # from the first K to the last


def doublings(levels: Sequence[int], phrases: int = 8, **run: Any) -> Doublings:
    """Accuracy on unseen facts at each multiplicity of ``levels``."""
    trend = along("multiplicity", levels, phrases=phrases, **run)
    return Doublings(
        accuracy=trend.accuracy,
        tuned=trend.tuned,
        context_attention=trend.context_attention,
        smallest_gain=min(trend.changes),
        gain=trend.accuracy[levels[-1]] - trend.accuracy[levels[0]],
    )


@statement(
    "acquire.multiplicity",
    measures=doublings,
    assumes={
        "enough": ("n_ft at least R", lambda r, p: r.tuned >= p.phrases),
        "filtered": FILTERED,
    },
    holds_at={"levels": [1, 2, 4, 8]},
    fails_at={"levels": [1, 4], "phrases": 16},
    ranges={
        "levels": [[1, 2], [1, 4], [2, 4], [4, 8], [1, 8]],
        "phrases": (8, 16),
        "share": (0.4, 0.9),
        "first": (0, 900),
    },
    chance=0.2,
    ground=Ground.SHARPENED,
)
def multiplicity(r: Doublings) -> Bounds:
    """Each doubling of K raises the mean accuracy."""
    return Bounds(
        above(0.0, r.smallest_gain, "accuracy gained by a doubling, least"),
        recorded(r.gain, "accuracy gained in all"),
        *(recorded(value, f"K = {k}") for k, value in r.accuracy.items()),
    )


class Universes(NamedTuple):
    """What multiplicity is worth in a language of few phrases and in one of many."""

    few: float  # accuracy gained from K = 1 to K = R, with few phrases
    many: float  # the same, with many
    tuned: float  # facts that are fine-tuned
    context_attention: float  # dαₒ before fine-tuning, the greatest of all runs


def universes(few: int = 8, many: int = 16, **run: Any) -> Universes:
    """The gain in accuracy on unseen facts from K = 1 to K = R, at two numbers R of phrases."""
    at_few, at_many = (doublings((1, phrases), phrases=phrases, **run) for phrases in (few, many))
    attention = max(at_few.context_attention, at_many.context_attention)
    return Universes(at_few.gain, at_many.gain, at_few.tuned, attention)


@statement(
    "acquire.multiplicity-many-phrases",
    measures=universes,
    assumes={
        "enough": ("n_ft at least the larger R", lambda r, p: r.tuned >= p.many),
        "filtered": FILTERED,
    },
    holds_at={"share": 0.75},
    fails_at={"share": 0.5},
    ranges={"few": [8], "many": [16], "share": (0.4, 0.9), "first": (0, 900)},
    ground=Ground.RECONSTRUCTED,
    stands=False,
)
def multiplicity_many_phrases(r: Universes) -> Bounds:
    """From K = 1 to K = R accuracy grows more where there are more phrases."""
    return Bounds(
        above(0.0, r.many - r.few, "accuracy gained at the larger R, less that at the smaller"),
        recorded(r.few, "accuracy gained at the smaller R"),
        recorded(r.many, "accuracy gained at the larger R"),
    )
