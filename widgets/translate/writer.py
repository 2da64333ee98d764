"""Writing a kernel: from tensors to a tree of loops, its arrays, its constants and its names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from widgets.translate import bulk, passes
from widgets.translate.expressions import (
    ORIGIN,
    SUM,
    Affine,
    Apply,
    Expression,
    Index,
    Literal,
    Name,
    Pointwise,
    Reduction,
    number,
    variable,
)
from widgets.translate.loops import Call, If, Let, Loop, Part, Reduce, Repeat, Statement, Statements, Store
from widgets.translate.outlining import LONG
from widgets.translate.printer import LETTERS, Helper, kernel_source
from widgets.translate.registers import in_registers
from widgets.translate.storage import SubBuffer
from widgets.translate.values import (
    Memory,
    Shape,
    Value,
    expanding,
    extent,
    is_dense,
    reduced,
    same_places,
    single,
    squeezed,
    stored,
    strides,
    view,
    without_ones,
)

LARGEST_INTEGER = 2**53
"""Doubles hold every whole number up to this."""

SHORT = 8
"""A sum of so few numbers is an expression."""

RESERVED = {
    *("C", "ins", "outs", "most", "Math", "Number", "Object", "Infinity", "NaN", *LETTERS),
    *("arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default"),
    *("delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function"),
    *("if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package"),
    *("private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true"),
    *("try", "typeof", "undefined", "var", "void", "while", "with", "yield"),
}


class Mask(NamedTuple):
    """A condition on the first ``depth`` indices of loops; where it does not hold, there is nothing to do."""

    depth: int
    at: Callable[[Index], Expression]


class Writer:
    """A kernel being written: statements, arrays and baked-in numbers.

    Args:
        name: the kernel's.
        targets: the names of values that are outputs, with the place and the shape of each. Such a value is
            computed in the output's own array.
    """

    def __init__(self, name: str, targets: Mapping[str, tuple[int, Shape]]):
        self.name = name
        self.targets = dict(targets)
        self.statements: list[Statement] = []
        self.guard: tuple[Expression, ...] = ()
        """The conditions under which alone what is being written is read."""
        self.depth: int | None = None
        """How many loops are around what is being written; None in the kernel's own body."""
        self.arguments: dict[str, str] = {}
        """How the names that are inputs and outputs are declared: first the inputs, in order."""
        self.inputs: dict[str, int] = {}
        """The arrays that are inputs, and their sizes."""
        self.outputs: dict[str, int] = {}
        """The arrays that are outputs, and their places."""
        self.arrays: dict[str, int] = {}
        """The arrays that the kernel keeps, and their sizes."""
        self.layouts: dict[str, tuple[int, ...]] = {}
        """The strides of arrays that are parts of larger ones."""
        self.parts: dict[str, SubBuffer] = {}
        self.constants: list[Tensor] = []
        self.baked_in = 0
        """How many numbers the constants have."""
        self.pool: dict[bytes, int] = {}
        """Where the constants begin, by their bytes."""
        self.bodies: list[str] = []
        """Declarations of the kernels that are repeated."""
        self.taken = set(RESERVED)
        self.counts: dict[str, int] = {}
        """How often a name that was taken has been asked for."""
        self.loops = 0

    def source(self, helpers: Mapping[str, Helper], state: int = 0) -> str:
        """The whole kernel, with those of the ``helpers`` that it calls.

        Args:
            state: so many inputs and outputs, the first, are a state that goes round; the next output is whether that
                is its end.
        """
        statements, arrays = passes.optimise(
            tuple(self.statements), self.arrays, self.outputs, self.parts, self.fresh
        )
        registers = None
        if state and state in self.outputs.values():
            leaves = {name: place for place, name in enumerate(self.arguments) if place < state}
            constants = torch.cat([torch.empty(0, dtype=torch.float64), *self.constants])
            registers = in_registers(statements, arrays, leaves, self.outputs, constants, self.fresh)
        return kernel_source(
            self.name,
            statements,
            self.arguments,
            arrays,
            self.inputs,
            helpers,
            self.fresh,
            self.bodies,
            registers,
        )

    # Inputs, outputs, constants

    def input(self, place: int, shape: Shape, dtype: torch.dtype) -> Value:
        """One of ``ins``."""
        name = self.fresh(f"x{place}")
        if math.prod(shape) == 1:
            self.arguments[name] = f"const {name} = ins[{place}][0];"
            return single(Name(name), shape, dtype)
        self.arguments[name] = f"const {name} = ins[{place}];"
        self.inputs[name] = math.prod(shape)
        return stored(Memory(name, 0, strides(shape)), shape, dtype)

    def output(self, place: int, value: Value) -> None:
        """Write one of ``outs``, if it is not written yet."""
        target = Memory(f"o{place}", 0, strides(value.shape))
        if value.memory != target:
            self.output_array(place)
            self.store(stored(target, value.shape, value.dtype), value)

    def output_array(self, place: int) -> str:
        """The name of an output's array."""
        name = f"o{place}"
        self.arguments[name] = f"const {name} = outs[{place}];"
        self.outputs[name] = place
        return name

    def constant(self, tensor: Tensor) -> Value:
        """A tensor baked in: numbers that are all the same are written out, others join the pool, once."""
        shape = tuple(tensor.shape)
        if tensor.dtype == torch.int64 and tensor.numel() and tensor.abs().max() > LARGEST_INTEGER:
            raise OverflowError("a constant beyond 2**53 is not a float64")
        small = squeezed(tensor).to(torch.float64)
        if small.numel() == 1:
            return single(number(small.item()), shape, tensor.dtype, literal=small.item())
        inner = tuple(small.shape)
        begin = self.baked(small.contiguous().flatten())
        value = stored(Memory("C", begin, strides(inner)), inner, tensor.dtype)
        return view(value, shape, expanding(inner, shape))

    def baked(self, data: Tensor) -> int:
        """The place of a vector's numbers among the constants."""
        key = data.numpy().tobytes()
        if key not in self.pool:
            self.pool[key] = self.baked_in
            self.constants.append(data)
            self.baked_in += data.numel()
        return self.pool[key]

    # Names and arrays

    def fresh(self, name: str) -> str:
        """A JavaScript name that nothing has yet."""
        wanted = name
        while wanted in self.taken:
            count = self.counts[name] = self.counts.get(name, 0) + 1
            wanted = f"{name}_{count}"
        self.taken.add(wanted)
        return wanted

    def array(self, name: str, shape: Shape, dtype: torch.dtype) -> Value:
        """A new array, or that of the output called ``name``."""
        place, wanted = self.targets.get(name, (0, None))
        if wanted == shape:
            array = self.output_array(place)
            del self.targets[name]
            steps = strides(shape)
        else:
            array = self.fresh(name)
            steps = self.layouts.pop(name, strides(shape))
            self.arrays[array] = extent(shape, steps)
        return replace(stored(Memory(array, 0, steps), shape, dtype), name=name)

    def in_memory(self, value: Value) -> Value:
        """The value in an array."""
        if value.memory:
            return value
        array = self.array(value.name or "t", value.shape, value.dtype)
        self.store(array, value, self.row_masks(value.live_rows))
        return array

    def computed(self, value: Value) -> Value:
        """The value with its work done: an array, or one variable."""
        if value.cost and value.size == 1:
            name = self.fresh(value.name or "t")
            self.add(Let(name, value.at([ORIGIN] * len(value.shape))))
            return replace(single(Name(name), value.shape, value.dtype), name=value.name)
        return self.in_memory(value) if value.cost else value

    def note_part(self, value: Value, part: Value) -> None:
        """Note that all of an array was copied into part of another, if it lies alike there."""
        here, there = value.memory, part.memory
        if not here or not there or value.dtype != part.dtype or there.array not in self.arrays:
            return
        is_whole = self.arrays.get(here.array) == extent(value.shape, here.strides)
        if is_whole and same_places(value.shape, here.strides, there.strides):
            self.parts.setdefault(here.array, SubBuffer(there.array, there.offset))

    # Shapes

    def expand(self, value: Value, shape: Shape) -> Value:
        """Broadcast; what would be computed several times is computed first."""
        if value.shape == shape:
            return value
        if math.prod(shape) > value.size:
            value = self.computed(value)
        return view(value, shape, expanding(value.shape, shape))

    def reshape(self, value: Value, shape: Shape) -> Value:
        """The same numbers in row-major order under another shape."""
        if [n for n in value.shape if n != 1] == [n for n in shape if n != 1]:
            return view(value, shape, without_ones(value.shape, shape))
        if value.literal is not None:
            return replace(value, shape=shape)
        memory = value.memory
        if not memory or not is_dense(value):
            memory = self.in_memory(replace(value, memory=None)).memory
        assert memory
        return replace(stored(memory._replace(strides=strides(shape)), shape, value.dtype), name=value.name)

    # Statements

    def add(self, statement: Statement) -> None:
        """Write down what comes next."""
        if self.guard and self.depth is None:
            statement = If(self.guard, (statement,))
        self.statements.append(statement)

    def block(self, write: Callable[[], None], depth: int = 0) -> Statements:
        """The statements that ``write`` adds, inside so many more loops."""
        around, self.statements = (self.statements, self.depth), []
        self.depth = (self.depth or 0) + depth
        write()
        statements, (self.statements, self.depth) = self.statements, around
        return tuple(statements)

    def loop(self, shape: Shape, body: Callable[[Index], None], masks: Sequence[Mask] = ()) -> None:
        """Nested loops over all indices of a shape, around the statements that ``body`` adds at an index.

        Args:
            masks: where anything is to be done.
        """
        if 0 in shape:
            return
        statements = self.block(lambda: self._nest(shape, [], body, masks))
        stays_together = self.depth is None and len(statements) > 1
        for statement in [Call(statements)] if stays_together else statements:
            self.add(statement)

    def _nest(
        self, shape: Shape, index: list[Affine], body: Callable[[Index], None], masks: Sequence[Mask]
    ) -> None:
        """The loops over the axes from ``len(index)`` on."""
        if len(index) == len(shape):
            body(index)
            return
        size, place = shape[len(index)], ORIGIN
        name = f"loop {self.loops}"
        if size > 1:
            self.loops += 1
            place = variable(name)
        inside = [*index, place]
        conditions = tuple(mask.at(inside) for mask in masks if mask.depth == len(inside))
        if self.depth is not None and self.depth + (size > 1) > len(LETTERS):
            raise OverflowError(f"more than {len(LETTERS)} axes at once are too many")
        statements = self.block(lambda: self._nest(shape, inside, body, masks), depth=int(size > 1))
        if conditions:
            statements = (If(conditions, statements),)
        for statement in [Loop(name, size, statements)] if size > 1 else statements:
            self.add(statement)

    def loop_within(
        self,
        shape: Shape,
        dims: Sequence[int],
        outer: Index,
        body: Callable[[Index], None],
        masks: Sequence[Mask] = (),
    ) -> None:
        """Loops over the axes ``dims``, at given indices of all others."""
        inside = tuple(n if d in dims else 1 for d, n in enumerate(shape))

        def whole(inner: Index) -> Index:
            filled = [*inner, *outer[len(inner) :]]
            return [(filled if d in dims else outer)[d] for d in range(len(shape))]

        within = [Mask(mask.depth, lambda inner, at=mask.at: at(whole(inner))) for mask in masks]  # type: ignore[misc]
        self.loop(inside, lambda inner: body(whole(inner)), masks=within)

    def store(self, target: Value, value: Value, masks: Sequence[Mask] = ()) -> None:
        """Write a value's elements into an array, all or some; a whole input in a row, which one call copies."""
        given, to = value.memory, target.memory
        is_whole_input = given and to and value.size == self.inputs.get(given.array, 0) >= bulk.LEAST
        if given and to and is_whole_input and is_dense(value) and is_dense(target):
            source, goal = Memory(given.array, 0, (1,)), Memory(to.array, to.offset, (1,))
            target = stored(goal, (value.size,), target.dtype)
            value = stored(source, (value.size,), value.dtype)
            statements = self.block(lambda: self._store(target, value, ()))
            self.add(Call(statements))
        else:
            self._store(target, value, masks)

    def _store(self, target: Value, value: Value, masks: Sequence[Mask]) -> None:
        self.loop(
            value.shape, lambda index: self.add(Store(target.element(index), value.at(index))), masks=masks
        )

    def row_masks(self, live_rows: Value | None) -> list[Mask]:
        """Where loops over rows have anything to do."""
        return [Mask(1, lambda index: live_rows.at(index[:1]))] if live_rows else []

    def chosen(self, value: Value, dims: Iterable[int]) -> tuple[list[Mask], Value]:
        """Where loops over the axes ``dims`` have anything to add to a sum, and what: elsewhere the value is 0."""
        masks: list[Mask] = []
        while value.choice:
            condition, chosen = value.choice
            ahead = len(value.shape) - len(condition.shape)
            deciding = [d for d in dims if d >= ahead and condition.shape[d - ahead] > 1]
            if not deciding:
                break
            whole = self.expand(condition, value.shape)

            def at(index: Index, whole: Value = whole) -> Expression:
                return whole.at([*index, *[ORIGIN] * (len(whole.shape) - len(index))])

            masks.append(Mask(max(deciding) + 1, at))
            value = chosen
        return masks, value

    def repeat(
        self,
        kernel: tuple[str, Tensor],
        count: int,
        given: Sequence[Sequence[Value]],
        results: Sequence[tuple[Shape, torch.dtype]],
        kept: Sequence[int],
        name: str,
    ) -> list[Value]:
        """What calls of a kernel return, of which each is given the state that the one before it returns.

        Args:
            kernel: its source and its constants.
            given: the first state, what all calls are given alike, and the tables of which each is given a row.
            results: shapes and dtypes of what a call returns: the state, and more.
            kept: the places of the results that are kept of all calls.
            name: of the results.
        """
        source, constants = kernel
        declared, begin = self.fresh("step"), self.baked(constants) if constants.numel() else 0
        self.bodies.append(f"const {declared} = ({source})(C.slice({begin}, {begin + constants.numel()}));")
        last = [self.array(name, *look) for look in results]
        spare = [self.array(name, *look) for look in results[: len(given[0])]]
        rows = [self.array(name, (count, *results[place][0]), results[place][1]) for place in kept]
        start, fixed, tables = (tuple(map(self._operand, values)) for values in given)
        kept_parts = tuple((_part(value), place) for value, place in zip(rows, kept, strict=True))
        parts = (tuple(map(_part, last)), tuple(map(_part, spare)))
        self.add(Repeat(declared, count, start, fixed, tables, *parts, kept_parts))
        return [*last, *rows]

    def _operand(self, value: Value) -> Part | Expression:
        """A value as part of an array, or as one number."""
        if value.size == 1:
            return self.computed(value).at([ORIGIN] * len(value.shape))
        if value.memory and not is_dense(value):
            value = replace(value, memory=None)
        return _part(self.in_memory(value))

    # Operations

    def pointwise(
        self, operation: Pointwise, operands: Iterable[Value], shape: Shape, dtype: torch.dtype
    ) -> Value:
        """An expression of operands that are broadcast to ``shape``."""
        values = [self.expand(operand, shape) for operand in operands]

        def at(index: Index) -> Expression:
            return Apply(operation, tuple(value.at(index) for value in values), dtype == torch.bool)

        return Value(shape, dtype, at, 1 + sum(value.cost for value in values))

    def short_sum(self, x: Value, dims: Sequence[int], shape: Shape) -> Value:
        """A sum over the axes ``dims`` as an expression; ``shape`` is without them, or 1 there."""
        loop_shape = reduced(x.shape, dims)
        inner = list(product(*(range(x.shape[d]) for d in dims)))
        total = Pointwise(" + ".join(["0", *(f"{{{k}:4}}" for k in range(len(inner)))]), SUM)

        def at(index: Index) -> Expression:
            places = (dict(zip(dims, map(Affine, position), strict=True)) for position in inner)
            elements = (x.at([place.get(d, outer) for d, outer in enumerate(index)]) for place in places)
            return Apply(total, tuple(elements))

        whole = Value(loop_shape, x.dtype, at, cost=len(inner))
        return view(whole, shape, without_ones(loop_shape, shape))

    def reduce(
        self,
        x: Value,
        dims: Sequence[int],
        reduction: Reduction,
        dtype: torch.dtype,
        name: str,
        finish: Pointwise | None = None,
        keepdim: bool = False,
        live_rows: Value | None = None,
    ) -> Value:
        """Loops over the axes that stay, and inside them over ``dims``.

        Args:
            name: of the result.
            finish: what becomes of the accumulator in the end.
            live_rows: a mask of the rows that are ever read, where some are not.
        """
        loop_shape, shape = reduced(x.shape, dims), reduced(x.shape, dims, keepdim)
        if loop_shape == x.shape and x.size:
            alone = view(x, shape, without_ones(x.shape, shape))
            return self.pointwise(reduction.alone, [alone], shape, dtype)
        few = 0 < math.prod(x.shape[d] for d in dims) <= SHORT and x.cost <= 1 and not x.choice
        if reduction.is_sum and few and finish is None and math.prod(loop_shape) > 1:
            return self.short_sum(x, dims, shape)
        if math.prod(loop_shape) == 1:
            return self._reduce_to_one(x, dims, reduction, dtype, name, finish, shape)
        array = self.array(name, shape, dtype)
        target = view(array, loop_shape, without_ones(shape, loop_shape))
        staying = [d for d, n in enumerate(x.shape) if n > 1 and d not in dims]
        if finish is None and math.prod(loop_shape) >= LONG and max(dims) < min(staying):
            self.store(array, single(reduction.start, shape, dtype))
            self._accumulate_in(target, x, dims, reduction)
            return array

        total = self.fresh("t")

        def row(outer: Index) -> None:
            self._accumulate(total, x, dims, reduction, outer)
            self.add(Store(target.element(outer), _finished(total, finish)))

        self.loop(loop_shape, row, () if 0 in dims else self.row_masks(live_rows))
        return array

    def _reduce_to_one(
        self,
        x: Value,
        dims: Sequence[int],
        reduction: Reduction,
        dtype: torch.dtype,
        name: str,
        finish: Pointwise | None,
        shape: Shape,
    ) -> Value:
        """A reduction to one number, which is a variable."""
        total = self.fresh("t")
        origin = [ORIGIN] * len(x.shape)
        statements = self.block(lambda: self._accumulate(total, x, dims, reduction, origin))
        result = self.fresh(name)
        self.add(Call(statements, result, _finished(total, finish)))
        return replace(single(Name(result), shape, dtype), name=name)

    def _accumulate(
        self, total: str, x: Value, dims: Sequence[int], reduction: Reduction, outer: Index
    ) -> None:
        """Reduce the elements at given indices of the axes that stay to a variable."""
        masks, value = self._contributing(x, dims, reduction)

        def update(index: Index) -> None:
            self.add(Reduce(Name(total), reduction.update, value.at(index)))

        self.add(Let(total, reduction.start, mutable=True))
        self.loop_within(x.shape, dims, outer, update, masks)

    def _accumulate_in(self, target: Value, x: Value, dims: Sequence[int], reduction: Reduction) -> None:
        """Reduce into an array, in the order in which the elements lie in memory."""
        masks, value = self._contributing(x, range(len(x.shape)), reduction)

        def update(index: Index) -> None:
            place = [ORIGIN if d in dims else position for d, position in enumerate(index)]
            self.add(Reduce(target.element(place), reduction.update, value.at(index)))

        self.loop(x.shape, update, masks=masks)

    def _contributing(
        self, x: Value, dims: Iterable[int], reduction: Reduction
    ) -> tuple[Sequence[Mask], Value]:
        """Where there is anything to add, and what: in a sum, what is 0 may be left out."""
        return self.chosen(x, dims) if reduction.start == Literal("0") else ((), x)


def _part(value: Value) -> Part:
    assert value.memory
    return Part(value.memory.array, value.memory.offset, value.size)


def _finished(total: str, finish: Pointwise | None) -> Expression:
    return Name(total) if finish is None else Apply(finish, (Name(total),))
