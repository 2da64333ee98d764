"""Nested loops: those that only know their common index become one, very short ones are written out."""

from __future__ import annotations

from tests.widgets.translate.trees import add, at, loop, loops_in, only_loop, store, tanh, times
from widgets.translate.expressions import Affine, Checked, Load, Name
from widgets.translate.loops import If, Let
from widgets.translate.nests import collapse, unroll


def nest(*body, sizes=(4, 6)):
    return loop("i", sizes[0], loop("j", sizes[1], *body))


def test_loops_that_only_know_their_common_index_are_one():
    whole = nest(store(at("o", 24, i=6, j=1), tanh(at("x", i=6, j=1))))
    joined = only_loop(collapse([whole]))
    index = {joined.variable: 1}
    assert joined == loop("i.j", 24, store(at("o", 24, **index), tanh(at("x", **index))))


def test_three_of_them_too_and_with_strides():
    inner = loop("k", 2, add(at("o", i=36, j=6, k=3), at("x", i=24, j=4, k=2)))
    joined = only_loop(collapse([loop("i", 5, loop("j", 6, inner))]))
    assert joined.size == 60
    (body,) = joined.children
    assert body == add(at("o", **{joined.variable: 3}), at("x", **{joined.variable: 2}))


def test_loops_that_know_more_stay_apart():
    for whole in (
        nest(store(at("o", i=6, j=1), at("w", i=1))),
        nest(store(at("o", i=7, j=1), at("x", i=7, j=1))),
        nest(store(at("o", i=1, j=4), at("x", i=6, j=1))),
        nest(store(at("o", i=6, j=1), Load("x", Affine.of(Checked(Name("j"), 6, wraps=False))))),
        loop("i", 4, Let("t", at("w", i=1)), loop("j", 6, store(at("o", i=6, j=1), Name("t")))),
    ):
        assert collapse([whole]) == (whole,)


def test_an_index_may_be_in_an_index():
    place = Checked(at("places", i=6, j=1), 9, wraps=True)
    (joined,) = collapse([nest(store(at("o", i=6, j=1), Load("x", Affine.of(place))))])
    assert loops_in((joined,)) == [24]
    assert {"i", "j"}.isdisjoint(joined.children[0].reads)


def test_a_short_loop_in_another_is_written_out():
    (whole,) = unroll([loop("i", 20, loop("j", 3, store(at("o", i=3, j=1), at("x", 2, i=4, j=2))))])
    assert whole == loop("i", 20, *(store(at("o", k, i=3), at("x", 2 + 2 * k, i=4)) for k in range(3)))
    condition = If((at("on", i=4, j=1),), (add(at("o", i=1), at("x", j=1)),))
    (chosen,) = unroll([loop("i", 20, loop("j", 4, condition))])
    assert [inner.evaluated for inner in chosen.children] == [(at("on", k, i=4),) for k in range(4)]


def test_others_stay_loops():
    simple = store(at("o", i=5, j=1), at("x", j=1))
    long = tanh(at("x", j=1))
    for k in range(6):
        long = times(long, at("x", k, j=1))
    for whole in (
        loop("j", 3, simple),
        loop("i", 20, loop("j", 5, simple)),
        loop("i", 20, loop("j", 3, simple, simple)),
        loop("i", 20, loop("j", 3, store(at("o", j=1), long))),
        loop("i", 20, loop("j", 3, loop("k", 9, simple))),
    ):
        assert unroll([whole]) == (whole,)
