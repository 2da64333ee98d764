"""Scalar expressions as data: what a kernel computes at one place, and the names that it reads.

An :data:`Expression` is a :class:`Literal`, a :class:`Name`, a :class:`Load` from an array, a :class:`Checked` index,
an :class:`Affine` combination of indices, or an operation that is :class:`Apply`-ed to other expressions. The
JavaScript of an operation stays opaque: a template with a slot for every operand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Union

CONDITIONAL, LOGICAL, COMPARISON, SUM, PRODUCT, UNARY, ATOM = range(7)
"""How tightly a piece of JavaScript binds."""


class Pointwise(NamedTuple):
    """An operation as a template that uses every operand once, so that operands may be expressions.

    A slot ``{0:4}`` takes a number that binds at least as tightly as level 4, a slot ``{0:?4}`` a condition.
    """

    template: str
    level: int = ATOM
    """How tightly the result binds."""
    truth: bool = False
    """Whether the result is one of JavaScript's own booleans."""
    helpers: tuple[str, ...] = ()
    """The helper functions that the template calls."""


class Update(NamedTuple):
    """How a reduction changes its accumulator ``{0}`` by an element ``{1}``: a template of a statement."""

    template: str
    helpers: tuple[str, ...] = ()


class _Node:
    """What all expressions have in common."""

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions that it is made of."""
        return ()

    def with_parts(self, parts: Sequence[Expression]) -> Expression:
        """The same, made of other parts."""
        raise NotImplementedError

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables and arrays that it reads, loop variables among them."""
        return frozenset().union(*(part.names for part in self.parts))


@dataclass(frozen=True)
class Literal(_Node):
    """A number, as JavaScript writes it."""

    text: str


@dataclass(frozen=True)
class Name(_Node):
    """A variable."""

    name: str
    flag: bool = False
    """Whether it holds a boolean as 0 or 1."""

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset({self.name})


@dataclass(frozen=True)
class Load(_Node):
    """An element of an array."""

    array: str
    place: Affine
    flag: bool = False
    """Whether it holds a boolean as 0 or 1."""

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.place,)

    def with_parts(self, parts: Sequence[Expression]) -> Load:
        (place,) = parts
        return Load(self.array, Affine.of(place), self.flag)

    @cached_property
    def names(self) -> frozenset[str]:
        return self.place.names | {self.array}


@dataclass(frozen=True)
class Checked(_Node):
    """An index that must lie within an axis of ``size``; where it ``wraps``, negative ones count from the end."""

    index: Expression
    size: int
    wraps: bool

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.index,)

    def with_parts(self, parts: Sequence[Expression]) -> Checked:
        (index,) = parts
        return Checked(index, self.size, self.wraps)

    @property
    def helper(self) -> str:
        """The helper function that checks it."""
        return "$wrap" if self.wraps else "$within"


@dataclass(frozen=True)
class Apply(_Node):
    """An operation's result."""

    operation: Pointwise
    operands: tuple[Expression, ...]
    flag: bool = False
    """Whether it is a boolean as 0 or 1."""

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operands

    def with_parts(self, parts: Sequence[Expression]) -> Apply:
        return Apply(self.operation, tuple(parts), self.flag)


@dataclass(frozen=True)
class Affine(_Node):
    """An index: ``constant + Σ coefficient · term``."""

    constant: int = 0
    terms: tuple[tuple[Expression, int], ...] = ()

    @classmethod
    def of(cls, expression: Expression) -> Affine:
        """An expression as an index."""
        if isinstance(expression, Affine):
            return expression
        if isinstance(expression, Literal):
            return cls(int(expression.text))
        return cls(0, ((expression, 1),))

    @property
    def parts(self) -> tuple[Expression, ...]:
        return tuple(term for term, _ in self.terms)

    def with_parts(self, parts: Sequence[Expression]) -> Affine:
        total = Affine(self.constant)
        for part, (_, coefficient) in zip(parts, self.terms, strict=True):
            total = total.plus(Affine.of(part).times(coefficient))
        return total

    def times(self, factor: int) -> Affine:
        return Affine(self.constant * factor, tuple((t, c * factor) for t, c in self.terms if factor))

    def plus(self, other: Affine) -> Affine:
        total = dict(self.terms)
        for term, coefficient in other.terms:
            total[term] = total.get(term, 0) + coefficient
        return Affine(self.constant + other.constant, tuple((t, c) for t, c in total.items() if c))

    def coefficient(self, variable: str) -> int:
        """That of a variable; 0 if it is no term."""
        return dict(self.terms).get(Name(variable), 0)

    def without(self, variable: str) -> Affine:
        """The same without the term of a variable."""
        return Affine(self.constant, tuple((t, c) for t, c in self.terms if t != Name(variable)))


class Reduction(NamedTuple):
    """How a loop reduces elements to one number."""

    start: Literal
    update: Update
    alone: Pointwise = Pointwise("{0:6}")
    """What a single element comes to."""
    is_sum: bool = False
    on_integers: Update | None = None
    """Instead of ``update`` for integers that may leave the whole numbers that doubles hold: it checks each result."""


Expression = Union[Literal, Name, Load, Checked, Apply, Affine]  # noqa: UP007 - used before its members exist
Index = Sequence[Affine]
ORIGIN = Affine()
"""The first index along an axis."""


def variable(name: str) -> Affine:
    """A loop variable as an index."""
    return Affine.of(Name(name))


def number(value: float) -> Literal:
    """A number as JavaScript writes it; what is read back is the very same double.

    Raises:
        OverflowError: a whole number that no double holds.
    """
    if float(value) != value and value == value:
        raise OverflowError(f"{value} is not a float64")
    value = float(value)
    if math.isnan(value):
        return Literal("NaN")
    if math.isinf(value):
        return Literal("Infinity" if value > 0 else "-Infinity")
    is_short_integer = value.is_integer() and 0 < abs(value) < 1e15
    return Literal(str(int(value)) if is_short_integer else repr(value).removesuffix(".0"))


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all that it is made of, at any depth."""
    yield expression
    for part in expression.parts:
        yield from walk(part)


def rewrite(expression: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with its outermost parts replaced for which ``change`` returns another one."""
    changed = change(expression)
    if changed is not None:
        return changed
    parts = [rewrite(part, change) for part in expression.parts]
    if all(new is old for new, old in zip(parts, expression.parts, strict=True)):
        return expression
    return expression.with_parts(parts)


def substitute(expression: Expression, replacements: Mapping[Expression, Expression]) -> Expression:
    """The expression with some of its parts replaced by others."""
    return rewrite(expression, replacements.get)


def rewrite_loads(expression: Expression, change: Callable[[Load], Load]) -> Expression:
    """The expression with every element of an array replaced, those that index others first."""
    parts = [rewrite_loads(part, change) for part in expression.parts]
    if any(new is not old for new, old in zip(parts, expression.parts, strict=True)):
        expression = expression.with_parts(parts)
    return change(expression) if isinstance(expression, Load) else expression
