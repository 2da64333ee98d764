"""Outlining: long loops are functions of their own, short ones and single calls are not."""

from __future__ import annotations

import pytest

from tests.widgets.translate.trees import ZERO, add, at, loop, store, tanh
from widgets.translate.bulk import Copy, Fill, copy_of, fill_of, is_bulk
from widgets.translate.expressions import Name
from widgets.translate.loops import Call, If, Let
from widgets.translate.outlining import outline


def computing(size: int):
    return loop("i", size, store(at("y", i=1), tanh(at("x", i=1))))


def copying(size: int):
    return loop("i", size, store(at("y", 3, i=1), at("x", 9, i=1)))


def total(size: int) -> Call:
    return Call(
        (Let("t", ZERO, mutable=True), loop("i", size, add(Name("t"), at("x", i=1)))), "sum", Name("t")
    )


def test_a_long_loop_is_a_function():
    assert outline([computing(16), computing(15)]) == (Call((computing(16),)), computing(15))
    nest = loop("j", 4, computing(4))
    assert outline([nest]) == (Call((nest,)),)


def test_so_is_one_under_a_condition():
    on = (Name("on"),)
    assert outline([If(on, (computing(16),))]) == (If(on, (Call((computing(16),)),)),)


def test_a_short_function_is_written_in_place():
    assert outline([total(16)]) == (total(16),)
    assert outline([total(15)]) == (*total(15).body, Let("sum", Name("t")))


@pytest.mark.parametrize("whole", [copying(128), loop("i", 128, store(at("y", i=1), ZERO))])
def test_what_one_call_does_needs_no_function(whole):
    assert outline([whole]) == (whole,)
    assert outline([Call((whole,))]) == (whole,)


def test_a_loop_that_only_copies_or_fills_in_a_row_is_one_call():
    assert copy_of(copying(128)) == Copy(at("x", 9), at("y", 3), 128)
    assert fill_of(loop("i", 128, store(at("y", i=1), ZERO))) == Fill(ZERO, at("y"), 128)
    assert is_bulk(copying(128))
    for other in (
        copying(127),
        computing(128),
        loop("i", 128, add(at("y", i=1), at("x", i=1))),
        loop("i", 128, store(at("y", i=2), at("x", i=1))),
        loop("i", 128, store(at("y", i=1), at("y", 1, i=1))),
        loop("i", 128, store(at("y", i=1), at("x"))),
        loop("i", 128, store(Name("t"), at("x", i=1))),
    ):
        assert not is_bulk(other)
