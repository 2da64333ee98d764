"""Hoisting: what does not depend on a loop's turn is read ahead of it."""

from __future__ import annotations

from tests.widgets.translate.trees import Fresh, add, at, loop, store, times
from widgets.translate.expressions import Affine, Checked, Load, Name
from widgets.translate.hoisting import hoist
from widgets.translate.loops import If, Let

PLACE = Checked(at("places", i=1), 5, wraps=True)


def test_a_read_moves_to_where_it_stays_the_same():
    inner = loop("j", 24, store(at("o", i=24, j=1), times(at("x", i=24, j=1), at("w", i=1))))
    assert hoist([loop("i", 20, inner)], Fresh()) == (
        loop(
            "i",
            20,
            Let("h1", at("w", i=1)),
            loop("j", 24, store(at("o", i=24, j=1), times(at("x", i=24, j=1), Name("h1")))),
        ),
    )


def test_so_does_a_check_with_what_it_reads():
    target = Load("o", Affine(0, ((PLACE, 24), (Name("j"), 1))))
    (rows,) = hoist([loop("i", 20, loop("j", 24, add(target, at("x", i=24, j=1))))], Fresh())
    checked = Load("o", Affine(0, ((Name("h1"), 24), (Name("j"), 1))))
    assert rows == loop("i", 20, Let("h1", PLACE), loop("j", 24, add(checked, at("x", i=24, j=1))))


def test_equal_reads_are_one():
    (scale, _) = hoist([loop("i", 20, store(at("o", i=1), times(at("w"), at("w"))))], Fresh())
    assert scale == Let("h1", at("w"))


def test_what_the_loop_writes_or_declares_stays_inside():
    for statements in (
        (loop("i", 20, add(at("o"), at("o", 1))),),
        (loop("i", 20, Let("k", at("p", i=1)), store(at("o", i=1), Load("x", Affine.of(Name("k"))))),),
        (loop("i", 20, loop("j", 3, add(at("o", i=1), at("x", j=1)))),),
    ):
        assert hoist(statements, Fresh()) == statements


def test_a_loop_of_few_turns_is_left_alone():
    body = store(at("o", i=1), at("w"))
    assert hoist([loop("i", 15, body)], Fresh()) == (loop("i", 15, body),)
    inner = store(at("o", i=1, j=20), at("w", i=1))
    short, long = (loop("i", 20, loop("j", size, inner)) for size in (3, 4))
    assert hoist([short], Fresh()) == (short,)
    assert hoist([long], Fresh()) != (long,)


def test_conditions_are_read_ahead_too():
    (flag, whole) = hoist([loop("i", 20, If((at("on"),), (add(at("o", i=1), at("x", i=1)),)))], Fresh())
    assert flag == Let("h1", at("on"))
    assert whole.children[0].evaluated == (Name("h1"),)
