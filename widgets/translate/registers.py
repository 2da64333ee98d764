"""Small steps in registers: a kernel that takes many steps in a call, with each number of their state in a variable.

A call, its arrays and their bounds take a browser longer than the few operations of such a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from torch import Tensor

from widgets.translate.expressions import Affine, Expression, Literal, Load, Name, number, rewrite, walk
from widgets.translate.loops import (
    Call,
    Let,
    Loop,
    Reduce,
    Repeat,
    Statement,
    Statements,
    Store,
    rewrite_expressions,
    substitute_in,
    walk_statements,
    with_body,
)

MOST_WORK = 400
"""A step may have so many operations, elements and variables, with all its loops written out."""


class Registers(NamedTuple):
    """A step all of whose numbers are variables."""

    statements: Statements
    state: Mapping[str, tuple[int, int]]
    """The variables that hold the state, with the place of each one's leaf and its own place there."""
    results: Mapping[str, tuple[int, int]]
    """Likewise what is written: the next state, and whether it is the last."""
    own: tuple[str, ...]
    """The variables in the place of the kernel's own arrays."""


def in_registers(
    statements: Statements,
    own: Iterable[str],
    state: Mapping[str, int],
    results: Mapping[str, int],
    constants: Tensor,
    fresh: Callable[[str], str],
) -> Registers | None:
    """A step in registers; None if it is too large, or finds the places of elements only as it runs.

    Args:
        statements: in the order in which they run.
        own: the arrays that the kernel keeps.
        state: the arrays and variables that hold the state, with the places of its leaves.
        results: likewise the arrays that are written.
        constants: the numbers baked in.
        fresh: makes a new name of one.
    """
    if _work(statements) > MOST_WORK:
        return None
    statements = _written_out(statements, fresh)
    held = {"C", *own, *state, *results}
    elements = {
        (access.array, access.place)
        for statement in statements
        for access in statement.accesses
        if access.array in held
    }
    if any(place.terms for _, place in elements):
        return None
    names = {
        (array, place.constant): fresh(f"{array}_{place.constant}")
        for array, place in sorted(elements, key=lambda element: (element[0], element[1].constant))
        if array != "C"
    }

    def variable(part: Expression) -> Expression | None:
        if not isinstance(part, Load) or part.array not in held:
            return None
        place = part.place.constant
        return (
            number(float(constants[place]))
            if part.array == "C"
            else Name(names[part.array, place], part.flag)
        )

    def of(leaves: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        return {name: (leaves[array], place) for (array, place), name in names.items() if array in leaves}

    alone = {
        name: (leaf, 0) for name, leaf in state.items() if any(name in each.reads for each in statements)
    }
    arrays = {array for array, _ in names}
    return Registers(
        tuple(_changed(statement, variable) for statement in statements),
        {name: places for name, places in alone.items() if name not in arrays} | of(state),
        of(results),
        tuple(name for (array, _), name in names.items() if array not in state and array not in results),
    )


def _work(statements: Statements) -> int:
    """The operations, elements and variables of all that is evaluated, as often as it is."""
    total = 0
    for statement in statements:
        if isinstance(statement, Repeat):
            return MOST_WORK + 1
        inside = _work(statement.children)
        total += statement.size * inside if isinstance(statement, Loop) else inside
        parts = (part for expression in statement.evaluated for part in walk(expression))
        total += sum(not isinstance(part, Affine) for part in parts)
    return total


def _written_out(statements: Iterable[Statement], fresh: Callable[[str], str]) -> Statements:
    """The statements without loops and calls; what is declared in a loop has another name in each turn."""
    flat: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Loop):
            index: Expression = Name(statement.variable)
            for turn in range(statement.size):
                at_turn = (substitute_in(inner, {index: Literal(str(turn))}) for inner in statement.body)
                body = _written_out(at_turn, fresh)
                declared = [inner.name for inner in walk_statements(body) if isinstance(inner, Let)]
                flat += _renamed(body, {name: fresh(name) for name in declared})
        elif isinstance(statement, Call):
            flat += _written_out(statement.body, fresh)
            if statement.value is not None:
                flat.append(Let(statement.result, statement.value))
        else:
            flat.append(with_body(statement, _written_out(statement.children, fresh)))
    return tuple(flat)


def _renamed(statements: Statements, names: Mapping[str, str]) -> Statements:
    def renamed(part: Expression) -> Expression | None:
        return Name(names[part.name], part.flag) if isinstance(part, Name) and part.name in names else None

    return tuple(_changed(statement, renamed) for statement in statements)


def _changed(statement: Statement, change: Callable[[Expression], Expression | None]) -> Statement:
    """The statement with parts of its expressions replaced, and what it writes likewise, at any depth."""
    statement = rewrite_expressions(statement, change)
    return with_body(
        _retargeted(statement, change), tuple(_changed(inner, change) for inner in statement.children)
    )


def _retargeted(statement: Statement, change: Callable[[Expression], Expression | None]) -> Statement:
    if isinstance(statement, Let):
        to = rewrite(Name(statement.name), change)
        return replace(statement, name=to.name) if isinstance(to, Name) else statement
    if isinstance(statement, (Store, Reduce)):
        to = rewrite(statement.to, change)
        return replace(statement, to=to) if isinstance(to, (Load, Name)) else statement
    return statement
