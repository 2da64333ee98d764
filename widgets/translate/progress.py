"""What a long translation is at, for whoever waits for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

QUIET = 2.0
"""Seconds before anything is said."""
OFTEN = 0.5
"""Seconds between what is said."""


class _Message:
    """What is being done, from two seconds on: the line at the bottom of a terminal, which each text replaces."""

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


class _MessageInNotebook(_Message):
    """The same as an output of the cell, emptied in the end: a notebook would store each line of its errors."""

    output: Any = None

    def write(self, text: str) -> None:
        from IPython.display import display

        content = {"text/plain": text} if text else {}
        if self.output is None:
            self.output = display(content, raw=True, display_id=True)
        else:
            self.output.update(content, raw=True)

    def clear(self) -> None:
        if self.output is not None:
            self.write("")


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this."""
    ipython = sys.modules.get("IPython")
    return hasattr(ipython and ipython.get_ipython(), "kernel")


_message: ContextVar[_Message | None] = ContextVar("message", default=None)


@contextmanager
def shown() -> Iterator[None]:
    """Says inside what is being done, if it takes longer than two seconds, and wipes it away in the end."""
    message = _MessageInNotebook() if _in_notebook() else _Message()
    token = _message.set(message)
    try:
        yield
    finally:
        _message.reset(token)
        message.clear()


def tell(text: str) -> None:
    """What is being done now: "report: 1,204 operations traced"."""
    if (message := _message.get()) is not None:
        message.show(text)
