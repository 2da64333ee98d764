"""Short ways to write the translator's trees by hand."""

from __future__ import annotations

from itertools import count

from widgets.translate import aten
from widgets.translate.expressions import Affine, Apply, Expression, Literal, Load, Name
from widgets.translate.loops import Loop, Reduce, Statement, Statements, Store, walk_statements

ZERO, ONE = Literal("0"), Literal("1")
ADD = aten.ADD.update


def at(array: str, constant: int = 0, **coefficients: int) -> Load:
    """An element: ``at("x", 3, i=5)`` is ``x[5 * i + 3]``."""
    terms = tuple((Name(variable), coefficient) for variable, coefficient in coefficients.items())
    return Load(array, Affine(constant, terms))


def tanh(x: Expression) -> Apply:
    return Apply(aten.POINTWISE["tanh"], (x,))


def times(x: Expression, y: Expression) -> Apply:
    return Apply(aten.POINTWISE["mul"], (x, y))


def positive(x: Expression) -> Apply:
    return Apply(aten.POINTWISE["gt"], (x, ZERO))


def loop(variable: str, size: int, *body: Statement) -> Loop:
    return Loop(variable, size, body)


def store(to: Load | Name, value: Expression) -> Store:
    return Store(to, value)


def add(to: Load | Name, value: Expression) -> Reduce:
    return Reduce(to, ADD, value)


class Fresh:
    """New names: h1, h2 and so on."""

    def __init__(self) -> None:
        self.numbers = count(1)

    def __call__(self, name: str) -> str:
        return f"{name}{next(self.numbers)}"


def loops_in(statements: Statements) -> list[int]:
    """The sizes of all loops, from the outside to the inside."""
    return [statement.size for statement in walk_statements(statements) if isinstance(statement, Loop)]


def only_loop(statements: Statements) -> Loop:
    """The loop that is all there is."""
    (whole,) = statements
    assert isinstance(whole, Loop)
    return whole
