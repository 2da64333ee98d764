"""Over several random starts: what multiplicity does, and a share of missing or wrong facts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import torch

from book.together.stored.program import Looked, stored_then_looked_up
from lib.program import reports
from lib.together.memory import FACTS, WORDINGS

PROMPTS = 36


class ByMultiplicity(NamedTuple):
    """Prompts of 36 whose relation is named right, in the mean over starts."""

    named: dict[int, float]  # by K
    determined: dict[int, float]  # prompts whose two facts share a wording, by K
    least_rise: float  # from one K to the next


class ByShare(NamedTuple):
    """Prompts of 36 whose relation is named right, in the mean over starts."""

    complete: float  # where every fact is stated as it is
    missing: float  # where a share of the facts is never stated
    wrong: float  # where as many are stated wrongly
    both_stated: float  # 36 (1 − q)²


def by_multiplicity(temperature: float = 0.05, seeds: int = 4, first: int = 0, **run: Any) -> ByMultiplicity:
    """What comes of each number of wordings K that state a fact, of four.

    Args:
        seeds: how many starts, from seed ``first`` on.
        **run: other parameters of the program.
    """
    found = {
        k: _reports(seeds, first, multiplicity=k, temperature=temperature, **run)
        for k in range(1, WORDINGS + 1)
    }
    named = {k: _mean(some, "named") for k, some in found.items()}
    return ByMultiplicity(
        named=named,
        determined={k: _mean(some, "known") for k, some in found.items()},
        least_rise=min(after - before for before, after in pairwise(named.values())),
    )


def by_share(share: float, temperature: float = 0.05, seeds: int = 4, first: int = 0, **run: Any) -> ByShare:
    """What comes of missing facts, and of as many wrong ones.

    Args:
        share: q, of the 18 facts.
        seeds: how many starts, from seed ``first`` on.
        **run: other parameters of the program.
    """
    some = {"temperature": temperature, **run}
    kept = 1 - round(share * FACTS) / FACTS
    return ByShare(
        complete=_mean(_reports(seeds, first, **some), "named"),
        missing=_mean(_reports(seeds, first, missing=share, **some), "named"),
        wrong=_mean(_reports(seeds, first, wrong=share, **some), "named"),
        both_stated=PROMPTS * kept**2,
    )


def _reports(seeds: int, first: int, **settings: float) -> list[Looked]:
    return reports(
        stored_then_looked_up(), [{**settings, "seed": seed} for seed in range(first, first + seeds)]
    )


def _mean(found: list[Looked], field: str) -> float:
    return float(torch.stack([getattr(each, field) for each in found]).mean())
