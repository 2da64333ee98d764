"""Row fusion: which loops may share one, and in which order their statements then run."""

from __future__ import annotations

import pytest

from tests.widgets.translate.trees import ZERO, add, at, loop, positive, store, tanh, times
from widgets.translate.expressions import Affine, Checked, Load, Name
from widgets.translate.fusion import Row, fuse, row_of
from widgets.translate.loops import Access, Call, If, Let

FIRST = loop("i", 20, store(at("y", i=1), tanh(at("x", i=1))))


def test_loops_over_the_same_rows_are_one():
    second = loop("j", 20, store(at("z", j=1), times(at("y", j=1), at("y", j=1))))
    (fused,) = fuse([FIRST, second])
    assert fused == loop(
        "i",
        20,
        store(at("y", i=1), tanh(at("x", i=1))),
        store(at("z", i=1), times(at("y", i=1), at("y", i=1))),
    )


def test_so_are_the_loops_inside():
    def rows(variable: str, inner: str, target: str, source: str):
        place = {variable: 5, inner: 1}
        return loop(variable, 20, loop(inner, 5, store(at(target, **place), tanh(at(source, **place)))))

    (fused,) = fuse([rows("i", "j", "y", "x"), rows("k", "l", "z", "y")])
    assert fused == loop(
        "i",
        20,
        loop(
            "j",
            5,
            store(at("y", i=5, j=1), tanh(at("x", i=5, j=1))),
            store(at("z", i=5, j=1), tanh(at("y", i=5, j=1))),
        ),
    )


@pytest.mark.parametrize(
    "second",
    [
        loop("j", 19, store(at("z", j=1), at("y", j=1))),  # other turns
        loop("j", 20, store(at("z", j=1), at("y", 1, j=1))),  # the next row
        loop("j", 20, store(at("z", j=1), at("y", 19, j=-1))),  # from the end
        loop("j", 20, store(at("z", j=1), at("y"))),  # one row for all
        loop("j", 20, store(at("z", j=1), Load("y", Affine.of(at("places", j=1))))),  # whichever
        loop("j", 20, add(at("x"), at("w", j=1))),  # it changes what the first reads
        Call((loop("j", 20, add(Name("t"), at("y", j=1))),), "sum", Name("t")),  # a function of its own
    ],
)
def test_a_loop_that_needs_other_rows_waits_for_all_of_them(second):
    assert fuse([FIRST, second]) == (FIRST, second)


def test_what_a_loop_needs_moves_ahead_and_the_rest_stays_behind():
    needed, other = Let("scale", at("w")), Let("last", at("y", 19))
    second = loop("j", 20, store(at("z", j=1), times(at("y", j=1), Name("scale"))))
    ahead, fused, behind = fuse([FIRST, needed, other, second])
    assert ahead == needed
    assert behind == other
    assert len(fused.children) == 2


def test_what_a_loop_needs_cannot_move_ahead_of_what_it_needs_itself():
    total = Let("total", at("y", 19))
    second = loop("j", 20, store(at("z", j=1), times(at("y", j=1), Name("total"))))
    assert fuse([FIRST, total, second]) == (FIRST, total, second)


def test_statements_under_the_same_conditions_are_together():
    late = (Name("late"),)
    one, other = If(late, (store(at("a"), ZERO),)), If(late, (store(at("b"), ZERO),))
    assert fuse([one, other]) == (If(late, (*one.body, *other.body)),)
    unlike = If((positive(Name("late")),), other.body)
    assert fuse([one, unlike]) == (one, unlike)


def test_a_condition_that_changes_in_between_is_asked_again():
    changing = If((at("a"),), (store(at("a"), ZERO),))
    assert fuse([changing, changing]) == (changing, changing)


@pytest.mark.parametrize(
    ("place", "row"),
    [
        (Affine(3, ((Name("i"), 5), (Name("k"), 1))), None),  # k + 3 may be 5
        (Affine(2, ((Name("i"), 5), (Name("k"), 1))), Row(5, 0, frozenset())),
        (Affine(12, ((Name("i"), 5), (Name("k"), 1))), Row(5, 2, frozenset())),
        (Affine(0, ((Name("h"), 100), (Name("i"), 5))), Row(5, 0, frozenset({("h", 100)}))),
        (Affine(0, ((Name("i"), 5), (Checked(Name("p"), 5, wraps=True), 1))), Row(5, 0, frozenset())),
        (Affine(0, ((Name("i"), 5), (Checked(Name("p"), 6, wraps=True), 1))), None),
        (Affine(0, ((Name("i"), 5), (Name("p"), 1))), None),
        (Affine(4, ((Name("k"), 1),)), None),
    ],
)
def test_a_row_is_what_one_turn_alone_touches(place, row):
    assert row_of(Access("x", place, {"i": 20, "k": 3}), "i", ("h",)) == row
