"""Over several random starts: what multiplicity does, and a share of missing or wrong facts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import torch

from book.together.stored.program import Looked, stored_then_looked_up
from lib.program import reports
from lib.together import lookup
from lib.together.memory import FACTS, WORDINGS

PROMPTS = len(lookup.ASKED)


class ByMultiplicity(NamedTuple):
    """Means over starts by K, the number of wordings that state a fact."""

    probability: dict[int, float]  # of the true relation
    named: dict[int, float]  # prompts of 36 whose relation is named right
    determined: dict[int, float]  # prompts whose two facts share a wording
    least_rise: float  # of the probability, from one K to the next


class ByShare(NamedTuple):
    """Means over starts: where every fact is stated as it is, and where a share is missing, or wrong."""

    complete: float  # probability of the true relation
    missing: float
    wrong: float
    named_complete: float  # prompts of 36 whose relation is named right
    named_missing: float
    named_wrong: float
    both_stated: float  # 36 (1 − q)²


def by_multiplicity(temperature: float = 0.05, seeds: int = 4, first: int = 0, **run: Any) -> ByMultiplicity:
    """What comes of each number of wordings K that state a fact, of four.

    Args:
        seeds: how many starts, from seed ``first`` on.
        **run: other parameters of the program.
    """
    numbers, some = range(1, WORDINGS + 1), {"temperature": temperature, **run}
    found = {k: _reports(seeds, first, multiplicity=k, **some) for k in numbers}
    probability, named, determined = (
        {k: _mean(reported, field) for k, reported in found.items()}
        for field in ("probability", "named", "known")
    )
    rises = [after - before for before, after in pairwise(probability.values())]
    return ByMultiplicity(probability, named, determined, min(rises))


def by_share(share: float, temperature: float = 0.05, seeds: int = 4, first: int = 0, **run: Any) -> ByShare:
    """What comes of missing facts, and of as many wrong ones.

    Args:
        share: q, of the 18 facts.
        seeds: how many starts, from seed ``first`` on.
        **run: other parameters of the program.
    """
    some = {"temperature": temperature, **run}
    complete = _reports(seeds, first, **some)
    missing, wrong = (_reports(seeds, first, **some, **{lack: share}) for lack in ("missing", "wrong"))
    return ByShare(
        complete=_mean(complete, "probability"),
        missing=_mean(missing, "probability"),
        wrong=_mean(wrong, "probability"),
        named_complete=_mean(complete, "named"),
        named_missing=_mean(missing, "named"),
        named_wrong=_mean(wrong, "named"),
        both_stated=PROMPTS * (1 - round(share * FACTS) / FACTS) ** 2,
    )


def _reports(seeds: int, first: int, **settings: float) -> list[Looked]:
    return reports(
        stored_then_looked_up(), [{**settings, "seed": seed} for seed in range(first, first + seeds)]
    )


def _mean(found: list[Looked], field: str) -> float:
    return float(torch.stack([getattr(each, field) for each in found]).mean())
