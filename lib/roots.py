"""Roots of a function of one variable, in traceable torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

CUTS = 128
"""Into how many parts :func:`rising_root` cuts its bracket in each round."""


def rising_root(slope: Callable[[Tensor], Tensor], low: Tensor, high: Tensor, rounds: int = 5) -> Tensor:
    """Where ``slope`` first turns from falling (negative) to rising on [low, high]: a minimum, by repeated cutting.

    Without such a turn it returns ``low`` if the slope starts positive, ``high`` if it is negative throughout.
    Two turns within (high − low)/128 of each other may be missed.

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
        falling = torch.cumprod(
            (slope(points) < 0).to(torch.float64), 0
        ).sum()  # leading points still going down
        width = (high - low) / CUTS
        low, high = (
            low + width * torch.clamp(falling - 1, 0, CUTS),
            low + width * torch.clamp(falling, 0, CUTS),
        )
    return (low + high) / 2
