"""Configurations drawn at random from ranges."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any


def drawn(chance: random.Random, ranges: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """A value from each range: an entry of a list, or a value from that entry; from (low, high) a number between.

    Fractions are drawn on a logarithmic scale where the range is positive.
    """
    return {name: _drawn(chance, span) for name, span in ranges.items()}


def _drawn(chance: random.Random, span: Sequence[Any]) -> Any:
    if isinstance(span, list):
        choice = chance.choice(span)
        return _drawn(chance, choice) if isinstance(choice, tuple) else choice
    low, high = span
    if isinstance(low, int) and isinstance(high, int):
        return chance.randint(low, high)
    return math.exp(chance.uniform(math.log(low), math.log(high))) if low > 0 else chance.uniform(low, high)
