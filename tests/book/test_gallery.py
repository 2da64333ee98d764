"""The registry of figures says what the pages show."""

import json
import re

import pytest

from book.gallery import figures, figures_of
from book.ledger.boxes import ROOT, boxes_of
from book.ledger.registry import pages
from widgets.figure.registry import opening_on

SHOWS = re.compile(r"^from (book(?:\.\w+)+)\.figure import (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", pages())
def test_a_page_shows_the_figures_that_are_registered_for_it(page):
    notebook = ROOT / f"{page}.ipynb"
    cells = json.loads(notebook.read_text())["cells"] if notebook.exists() else []
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    shown = [f"{folder}.{name}" for folder, names in SHOWS.findall(code) for name in names.split(", ")]
    registered = [
        f"{figure.make.__module__.removesuffix('.figure')}.{figure.make.__name__}"
        for figure in figures_of(page)
    ]
    assert shown == registered


@pytest.mark.parametrize("page", sorted({figure.page for figure in figures().values()}))
def test_the_first_box_of_a_page_is_a_statement_that_its_figure_speaks_of(page):
    for id in list(boxes_of(page))[:1]:
        assert opening_on(page, id) is not None


def test_every_figure_has_a_page():
    assert {figure.page for figure in figures().values()} <= set(pages())
