"""The ledger as tables for others."""

from __future__ import annotations

import pandas as pd

from book.ledger import pages, registry


def test_both_tables_say_the_same_of_every_statement(tmp_path):
    pages.write_tables(tmp_path)
    parquet = pd.read_parquet(tmp_path / "ledger.parquet")
    assert parquet.columns.tolist() == pages.COLUMNS
    assert parquet["id"].tolist() == list(registry.statements())
    csv = pd.read_csv(tmp_path / "ledger.csv", keep_default_na=False, dtype="str")
    pd.testing.assert_frame_equal(parquet, csv)
    assert not parquet.drop(columns="number").eq("").any(axis=None)
