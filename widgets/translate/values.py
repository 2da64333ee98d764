"""Tensors inside a kernel: how to compute the element at an index, and how views lead to elements of others."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from widgets.translate.expressions import Affine, Expression, Index, Load, Name

Shape = tuple[int, ...]


class Axis(NamedTuple):
    """The index along one axis of a tensor, ``start + step · (index along axis source of its view)``."""

    start: int = 0
    source: int | None = None
    step: int = 0


class Memory(NamedTuple):
    """A strided part of an array."""

    array: str
    offset: int
    strides: tuple[int, ...]

    def place(self, index: Index) -> Affine:
        """Where in the array the element at an index lies."""
        place = Affine(self.offset)
        for position, stride in zip(index, self.strides, strict=True):
            place = place.plus(position.times(stride))
        return place


@dataclass(frozen=True)
class Value:
    """A tensor inside a kernel."""

    shape: Shape
    dtype: torch.dtype
    at: Callable[[Index], Expression]
    """The element at an index."""
    cost: int = 0
    """Operations that reading one element repeats; 0 for arrays, numbers and constants."""
    memory: Memory | None = None
    """Where it lies, if it has been computed."""
    literal: float | None = None
    """The number that all elements are, if it is known now."""
    name: str = ""
    live_rows: Value | None = None
    """A mask of the rows that are ever read, where some are not."""
    choice: tuple[Value, Value] | None = None
    """A condition, and what it chooses where the rest is 0."""

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def element(self, index: Index) -> Load:
        """The place of an element in memory.

        Raises:
            ValueError: the value is an expression.
        """
        if self.memory is None:
            raise ValueError(f"{self.name or 'a value'} has no memory")
        return Load(self.memory.array, self.memory.place(index), self.dtype == torch.bool)


def strides(shape: Shape) -> tuple[int, ...]:
    """Row-major strides."""
    return tuple(accumulate(reversed(shape[1:]), operator.mul, initial=1))[::-1] if shape else ()


def stored(memory: Memory, shape: Shape, dtype: torch.dtype) -> Value:
    """A part of an array as a value."""

    def at(index: Index) -> Expression:
        return Load(memory.array, memory.place(index), dtype == torch.bool)

    return Value(shape, dtype, at, memory=memory)


def single(expression: Expression, shape: Shape, dtype: torch.dtype, literal: float | None = None) -> Value:
    """One number, whatever the shape."""
    if isinstance(expression, Name):
        expression = Name(expression.name, dtype == torch.bool)
    return Value(shape, dtype, lambda _: expression, literal=literal)


def view(value: Value, shape: Shape, axes: Sequence[Axis]) -> Value:
    """The same numbers under other indices."""
    if value.memory:
        array, offset, old = value.memory
        new = [0] * len(shape)
        for axis, stride in zip(axes, old, strict=True):
            offset += axis.start * stride
            if axis.source is not None:
                new[axis.source] += axis.step * stride
        return replace(stored(Memory(array, offset, tuple(new)), shape, value.dtype), name=value.name)

    def at(index: Index) -> Expression:
        return value.at(
            [
                Affine(start) if source is None else index[source].times(step).plus(Affine(start))
                for start, source, step in axes
            ]
        )

    return replace(value, shape=shape, at=at, live_rows=None, choice=None)


def part_of(value: Value, dim: int, begin: int, size: int) -> Value:
    """Some of a tensor along one axis."""
    shape = tuple(size if d == dim else n for d, n in enumerate(value.shape))
    return view(value, shape, [Axis(begin if d == dim else 0, d, 1) for d in range(len(shape))])


def expanding(shape: Shape, out: Shape) -> list[Axis]:
    """The axes of a broadcast."""
    ahead = len(out) - len(shape)
    return [Axis() if n == 1 else Axis(0, ahead + d, 1) for d, n in enumerate(shape)]


def without_ones(shape: Shape, out: Shape) -> list[Axis]:
    """The axes of a view in which axes of size 1 come and go, and the others stay in order."""
    rest = iter([d for d, n in enumerate(out) if n != 1])
    return [Axis() if n == 1 else Axis(0, next(rest), 1) for n in shape]


def reduced(shape: Shape, dims: Sequence[int], keepdim: bool = True) -> Shape:
    """The shape without ``dims``, or with 1 in their place."""
    if keepdim:
        return tuple(1 if d in dims else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in dims)


def squeezed(tensor: Tensor) -> Tensor:
    """The tensor with every axis along which nothing changes cut down to 1, to the bit."""
    for dim, size in enumerate(tensor.shape):
        if size > 1:
            first = tensor.narrow(dim, 0, 1)
            same = tensor == first
            if tensor.is_floating_point():
                same = (same & (tensor.signbit() == first.signbit())) | (tensor.isnan() & first.isnan())
            if bool(same.all()):
                tensor = first
    return tensor


def is_dense(value: Value) -> bool:
    """Whether an array's part lies there in a row."""
    assert value.memory
    return same_places(value.shape, value.memory.strides, strides(value.shape))


def same_places(shape: Shape, first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether strides lead to the same places."""
    return all(n == 1 or a == b for n, a, b in zip(shape, first, second, strict=True))


def extent(shape: Shape, steps: Sequence[int]) -> int:
    """How long an array of these strides is."""
    return 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True)) if math.prod(shape) else 0
