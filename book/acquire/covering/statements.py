"""Which facts open: those whose phrases are covered, how deeply they must be, and what multiplicity does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import linear_regression
from typing import Any

import torch
from torch import Tensor

from book.acquire.covering.program import Covered, covering
from book.acquire.extraction import FILTERED
from book.acquire.tuned import all_filtered, along, curves, jackknife
from book.ledger import Bounds, Ground, above, at_least, at_most, between, recorded, statement


@statement(
    "acquire.covering",
    runs=covering,
    assumes={
        "several": ("each frequent fact is stated with two phrases or more", lambda r, p: r.several),
        "deep": ("some unseen fact has only phrases that are covered 3K times or more", lambda r, p: r.deep),
        "filtered": (FILTERED, lambda r, p: r.filtered),
    },
    settled={
        "begun": ("a step of fine-tuning was made, on some fact", lambda r, p: r.begun),
        "passed": ("steps enough to pass the best one", lambda r, p: r.passed),
    },
    good=lambda r: at_least(0.9, r.fair, "unseen facts right at steps that others choose"),
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
        at_most(2.0, r.missed, "facts covered 3K times or more, wrong at steps that others choose"),
        recorded(r.deeply, "facts covered 3K times or more"),
        recorded(r.fair, "unseen facts right at steps that others choose"),
        recorded(r.accuracy, "unseen facts right at the best step in hindsight"),
    )


UNIVERSES, LEVELS, FACTS = (4, 6, 8, 12), (1, 2, 4, 8), (1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24)
"""Numbers of phrases, each with K = R, so that one fact covers all; multiplicities at R = 8; facts fine-tuned."""


def needed(who: str, seeds: int = 4) -> dict[str, Any]:
    """How many fine-tuned facts it takes until half of the "rare" or "frequent" unseen facts are right at steps that
    others choose, in the mean over seeds; and with which exponents that number grows with R = K, and with K at R = 8,
    give or take twice their errors.
    """
    column = 2 if who == "rare" else 1
    sizes = [(r, r) for r in UNIVERSES], [(8, k) for k in LEVELS]
    runs = {
        (r, k): [curves(seeds, phrases=r, multiplicity=k, share=n / 24, steps=24) for n in FACTS]
        for r, k in dict.fromkeys(sizes[0] + sizes[1])
    }
    right = {
        at: torch.stack([torch.stack([c.fair[column] for c in cs]) for cs in found])
        for at, found in runs.items()
    }
    ratios = [_half(right[at].mean(1)) / at[0] for at in sizes[0]]
    growth, help_ = (
        _power([right[at] for at in line], steps)
        for line, steps in zip(sizes, (UNIVERSES, LEVELS), strict=True)
    )
    return {
        "rare": who == "rare",
        "filtered": all_filtered([c for found in runs.values() for cs in found for c in cs]),
        "least": min(ratios),
        "most": max(ratios),
        "power": growth[0],
        "error": growth[1],
        "power_k": help_[0],
        "error_k": help_[1],
    }


def _half(right: Tensor) -> float:
    """The number of facts at which half are right for the first time, between two of ``FACTS``; infinite if never."""
    k = next((place for place, share in enumerate(right.tolist()) if share >= 0.5), None)
    if not k:
        return FACTS[0] if k == 0 else math.inf
    part = float((0.5 - right[k - 1]) / (right[k] - right[k - 1]))
    return FACTS[k - 1] + part * (FACTS[k] - FACTS[k - 1])


def _power(right: Sequence[Tensor], steps: Sequence[int]) -> tuple[float, float]:
    """The slope of log :func:`_half` against log ``steps``, and twice its error; NaN where it is infinite.

    Args:
        right: for each of the steps a row for each number of facts and a column for each seed.
    """

    def slope(seeds: Sequence[int]) -> float:
        values = [_half(each[:, seeds].mean(1)) for each in right]
        if not all(map(math.isfinite, values)):
            return math.nan
        return linear_regression(list(map(math.log, steps)), list(map(math.log, values))).slope

    every = range(right[0].shape[1])
    return slope(every), 2 * jackknife([slope([k for k in every if k != seed]) for seed in every])


@statement(
    "acquire.depth",
    measures=needed,
    assumes={
        "rare": ("the facts asked for are rare: stated with one phrase", lambda r, p: r.rare),
        "filtered": (FILTERED, lambda r, p: r.filtered),
    },
    holds_at={"who": "rare"},
    fails_at={"who": "frequent"},
    ground=Ground.OURS,
)
def depth(r: Any) -> Bounds:
    """Half of the rare facts come out when some R to 2R facts are fine-tuned, and a larger K saves few of these."""
    return Bounds(
        at_least(1.0, r.least, "fine-tuned facts over R, least"),
        at_most(2.0, r.most, "fine-tuned facts over R, most"),
        between(0.75, r.power, 1.25, "exponent in R"),
        between(-0.5, r.power_k, 0.0, "exponent in K"),
        recorded(r.error, "twice its error"),
        recorded(r.error_k, "twice the error of that"),
    )


def doublings(levels: Sequence[int], phrases: int = 8, **run: Any) -> dict[str, Any]:
    """:func:`along` the multiplicity."""
    found = along("multiplicity", levels, phrases=phrases, **run)
    return {
        **found,
        "enough": found["tuned"] >= phrases,
        "smallest_gain": min(found["changes"]),
        "gain": found["accuracy"][levels[-1]] - found["accuracy"][levels[0]],
    }


@statement(
    "acquire.multiplicity",
    measures=doublings,
    assumes={
        "enough": ("n_ft at least R", lambda r, p: r.enough),
        "filtered": (FILTERED, lambda r, p: r.filtered),
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
    ground=Ground.OURS,
)
def multiplicity(r: Any) -> Bounds:
    """Each doubling of K raises the mean accuracy."""
    return Bounds(
        above(0.0, r.smallest_gain, "accuracy gained by a doubling, least"),
        recorded(r.gain, "accuracy gained in all"),
        *(recorded(value, f"K = {k}") for k, value in r.accuracy.items()),
    )
