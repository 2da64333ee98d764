"""Row fusion: loops over the same rows become one loop, so that a row stays in the processor's cache.

A loop may join an earlier one of as many turns if every array that one of the two writes and the other touches is cut
into rows alike, row i being touched in turn i alone. What it depends on in between moves ahead of the loop. The same
is done again inside the fused loop. Statements under the same conditions join likewise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from widgets.translate.expressions import Expression, Name
from widgets.translate.loops import (
    Access,
    If,
    Loop,
    Statement,
    Statements,
    substitute_in,
    upper_bound,
    with_body,
)

WINDOW = 48
"""Among so many statements before it a loop looks for one that it may join: with all, long traces take minutes."""


class Row(NamedTuple):
    """How a loop cuts an array into rows."""

    length: int
    first: int
    """The row that is touched in the first turn."""
    outer: frozenset[tuple[str, int]]
    """The terms of loops further out, the variables and their coefficients."""


def fuse(statements: Iterable[Statement], outer: tuple[str, ...] = ()) -> Statements:
    """The statements in an order that changes no result, with loops fused at every depth.

    Args:
        statements: in the order in which they run.
        outer: the variables of the loops around them.
    """
    fused: list[Statement] = []
    for statement in statements:
        for place in reversed(range(max(0, len(fused) - WINDOW), len(fused))):
            home = fused[place]
            if not _may_join(home, statement, outer):
                continue
            needed, others = _split(statement, fused[place + 1 :])
            if not any(conflict(home, other) for other in needed):
                fused[place:] = [*needed, _joined(home, statement), *others]
                break
        else:
            fused.append(statement)
    return tuple(_fused_inside(statement, outer) for statement in fused)


def conflict(first: Statement, second: Statement) -> bool:
    """Whether the order of two statements matters."""
    return not (first.writes.isdisjoint(second.touches) and second.writes.isdisjoint(first.touches))


def row_of(access: Access, variable: str, outer: Collection[str]) -> Row | None:
    """The row of an array that an access lies in, if its index is ``length · variable + what stays within a row``."""
    length, most, fixed = 0, 0, set()
    for term, coefficient in access.place.terms:
        if coefficient < 0:
            return None
        if term == Name(variable):
            length = coefficient
        elif isinstance(term, Name) and term.name in outer:
            fixed.add((term.name, coefficient))
        else:
            size = upper_bound(term, access.sizes)
            if size is None:
                return None
            most += coefficient * (size - 1)
    constant = access.place.constant
    if not length or constant < 0 or constant % length + most >= length:
        return None
    return Row(length, constant // length, frozenset(fixed))


def _fused_inside(statement: Statement, outer: tuple[str, ...]) -> Statement:
    around = (*outer, statement.variable) if isinstance(statement, Loop) else outer
    return with_body(statement, fuse(statement.children, around))


def _split(statement: Statement, between: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
    """The statements that have to come before another one, and those that do not."""
    needed: list[Statement] = []
    others: list[Statement] = []
    for earlier in reversed(between):
        if any(conflict(earlier, later) for later in (statement, *needed)):
            needed.insert(0, earlier)
        else:
            others.insert(0, earlier)
    return needed, others


def _may_join(home: Statement, statement: Statement, outer: tuple[str, ...]) -> bool:
    if isinstance(home, If) and isinstance(statement, If):
        read = frozenset().union(*(condition.names for condition in home.conditions))
        return home.conditions == statement.conditions and home.writes.isdisjoint(read)
    if not isinstance(home, Loop) or not isinstance(statement, Loop) or home.size != statement.size:
        return False
    shared = (statement.writes & home.touches) | (home.writes & statement.touches)
    for array in shared:
        rows = {
            row_of(access, loop.variable, outer)
            for loop in (home, statement)
            for access in loop.accesses
            if access.array == array
        }
        if len(rows) != 1 or None in rows:
            return False
    return True


def _joined(home: Statement, statement: Statement) -> Statement:
    """One statement that does what two do."""
    if isinstance(home, Loop) and isinstance(statement, Loop):
        renamed: dict[Expression, Expression] = {Name(statement.variable): Name(home.variable)}
        return with_body(home, (*home.body, *(substitute_in(inner, renamed) for inner in statement.body)))
    return with_body(home, (*home.children, *statement.children))
