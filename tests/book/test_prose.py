"""What prose must not say, because a reader could not follow it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import ROOT

ORDINAL = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|last) (card|chart|light|label)s?\b"
    r"|\b(above|below) the charts\b|\blights? (is|are|goes) out\b"
)
"""A chart or a card is called by its name: scenes and folds leave no order to count in, and cards are added."""
INSTEAD = (
    (r"\bbeside the borders\b", "just inside and outside each hypothesis"),
    (r"\bbut for (its|the)\b", "except for"),
    (r"\bhunted\b", "searched for a counterexample"),
    (r"\b(meets?|met) a breach\b", "fits a second relation"),
    (r"\btoo hot\b", "too warm"),
    (r"\bwants? (more|as many)\b", "needs"),
)
"""What nobody would say aloud, and what to say instead."""
PAGES = sorted([*(ROOT / "book").glob("*.ipynb"), *(ROOT / "book").glob("*/*.ipynb")])
on_every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")


def prose(page: Path) -> str:
    """The text of a page's cells, without code."""
    cells = json.loads(page.read_text())["cells"]
    return "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@on_every_page
def test_charts_and_cards_are_called_by_their_names(page):
    assert [match[0] for match in ORDINAL.finditer(prose(page))] == []


@on_every_page
def test_nothing_is_said_that_nobody_would_say_aloud(page):
    found = [(match[0], better) for pattern, better in INSTEAD for match in re.finditer(pattern, prose(page))]
    assert found == []
