"""Hoisting: what every turn of a loop reads or checks alike is read ahead of it.

V8 does not do it by itself: for all it knows, what the loop writes is what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from widgets.translate.expressions import Checked, Expression, Load, Name
from widgets.translate.loops import Let, Loop, Statement, Statements, rewrite_expressions, with_body

LEAST_TURNS, LEAST_NESTED_TURNS = 16, 4
"""It is worth it for a loop of so many turns, and for one of so many inside another."""


def hoist(statements: Iterable[Statement], fresh: Callable[[str], str], nested: bool = False) -> Statements:
    """The statements, with constants ahead of every loop for the elements and checks that do not depend on its turn.

    Args:
        fresh: makes a new name of one.
        nested: whether the statements are inside a loop.
    """
    hoisted: list[Statement] = []
    for statement in statements:
        is_loop = isinstance(statement, Loop)
        least = LEAST_NESTED_TURNS if nested else LEAST_TURNS
        if isinstance(statement, Loop) and statement.size >= least:
            constants, statement = _invariants(statement, fresh)
            hoisted += constants
        hoisted.append(with_body(statement, hoist(statement.children, fresh, nested or is_loop)))
    return tuple(hoisted)


def _invariants(loop: Loop, fresh: Callable[[str], str]) -> tuple[list[Statement], Loop]:
    """Constants for what a loop reads alike in every turn, and the loop that reads the constants."""
    changing = loop.writes | _variables(loop)
    names: dict[Expression, Name] = {}

    def as_constant(expression: Expression) -> Expression | None:
        if not isinstance(expression, (Load, Checked)) or not changing.isdisjoint(expression.names):
            return None
        if expression not in names:
            flag = isinstance(expression, Load) and expression.flag
            names[expression] = Name(fresh("h"), flag)
        return names[expression]

    rewritten = with_body(loop, tuple(rewrite_expressions(inner, as_constant) for inner in loop.body))
    assert isinstance(rewritten, Loop)
    return [Let(name.name, expression) for expression, name in names.items()], rewritten


def _variables(loop: Loop) -> frozenset[str]:
    """The variables of a loop and of the loops inside."""
    return frozenset({loop.variable}).union(*(access.sizes for access in loop.accesses))
