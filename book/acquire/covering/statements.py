"""Which facts open: those whose phrases are covered, how deeply they must be, and what multiplicity does."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from book.acquire.covering.program import Covered, covering
from book.acquire.extraction import FILTERED
from book.acquire.tuned import all_filtered, along, curves
from book.statements import Bounds, Ground, above, at_least, at_most, statement, told


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
    ranges={"phrases": [6, 7, 8], "multiplicity": [2, 3], "reach": (5, 8), "seed": (0, 99)},
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


CASES = ((6, 3), (8, 4), (6, 12), (8, 18))
"""Multiplicities K = R and numbers of fine-tuned facts; each of them then covers every phrase."""


def by_depth(who: str) -> dict[str, Any]:
    """Mean accuracy of unseen facts, "rare" or "frequent" ones, at the best step by how many fine-tuned facts, over K,
    have each phrase; of 48 facts half are frequent.
    """
    found = {(k, n): curves(phrases=k, multiplicity=k, share=n / 24) for k, n in CASES}
    column = 2 if who == "rare" else 1
    rare = {case: fmean(c.most[column] for c in cs) for case, cs in found.items()}
    return {
        "rare": who == "rare",
        "filtered": all_filtered([c for cs in found.values() for c in cs]),
        "deep": fmean(value for (k, n), value in rare.items() if n >= 2 * k),
        "shallow": fmean(value for (k, n), value in rare.items() if n <= k / 2),
    }


@statement(
    "acquire.depth",
    measures=by_depth,
    assumes={"rare": "the facts asked for are rare: stated with one phrase", "filtered": FILTERED},
    holds_at={"who": "rare"},
    fails_at={"who": "frequent"},
    uses=("acquire.theorem-2", "acquire.covering", "acquire.proposition-3"),
    ground=Ground.OURS,
    finding=(
        "At K = R each fact covers all phrases, and still rare facts wait for $n_{ft}$ near R. "
        "Frequent facts hold each phrase less firmly and come sooner, some before any fine-tuning."
    ),
)
def depth(r: Any) -> Bounds:
    """Rare facts come out at coverage 2K, and not at K/2."""
    return Bounds(
        at_least(0.9, r.deep, "accuracy, coverage 2K and more"),
        at_most(0.2, r.shallow, "accuracy, coverage K/2 and less"),
    )


def doublings(levels: Sequence[int], phrases: int = 8) -> dict[str, Any]:
    """:func:`along` the multiplicity."""
    found = along("multiplicity", levels, phrases=phrases)
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
    uses=("acquire.theorem-2",),
    ground=Ground.OURS,
    finding=(
        "In the mean and by doublings. From K = 4 on single steps of K gain nothing sure, and single seeds lose. "
        "With fewer fine-tuned facts than phrases, multiplicity helps frequent facts alone, and only near K = R/2."
    ),
)
def multiplicity(r: Any) -> Bounds:
    """Each doubling of K raises the mean accuracy, and all of them together by 0.4 or more."""
    return Bounds(
        above(0.0, r.smallest_gain, "accuracy gained by a doubling, least"),
        at_least(0.4, r.gain, "accuracy gained in all"),
        *(told(value, f"K = {k}") for k, value in r.accuracy.items()),
    )
