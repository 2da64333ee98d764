"""The stored tables behind a page: read off its code, published, and linked from it."""

from book.ledger import registry
from book.ledger.web import records
from tests import ROOT


def test_a_page_links_the_tables_that_its_code_reads():
    assert records.tables_of("book/recall/experiments") == [
        "recall-figure-2",
        "recall-figure-3",
        "recall-figure-4",
        "recall-interference",
    ]
    assert records.tables_of("book/recall/saddle") == []
    assert records.tables_of("book/glossary") == []  # no notebook


def test_every_table_is_behind_a_page():
    behind = {name for page in registry.pages() for name in records.tables_of(page)}
    stored = {path.stem for path in (ROOT / "book" / "data").glob("*.csv")}
    assert stored - behind == {"history"}  # which has no runs: verdicts, told on the statements' pages


def test_a_link_leads_to_a_table_and_to_how_it_was_made():
    html = records.links(["recall-figure-2"], "../../")
    assert '<a class="record" href="../../s/data/recall-figure-2.csv">recall-figure-2</a>' in html
    assert '<a href="../../s/data/recall-figure-2.json">how it was made</a>' in html
    assert not records.links([], "")
