"""Roots of a function of one variable, in traceable torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

CUTS = 128
"""The number of parts into which :func:`rising_root` cuts its bracket in each round."""


def rising_root(slope: Callable[[Tensor], Tensor], low: Tensor, high: Tensor, rounds: int = 5) -> Tensor:
    """The first point of [low, high] at which ``slope`` turns from negative to positive, by repeated cutting.

    Without such a turn it is ``low`` if the slope starts positive, and ``high`` if it is negative throughout. Two
    turns within (high − low)/128 of each other may be missed.

    Args:
        slope: maps a (129,) tensor of points to the (129,) tensor of slopes.
        low, high: 0-d.
        rounds: each makes the bracket 128 times narrower.

    Returns:
        0-d, to within (high − low)/128^rounds.
    """
    cuts = torch.arange(CUTS + 1, dtype=torch.float64) / CUTS
    for _ in range(rounds):
        points = low + (high - low) * cuts  # (129,)
        negative = (slope(points) < 0).to(torch.float64)
        leading = torch.cumprod(negative, 0).sum()  # how many points come before the turn
        width = (high - low) / CUTS
        low, high = (
            low + width * torch.clamp(leading - 1, 0, CUTS),
            low + width * torch.clamp(leading, 0, CUTS),
        )
    return (low + high) / 2
