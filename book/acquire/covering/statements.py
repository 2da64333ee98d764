"""Which facts open: those whose phrases are covered, how deeply they must be, and what multiplicity does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import linear_regression, pvariance
from typing import Any

import torch
from torch import Tensor

from book.acquire.covering.program import Covered, covering
from book.acquire.extraction import FILTERED
from book.acquire.tuned import all_filtered, along, curves
from book.statements import Bounds, Ground, above, at_least, at_most, between, statement, told


@statement(
    "acquire.covering",
    runs=covering,
    assumes={
        "several": "each frequent fact is stated with two phrases or more",
        "deep": "some unseen fact has only phrases that are covered 3K times or more",
        "filtered": FILTERED,
    },
    settled={
        "begun": "a step of fine-tuning was made, on some fact",
        "passed": "steps enough to pass the best one",
    },
    good=lambda r: at_least(0.9, r.accuracy, "unseen facts right at the best step"),
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
    uses=("acquire.theorem-2", "acquire.hallucination"),
    ground=Ground.SHARPENED,
    finding=(
        "Facts with an uncovered phrase never come out. Those covered 3K times or more do, but for one or two. In "
        "between depth decides. Both the 3K and the two were set after a first sweep; with K = 1 the 3K is too few."
    ),
)
def relation_covering(r: Covered) -> Bounds:
    """No fact with an uncovered phrase is ever right; at the best step almost all deeply covered ones are."""
    return Bounds(
        at_most(0.0, r.leaked, "facts with an uncovered phrase right at any step"),
        at_most(r.predicted, r.accuracy, "unseen facts right at the best step, against the covered share"),
        at_most(2.0, r.missed, "facts covered 3K times or more, wrong at the best step"),
        told(r.deeply, "facts covered 3K times or more"),
    )


UNIVERSES, FACTS = (4, 6, 8, 12), (1, 2, 4, 6, 8, 10, 12, 14, 16, 20)
"""Numbers of phrases, each with K = R, so that one fact covers all; and of facts that are fine-tuned."""


def needed(who: str, seeds: int = 4) -> dict[str, Any]:
    """How many fine-tuned facts it takes until half of the "rare" or "frequent" unseen facts are right at the best
    step, in the mean over seeds; and with which exponent that number grows with R, give or take twice its error.

    The error is that of leaving out one seed after the other (jackknife).
    """
    column = 2 if who == "rare" else 1
    found = {
        r: [curves(seeds, phrases=r, multiplicity=r, share=n / 24, steps=24) for n in FACTS]
        for r in UNIVERSES
    }
    right = [torch.stack([torch.stack([c.most[column] for c in cs]) for cs in found[r]]) for r in UNIVERSES]
    whole = [_half(each.mean(1)) for each in right]
    others = [[k for k in range(seeds) if k != seed] for seed in range(seeds)]
    powers = [_power([_half(each[:, rest].mean(1)) for each in right]) for rest in others]
    return {
        "rare": who == "rare",
        "filtered": all_filtered([c for runs in found.values() for cs in runs for c in cs]),
        "least": min(n / r for n, r in zip(whole, UNIVERSES, strict=True)),
        "most": max(n / r for n, r in zip(whole, UNIVERSES, strict=True)),
        "power": _power(whole),
        "error": 2 * math.sqrt((seeds - 1) * pvariance(powers)),
    }


def _half(right: Tensor) -> float:
    """The number of facts at which half are right for the first time, between two of ``FACTS``; infinite if never."""
    k = next((place for place, share in enumerate(right.tolist()) if share >= 0.5), None)
    if not k:
        return FACTS[0] if k == 0 else math.inf
    part = float((0.5 - right[k - 1]) / (right[k] - right[k - 1]))
    return FACTS[k - 1] + part * (FACTS[k] - FACTS[k - 1])


def _power(values: Sequence[float]) -> float:
    """The slope of log value against log R; NaN if one is infinite."""
    if not all(map(math.isfinite, values)):
        return math.nan
    return linear_regression(list(map(math.log, UNIVERSES)), list(map(math.log, values))).slope


@statement(
    "acquire.depth",
    measures=needed,
    assumes={"rare": "the facts asked for are rare: stated with one phrase", "filtered": FILTERED},
    holds_at={"who": "rare"},
    fails_at={"who": "frequent"},
    uses=("acquire.theorem-2", "acquire.covering", "acquire.proposition-3"),
    ground=Ground.OURS,
    finding=(
        "A conjecture, measured at $R = 4, 6, 8, 12$: $n_{ft}$ between {fine-tuned facts over R, least:.1f} and "
        "{fine-tuned facts over R, most:.1f} times R, with exponent {exponent in R:.2f} ± {twice its error:.2f}. Where "
        "$K = R$ Lemma 6 would ask for a number that grows like $\\log R$ alone. Frequent facts hold each phrase less "
        "firmly and come sooner, some before any fine-tuning."
    ),
)
def depth(r: Any) -> Bounds:
    """At K = R half of the rare facts come out when some R to 2R facts are fine-tuned, in proportion to R."""
    return Bounds(
        at_least(1.0, r.least, "fine-tuned facts over R, least"),
        at_most(2.0, r.most, "fine-tuned facts over R, most"),
        between(0.75, r.power, 1.25, "exponent in R"),
        told(r.error, "twice its error"),
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
    assumes={"enough": "n_ft at least R", "filtered": FILTERED},
    holds_at={"levels": [1, 2, 4, 8]},
    fails_at={"levels": [1, 4], "phrases": 16},
    ranges={
        "levels": [[1, 2], [1, 4], [2, 4], [4, 8], [1, 8]],
        "phrases": (8, 16),
        "share": (0.2, 0.9),
        "first": (0, 900),
    },
    chance=0.2,
    uses=("acquire.theorem-2",),
    ground=Ground.OURS,
    finding=(
        "A conjecture. In the mean and by doublings, by {accuracy gained in all:.2f} in all. From K = 4 on single "
        "steps of K gain nothing sure, and single seeds lose. With fewer fine-tuned facts than phrases, multiplicity "
        "helps frequent facts alone, and only near K = R/2."
    ),
)
def multiplicity(r: Any) -> Bounds:
    """Each doubling of K raises the mean accuracy."""
    return Bounds(
        above(0.0, r.smallest_gain, "accuracy gained by a doubling, least"),
        told(r.gain, "accuracy gained in all"),
        *(told(value, f"K = {k}") for k, value in r.accuracy.items()),
    )
