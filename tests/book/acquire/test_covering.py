"""Controlled coverage: which facts are chosen, and what the figure says of those that come out."""

import math
from typing import Any

import pytest
import torch

from book.acquire.covering.figure import CAPTION, figure
from book.acquire.covering.program import Coverage, choose, covering
from book.acquire.covering.statements import FACTS, _half, _power, relation_covering
from lib.acquire import task
from lib.acquire.course import FREQUENT, SUBJECTS
from lib.program import defaults, run
from tests.captions import said

SHORT: dict[str, Any] = {"steps_2": 10, "steps_3": 20, "steps": 20}


def test_facts_are_chosen_by_their_phrases_and_clicked_ones_turned_over():
    known = task.facts(SUBJECTS, 10, 2, FREQUENT / SUBJECTS)
    usual = defaults(covering())
    values = {name: torch.tensor(float(usual[name]), dtype=torch.float64) for name in Coverage._fields}
    plain = choose(known, Coverage(**values))
    assert 0 < plain.sum() < FREQUENT
    assert ((known.uses[:, 5:].sum(1) > 0) * plain).sum() == 0
    assert (plain * (1 - known.frequent)).sum() == 0
    assert ((known.uses[:, 5:].sum(1) == 0) * known.frequent * (1 - plain)).sum() == 0
    values["turned"] = torch.tensor(2.0**0 + 2.0**31, dtype=torch.float64)
    assert (plain != choose(known, Coverage(**values))).nonzero().flatten().tolist() == [0, 31]


def test_facts_that_come_out_are_at_most_those_that_are_covered():
    r = relation_covering.at(SHORT).report
    assert float(r.leaked) == 0
    assert float(r.accuracy) <= float(r.predicted)
    assert float(r.missed) <= float(r.deeply)


def test_beyond_the_last_phrase_all_of_the_facts_come_out():
    """Issue 11, item 9: at q = 10 the caption said "1 of the unseen facts" for all of them."""
    text = said(CAPTION, relation_covering, run(covering(), reach=10))
    assert "here all: 16 of 16 unseen ones" in text
    assert "16 of 16 unseen ones at step" in text


def test_with_nothing_fine_tuned_nothing_is_judged():
    for over in ({"reach": 0}, {"steps": 0}):
        outcome = run(covering(), **{**SHORT, **over})
        assert float(relation_covering.judge(outcome.report, outcome.parameters)["undecided"]) == 1
        assert "answered correctly" not in said(CAPTION, relation_covering, outcome)


def test_half_is_passed_between_two_numbers_of_facts():
    right = torch.zeros(len(FACTS), dtype=torch.float64)
    assert _half(right) == math.inf
    right[4:] = 0.75
    assert _half(right) == pytest.approx(FACTS[3] + (FACTS[4] - FACTS[3]) * 2 / 3)
    right[0] = 1
    assert _half(right) == FACTS[0]
    steps = [1, 2, 4, 8]
    each = [(torch.tensor(FACTS) >= 2 * s).to(torch.float64)[:, None].expand(-1, 3) / 2 for s in steps]
    assert _power(each, steps) == pytest.approx((1, 0))


def test_controls_stand_where_they_stood():
    front = ["reach", "turned", "phrases", "multiplicity", "seed"]
    assert list(figure().controls) == [*front, "rate", "steps"]
