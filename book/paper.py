"""A paper that the book goes with, and its chapter: the landing page, the README and the atlas read it from there."""

from __future__ import annotations

from typing import NamedTuple

PAPERS = ("recognise", "acquire", "recall")
"""The folders of the papers' chapters, in the order of the book."""
TOGETHER = "together"
"""The folder of the chapter in which the papers' models work together."""
ROOMS = (*PAPERS, TOGETHER)
"""The folders of all chapters."""


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
    easy: str = ""
    """What of it was easy to reproduce, in whole sentences: for its certificate."""
    hard: str = ""
    """What was hard."""
