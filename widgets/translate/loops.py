"""A kernel's statements as a tree: seven kinds of nodes, and what each of them reads and writes.

Loops contain statements, statements contain expressions (:mod:`~widgets.translate.expressions`). A tree never changes:
a pass is a function from statements to other statements. Every loop has a variable of its own, and every declaration
a name of its own, so that statements may move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Union

from widgets.translate.expressions import (
    Affine,
    Checked,
    Expression,
    Load,
    Name,
    Update,
    rewrite,
    rewrite_loads,
    walk,
)


class Access(NamedTuple):
    """An element of an array that a statement touches."""

    array: str
    place: Affine
    sizes: Mapping[str, int]
    """How many turns the loops within the statement make, by their variables."""


class _Node:
    """What all statements have in common."""

    @property
    def children(self) -> tuple[Statement, ...]:
        """The statements inside."""
        return ()

    @property
    def evaluated(self) -> tuple[Expression, ...]:
        """The expressions that it evaluates itself, whatever is inside."""
        return ()

    @property
    def target(self) -> Load | Name | None:
        """The element or variable that it changes itself."""
        return None

    def with_expressions(self, change: Callable[[Expression], Expression]) -> Statement:
        """The same with other expressions, its target's index among them, whatever is inside."""
        raise NotImplementedError

    @cached_property
    def reads(self) -> frozenset[str]:
        """The variables and arrays that it reads, at any depth; those of its own loops are not among them."""
        return self._own_reads.union(*(statement.reads for statement in self.children))

    @cached_property
    def writes(self) -> frozenset[str]:
        """The variables and arrays that it declares or changes, at any depth."""
        return frozenset().union(*(statement.writes for statement in self.children))

    @cached_property
    def touches(self) -> frozenset[str]:
        return self.reads | self.writes

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """Every element of an array that it reads or writes, at any depth."""
        expressions = [*self.evaluated, *([self.target] if self.target else [])]
        loads = [part for whole in expressions for part in walk(whole) if isinstance(part, Load)]
        outside = [Access(load.array, load.place, {}) for load in loads]
        return (*outside, *(access for statement in self.children for access in statement.accesses))

    @cached_property
    def turns(self) -> int:
        """How often the innermost statements run, all together; 0 without a loop."""
        return sum(statement.turns for statement in self.children)

    @property
    def _own_reads(self) -> frozenset[str]:
        """The names in the expressions that it evaluates itself, and in its target's index."""
        names = [expression.names for expression in self.evaluated]
        if isinstance(self.target, Load):
            names.append(self.target.place.names)
        return frozenset().union(*names)


@dataclass(frozen=True)
class Let(_Node):
    """A new variable: ``const name = value``, or ``let`` if it is ``mutable``."""

    name: str
    value: Expression
    mutable: bool = False

    @property
    def evaluated(self) -> tuple[Expression, ...]:
        return (self.value,)

    def with_expressions(self, change: Callable[[Expression], Expression]) -> Let:
        return Let(self.name, change(self.value), self.mutable)

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset({self.name})


@dataclass(frozen=True)
class Store(_Node):
    """An assignment to an element of an array, or to a variable: ``to = value``."""

    to: Load | Name
    value: Expression

    @property
    def evaluated(self) -> tuple[Expression, ...]:
        return (self.value,)

    @property
    def target(self) -> Load | Name:
        return self.to

    def with_expressions(self, change: Callable[[Expression], Expression]) -> Store:
        return Store(_retargeted(self.to, change), change(self.value))

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset({_holder(self.to)})


@dataclass(frozen=True)
class Reduce(_Node):
    """A change of an accumulator, an element or a variable: ``to += value``, say."""

    to: Load | Name
    update: Update
    value: Expression

    @property
    def evaluated(self) -> tuple[Expression, ...]:
        return (self.value,)

    @property
    def target(self) -> Load | Name:
        return self.to

    @cached_property
    def reads(self) -> frozenset[str]:
        return self._own_reads | self.writes

    def with_expressions(self, change: Callable[[Expression], Expression]) -> Reduce:
        return Reduce(_retargeted(self.to, change), self.update, change(self.value))

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset({_holder(self.to)})


@dataclass(frozen=True)
class Loop(_Node):
    """``for`` a variable from 0 up to, not including, ``size``."""

    variable: str
    size: int
    body: tuple[Statement, ...]

    def with_expressions(self, change: Callable[[Expression], Expression]) -> Loop:
        return self

    @property
    def children(self) -> tuple[Statement, ...]:
        return self.body

    @cached_property
    def reads(self) -> frozenset[str]:
        return frozenset().union(*(statement.reads for statement in self.body)) - {self.variable}

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        inner = (access for statement in self.body for access in statement.accesses)
        return tuple(access._replace(sizes={**access.sizes, self.variable: self.size}) for access in inner)

    @cached_property
    def turns(self) -> int:
        return self.size * max(1, sum(statement.turns for statement in self.body))


@dataclass(frozen=True)
class If(_Node):
    """Statements that run where all ``conditions`` hold."""

    conditions: tuple[Expression, ...]
    body: tuple[Statement, ...]

    @property
    def children(self) -> tuple[Statement, ...]:
        return self.body

    @property
    def evaluated(self) -> tuple[Expression, ...]:
        return self.conditions

    def with_expressions(self, change: Callable[[Expression], Expression]) -> If:
        return If(tuple(map(change, self.conditions)), self.body)


@dataclass(frozen=True)
class Call(_Node):
    """Statements that stay together, in a function of their own: ``const result = f()`` if they have a ``result``."""

    body: tuple[Statement, ...]
    result: str = ""
    value: Expression | None = None
    """What the function returns."""

    @property
    def children(self) -> tuple[Statement, ...]:
        return self.body

    @property
    def evaluated(self) -> tuple[Expression, ...]:
        return () if self.value is None else (self.value,)

    def with_expressions(self, change: Callable[[Expression], Expression]) -> Call:
        return Call(self.body, self.result, None if self.value is None else change(self.value))

    @cached_property
    def writes(self) -> frozenset[str]:
        inner = frozenset().union(*(statement.writes for statement in self.body))
        return inner | {self.result} if self.result else inner


class Part(NamedTuple):
    """Some numbers in a row in an array."""

    array: str
    begin: int
    size: int


@dataclass(frozen=True)
class Repeat(_Node):
    """Calls of a kernel of its own, ``count`` of them: what one call returns of the state the next one is given."""

    kernel: str
    count: int
    start: tuple[Part | Expression, ...]
    """The state, each tensor as part of an array, or as one number."""
    fixed: tuple[Part | Expression, ...]
    """What all calls are given alike."""
    tables: tuple[Part | Expression, ...]
    """The inputs of which each call is given a row."""
    results: tuple[Part, ...]
    """For what the last call returns: the state, and more."""
    spare: tuple[Part, ...]
    """For every other state."""
    kept: tuple[tuple[Part, int], ...]
    """For what all calls return at a place of the results."""

    helpers = ("$repeat",)

    @property
    def given(self) -> tuple[Part | Expression, ...]:
        return (*self.start, *self.fixed, *self.tables)

    @property
    def written(self) -> tuple[Part, ...]:
        return (*self.results, *self.spare, *(part for part, _ in self.kept))

    @property
    def evaluated(self) -> tuple[Expression, ...]:
        return tuple(operand for operand in self.given if not isinstance(operand, Part))

    def with_expressions(self, change: Callable[[Expression], Expression]) -> Repeat:
        return self._changed(lambda operand: operand if isinstance(operand, Part) else change(operand))

    def with_parts(self, change: Callable[[Load], Load]) -> Repeat:
        """The same with parts of other arrays."""

        def moved(operand: Any) -> Any:
            if not isinstance(operand, Part):
                return operand
            begin = change(Load(operand.array, Affine(operand.begin)))
            return Part(begin.array, begin.place.constant, operand.size)

        return self._changed(moved)

    def _changed(self, change: Callable[[Any], Any]) -> Repeat:
        parts = (self.start, self.fixed, self.tables, self.results, self.spare)
        start, fixed, tables, results, spare = (tuple(map(change, operands)) for operands in parts)
        kept = tuple((change(part), place) for part, place in self.kept)
        return Repeat(self.kernel, self.count, start, fixed, tables, results, spare, kept)

    @cached_property
    def reads(self) -> frozenset[str]:
        return self._own_reads | {operand.array for operand in self.given if isinstance(operand, Part)}

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset(part.array for part in self.written)

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        parts = [operand.array for operand in (*self.given, *self.written) if isinstance(operand, Part)]
        return (*super().accesses, *(Access(array, ANYWHERE, {}) for array in parts))


ANYWHERE = Affine.of(Name("?"))
"""The place of an element of which nothing is known."""

Statement = Union[Let, Store, Reduce, Loop, If, Call, Repeat]  # noqa: UP007 - used before its members exist
Statements = tuple[Statement, ...]


def _holder(target: Load | Name) -> str:
    """The array or the variable that a target belongs to."""
    return target.array if isinstance(target, Load) else target.name


def _retargeted(target: Load | Name, change: Callable[[Expression], Expression]) -> Load | Name:
    """A target with another index: the array or variable stays."""
    return replace(target, place=Affine.of(change(target.place))) if isinstance(target, Load) else target


def walk_statements(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements and all those inside of them."""
    for statement in statements:
        yield statement
        yield from walk_statements(statement.children)


def with_body(statement: Statement, body: Statements) -> Statement:
    """The statement with others inside, if any can be inside."""
    if not isinstance(statement, (Loop, If, Call)) or body == statement.body:
        return statement
    return replace(statement, body=body)


def rewrite_expressions(statement: Statement, change: Callable[[Expression], Expression | None]) -> Statement:
    """The statement with parts of its expressions replaced, at any depth; see :func:`~expressions.rewrite`."""
    body = tuple(rewrite_expressions(inner, change) for inner in statement.children)
    return with_body(statement.with_expressions(lambda whole: rewrite(whole, change)), body)


def substitute_in(statement: Statement, replacements: Mapping[Expression, Expression]) -> Statement:
    """The statement with some parts of its expressions replaced by others, at any depth."""
    return rewrite_expressions(statement, replacements.get)


def move_accesses(statement: Statement, change: Callable[[Load], Load]) -> Statement:
    """The statement with elements of arrays replaced by others, written ones included, at any depth."""
    if isinstance(statement, Repeat):
        statement = statement.with_parts(change)
    body = tuple(move_accesses(inner, change) for inner in statement.children)
    statement = with_body(statement.with_expressions(lambda whole: rewrite_loads(whole, change)), body)
    if isinstance(statement, (Store, Reduce)) and isinstance(statement.to, Load):
        return replace(statement, to=change(statement.to))
    return statement


def upper_bound(term: Expression, sizes: Mapping[str, int]) -> int | None:
    """How many values a term of an index may take, from 0 up: of a loop variable or of a checked index."""
    if isinstance(term, Name):
        return sizes.get(term.name)
    return term.size if isinstance(term, Checked) else None


def helpers_of(statements: Iterable[Statement]) -> frozenset[str]:
    """The helper functions that statements call themselves."""
    names: set[str] = set()
    for statement in walk_statements(statements):
        if isinstance(statement, Reduce):
            names.update(statement.update.helpers)
        if isinstance(statement, Repeat):
            names.update(statement.helpers)
        for whole in (*statement.evaluated, *([statement.target] if statement.target else [])):
            for part in walk(whole):
                if isinstance(part, Checked):
                    names.add(part.helper)
                names.update(getattr(getattr(part, "operation", None), "helpers", ()))
    return frozenset(names)
