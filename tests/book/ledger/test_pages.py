"""The ledger as tables for others."""

from __future__ import annotations

import re
from html import escape

import nbformat
import pandas as pd
import yaml

from book.ledger import pages, registry, store
from tests import ROOT


def test_both_tables_say_the_same_of_every_statement(tmp_path):
    pages.write_tables(tmp_path)
    parquet = pd.read_parquet(tmp_path / "ledger.parquet")
    assert parquet.columns.tolist() == pages.COLUMNS
    assert parquet["id"].tolist() == list(registry.statements())
    csv = pd.read_csv(tmp_path / "ledger.csv", keep_default_na=False, dtype="str")
    pd.testing.assert_frame_equal(parquet, csv)
    assert not parquet.drop(columns="number").eq("").any(axis=None)


def test_a_statements_page_has_its_errata_with_the_scripts_that_show_them():
    entry = store.read()["recall.lemma-6"]
    html = pages.errata_section(entry)
    for erratum in entry["errata"]:
        assert escape(erratum["right"]) in html
        assert pages.with_math(erratum["survives"]) in html
    scripts = [erratum for erratum in entry["errata"] if erratum["proved"]]
    assert html.count("<pre>") == len(scripts) > 0
    assert "def " in html
    fine = next(entry for entry in store.read().values() if not entry["errata"])
    assert not pages.errata_section(fine)


def test_the_formulas_of_a_text_are_set():
    assert pages.with_math("a < $x$") == 'a &lt; <span class="math notranslate nohighlight">\\(x\\)</span>'


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
