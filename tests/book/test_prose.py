"""What prose must not say, because a reader could not follow it."""

from __future__ import annotations

import json
import re

import pytest

from tests import ROOT

ORDINAL = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|last) (chart|light|label)s?\b"
    r"|\b(above|below) the charts\b|\blights? (is|are|goes) out\b"
)
"""A chart is called by its name: scenes and folds leave no order to count in."""
PAGES = sorted((ROOT / "book").glob("*/*.ipynb"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_charts_are_called_by_their_names(page):
    cells = json.loads(page.read_text())["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert [match[0] for match in ORDINAL.finditer(text)] == []
