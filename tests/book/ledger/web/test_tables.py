"""The pages made from the stored claims, and the chapter's picture."""

import re

import nbformat
import pytest
from markupsafe import escape

from book.ledger import entries
from book.ledger.web import errata, tables
from book.paper import PAPERS
from book.publish.build import notebooks
from book.recall import diagram

ENTRIES = entries.entries()


@pytest.mark.parametrize("room", ["recognise.", "acquire.", "recall.", "together."])
def test_every_claim_has_a_line_in_the_closing_table(room):
    lines = tables.closing(room).data.splitlines()[2:]
    of_chapter = [entry for entry in ENTRIES if entry["id"].startswith(room)]
    assert len(lines) == len(of_chapter)
    for line, entry in zip(lines, of_chapter, strict=True):
        statement, verdict, _held, finding = cells(line)
        assert entry["title"] in statement
        assert f'<a class="record" href="../../s/{entry["id"]}.html">' in verdict
        assert entries.verdict_words(entry) in verdict
        assert finding == entry["finding"]


def test_a_verdict_never_speaks_of_no_clauses():
    words = {entries.verdict_words(entry) for entry in ENTRIES}
    assert "tested only in a small GPT-2" in words
    assert "confirmed as reconstructed (6 of 9 claims tested)" in words
    assert not [text for text in words if re.search(r"\b0 of", text)]


def test_a_chapter_without_statements_of_the_papers_counts_none():
    ours, papers = (tables.counts(room).data for room in ("together.", "recall."))
    assert not re.search(r"\b0 (clauses|formulas|are)", ours)
    assert "The papers' statements have" in papers
    assert "formulas are not correct as printed" in papers


def cells(line: str) -> list[str]:
    """The cells of a table's row, as Markdown has them: an escaped bar is a bar."""
    return [cell.replace(r"\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_tables_of_sentences_are_stacked_on_a_phone():
    every = [cell for path in notebooks() for cell in nbformat.read(path, 4).cells]
    closing = [cell for cell in every if re.match(r"(tables\.closing|errata\.checked)\(", cell.source)]
    assert len(closing) == 5
    assert all("stacked" in cell.metadata.tags for cell in closing)


def test_every_verdict_has_a_sign():
    assert {entry["verdict"] for entry in ENTRIES} <= set(entries.SIGNS)
    assert set(entries.TONES) <= set(entries.SIGNS), "each is the name of a verdict"


def test_every_erratum_is_listed_with_its_evidence():
    text = errata.wrong().data
    lines = re.findall(r'class="erratum".*?<summary>(.*?)</summary>', text)
    listed = [pair for entry in ENTRIES for pair in entries.with_declared(entry)]
    assert len(lines) == len(listed)
    for erratum, declared in listed:
        said = [
            *(escape(part) for key in ("paper", "right") for _, part in errata.parts(erratum[key])),
            f">{declared.survival.removeprefix('the statement ')}</span>",
        ]
        assert any(all(part in line for part in said) for line in lines), declared.where
        assert erratum["survives"] in text


def test_errata_are_grouped_by_paper_and_rank():
    text = errata.wrong().data
    headings = re.findall(r"^(##+) (.*)$", text, re.MULTILINE)
    papers = [title.split(":")[0] for level, title in headings if level == "##"]
    assert papers == [paper.chapter for paper in PAPERS]
    ranks = [title for level, title in headings if level == "###"]
    assert set(ranks) <= set(errata.RANKS.values())


def test_every_checked_formula_is_listed():
    rows = [line for line in errata.checked().data.splitlines() if line.startswith("| ")]
    assert len(rows) - 2 * len(PAPERS) == sum(len(entry["checked"]) for entry in ENTRIES)


def test_the_counts_add_up():
    for sentence in tables.counts("recall.").data.split(". ")[:2]:
        total, *parts = [int(number) for number in re.findall(r"\d+", sentence)]
        assert total == sum(parts)


def test_the_picture_sums_the_products_of_matched_cells():
    html = diagram.six_relations([0.3, 0.3, 0.2, 0.2, 0.0]).data
    true, confusing = html.split("</svg>")[:2]
    assert "products 0.090 + 0.040, in all 0.130" in true
    assert "products 0.060 + 0.060, in all 0.120" in confusing
