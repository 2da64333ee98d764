"""Citations: a clause is no better confirmed than the statement that accounts for it, and rings are refused."""

import pytest

from book.ledger import store
from book.ledger.citations import with_citations
from book.ledger.clauses import ID, Kind
from book.ledger.examine import Verdict

CITING, CITED, THIRD = "recall.citing", "recall.cited", "recall.third"


def entry(id, verdict, *accounts, bounds=()):
    """An entry of the table with a clause for each account, all tested."""
    return {
        "id": id,
        "kind": "lemma",
        "verdict": str(verdict),
        "in words": str(verdict),
        "statement": " and ".join("so it is{sup}`✓`" for _ in accounts),
        "clauses": [
            {"text": "so it is", "kind": "tested", "by": [by], "note": "", "roles": 1, "sign": "✓"}
            for by in accounts
        ],
        "holds at": {"bounds": [{"name": n, "holds": h, "must be": "≤ 1"} for n, h in bounds]},
    }


def table(verdict, *accounts, own=Verdict.CONFIRMED, bounds=()):
    cited = entry(CITED, verdict, "size", bounds=bounds)
    return {CITING: entry(CITING, own, *accounts), CITED: cited}


@pytest.mark.parametrize(
    ("cited", "own", "verdict", "sign"),
    [
        (Verdict.CONFIRMED, Verdict.CONFIRMED, "confirmed", "✓"),
        (Verdict.ALGEBRA, Verdict.CONFIRMED, "confirmed", "✓"),
        (Verdict.CONFIRMED, Verdict.ALGEBRA, "confirmed", "✓"),
        (Verdict.CORRECTED, Verdict.CONFIRMED, "confirmed after correction", "≈"),
        (Verdict.RECONSTRUCTED, Verdict.CORRECTED, "confirmed after correction", "≈"),
        (Verdict.ONLY_WHERE, Verdict.RECONSTRUCTED, "holds only where its hypotheses are sharpened", "≈"),
        (Verdict.PARTLY, Verdict.CONFIRMED, "confirmed in part", "≈"),
        (Verdict.NOT_TESTABLE, Verdict.CONFIRMED, "confirmed in part", "–"),
        (Verdict.NOT_REPRODUCED, Verdict.CONFIRMED, "not reproduced", "✕"),
    ],
)
def test_a_clause_inherits_the_worse_verdict(cited, own, verdict, sign):
    citing = with_citations(table(cited, "size", CITED, own=own))[CITING]
    assert citing["verdict"] == verdict
    assert [clause["sign"] for clause in citing["clauses"]] == ["✓", sign]
    assert citing["statement"] == f"so it is{{sup}}`✓` and so it is{{sup}}`{sign}`"


def test_the_words_count_what_is_left():
    assert with_citations(table(Verdict.NOT_TESTABLE, "size", CITED))[CITING]["in words"] == (
        "confirmed in 1 of 2 clauses"
    )
    assert with_citations(table(Verdict.NOT_REPRODUCED, "size", CITED))[CITING]["in words"] == (
        "not reproduced in 1 of 2 clauses"
    )


def test_a_verdict_is_handed_on_along_a_chain():
    chain = table(Verdict.CORRECTED, CITED) | {THIRD: entry(THIRD, Verdict.CONFIRMED, CITING)}
    assert with_citations(chain)[THIRD]["verdict"] == "confirmed after correction"


@pytest.mark.parametrize(("holds", "verdict"), [(True, "confirmed"), (False, "not reproduced")])
def test_a_single_bound_may_be_cited_whatever_its_statement_s_verdict(holds, verdict):
    entries = table(Verdict.ONLY_WHERE, f"{CITED}: size", bounds=[("size", holds)])
    assert with_citations(entries)[CITING]["verdict"] == verdict


def test_a_ring_is_refused():
    ring = table(Verdict.CONFIRMED, CITED) | {CITED: entry(CITED, Verdict.CONFIRMED, CITING)}
    with pytest.raises(ValueError, match="in a ring"):
        with_citations(ring)


@pytest.mark.parametrize("account", ["recall.nowhere", f"{CITED}: weight", "recall.nowhere: size"])
def test_what_is_not_there_cannot_be_cited(account):
    with pytest.raises(ValueError, match=r"recall\.(nowhere|cited)"):
        with_citations(table(Verdict.CONFIRMED, account, bounds=[("size", True)]))


def test_no_clause_of_the_ledger_is_better_than_what_it_cites():
    entries = store.read()
    for entry in entries.values():
        for clause in entry["clauses"]:
            for name in filter(ID.fullmatch, clause["by"]):
                fine = (Verdict.CONFIRMED, Verdict.ALGEBRA, Verdict.IN_USE)
                if clause["kind"] != Kind.ASSUMED and entries[name]["verdict"] not in fine:
                    assert clause["sign"] != "✓", f"{entry['id']}: {clause['text']}"


def test_a_bound_that_was_measured_in_another_model_is_tested_there():
    entries = table(Verdict.ELSEWHERE, f"{CITED}: size", bounds=[("size", True)])
    entries[CITED]["clauses"][0] |= {"kind": str(Kind.ELSEWHERE), "note": "a mean start", "sign": "≈"}
    citing = with_citations(entries)[CITING]
    assert [(clause["sign"], clause["note"]) for clause in citing["clauses"]] == [("≈", "a mean start")]
    assert citing["in words"] == "tested only in another model"
