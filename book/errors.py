"""The error of a command that was given something it cannot use."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BadInput(ValueError):
    """Something given by the user is wrong; the message is one sentence that names it and what is allowed."""


def nearest(word: str, known: Iterable[str]) -> str:
    """ "did you mean …?" with up to three of the known words that look like ``word``; empty if none does."""
    close = get_close_matches(word, list(known), n=3, cutoff=0.5)
    if not close:
        return ""
    *others, last = close
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"
