"""Dear tests take turns: some of them on each day, all of them within a few."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

T = TypeVar("T")


def todays(things: Sequence[T], days: int) -> Sequence[T]:
    """Those of the things whose turn is today: each has it once in so many days."""
    return things[datetime.now(UTC).toordinal() % days :: days]
