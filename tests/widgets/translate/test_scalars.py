"""Scalar replacement: what is read where it was computed needs no array."""

from __future__ import annotations

from tests.widgets.translate.trees import Fresh, add, at, loop, store, tanh, times
from widgets.translate.expressions import Literal, Name
from widgets.translate.loops import Let
from widgets.translate.scalars import replace_scalars

Y, Z = at("y", i=1), at("z", i=1)
COMPUTED = store(Y, tanh(at("x", i=1)))


def test_an_array_that_is_read_where_it_is_written_disappears():
    whole = loop("i", 20, COMPUTED, store(Z, times(Y, Y)))
    statements, arrays = replace_scalars((whole,), {"y": 20}, Fresh())
    assert not arrays
    value = Name("y")
    assert statements == (loop("i", 20, Let("y", tanh(at("x", i=1))), store(Z, times(value, value))),)


def test_it_is_read_in_the_loops_inside():
    inner = loop("j", 3, add(at("z", i=3, j=1), Y))
    (whole,), arrays = replace_scalars((loop("i", 20, COMPUTED, inner),), {"y": 20}, Fresh())
    assert not arrays
    assert whole.children[1] == loop("j", 3, add(at("z", i=3, j=1), Name("y")))


def test_an_array_that_others_read_stays_and_is_read_less():
    whole, other = loop("i", 20, COMPUTED, store(Z, Y)), store(at("w"), at("y", 3))
    statements, arrays = replace_scalars((whole, other), {"y": 20}, Fresh())
    assert arrays == {"y": 20}
    value = Name("h1")
    assert statements == (
        loop("i", 20, Let("h1", tanh(at("x", i=1))), store(Y, value), store(Z, value)),
        other,
    )


def test_an_output_is_written_whoever_reads_it():
    (whole,), _ = replace_scalars((loop("i", 20, COMPUTED, store(Z, Y)),), {}, Fresh())
    assert store(Y, Name("h1")) in whole.children


def test_other_elements_other_places_and_changed_ones_are_read_from_the_array():
    for statements in (
        (loop("i", 20, COMPUTED, store(Z, at("y", 1, i=1))),),
        (loop("i", 20, COMPUTED), loop("i", 20, store(Z, Y))),
        (loop("i", 20, COMPUTED, add(Y, Literal("1")), store(Z, Y)),),
    ):
        assert replace_scalars(statements, {"y": 21}, Fresh()) == (statements, {"y": 21})
