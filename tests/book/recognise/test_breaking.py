"""The hypotheses themselves: drawn training sets, repeated words, and both theorems where one of them is broken."""

from __future__ import annotations

import pytest
import torch

from book.recognise.breaking.figure import CAPTION
from book.recognise.breaking.program import drawn_set, repetitions, theorems
from book.recognise.breaking.scene import EARLY, GROUNDS, LATE, claims, kept, needed, with_claims
from book.recognise.breaking.statements import assumption_2_3, condition_1, definition_2_1
from book.recognise.common import ASSUMED
from book.recognise.phases.statements import theorem_3_1, theorem_3_2
from book.recognise.two_phases import (
    alignment,
    all_hold,
    correctness,
    directions,
    levels,
    remaining_loss,
    stillness,
    two_phases,
)
from lib.program import parameters, reports, run
from lib.recognise.setting import setting


def test_a_drawn_set_has_the_law_and_one_with_other_shares_has_not():
    assert drawn_set(6000, 6, 64).wrong == 0
    assert definition_2_1().key == "holds"
    assert definition_2_1(positive=0.3).key == "outside"


@pytest.mark.parametrize(("vocabulary", "key"), [(162, "outside"), (163, "holds"), (300, "holds")])
def test_words_enough_and_one_too_few(vocabulary, key):
    counted = repetitions(60, 5, vocabulary)
    assert counted.words_needed == pytest.approx(163)
    assert counted.places == 160
    assert assumption_2_3(vocabulary=vocabulary).key == key


def test_condition_1_says_what_both_theorems_say():
    changes = {"samples": 30, "length": 10, "constant": 40.0}
    both = [*theorem_3_1(**changes).bounds, *theorem_3_2(**changes).bounds]
    theirs = [(b.measured, b.low, b.high) for b in both if b.words]
    ours = [(b.measured, b.low, b.high) for b in condition_1(**changes).bounds]
    assert str(ours) == str(theirs)  # a NaN is itself


def test_theorems_counts_the_seeds():
    rows = theorems({"as assumed": {}, "few": {"samples": 30, "length": 10}}, seeds=2)
    assert [(row["3.1"], row["3.2"]) for row in rows] == [(2, 2), (0, 0)]
    assert [("n at least 3L²" in row["broken"], row["broken"] == "") for row in rows] == [
        (False, True),
        (True, False),
    ]


def test_condition_1_of_the_papers_own_experiment():
    p = setting(samples=60, length=5, width=128, neurons=256)
    items = ("wide", "long", "many", "fit_0", "fit_1")
    assert [name for name in items if not ASSUMED[name][1](None, p)] == ["wide", "long", "many"]


BROKEN: tuple[dict[str, float], ...] = (
    {},
    {"samples": 30, "length": 10},
    {"sigma_1": 0.1},
    {"neurons": 1e4, "width": 64.0},
    {"learned": 0},
)


@pytest.mark.parametrize("changes", BROKEN, ids=str)
def test_a_claim_stands_right_of_the_line_where_its_bounds_hold(changes):
    settings = {**changes, "end": 2.0}
    p, (r,) = parameters(two_phases(), settings), reports(two_phases(), [settings])
    stands = (claims(r, p) > 0).tolist()
    early = [all_hold(part(r)) for part in (alignment, correctness, stillness, remaining_loss)]
    assert [stands[0], stands[1], stands[2] and stands[3], stands[4]] == early
    late = [*(bound.holds for bound in directions(r, p)), *_levels(r, p)]
    assert stands[len(EARLY) :] == late


def _levels(r, p):
    third, signs, fourth = (bound.holds for bound in levels(r, p))
    return third, bool(signs) and bool(fourth)


def test_the_scene_judges_the_first_theorem_until_t_1_and_the_second_after_it():
    seen = run(with_claims(two_phases()), samples=30, length=10, end=2.0)
    first, second = (history.rows.claims for history in seen.histories)
    later = len(EARLY)
    assert torch.isposinf(first[0]).all(), "nothing is decided before the first step"
    assert torch.isfinite(first[-1, :later]).all()
    assert torch.isposinf(first[:, later:]).all()
    assert torch.isnan(second[:, :later]).all()
    assert torch.isfinite(second[:, later:]).all()
    assert seen.report.claims_at_end.shape == (len(EARLY) + len(LATE),)
    assert torch.equal(seen.report.claims_at_end[:later], first[-1, :later])
    assert torch.equal(seen.report.claims_at_end[later:], second[-1, later:])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "all hold"),
        ({"samples": 30}, "all hold, one broken"),
        ({"samples": 15}, "loss gone, words not enough, few"),
        ({"sigma_1": 0.1}, "values moved, narrow"),
        ({"positive": 0.1}, "wrong, other shares"),
        ({"constant": 10.0}, "wrong"),
        ({"learned": 0}, "attention frozen"),
    ],
)
def test_the_caption_says_which_claim_falls_first_and_why(changes, said):
    p, (r,) = parameters(two_phases(), changes), reports(two_phases(), [changes])
    applies = [name for name, case in CAPTION.items() if case is None or bool(case(r, p))]
    assert applies[0] == said


def test_stones_are_the_hypotheses_and_break_where_these_fail():
    assert set(GROUNDS) == set(ASSUMED)
    p = parameters(two_phases(), {"samples": 30, "length": 10, "learned": 0})
    broken = [name for name, is_kept in zip(GROUNDS, kept(p).tolist(), strict=True) if not is_kept]
    assert broken == [name for name in GROUNDS if not bool(ASSUMED[name][1](None, p))]
    assert {"many", "trained"} <= set(broken)


@pytest.mark.parametrize(
    "changes", [{}, {"sigma_1": 0.1}, {"sigma_0": 0.3}, {"neurons": 4096}, {"length": 40}], ids=str
)
def test_a_stone_says_how_wide_the_network_must_be(changes):
    start = parameters(two_phases(), changes)
    for name, width in zip(("wide", "long"), needed(start).tolist(), strict=True):
        is_kept = ASSUMED[name][1]
        assert bool(is_kept(None, parameters(two_phases(), {**changes, "width": 1.001 * width})))
        assert not bool(is_kept(None, parameters(two_phases(), {**changes, "width": 0.999 * width})))
