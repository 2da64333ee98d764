"""The papers that the book goes with, and its chapters, in the order of ``_toc.yml``.

Each chapter's ``paper.toml`` has the rest. Whatever names papers or chapters reads them from here: statements' ids,
the landing page, the atlas, the command line.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FIRST_PAGE = re.compile(r"file: book/(\w+)/index$", re.MULTILINE)
"""A chapter's first page in the table of contents."""


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
    ours: bool = False
    """Whether it is no paper: the chapter has statements of ours alone, on the papers' models together."""


def _chapter(room: str) -> Paper:
    """The chapter in this folder.

    Raises:
        TypeError: its ``paper.toml`` lacks an entry, or has one that is none of :class:`Paper`.
    """
    return Paper(room, **tomllib.loads((ROOT / "book" / room / "paper.toml").read_text(encoding="utf-8")))


ROOMS: tuple[str, ...] = tuple(FIRST_PAGE.findall((ROOT / "_toc.yml").read_text(encoding="utf-8")))
"""The folders of all chapters, in the order of the book."""
CHAPTERS = tuple(map(_chapter, ROOMS))
PAPERS = tuple(chapter for chapter in CHAPTERS if not chapter.ours)
"""The chapters that go with a paper."""
BY_ROOM = {chapter.room: chapter for chapter in CHAPTERS}
