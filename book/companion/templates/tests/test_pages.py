"""The built book: each statement has its page and its verdict, and nothing comes from elsewhere."""

import re
from pathlib import Path

import pytest
from livetorch.ledger import store

BUILT = Path(__file__).parents[1] / "_build" / "html"
PAGES = sorted(BUILT.rglob("*.html"))
ELSEWHERE = re.compile(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="https?:')


def test_it_is_built():
    assert PAGES, "make book"


@pytest.mark.parametrize("id", store.read())
def test_a_statement_has_a_page_with_its_verdict_and_its_map(id):
    text = (BUILT / "s" / f"{id}.html").read_text(encoding="utf-8")
    assert store.read()[id]["verdict"] in text.lower()
    assert "statement-map" in text
    assert f'href="s/{id}.html"' in (BUILT / "book" / "atlas.html").read_text(encoding="utf-8").replace(
        "../", ""
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(BUILT)))
def test_a_page_loads_nothing_from_elsewhere(page):
    assert not ELSEWHERE.search(page.read_text(encoding="utf-8"))
