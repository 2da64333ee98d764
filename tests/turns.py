"""Dear tests take turns: some of them on each day, all of them within a few; with ``ALL=1`` none waits for its turn."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")
ALL = bool(os.environ.get("ALL"))
TODAY = int(os.environ.setdefault("TODAY", str(datetime.now(UTC).toordinal())))
"""The day's number, the same for all workers of a run that goes on past midnight."""
DAYS = 7
"""In which each test that is dear, and each page and figure in a dear test of all of them, has its turn: what breaks
only there may be found six days late, unless ``ALL=1`` finds it before."""


def todays(things: Sequence[T], days: int = DAYS) -> Sequence[T]:
    """Those of the things whose turn is today: each has it once in so many days.

    Where turns stand within turns, their days must have no divisor in common, or some things never have one.
    """
    return things if ALL else things[TODAY % days :: days]


def is_todays(name: str) -> bool:
    """Whether today is the turn of what has this name."""
    return ALL or (crc32(name.encode()) + TODAY) % DAYS == 0
