"""The certificates of the papers: complete, and of files that there are."""

import pytest
import yaml

from book.ledger import store
from book.ledger.web import certificates

REQUIRED = ("version", "paper", "manifest", "codechecker", "summary", "check_time", "report")
"""What CODECHECK's specification of the file requires or recommends."""
of_each_paper = pytest.mark.parametrize("paper", certificates.certified(), ids=lambda paper: paper.room)


@of_each_paper
def test_a_record_has_what_codecheck_specifies(paper, tmp_path):
    certificates.write_records(tmp_path, "the checkers")
    text = (tmp_path / paper.room / "codecheck.yml").read_text(encoding="utf-8")
    assert text.startswith("---\n")
    record = yaml.safe_load(text)
    assert tuple(record) == REQUIRED
    assert record["codechecker"] == [{"name": "the checkers"}]
    assert record["paper"]["title"] == paper.title
    assert record["paper"]["reference"].startswith("https://")
    assert all(author["name"] for author in record["paper"]["authors"])
    assert all(item["comment"] for item in record["manifest"])
    assert record["report"].endswith(f"{certificates.page_name(paper).removeprefix('s/')}.html")


@of_each_paper
def test_a_page_counts_every_statement_of_the_paper_and_says_what_was_easy_and_hard(paper):
    body = certificates._body(paper, "Certificate", "the checkers")
    known = [
        e for e in store.read().values() if e["id"].startswith(f"{paper.room}.") and e["source"] == "paper"
    ]
    assert f"All {len(known)} numbered statements" in body
    assert paper.easy
    assert paper.hard
    for entry in known:
        if entry["verdict"] in certificates.NOTABLE:
            assert f'href="{entry["id"]}.html"' in body
    for table in certificates.tables(paper):
        assert table["name"] in body


def test_a_verdict_is_noted_once_and_of_a_day_the_last(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "HISTORY", tmp_path / "history.csv")
    store.HISTORY.write_text("id,since,verdict\n")
    for words, day in (
        ("in use", "1"),
        ("in use", "2"),
        ("wrong", "3"),
        ("confirmed", "3"),
        ("confirmed", "4"),
    ):
        store.note_verdict("toy.one", words, day)
    assert store.read_history() == {"toy.one": [("1", "in use"), ("3", "confirmed")]}


def test_the_history_ends_with_the_present_verdicts():
    history = store.read_history()
    assert {id: verdicts[-1][1] for id, verdicts in history.items() if id in store.read()} == {
        id: entry["in words"] for id, entry in store.read().items()
    }
