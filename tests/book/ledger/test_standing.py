"""A statement's standing, such as *as corrected by us*, is the same wherever it is named."""

import json
import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from book import gallery
from book.ledger import registry, store
from book.ledger.clauses import Kind
from book.ledger.examine import check_ground
from book.ledger.statement import Ground
from book.ledger.web import index, pages
from lib.program import parameters, run
from tests import ROOT
from tests.figures import makers
from widgets.figure.registry import opening_of

STATEMENTS = registry.statements()
ENTRIES = store.read()
KINDS = "Lemma|Theorem|Remark|Proposition|Corollary"
TEXTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [*(ROOT / "book").rglob("*.md"), ROOT / "README.md"]
} | {
    str(path.relative_to(ROOT)): "\n\n".join(
        "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    )
    for path in (ROOT / "book").rglob("*.ipynb")
}


def ground_of(id: str) -> str:
    return str(STATEMENTS[id].ground)


@pytest.mark.parametrize("name", makers())
def test_a_figures_label_has_it(name):
    """But for a finding of ours, whose name says so."""
    opening = opening_of(gallery.figures()[name])
    p = parameters(opening.program, opening.values)
    report = run(opening.program, **{**opening.values, **as_few_steps_as_can_be(opening)}).report
    for id in opening.statements:
        assert STATEMENTS[id].sheet(report, p)["ground"] == ground_of(id)


def as_few_steps_as_can_be(opening):
    least = {domain.name: max(1, domain.low) for domain in opening.program.domains}
    return {stage.limit: least[stage.limit] for stage in opening.program.stages}


@pytest.fixture(scope="module")
def indexed():
    """The grounds that the rows of the index show, by id."""
    rows = BeautifulSoup(index.html(), "html.parser").select("tbody tr")
    return {row.select("span[id]")[0]["id"]: row["data-ground"] for row in rows}


@pytest.mark.parametrize("id", STATEMENTS)
def test_ledger_index_and_page_have_it(id, indexed):
    assert ENTRIES[id]["ground"] == ground_of(id)
    assert indexed[id] == ground_of(id)
    assert f", {ground_of(id)} |" in pages.page_text(ENTRIES[id], ENTRIES, None, None)


@pytest.mark.parametrize("id", STATEMENTS)
def test_the_errata_and_the_verdict_agree_with_it(id):
    """A statement that only cites a corrected one has its verdict, and stands as it is printed itself."""
    statement, entry = STATEMENTS[id], ENTRIES[id]
    check_ground(statement)
    if statement.ground is Ground.CORRECTED:
        assert entry["verdict"] not in ("confirmed", "confirmed in part", "true by algebra")
    elif entry["verdict"] == "confirmed after correction":
        assert Kind.AMENDED in [clause["kind"] for clause in entry["clauses"]]


def test_what_the_errata_say_otherwise_is_refused():
    wrong = replace(STATEMENTS["recall.lemma-10"], ground=Ground.PRINTED)
    with pytest.raises(
        ValueError, match=r"recall.lemma-10: ground = as printed: an erratum .*as corrected by us"
    ):
        check_ground(wrong)
    without = replace(STATEMENTS["recall.lemma-6"], ground=Ground.CORRECTED)
    with pytest.raises(
        ValueError, match=r"recall.lemma-6: ground = as corrected by us: must have an erratum"
    ):
        check_ground(without)


@pytest.mark.parametrize("path", TEXTS)
def test_no_page_calls_by_another_standing_what_it_names(path):
    """ "Theorem 3.2 as printed" would say of a corrected statement that it is right as the paper has it."""
    grounds = "|".join(ground for ground in Ground if ground is not Ground.OURS)
    for name, said in re.findall(
        rf"((?:Lemma|Theorem|Remark|Proposition|Corollary) [\w.]+),? ({grounds})", TEXTS[path]
    ):
        known = {ground_of(id) for id, one in STATEMENTS.items() if name in (one.box.name, *one.numbers)}
        assert not known or said in known, f"{name} {said}: {known}"
