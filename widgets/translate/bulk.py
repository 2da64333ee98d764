"""Loops that only copy numbers in a row, or set them all to one: a method of the array does that faster."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from widgets.translate.expressions import Literal, Load
from widgets.translate.loops import Loop, Statement, Store

LEAST = 128
"""Fewest numbers that are worth a call; for fewer a loop is as fast."""


class Copy(NamedTuple):
    """Copies ``size`` numbers in a row, from the ``source`` on, to the ``target`` and on."""

    source: Load
    target: Load
    size: int


class Fill(NamedTuple):
    """Sets ``size`` numbers in a row, from the ``target`` on, to a ``number``."""

    number: Literal
    target: Load
    size: int


def is_bulk(statement: Statement) -> bool:
    """Whether a loop is one call of a method that copies or fills an array."""
    whole = copy_of(statement) or fill_of(statement)
    return whole is not None and whole.size >= LEAST


def copy_of(statement: Statement) -> Copy | None:
    """What a loop copies in a row, from one array to another, if it does nothing else."""
    store = _only_store(statement)
    if store is None or not isinstance(store.value, Load):
        return None
    assert isinstance(statement, Loop)
    source, target = (_begin(load, statement.variable) for load in (store.value, store.to))
    if source is None or target is None or source.array == target.array:
        return None
    return Copy(source, target, statement.size)


def fill_of(statement: Statement) -> Fill | None:
    """What a loop sets in a row to one number, if it does nothing else."""
    store = _only_store(statement)
    if store is None or not isinstance(store.value, Literal):
        return None
    assert isinstance(statement, Loop)
    target = _begin(store.to, statement.variable)
    return Fill(store.value, target, statement.size) if target else None


def _only_store(statement: Statement) -> Store | None:
    """The assignment that is all there is in a loop."""
    if not isinstance(statement, Loop) or len(statement.body) != 1:
        return None
    (inner,) = statement.body
    return inner if isinstance(inner, Store) else None


def _begin(target: object, variable: str) -> Load | None:
    """The element of a loop's first turn, if its turns take elements in a row."""
    if not isinstance(target, Load) or target.place.coefficient(variable) != 1:
        return None
    begin = target.place.without(variable)
    return None if variable in begin.names else replace(target, place=begin)
