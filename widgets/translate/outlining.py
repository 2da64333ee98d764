"""Functions of their own for long loops.

V8 optimises functions one by one, and anew for each loop in which a function is when it proves hot: a kernel in one
piece stays slow for many calls, and for good if it is large.
"""

from __future__ import annotations

from collections.abc import Iterable

from widgets.translate.bulk import is_bulk
from widgets.translate.loops import Call, If, Let, Loop, Statement, Statements

LONG = 16
"""Loops of at least so many turns are functions; for shorter ones the page would only grow."""


def outline(statements: Iterable[Statement]) -> Statements:
    """A kernel's statements with its long loops as calls, and with the short calls written in place."""
    outlined: list[Statement] = []
    for statement in statements:
        if isinstance(statement, If):
            outlined.append(If(statement.conditions, outline(statement.body)))
        elif isinstance(statement, Loop) and statement.turns >= LONG and not is_bulk(statement):
            outlined.append(Call((statement,)))
        elif isinstance(statement, Call) and (statement.turns < LONG or all(map(is_bulk, statement.body))):
            outlined += statement.body
            if statement.value is not None:
                outlined.append(Let(statement.result, statement.value))
        else:
            outlined.append(statement)
    return tuple(outlined)
