"""Scalar replacement: an element that is read where it was computed is a constant, and its array may disappear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

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
    rest = list(statements)
    done: list[Statement] = []
    while rest:
        statement = rest.pop(0)
        element = statement.target
        if isinstance(statement, Store) and isinstance(element, Load) and counts.stores[element.array] == 1:
            uses = sum(
                (access.array, access.place) == (element.array, element.place)
                for later in rest
                for access in later.accesses
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
                rest = [substitute_in(later, same) for later in rest]
                continue
        done.append(with_body(statement, _replaced(statement.children, counts, arrays, fresh)))
    return tuple(done)
