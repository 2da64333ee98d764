"""The boundaries of the phase diagram, over the number of subjects."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from lib.recall.phases import PRINTED, SURE, one_pair_from, opening, pairwise_until, reaches, window


class Diagram(NamedTuple):
    """Temperatures at which the best attention changes: over all n, over n left of the window, and along it."""

    subjects: Tensor  # (46,) n from 3 to a million
    one_pair: Tensor  # (46,) above it one pair is optimal
    pairwise_until: Tensor  # (46,) up to it another minimum exists
    sure: Tensor  # (46,) up to it some attention gives r* 0.999
    printed: Tensor  # (46,) 1/(40 log n)
    half: Tensor  # (46,) up to it some attention gives r* one half
    left_subjects: Tensor  # (14,) n up to the window's tip
    left_one_pair: Tensor  # (14,) one_pair there
    window_subjects: Tensor  # (36,) n from the tip on
    window_low: Tensor  # (36,) the lower end of the window, in which even attention is optimal
    window_high: Tensor  # (36,) its upper end
    window_one_pair: Tensor  # (36,) one_pair there


@cache
def diagram() -> Diagram:
    """The boundaries of the phase diagram."""
    n = torch.cat([torch.arange(3, 10, dtype=torch.float64), torch.logspace(1, 6, 39, dtype=torch.float64)])
    first, opens_at = opening()
    tip = torch.tensor([first], dtype=torch.float64)
    dense = torch.linspace(0.01, 1, 35, dtype=torch.float64) ** 2  # near the tip, where the window is round
    wide = torch.exp(math.log(first) + (math.log(1e6) - math.log(first)) * dense)
    low, high = window(wide)
    along, left = torch.cat([tip, wide]), torch.cat([n[n < first], tip])
    mouth = torch.full_like(tip, opens_at)
    return Diagram(
        subjects=n,
        one_pair=one_pair_from(n),
        pairwise_until=pairwise_until(n),
        sure=reaches(n, SURE),
        printed=PRINTED / torch.log(n),
        half=reaches(n, 0.5 + 1e-12),
        left_subjects=left,
        left_one_pair=one_pair_from(left),
        window_subjects=along,
        window_low=torch.cat([mouth, low]),
        window_high=torch.cat([mouth, high]),
        window_one_pair=one_pair_from(along),
    )


def sure_limit(subjects: Tensor) -> Tensor:
    """The T up to which some attention gives r* the probability ``SURE``, from the diagram's table: 0-d, traceable."""
    known, value = torch.log(diagram().subjects), torch.log(diagram().sure)
    at = torch.log(subjects)
    left = torch.clamp((known <= at).to(torch.int64).sum() - 1, 0, len(known) - 2).reshape(1)
    low, high = known[left], known[left + 1]
    return torch.exp(value[left] + (value[left + 1] - value[left]) * (at - low) / (high - low))[0]
