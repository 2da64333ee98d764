"""The interval of a share that was counted over seeds."""

from __future__ import annotations

import math

Z = 1.959964
"""Standard errors to each side in a 95 % interval."""


def wilson(held: int, seeds: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, by how often of how many times something happened.

    Raises:
        ValueError: no time at all, or more often than that.
    """
    if not 0 <= held <= seeds or not seeds:
        raise ValueError(f"held = {held}: must be from 0 to seeds = {seeds}, and seeds at least 1")
    share, square = held / seeds, Z**2 / seeds
    middle, half = share + square / 2, Z * math.sqrt(share * (1 - share) / seeds + square / (4 * seeds))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))
