"""Scalar replacement: an element that is read where it was computed is a constant, and its array may disappear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from widgets.translate.expressions import Expression, Load, Name
from widgets.translate.loops import (
    Let,
    Reduce,
    Statement,
    Statements,
    Store,
    substitute_in,
    walk_statements,
    with_body,
)


def replace_scalars(
    statements: Statements, arrays: dict[str, int], fresh: Callable[[str], str]
) -> tuple[Statements, dict[str, int]]:
    """The statements with constants for elements that later statements of the same body read.

    Args:
        arrays: the sizes of the kernel's own arrays.
        fresh: makes a new name of one.

    Returns:
        The statements, and the arrays that are still needed.
    """
    counts = _Counts(statements)
    needed = dict(arrays)
    return _replaced(statements, counts, needed, fresh), needed


class _Counts:
    """How often the arrays are written and touched, by statements anywhere."""

    def __init__(self, statements: Statements):
        self.stores = Counter(
            statement.to.array
            for statement in walk_statements(statements)
            if isinstance(statement, (Store, Reduce)) and isinstance(statement.to, Load)
        )
        self.accesses = Counter(access.array for statement in statements for access in statement.accesses)


def _replaced(
    statements: Iterable[Statement], counts: _Counts, arrays: dict[str, int], fresh: Callable[[str], str]
) -> Statements:
    body = list(statements)
    touching = _places(body)
    done: list[Statement] = []
    for place in range(len(body)):
        statement = body[place]
        element = statement.target
        if isinstance(statement, Store) and isinstance(element, Load) and counts.stores[element.array] == 1:
            later = [n for n in touching[element.array] if n > place]
            uses = sum(
                (access.array, access.place) == (element.array, element.place)
                for n in later
                for access in body[n].accesses
            )
            if uses:
                is_last_use = element.array in arrays and uses == counts.accesses[element.array] - 1
                constant = Name(element.array if is_last_use else fresh("h"), element.flag)
                done.append(Let(constant.name, statement.value))
                if is_last_use:
                    del arrays[element.array]
                else:
                    done.append(Store(element, constant))
                same: dict[Expression, Expression] = {
                    Load(element.array, element.place, flag): constant for flag in (False, True)
                }
                for n in later:
                    body[n] = substitute_in(body[n], same)
                continue
        done.append(with_body(statement, _replaced(statement.children, counts, arrays, fresh)))
    return tuple(done)


def _places(body: Sequence[Statement]) -> dict[str, list[int]]:
    """Where in a body each array is touched."""
    places: dict[str, list[int]] = {}
    for place, statement in enumerate(body):
        for array in {access.array for access in statement.accesses}:
            places.setdefault(array, []).append(place)
    return places
