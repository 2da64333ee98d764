"""Loops inside loops: two that only know their common index are one loop, and very short ones are written out."""

from __future__ import annotations

from collections.abc import Iterable

from widgets.translate.expressions import Affine, Expression, Literal, Name, rewrite, walk
from widgets.translate.loops import (
    If,
    Loop,
    Reduce,
    Statement,
    Statements,
    Store,
    rewrite_expressions,
    substitute_in,
    walk_statements,
    with_body,
)

SHORTEST_LOOP = 4
"""A loop of at most so many turns inside another is written out, if its body is one simple statement."""

SIMPLE = 12
"""A statement of at most so many parts (operations, elements, variables) is simple."""


def collapse(statements: Iterable[Statement]) -> Statements:
    """The statements, where two nested loops that only know ``size · outer + inner`` are one loop."""
    return tuple(_collapsed(with_body(statement, collapse(statement.children))) for statement in statements)


def unroll(statements: Iterable[Statement], nested: bool = False) -> Statements:
    """The statements, where short loops that are ``nested`` in others are written out."""
    unrolled: list[Statement] = []
    for statement in statements:
        is_loop = isinstance(statement, Loop)
        inner = with_body(statement, unroll(statement.children, nested or is_loop))
        if nested and isinstance(inner, Loop) and inner.size <= SHORTEST_LOOP and _is_simple(inner.body):
            index: Expression = Name(inner.variable)
            turns = (Literal(str(turn)) for turn in range(inner.size))
            unrolled += [substitute_in(inner.body[0], {index: turn}) for turn in turns]
        else:
            unrolled.append(inner)
    return tuple(unrolled)


def _collapsed(statement: Statement) -> Statement:
    if not isinstance(statement, Loop) or len(statement.body) != 1:
        return statement
    (inner,) = statement.body
    if not isinstance(inner, Loop) or any(isinstance(nested, Loop) for nested in walk_statements(inner.body)):
        return statement
    outer, common = statement, f"{statement.variable}.{inner.variable}"

    def with_common_index(expression: Expression) -> Expression | None:
        if not isinstance(expression, Affine):
            return None
        step = expression.coefficient(inner.variable)
        if step <= 0 or expression.coefficient(outer.variable) != inner.size * step:
            return None
        terms = tuple(
            (Name(common), step) if term == Name(outer.variable) else (rewrite(term, with_common_index), c)
            for term, c in expression.terms
            if term != Name(inner.variable)
        )
        return Affine(expression.constant, terms)

    body = tuple(rewrite_expressions(nested, with_common_index) for nested in inner.body)
    separate = {outer.variable, inner.variable}
    if any(separate & nested.reads for nested in body):
        return statement
    return Loop(common, outer.size * inner.size, body)


def _is_simple(body: Statements) -> bool:
    """Whether there is one statement, and little in it."""
    if len(body) != 1:
        return False
    (statement,) = body
    if isinstance(statement, If):
        return _is_simple(statement.body) and _parts(statement) + _parts(statement.body[0]) <= SIMPLE
    return isinstance(statement, (Store, Reduce)) and _parts(statement) <= SIMPLE


def _parts(statement: Statement) -> int:
    """How many operations, elements and variables the expressions of a statement have."""
    return sum(
        not isinstance(part, Affine) for expression in statement.evaluated for part in walk(expression)
    )
