"""Clauses: each part of a statement's text is accounted for, each bound belongs to one, and the verdict follows."""

import dataclasses

import numpy as np
import pytest

from book.ledger import store
from book.ledger.boxes import Box
from book.ledger.clauses import FAILED, ID, SIGNS, Kind, clauses_of, split, tally, with_signs
from book.ledger.entries import is_rounding
from book.ledger.examine import Verdict, examine, in_words
from book.ledger.rates import fit_power, grows_as, grows_at_least_as, grows_at_most_as
from book.ledger.statement import Ground, Statement
from tests.book.ledger.test_statements import toy

LOOSE = 100
"""A bound with so much room tests nothing: it is sharpened, or only recorded."""


def box(monkeypatch, text, name="Theorem 1"):
    monkeypatch.setattr(Statement, "box", Box(name, "a toy", text))


def test_a_text_is_divided_at_its_roles():
    parts, rest = split("For all $x$ {by}`a`,\nthere is one {by}`b`{by}`c, least`. And so on.")
    assert parts == [("For all $x$", ("a",)), ("there is one", ("b", "c, least"))]
    assert rest == ". And so on."


def test_each_kind_of_account_is_told_from_the_others(monkeypatch):
    box(
        monkeypatch,
        "Two words {by}`setting` that are whole {by}`whole`, with probability 0.9 {by}`chance`: at most 2 {by}`size`, "
        "for all m {by}`at infinite width: size`, at least 1 {by}`not tested: too dear`, "
        "as elsewhere {by}`recall.lemma-6`.",
    )
    clauses = clauses_of(dataclasses.replace(toy, chance=0.1), ["size"])
    kinds = [clause.kind for clause in clauses]
    assert kinds[:4] == [Kind.ASSUMED, Kind.ASSUMED, Kind.TESTED, Kind.TESTED]
    assert kinds[4:] == [Kind.ELSEWHERE, Kind.UNTESTED, Kind.TESTED]
    assert [clause.note for clause in clauses[4:6]] == ["at infinite width", "too dear"]
    assert tally(clauses) == (3, 5)


def test_a_quantifier_may_be_of_another_model(monkeypatch):
    box(monkeypatch, "Mostly {by}`a mean start: chance` it is at most 2 {by}`a mean start: size`.")
    clauses = clauses_of(dataclasses.replace(toy, chance=0.1), ["size"])
    assert [(clause.kind, clause.note) for clause in clauses] == [(Kind.ELSEWHERE, "a mean start")] * 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("It is small {by}`size`. It is nice.", "It is nice"),
        ("It is small {by}`length`", "length"),
        ("It is whole {by}`whole`", "size.*belong to no clause"),
        ("It is small {by}`size`{by}`not tested: dear`", "must be one of them"),
        ("It is small {by}`size`, mostly {by}`chance`", "chance"),
        ("It is small {by}`size`, by algebra {by}`proved`", "proved"),
    ],
)
def test_what_is_not_accounted_for_is_refused(monkeypatch, text, complaint):
    box(monkeypatch, text)
    with pytest.raises(ValueError, match=complaint):
        clauses_of(toy, ["size"])


def test_the_verdict_says_of_how_many_clauses_it_speaks(monkeypatch):
    assert examine(toy).words == "confirmed"
    box(
        monkeypatch,
        "It is at most 2 {by}`size`, for every m {by}`not tested: dear`, and n {by}`not tested: dear`.",
    )
    assert (examine(toy).verdict, examine(toy).words) == (Verdict.PARTLY, "confirmed in 1 of 3 clauses")
    reconstructed = dataclasses.replace(toy, ground=Ground.RECONSTRUCTED)
    assert examine(reconstructed).words == "confirmed as reconstructed in 1 of 3 clauses"
    assert in_words(Verdict.NOT_REPRODUCED, 1, 3) == "not reproduced"


def test_a_definition_is_in_use(monkeypatch):
    box(monkeypatch, "The size is at most 2 {by}`size`.", "Definition 1")
    assert examine(toy).words == "in use"


def test_a_text_is_printed_with_signs_in_the_place_of_its_roles():
    assert with_signs("One {by}`a`{by}`b`, two {by}`c`.", ["✓", "–"]) == "One{sup}`✓`, two{sup}`–`."


STORED = store.read()


@pytest.mark.parametrize("id", STORED)
def test_every_part_of_a_text_is_accounted_for(id):
    clauses = STORED[id]["clauses"]
    assert clauses, "its text is not divided into clauses"
    assert {clause["sign"] for clause in clauses} <= {*SIGNS.values(), FAILED}
    named = {name for clause in clauses for name in clause["by"] if ID.fullmatch(name)}
    assert named <= STORED.keys()


@pytest.mark.parametrize("id", STORED)
def test_no_bound_is_so_loose_that_it_tests_nothing(id):
    loose = [
        f"{bound['name']}: {bound['headroom']:.3g} times"
        for bound in STORED[id]["holds at"]["bounds"]
        if not isinstance(bound["headroom"], str)
        and bound["name"] not in STORED[id]["loose"]
        and bound["headroom"] > LOOSE
        and not is_rounding(bound)
    ]
    assert loose == []


def test_a_power_law_is_fitted_with_an_interval():
    chance = np.random.default_rng(0)
    sizes = np.repeat(np.logspace(0, 2, 12), 4)
    fit = fit_power(sizes, 3 * sizes**1.5 * np.exp(0.1 * chance.standard_normal(len(sizes))))
    assert fit.low < 1.5 < fit.high
    assert fit.high - fit.low < 0.1
    assert fit.decades == pytest.approx(2)
    assert (fit.first, fit.last) == pytest.approx((3, 3), rel=0.1)
    assert bool(grows_as(1.5, fit, "m").holds)
    assert not bool(grows_as(1.4, fit, "m").holds)
    assert bool(grows_at_most_as(1.6, fit, "m").holds)
    assert not bool(grows_at_most_as(1.4, fit, "m").holds)
    assert bool(grows_at_least_as(1.4, fit, "m").holds)
    assert not bool(grows_at_least_as(1.6, fit, "m").holds)


@pytest.mark.parametrize(
    ("x", "y", "complaint"),
    [
        ([1, 2, 3, 9], [1, 1, 1, 1], "decade"),
        ([1, 20, 30], [1, 1, 1], "four"),
        ([1, 2, 3, 10], [1, 1, -1, 1], "positive"),
    ],
)
def test_a_fit_asks_for_a_decade(x, y, complaint):
    with pytest.raises(ValueError, match=complaint):
        fit_power(x, y)
