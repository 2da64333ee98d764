"""Arrays that need not be there, or not whole: copies that nobody needs, parts of other arrays, single rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from widgets.translate.bulk import Copy, copy_of
from widgets.translate.expressions import Affine, Load
from widgets.translate.fusion import row_of
from widgets.translate.loops import (
    Access,
    Call,
    If,
    Loop,
    Statement,
    Statements,
    Store,
    move_accesses,
    with_body,
)
from widgets.translate.nests import collapse


class SubBuffer(NamedTuple):
    """The place of an array within a larger one, into which all of it is copied."""

    array: str
    begin: int


# Copies to outputs ---------------------------------------------------------------------------------------------


def elide_copies(
    statements: Statements, arrays: Mapping[str, int], outputs: Iterable[str]
) -> tuple[Statements, dict[str, int]]:
    """The statements without copies of a whole array to an output under a condition: the array is the output.

    The output must be untouched until the array is needed no more; what else is written to it then, under the other
    condition, replaces it.

    Args:
        statements: in the order in which they run, none fused yet.
        arrays: the sizes of the kernel's own arrays.

    Returns:
        The statements, and the arrays that are still needed.
    """
    needed = dict(arrays)
    for output in outputs:
        first = next((n for n, statement in enumerate(statements) if output in statement.touches), 0)
        for place, array in _copied_to(output, statements, needed):
            others = [n for n, other in enumerate(statements) if array in other.touches and n != place]
            if all(n < first for n in others):
                del needed[array]
                remaining = [statement for n, statement in enumerate(statements) if n != place]
                statements = tuple(_renamed(statement, array, output) for statement in remaining)
                break
    return statements, needed


def _copied_to(output: str, statements: Statements, arrays: Mapping[str, int]) -> list[tuple[int, str]]:
    """The places of the whole copies to an output, and the arrays; first those of what is always computed."""
    copies = [(n, _whole_copy(statement, arrays)) for n, statement in enumerate(statements)]
    places = [(n, copied.source.array) for n, copied in copies if copied and copied.target.array == output]
    always = {
        array for statement in statements if not isinstance(statement, If) for array in statement.writes
    }
    return sorted(places, key=lambda place: place[1] not in always)


def _whole_copy(statement: Statement, arrays: Mapping[str, int]) -> Copy | None:
    """The copy of all of an array, of which the kernel has ``arrays``, that a condition decides on."""
    if not isinstance(statement, If) or len(statement.body) != 1:
        return None
    copied = copy_of(*collapse(statement.body))
    if copied is None or copied.size != arrays.get(copied.source.array):
        return None
    return copied if copied.source.place == copied.target.place == Affine() else None


def _renamed(statement: Statement, array: str, new: str) -> Statement:
    return move_accesses(statement, lambda load: replace(load, array=new) if load.array == array else load)


# Sub-buffers -------------------------------------------------------------------------------------------------


def merge_sub_buffers(
    statements: Statements, arrays: Mapping[str, int], parts: Mapping[str, SubBuffer]
) -> tuple[Statements, dict[str, int]]:
    """The statements, where arrays that are parts of larger ones are written there at once.

    Args:
        arrays: the sizes of the kernel's own arrays.
        parts: the arrays of which all is copied into a larger one, in which it lies alike.

    Returns:
        The statements, and the arrays that are still needed.
    """
    needed = dict(arrays)
    merged: dict[str, SubBuffer] = {}
    for array, part in parts.items():
        if array in needed and part.array in needed:
            del needed[array]
            merged[array] = part
    statements = tuple(
        statement if merged.keys().isdisjoint(statement.touches) else _merged(statement, merged)
        for statement in statements
    )
    return remove_no_ops(statements), needed


def remove_no_ops(statements: Iterable[Statement]) -> Statements:
    """The statements without copies of an element to itself, and without loops and conditions that do nothing."""
    useful: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Store) and statement.to == statement.value:
            continue
        inner = with_body(statement, remove_no_ops(statement.children))
        is_empty = isinstance(inner, (Loop, If)) or (isinstance(inner, Call) and not inner.result)
        if inner.children or not is_empty:
            useful.append(inner)
    return tuple(useful)


def _merged(statement: Statement, parts: Mapping[str, SubBuffer]) -> Statement:
    """The statement with the places of parts as places of the arrays that hold them, which may be parts again."""

    def moved(load: Load) -> Load:
        while load.array in parts:
            array, begin = parts[load.array]
            load = replace(load, array=array, place=load.place.plus(Affine(begin)))
        return load

    return move_accesses(statement, moved)


# Single rows -------------------------------------------------------------------------------------------------


def shrink(statements: Statements, arrays: Mapping[str, int]) -> tuple[Statements, dict[str, int]]:
    """The statements, where an array that one loop alone touches holds one row at a time, and the arrays' sizes."""
    sizes = dict(arrays)
    totals = Counter(access.array for statement in statements for access in statement.accesses)
    return tuple(_shrunk(statement, totals, sizes) for statement in statements), sizes


def _shrunk(statement: Statement, totals: Counter[str], sizes: dict[str, int]) -> Statement:
    if not isinstance(statement, Loop):  # a loop further in runs for several rows of what is around it
        return with_body(statement, tuple(_shrunk(inner, totals, sizes) for inner in statement.children))
    inside: dict[str, list[Access]] = {}
    for access in statement.accesses:
        inside.setdefault(access.array, []).append(access)
    single = set()
    for array, accesses in inside.items():
        if array not in sizes or len(accesses) != totals[array]:
            continue
        row, *others = {row_of(access, statement.variable, ()) for access in accesses}
        if not others and row and row.length > 1 and row.first == 0:
            sizes[array] = row.length
            single.add(array)
    return _first_rows(statement, single, statement.variable) if single else statement


def _first_rows(statement: Statement, arrays: Collection[str], variable: str) -> Statement:
    """The statement with every row of some arrays in the place of the first one."""
    return move_accesses(
        statement,
        lambda load: replace(load, place=load.place.without(variable)) if load.array in arrays else load,
    )
