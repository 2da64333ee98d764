"""The printer: one tree, and the JavaScript that it is."""

from __future__ import annotations

from tests.widgets.translate.trees import ZERO, Fresh, add, at, loop, positive, store, tanh, times
from widgets.translate import aten
from widgets.translate.expressions import Affine, Checked, Load, Name
from widgets.translate.loops import Call, If, Let
from widgets.translate.printer import kernel_source

ARGUMENTS = {"x0": "const x0 = ins[0];", "x1": "const x1 = ins[1][0];", "o0": "const o0 = outs[0];"}


def printed(*statements, arrays=None) -> list[str]:
    """The lines of a kernel with two inputs and an output."""
    source = kernel_source("demo", statements, ARGUMENTS, arrays or {}, {"x0": 600}, aten.HELPERS, Fresh())
    return source.split("\n")


def body(*statements) -> list[str]:
    """What is printed after the inputs and outputs."""
    lines = printed(*statements)
    begin = lines.index("  return (ins, outs) => {") + 1
    return [line[4:] for line in lines[begin:-2] if line[4:] not in ARGUMENTS.values()]


def test_loops_have_letters_by_their_depth():
    inner = store(at("o0", a=6, b=1), tanh(at("x0", 3, a=6, b=1)))
    assert body(loop("a", 4, loop("b", 6, inner)), loop("c", 4, add(at("o0"), at("x0", c=1)))) == [
        "for (let i = 0; i < 4; i++) for (let j = 0; j < 6; j++) o0[6 * i + j] = Math.tanh(x0[6 * i + j + 3]);",
        "for (let i = 0; i < 4; i++) o0[0] += x0[i];",
    ]


def test_statements_are_what_they_say():
    assert body(
        Let("t", ZERO, mutable=True),
        If((positive(at("x0")), Name("x1")), (store(Name("t"), times(Name("x1"), Name("x1"))),)),
        Let("flag", positive(Name("t"))),
    ) == [
        "let t = 0;",
        "if (x0[0] > 0 && x1 !== 0) t = x1 * x1;",
        "const flag = +(t > 0);",
    ]


def test_what_a_condition_decides_is_declared_ahead_if_others_read_it():
    late = (Name("x1", flag=True),)
    first = If(late, (Let("a", at("x0")), Let("b", at("x0", 1)), store(at("o0"), Name("b"))))
    assert body(first, If(late, (store(at("o0", 1), Name("a")),))) == [
        "let a = 0;",
        "if (x1) {",
        "  a = x0[0];",
        "  const b = x0[1];",
        "  o0[0] = b;",
        "}",
        "if (x1) o0[1] = a;",
    ]


def test_a_function_is_given_what_it_does_not_declare():
    total = (
        Let("t", ZERO, mutable=True),
        loop("a", 600, add(Name("t"), times(at("x0", a=1), at("table", a=1)))),
    )
    lines = printed(Call((*total, store(at("o0"), Name("x1"))), "sum", Name("t")), arrays={"table": 600})
    assert "  const table = new Float64Array(600);" in lines
    begin = lines.index("  const loop1 = (o0, x0, x1) => {")
    assert lines[begin + 1 : begin + 6] == [
        "    let t = 0;",
        "    for (let i = 0; i < 600; i++) t += x0[i] * table[i];",
        "    o0[0] = x1;",
        "    return t;",
        "  };",
    ]
    assert "    const sum = loop1(o0, x0, x1);" in lines


def test_copies_and_fills_are_calls_of_the_array():
    assert body(
        loop("a", 600, store(at("o0", a=1), at("x0", a=1))),
        loop("a", 300, store(at("o0", 300, a=1), at("x0", 5, a=1))),
        loop("a", 300, store(at("o0", 7, a=1), ZERO)),
    ) == ["o0.set(x0);", "o0.set(x0.subarray(5, 305), 300);", "o0.fill(0, 7, 307);"]


def test_helpers_come_with_those_that_they_call():
    lines = "\n".join(printed(store(at("o0"), Load("x0", Affine.of(Checked(Name("x1"), 600, wraps=True))))))
    assert "o0[0] = x0[$wrap(x1, 600)];" in lines
    assert lines.index('const $name = "demo";') < lines.index("const $wrap =")
    assert "$within" not in lines


def test_inputs_that_are_not_read_are_not_named():
    assert not any("ins[0]" in line for line in printed(store(at("o0"), Name("x1"))))
