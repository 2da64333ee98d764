"""A paper that the book goes with: the landing page, the README and the atlas read it from its chapter."""

from __future__ import annotations

from typing import NamedTuple

ROOMS = ("recognise", "acquire", "recall")
"""The folders of the papers' chapters, in the order of the book."""


class Paper(NamedTuple):
    """What is known of a paper before it is opened."""

    room: str
    """Its chapter's folder, and the first word of its statements' ids."""
    chapter: str
    """The chapter's title."""
    name: str
    """"Huang et al. 2026"."""
    authors: str
    title: str
    where: str
    """Where it appeared."""
    link: str
