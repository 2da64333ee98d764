"""Statements' pages, and the ledger as tables for others."""

from __future__ import annotations

import re
from html import escape

import nbformat
import pandas as pd
import pytest
import yaml

from book.ledger import registry, store
from book.ledger.web import exports, pages
from tests import ROOT

KNOWN = store.read()


def text_of(id: str) -> str:
    """The text of a statement's page."""
    return pages.page_text(KNOWN[id], KNOWN, None, None, book="A Book", authors="its authors")


def test_both_tables_say_the_same_of_every_statement(tmp_path):
    exports.write_tables(tmp_path)
    parquet = pd.read_parquet(tmp_path / "ledger.parquet")
    assert parquet.columns.tolist() == exports.COLUMNS
    assert parquet["id"].tolist() == list(registry.statements())
    csv = pd.read_csv(tmp_path / "ledger.csv", keep_default_na=False, dtype="str")
    pd.testing.assert_frame_equal(parquet, csv)
    assert not parquet.drop(columns="number").eq("").any(axis=None)


@pytest.mark.parametrize("id", KNOWN)
def test_a_page_says_what_was_measured_and_where_it_fails(id):
    entry, text = KNOWN[id], text_of(id)
    assert text.startswith(f"# {pages.name(entry)}: {entry['title']}\n")
    assert entry["statement"].replace("$${sup}", "$$\n\n{sup}") in text
    is_tested = entry["verdict"] != "not testable here"
    assert (f"| command | `python -m book statements {id}` |" in text) == is_tested
    assert (re.search(r"\| (fails where|finds a planted error) \|", text) is not None) == is_tested
    assert all(f'<a href="{used}.html">' in text for used in entry["uses"])
    assert f"@misc{{a-book-{id.replace('.', '-')},\n" in text
    assert "  author = {{its authors}},\n" in text
    assert not re.search(r"\bnan\b", text)


def test_a_page_says_how_far_its_settings_go_and_why_a_border_is_not_reached():
    lemma_9, lemma_1 = map(text_of, ("acquire.lemma-9", "recall.lemma-1"))
    assert "| ranges kept narrow | drawn: farther on a run in exact fractions takes minutes;" in lemma_9
    assert "| beyond its ranges | holds at " in lemma_9
    assert "| borders not reached | some fact joins the two tokens (" in lemma_1


def test_a_statements_page_has_its_errata_with_the_scripts_that_show_them():
    entry, text = KNOWN["recall.lemma-6"], text_of("recall.lemma-6")
    for erratum in entry["errata"]:
        assert f"\n{erratum['right']}\n" in text
        assert erratum["survives"] in text
    scripts = [erratum for erratum in entry["errata"] if erratum["proved"]]
    assert text.count("<summary>The script, from ") == len(scripts) > 0
    assert escape("def printed_curvature_differs() -> bool:") in text
    fine = next(id for id, entry in KNOWN.items() if not entry["errata"])
    assert "Errata" not in text_of(fine)


def test_the_errata_say_how_to_cite_them_and_how_to_report_a_mistake_in_them():
    cells = nbformat.read(ROOT / "book" / "errata.ipynb", 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    (entry,) = re.findall(r"^```bibtex\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    book = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert f"version {book['version']}" in entry
    assert f"year = {{{book['date-released'][:4]}}}" in entry
    for author in book["authors"]:
        assert f"{{{{{author['name']}}}}}" in entry  # braces keep BibTeX from taking the words for names
    assert "](#mistakes-of-ours)" in text
    assert "## If one of these is a mistake of ours" in text
