"""The picture of the chain: three models, each with its chapter, and the two pages on which they are joined."""

from __future__ import annotations

import re

from book.together.chain import chain
from tests import ROOT


def test_the_chain_names_each_chapter_and_its_links_lead_to_pages():
    shown = chain().data
    assert shown.count("<li>") == 3
    links = re.findall(r'href="([^"]*)\.html"', shown)
    assert links == ["../recognise/index", "reading", "../acquire/index", "stored", "../recall/index"]
    for link in links:
        assert (ROOT / "book" / "together" / f"{link}.ipynb").resolve().exists()
