"""What a long translation is at, for whoever waits for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

QUIET = 2.0
"""Seconds before anything is said."""
OFTEN = 0.5
"""Seconds between what is said."""


class _Line:
    """The line at the bottom of a terminal or of a cell's output, which each message replaces."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.next = self.begun + QUIET
        self.length = 0

    def show(self, text: str) -> None:
        now = time.monotonic()
        if now >= self.next:
            self.next = now + OFTEN
            self.write(f"translating {text}, {now - self.begun:.0f} s")

    def write(self, text: str) -> None:
        sys.stderr.write(f"\r{text:<{self.length}}")
        sys.stderr.flush()
        self.length = len(text)

    def clear(self) -> None:
        if self.length:
            self.write("")
            sys.stderr.write("\r")


_line: ContextVar[_Line | None] = ContextVar("line", default=None)


@contextmanager
def shown() -> Iterator[None]:
    """Says inside what is being done, if it takes longer than two seconds, and wipes it away in the end."""
    line = _Line()
    token = _line.set(line)
    try:
        yield
    finally:
        _line.reset(token)
        line.clear()


def tell(text: str) -> None:
    """What is being done now: "report: 1,204 operations traced"."""
    if (line := _line.get()) is not None:
        line.show(text)
