"""The command line begins where a page's figure opens: both answer the same question alike."""

import pytest

from book import gallery
from book.ledger.registry import pages, statements
from book.ledger.report import where_to_begin
from tests import ROOT
from tests.figures import defaults, figure_named, makers
from widgets.figure.registry import opening_of


@pytest.mark.parametrize("name", makers())
def test_the_command_line_begins_where_the_figure_opens(name):
    """What both then say of settings drawn at random: tests/browser/test_statements.py."""
    demo = figure_named(name)
    for sheet in demo.figure.spec["statements"]:
        assert where_to_begin(statements()[sheet["id"]]) == defaults(demo)


@pytest.mark.parametrize("page", [page for page in pages() if (ROOT / page / "statements.py").exists()])
def test_a_page_shows_a_statement_from_one_opening_only(page):
    """Else the command line could follow only one of its figures."""
    openings = [opening_of(figure) for figure in gallery.figures_of(page)]
    for id in {id for opening in openings for id in opening.statements}:
        values = [opening.values for opening in openings if id in opening.statements]
        assert all(each == values[0] for each in values), id
