"""The ledger as tables for others."""

from __future__ import annotations

from html import escape

import pandas as pd

from book.ledger import pages, registry, store


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
