"""Verdicts in plain words; ``tests/book/test_agreement.py`` asks whether all that decides one has them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from book.gallery import figures
from book.ledger import plain
from book.ledger.registry import pages, statements
from book.ledger.statement import Statement
from book.truth_map import TruthMap
from tests.widgets.program import called
from widgets import words
from widgets.figure.registry import opening_of

PAGES = [
    page for page in pages() if any(block.kind in ("fails", "verdict") for block in words.blocks_of(page))
]
SYMBOLS = re.compile(r"[₀-₉²³√‖≤≥=⟨⟩αηκμσφ]|\b[nmLKRT]\b")
"""What only a reader of the paper knows."""


def ids_of(page: str) -> list[str]:
    """The statements for which a page has plain words."""
    blocks = [block for block in words.blocks_of(page) if block.kind in ("fails", "verdict")]
    return sorted({id.strip() for block in blocks for id in block.head.split(",")})


@pytest.mark.parametrize("page", PAGES)
def test_plain_words_are_plain(page):
    said = {said for id in ids_of(page) for said in words.clauses(id, page).values()}
    assert {
        clause for clause in said if SYMBOLS.search(clause) or "“" in clause.replace("“the”", "")
    } == set()
    assert {clause for clause in said if clause.endswith(".") or len(clause) > 110} == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_plain_words_for_its_own_statements_alone(page):
    assert {id: statements()[id].page for id in ids_of(page)} == dict.fromkeys(ids_of(page), page)


def test_what_has_no_plain_words_is_quoted():
    toy: Any = SimpleNamespace(id="toy.theorem-1", page="book/toy")
    assert plain.failures(toy, "hypothesis", [("size", "size at most 1")]) == ["“size at most 1” fails"]


def test_a_map_of_what_promises_a_choice_counts_where_some_choice_works():
    theorem = statements()["recognise.theorem-3-1"]
    table = pd.DataFrame(
        {
            "samples": [50, 50, 100, 100],
            "constant": [10, 40, 10, 40],
            "outcome": ["outside", "outside", "contradicted", "holds"],
        }
    )
    assert TruthMap(theorem, "samples", "constant", table).sentence == (
        "For every value of “samples” at which the hypotheses hold, some “constant” works (green): that is what the "
        "theorem promises."
    )
    assert "For 0 of the 1 values" in TruthMap(theorem, "samples", "constant", table[:3]).sentence
    early = pd.concat([table, table[:1].assign(outcome="undecided")]).rename(columns={"constant": "width"})
    assert TruthMap(theorem, "samples", "width", early).sentence == (
        "With the choice that is set Theorem 3.1 is right at 1 of the 2 cells where it applies and could be judged. It "
        "only promises that some choice works at each. At 1 more it is too early to say."
    )


def test_the_page_counts_a_map_as_python_does():
    sheet = {
        "name": "Theorem 3.1",
        "choices": ["constant"],
        "mapped": statements()["recognise.theorem-3-1"].mapped,
    }
    kinds = [["outside", "allowed"], ["outside", "holds"]]
    counts = {"holds": 1, "contradicted": 0, "allowed": 1, "outside": 2, "beyond": 0, "undecided": 0}
    axes = [{"name": "samples", "label": "sentences"}, {"name": "constant", "label": "length of Phase 1"}]
    flipped = [list(row) for row in zip(*kinds, strict=True)]
    up, across, failing, other = called(
        "run/map_summary",
        "summary",
        (sheet, kinds, counts, axes),
        (sheet, flipped, counts, axes[::-1]),
        (sheet, kinds[:1], counts, axes),
        (sheet, kinds, counts, [axes[0], {"name": "width"}]),
    )
    assert up == across
    assert up.startswith(
        "For every value of “sentences” at which the hypotheses hold, some “length of Phase 1” works"
    )
    assert failing.startswith("For 0 of the 1 values of “sentences”")
    assert other.startswith("With the choice that is set Theorem 3.1 is right at 1 of the 2 cells")
    (early,) = called("run/map_summary", "summary", (sheet, kinds, {**counts, "undecided": 96}, axes))
    assert early == f"{up} At 96 more it is too early to say."


def test_no_sentence_of_a_live_statement_quotes_a_name():
    live = [statements()[id] for page in PAGES for id in ids_of(page)]
    assert {
        s.id
        for s in live
        for key in ("holds", "contradicted", "outside", "beyond", "undecided")
        if _quotes(s, key)
    } == set()


def _quotes(statement: Statement, key: str) -> bool:
    return "“{" in plain.sentences(statement).get(key, statement.sentence(key))


def test_a_page_says_what_its_statements_say():
    """The block {says} of each statement that a figure judges; no other statement has one."""
    shown = {id for figure in figures().values() for id in opening_of(figure).statements}
    saying = {
        (page, block.head) for page in pages() for block in words.blocks_of(page) if block.kind == "says"
    }
    assert saying == {(statements()[id].page, id) for id in shown}


@pytest.mark.parametrize(
    "id", [block.head for page in PAGES for block in words.blocks_of(page) if block.kind == "says"]
)
def test_a_finding_of_ours_has_a_name(id):
    assert not plain.name(statements()[id]).startswith(("Finding", "A hypothesis"))
