"""Where a figure is exact: said by its author, shown under *Check the numbers*, and by every figure of the book."""

from __future__ import annotations

import importlib
import json
import re

import pytest

from book.gallery import figures, figures_of
from book.ledger.boxes import ROOT
from book.ledger.registry import pages
from tests.widgets import showcase
from tests.widgets.pages import embedded, provide, write
from widgets.figure.exactness import exact
from widgets.site.stills import draw

SAYS = re.compile(r"^exact\((\w+)\(\), (\w+|\".+\")\)$", re.MULTILINE)
OF_THE_RECIPE = {"book/loops"}
"""Pages that say in their text where figures are exact."""
SENTENCE = "Exact where the well is even: then x alone takes the steps."


@pytest.mark.parametrize("where", ["", "everywhere", None, 3])
def test_it_is_a_sentence(where):
    with pytest.raises(
        ValueError, match=re.escape(f"where = {where!r}: must be a sentence, with a full stop")
    ):
        exact(showcase.descends(), where)


@pytest.mark.browser
def test_a_reader_finds_it_under_check_the_numbers(tmp_path, open_page):
    figure = exact(showcase.descends(), f" {SENTENCE}\n")
    assert figure.figure.spec["exact"] == SENTENCE
    write(provide(tmp_path) / "page.html", [figure])
    page = open_page((tmp_path / "page.html").as_uri())
    page.wait_for_selector(".fim[data-state=done]")
    said = page.locator(".fim-check .fim-exact")
    assert not said.is_visible()
    page.get_by_text("Check the numbers").click()
    assert said.inner_text() == f"Where exact: {SENTENCE}"


def test_so_does_its_still_and_a_figure_without_a_sentence_says_nothing(tmp_path):
    def drawn(figure):
        (still,) = draw(embedded([figure])["manager_state"]["state"], tmp_path).values()
        return still.html

    figure = showcase.descends()
    assert "fim-exact" not in drawn(figure)
    assert f"<b>Where exact: </b>{SENTENCE}" in drawn(exact(figure, SENTENCE))


@pytest.mark.parametrize("page", [page for page in pages() if figures_of(page) and page not in OF_THE_RECIPE])
def test_every_figure_of_the_book_says_where_it_is_exact(page):
    cells = json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    said = SAYS.findall(code)
    assert [function for function, _ in said] == [figure.make.__name__ for figure in figures_of(page)]
    for _, sentence in said:
        if sentence.startswith('"'):
            continue
        (module,) = re.findall(rf"^from (book\.\w+\.exactness) import {sentence}$", code, re.MULTILINE)
        text = getattr(importlib.import_module(module), sentence)
        assert text.endswith(".")
        assert text[0].isupper()


def test_only_the_recipe_has_a_figure_without_it():
    assert {figure.page for figure in figures().values()} >= OF_THE_RECIPE
