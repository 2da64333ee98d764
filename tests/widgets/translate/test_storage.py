"""Storage: copies that nobody needs, parts of larger arrays, and arrays of which one row is enough."""

from __future__ import annotations

from tests.widgets.translate.trees import ZERO, add, at, loop, store, tanh
from widgets.translate.expressions import Name
from widgets.translate.loops import Call, If, Let
from widgets.translate.storage import SubBuffer, elide_copies, merge_sub_buffers, remove_no_ops, shrink

ON, OFF = (Name("on"),), (Name("off"),)


def copy(target: str, source: str, size: int = 20, begin: int = 0):
    return loop("i", size, store(at(target, begin, i=1), at(source, i=1)))


# Copies to outputs ---------------------------------------------------------------------------------------------

COMPUTED = loop("i", 20, store(at("y", i=1), tanh(at("x", i=1))))
CHOSEN = If(ON, (copy("o0", "y"),))
OTHERWISE = If(OFF, (copy("o0", "x"),))


def test_an_array_that_is_copied_to_an_output_on_one_side_of_a_choice_is_the_output():
    statements, arrays = elide_copies((COMPUTED, CHOSEN, OTHERWISE), {"y": 20}, ["o0"])
    assert not arrays
    assert statements == (loop("i", 20, store(at("o0", i=1), tanh(at("x", i=1)))), OTHERWISE)


def test_a_copy_by_rows_is_one_too():
    rows = loop("i", 4, loop("j", 5, store(at("o0", i=5, j=1), at("y", i=5, j=1))))
    assert not elide_copies((COMPUTED, If(ON, (rows,)), OTHERWISE), {"y": 20}, ["o0"])[1]


def test_what_is_needed_later_in_part_or_in_another_order_is_copied():
    later = Let("last", at("y", 19))
    for statements in (
        (COMPUTED, CHOSEN, OTHERWISE, later),
        (COMPUTED, OTHERWISE, CHOSEN, later),
        (COMPUTED, If(ON, (copy("o0", "y", 19),)), OTHERWISE),
        (COMPUTED, If(ON, (copy("o0", "y", 20, begin=1),)), OTHERWISE),
        (COMPUTED, If(ON, (loop("i", 20, store(at("o0", i=1), at("y", 19, i=-1))),)), OTHERWISE),
        (COMPUTED, If(ON, (*CHOSEN.body, Let("t", ZERO))), OTHERWISE),
        (COMPUTED, copy("o0", "y")),
    ):
        assert elide_copies(statements, {"y": 20}, ["o0"]) == (statements, {"y": 20})


def test_the_array_that_is_always_computed_comes_first():
    late = If(OFF, (loop("i", 20, store(at("z", i=1), tanh(at("x", i=1)))),))
    statements = (COMPUTED, late, If(OFF, (copy("o0", "z"),)), CHOSEN)
    _, arrays = elide_copies(statements, {"y": 20, "z": 20}, ["o0"])
    assert arrays == {"z": 20}


# Sub-buffers -------------------------------------------------------------------------------------------------


def test_a_part_of_a_larger_array_is_written_there():
    statements, arrays = merge_sub_buffers(
        (COMPUTED, copy("cat", "y", begin=5), Let("last", at("y", 19))),
        {"y": 20, "cat": 25},
        {"y": SubBuffer("cat", 5)},
    )
    assert arrays == {"cat": 25}
    assert statements == (
        loop("i", 20, store(at("cat", 5, i=1), tanh(at("x", i=1)))),
        Let("last", at("cat", 24)),
    )


def test_a_part_of_a_part_is_written_in_the_whole():
    parts = {"a": SubBuffer("b", 1), "b": SubBuffer("c", 10)}
    statements, arrays = merge_sub_buffers((store(at("a"), ZERO),), {"a": 1, "b": 2, "c": 20}, parts)
    assert arrays == {"c": 20}
    assert statements == (store(at("c", 11), ZERO),)


def test_what_is_gone_or_an_output_has_no_parts():
    for arrays in ({"cat": 25}, {"y": 20}):
        merged = merge_sub_buffers((COMPUTED,), arrays, {"y": SubBuffer("cat", 5)})
        assert merged == ((COMPUTED,), arrays)


def test_what_does_nothing_is_left_out():
    nothing = copy("y", "y")
    rest = If(ON, (COMPUTED,))
    assert remove_no_ops((nothing, If(ON, (nothing,)), Call((nothing,)), If(ON, (COMPUTED, nothing)))) == (
        rest,
    )
    total = Call((nothing,), "total", ZERO)
    assert remove_no_ops((total,)) == (Call((), "total", ZERO),)


# Single rows -------------------------------------------------------------------------------------------------

ROWS = loop(
    "i",
    20,
    loop("j", 5, store(at("y", i=5, j=1), tanh(at("x", i=5, j=1)))),
    loop("j", 5, add(at("o0", i=1), at("y", 4, i=5, j=-1))),
)


def test_an_array_of_one_loop_alone_holds_one_row():
    rows = loop(
        "i",
        20,
        loop("j", 5, store(at("y", i=5, j=1), tanh(at("x", i=5, j=1)))),
        loop("k", 5, add(at("o0", i=1), at("y", i=5, k=1))),
    )
    (whole,), arrays = shrink((Call((rows,)),), {"y": 100, "z": 7})
    assert arrays == {"y": 5, "z": 7}
    assert {access.place for access in whole.accesses if access.array == "y"} == {
        at("y", j=1).place,
        at("y", k=1).place,
    }


def test_an_array_that_is_read_elsewhere_or_across_rows_stays_whole():
    for statements in (
        (ROWS,),  # read from the end
        (COMPUTED, Let("last", at("y", 19))),
        (COMPUTED,),  # rows of one number
        (loop("i", 19, store(at("y", 5, i=5), ZERO), store(at("z", i=1), at("y", i=5))),),  # the row before
    ):
        assert shrink(statements, {"y": 100}) == (statements, {"y": 100})
