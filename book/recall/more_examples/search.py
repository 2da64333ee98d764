"""The pair masses of the lowest loss by search: on all prompts of a family, and on a prompt in general position."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import lowest, scalar
from lib.recall.more_examples import SUBJECTS, agreeing, family, law, spacing
from lib.recall.reduction import Reduced, match_classes, reduce, relation_logits, relation_loss
from lib.recall.task import prompts

LEAST_TEMPERATURE = 5e-4
"""Colder, the odds at some random start are 0 in float64."""


class Searched(NamedTuple):
    """The lowest loss over all positions."""

    distance: float  # largest distance of a mass from the law, in its spacings
    mass_1: float  # the masses, falling; NaN beyond the K-th
    mass_2: float
    mass_3: float = math.nan
    mass_4: float = math.nan


class EqualMasses(NamedTuple):
    """The masses of the lowest loss on a prompt in general position."""

    each: float  # 1/K
    gap: float  # smallest gap at equal masses
    largest: float
    smallest: float


def all_prompts_of_one_relation(examples: int, fixing: int) -> Reduced:
    """All prompts of K examples about one relation of the family: by symmetry they stand for all prompts."""
    known = family(fixing)
    rows = [row for row in product(range(SUBJECTS), repeat=examples + 1) if len(set(row)) == examples + 1]
    return reduce(known, prompts(known, [list(row) for row in rows], [0] * len(rows)))


def lowest_masses(value: Callable[[Tensor], Tensor], examples: int, starts: int, steps: int) -> Tensor:
    """The pair masses, falling, where a function of all 2K + 2 scores is :func:`lowest`; (K,)."""
    v = torch.softmax(lowest(value, 2 * examples + 2, starts, steps), 0)
    return (v[0:-2:2] + v[1:-2:2]).sort(descending=True).values


def searched(examples: int, fixing: int, warmth: float = 0.25) -> Searched:
    """Return the masses of the lowest L₁ found over all positions, and their distance from the law, in its spacings."""
    reduced, k, t = (
        all_prompts_of_one_relation(examples, fixing),
        scalar(float(examples)),
        scalar(float(fixing)),
    )
    temperature, floor = warmth * spacing(k, t) ** 2 / 2, torch.log(agreeing(k, t))
    masses = lowest_masses(lambda x: relation_loss(x, reduced, temperature) - floor, examples, 6, 500)
    distance = (masses - law(k, t, scalar(0.0))[:examples]).abs().max() / spacing(k, t)
    return Searched(float(distance), *masses.tolist())


def general_position(examples: int, subjects: int) -> tuple[Tensor, Tensor]:
    """The classes of a prompt in general position under Assumption 1, as large affine families have, and their logs.

    Every two pairs but two of the examples' own belong to one relation, which matches nothing else; an own pair
    belongs to n − 2 − (K − 1)² relations that match nothing else, another one to n − 1 − K(K − 1); the rest match none.

    Returns:
        (C, K + 1, K) matches, the first r*'s, and (C,) log counts.
    """
    every = match_classes(examples)
    same_place = every[:, :examples].diagonal(dim1=1, dim2=2).sum(1)
    size = every.sum((1, 2))
    n = float(subjects)
    alone = torch.where(same_place > 0, n - 2 - (examples - 1) ** 2, n - 1 - examples * (examples - 1))
    number = torch.where(size == 1, alone, torch.zeros_like(size))
    number = torch.where((size == 2) & (same_place < 2), torch.ones_like(size), number)
    number[0] = 1  # r* itself
    number = torch.where(size == 0, n * (n - 1) - number.sum(), number)
    there = number > 0
    return every[there], torch.log(number[there])


def equal_masses(examples: int, subjects: int = 10_007, temperature: float = 0.002) -> EqualMasses:
    """The masses of the lowest loss of random starts on a prompt in general position.

    Raises:
        ValueError: so cold that the odds against r* are 0 to the last digit, and nothing can be compared.
    """
    if temperature < LEAST_TEMPERATURE:
        raise ValueError(
            f"temperature = {temperature}: must be at least {LEAST_TEMPERATURE}, or the odds are 0"
        )
    matches, log_counts = general_position(examples, subjects)

    def odds(theta: Tensor) -> Tensor:
        behind = relation_logits(torch.softmax(theta, 0), matches - matches[:1])  # (C,)
        return torch.exp(torch.logsumexp(log_counts[1:] + behind[1:] / temperature, 0))

    masses = lowest_masses(odds, examples, starts=16, steps=400)
    return EqualMasses(
        each=1 / examples,
        gap=(examples - 2) / (2 * examples**2),
        largest=float(masses[0]),
        smallest=float(masses[-1]),
    )
