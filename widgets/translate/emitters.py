"""Emitters: what writes the loops of each ATen operation that is more than a template, or says how it is a view."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as PROMOTION
from torch._prims_common import elementwise_dtypes
from torch.fx import Node
from torch.utils import _pytree as pytree

from widgets.translate import aten
from widgets.translate.aten import arguments, base_of, dtype_of, name_of, shape_of
from widgets.translate.expressions import (
    COMPARISON,
    ORIGIN,
    PRODUCT,
    SUM,
    Affine,
    Apply,
    Checked,
    Expression,
    Index,
    Literal,
    Name,
    Pointwise,
    Reduction,
    number,
)
from widgets.translate.liveness import Guards
from widgets.translate.loops import If, Let, Reduce, Store
from widgets.translate.outlining import LONG
from widgets.translate.refusals import SHAPE, UnsupportedOperation, asks_for_a_number, refusal
from widgets.translate.rolling import BODIES, REPEAT, Body
from widgets.translate.values import Axis, Shape, Value, part_of, reduced, single, strides, view
from widgets.translate.writer import SHORT, Mask, Writer

DTYPES = (torch.float64, torch.bool, torch.int64)
"""What a kernel computes in: doubles hold all of them, int64 up to 2⁵³."""

MOST_FUSED = 12
"""Pointwise operations in one expression; longer ones are cut for the reader's sake."""

LARGE, TILE = 1024, 4
"""A product of two matrices that takes so many multiplications is computed so many numbers at once, unless one of them
is a vector and each number a short sum."""

MOVES = (*aten.VIEWS, *aten.RESHAPES, "where.self", "cat.default")
"""Operations that only move numbers, which may be float32: Python numbers chosen by torch.where are."""

Arguments = dict[str, Any]
EMITTERS: dict[str, Callable[..., Any]] = {}


def _emits(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a method as the emitter of some operations."""

    def register(method: Callable[..., Any]) -> Callable[..., Any]:
        EMITTERS.update(dict.fromkeys(names, method))
        return method

    return register


class Emitter(Writer):
    """Writes one node of a trace after another.

    Args:
        name: the kernel's.
        targets: see :class:`~widgets.translate.writer.Writer`.
        known: the nodes that depend on no input, computed.
        uses: how often each node is read.
        masks: those of the nodes of which only some rows are ever read.
        guards: the conditions, each of one number, under which alone a node is read.
        translate: makes a kernel's source and constants of a loop's body.
    """

    def __init__(
        self,
        name: str,
        targets: dict[str, tuple[int, Shape]],
        known: dict[Node, Any],
        uses: dict[Node, int],
        masks: dict[Node, Node],
        guards: Guards,
        translate: Callable[[Body], tuple[str, Tensor]],
    ):
        super().__init__(name, targets)
        self.known = known
        self.uses = uses
        self.masks = masks
        self.guards = guards
        self.translate = translate
        self.conditions = {condition for guard in guards.values() for condition, _ in guard}
        self.env: dict[Node, Any] = {}

    def emit(self, node: Node) -> None:
        """Write a node's statements, or keep it as an expression for the node that reads it."""
        self.guard = tuple(self._condition(*guard) for guard in self.guards.get(node, ()))
        if node.target is operator.getitem:
            whole, place = node.args
            self.env[node] = self.env[whole][place]  # type: ignore[index]
            return
        if not _is_sized(node) and name_of(node) != "index.Tensor":  # which says that it is a mask
            raise self.refusal(node, SHAPE)
        if not has_javascript(node):
            raise self.refusal(node, self._advice(node))
        self._check_dtypes(node)
        name = name_of(node)
        emitter = EMITTERS.get(name, Emitter._pointwise)
        try:
            result = emitter(self, node, arguments(node))
        except OverflowError as error:
            raise self.refusal(node, str(error)) from error
        if isinstance(result, Value):
            # a view may bear the name of what is viewed, but not where an array of that name is, or is to be made
            is_view = name in aten.VIEWS or name in aten.RESHAPES
            keeps_name = is_view and not result.memory and not self._is_placed(result.name)
            result = replace(
                result, name=(keeps_name and result.name) or node.name, live_rows=self._live_rows(node)
            )
            if self._is_cheap(node, result):
                result = replace(result, cost=0)
            elif self.uses[node] > 1 or result.cost > MOST_FUSED or node in self.conditions:
                result = self.computed(result)
        self.env[node] = result

    def _is_placed(self, name: str) -> bool:
        """Whether the value of this name, once it is stored, has a place of its own."""
        return name in self.targets or name in self.layouts

    def _condition(self, condition: Node, true: bool) -> Expression:
        """A condition of one number, or its opposite."""
        value = self.value(condition)
        expression = value.at([ORIGIN] * len(value.shape))
        return expression if true else Apply(aten.NOT, (expression,))

    def refusal(self, node: Node, advice: str) -> UnsupportedOperation:
        line = node.meta.get("stack_trace") or ""
        return refusal(self.name, line, f"{node.target} has no JavaScript: {advice}")

    @staticmethod
    def _advice(node: Node) -> str:
        """What to do about a node that has no JavaScript."""
        if base_of(node) == "_local_scalar_dense":
            return asks_for_a_number(node.meta.get("stack_trace") or "")
        return aten.CHANCE if by_chance(node) else aten.advice(base_of(node))

    def value(self, operand: Any) -> Value:
        """A node or a Python number as a value."""
        if not isinstance(operand, Node):
            return single(number(operand), (), torch.float64, literal=float(operand))
        if operand in self.known and operand not in self.env:
            self.env[operand] = self._known(operand)
        return self.env[operand]

    def value_of_all(self, element: float, node: Node) -> Value:
        """A tensor of a node's shape and dtype whose elements are all the same."""
        return single(number(element), shape_of(node), dtype_of(node), literal=element)

    def _known(self, node: Node) -> Value:
        """A constant as a value; a view of another constant is not baked in again."""
        tensor = self.known[node]
        if not isinstance(tensor, Tensor):  # .item() of a constant
            return self.value(tensor)
        if tensor.is_complex():
            raise UnsupportedOperation(f"kernel {self.name!r}: a constant is complex: use float64")
        if name_of(node) in aten.VIEWS and self.known[node.all_input_nodes[0]].numel() == tensor.numel():
            return self._view(node, arguments(node))
        return self.constant(tensor)

    def _check_dtypes(self, node: Node) -> None:
        """Refuse dtypes whose arithmetic doubles cannot imitate."""
        name = name_of(node)
        leaves = [
            leaf.meta["val"] if isinstance(leaf, Node) else leaf for leaf in pytree.tree_leaves(node.args)
        ]
        operands = {leaf.dtype for leaf in leaves if isinstance(leaf, Tensor)}
        for dtype in {
            leaf.dtype for leaf in pytree.tree_leaves(node.meta["val"]) if isinstance(leaf, Tensor)
        }:
            moves_only = name in MOVES and operands <= {torch.float32, torch.bool}
            if dtype not in DTYPES and not (
                dtype == torch.float32 and (moves_only or name == "_to_copy.default")
            ):
                raise self.refusal(node, _in_float64(dtype))
        if name not in EMITTERS:
            numbers = [leaf for leaf in leaves if isinstance(leaf, (Tensor, bool, int, float))]
            computed, _ = elementwise_dtypes(*numbers, type_promotion_kind=PROMOTION.DEFAULT)
            alike = all(isinstance(leaf, Tensor) and leaf.dtype == computed for leaf in numbers)
            if computed not in DTYPES and not alike:
                raise self.refusal(node, _in_float64(computed))

    @staticmethod
    def _is_cheap(node: Node, value: Value) -> bool:
        """Whether computing it again is faster than reading it: an element compared with a number."""
        plain = aten.POINTWISE.get(base_of(node))
        return (
            value.cost == 1 < value.size
            and plain is not None
            and plain.truth
            and len(node.all_input_nodes) == 1
        )

    def _live_rows(self, node: Node) -> Value | None:
        """A mask of the node's rows that are ever read; None where all are."""
        mask = self.masks.get(node)
        return self.value(mask) if mask else None

    def _array(self, node: Node) -> Value:
        """A new array for the node's result."""
        return self.array(node.name, shape_of(node), dtype_of(node))

    # Pointwise operations

    def _like(self, node: Node, operation: Pointwise, *operands: Any) -> Value:
        """A pointwise value with the node's own shape and dtype."""
        values = [operand if isinstance(operand, Value) else self.value(operand) for operand in operands]
        return self.pointwise(operation, values, shape_of(node), dtype_of(node))

    def _pointwise(self, node: Node, a: Arguments) -> Value:
        base, shape, dtype = base_of(node), shape_of(node), dtype_of(node)
        alpha = a.pop("alpha", 1)
        operands = [self.value(operand) for operand in a.values()]
        operation = _template(base, dtype)
        if operation is None:
            raise self.refusal(node, f"it means something else for {dtype}: convert to float64, or compare")
        if alpha != 1:
            other = operands[1]
            operands[1] = self.pointwise(_product(dtype), [self.value(alpha), other], other.shape, dtype)
        if dtype == torch.float64 and base in ("mul", "div") and operands[1].literal == 1:
            return replace(self.expand(operands[0], shape), dtype=dtype)
        if dtype == torch.float64 and base == "mul" and operands[0].literal == 1:
            return replace(self.expand(operands[1], shape), dtype=dtype)
        return self.pointwise(operation, operands, shape, dtype)

    @_emits("where.self")
    def _where(self, node: Node, a: Arguments) -> Value:
        """A choice, element by element; between arrays by a single condition it is made once, for all."""
        condition, *others = (self.value(a[argument]) for argument in ("condition", "self", "other"))
        large = node.name in self.targets and math.prod(shape_of(node)) >= LONG
        if (
            large
            and condition.size == 1
            and a["condition"] not in self.known
            and not any(value.cost for value in others)
        ):
            return self._either(node, a["condition"], others)
        chosen, other = self.expand(others[0], shape_of(node)), others[1]
        result = self._like(node, aten.POINTWISE["where"], condition, chosen, other)
        if other.literal == 0 and math.copysign(1, other.literal) > 0:
            return replace(result, choice=(self.computed(condition), chosen))
        return result

    def _either(self, node: Node, condition: Node, others: Sequence[Value]) -> Value:
        """A choice between two arrays, each of which is copied under its condition."""
        out, outer = self._array(node), self.guard
        for true, value in zip((True, False), others, strict=True):
            self.guard = (*outer, self._condition(condition, true))
            self.store(out, self.expand(value, out.shape))
        self.guard = outer
        return out

    @_emits("div.Tensor_mode", "div.Scalar_mode")
    def _divide(self, node: Node, a: Arguments) -> Value:
        whole = aten.WHOLE_DIVISION.get((a["rounding_mode"], dtype_of(node) == torch.int64))
        return self._like(node, whole or aten.POINTWISE["div"], a["self"], a["other"])

    @_emits("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
    def _pow(self, node: Node, a: Arguments) -> Value:
        base, exponent = a["self"], a["exponent"]
        chosen = None if isinstance(exponent, Node) else aten.POW_BY.get(exponent)
        if dtype_of(node) == torch.int64:
            if chosen is None or exponent not in (0, 1, 2, 3):
                raise self.refusal(node, "powers of integers go up to 3: convert to float64")
            return self._like(node, aten.as_integer(chosen), base)
        return self._like(node, chosen, base) if chosen else self._like(node, aten.POW, base, exponent)

    @_emits("clamp.default", "clamp.Tensor")
    def _clamp(self, node: Node, a: Arguments) -> Value:
        value = self.value(a["self"])
        for bound, name in ((a["min"], "maximum"), (a["max"], "minimum")):
            if bound is not None:
                operands = [value, self.value(bound)]
                value = self.pointwise(aten.POINTWISE[name], operands, shape_of(node), dtype_of(node))
        return value

    @_emits("_to_copy.default", "copy.default")
    def _convert(self, node: Node, a: Arguments) -> Value:
        source, new = self.value(a.get("src", a["self"])), dtype_of(node)
        if new == torch.bool and source.dtype != torch.bool:
            operation = Pointwise("{0:3} !== 0", COMPARISON, truth=True)
        elif new == torch.int64 and source.dtype.is_floating_point:
            operation = aten.as_integer(aten.POINTWISE["trunc"])
        elif new == torch.float32 and source.dtype in (torch.float64, torch.int64):
            operation = Pointwise("Math.fround({0:0})")
        else:
            return replace(self.expand(source, shape_of(node)), dtype=new)
        return self.pointwise(operation, [source], shape_of(node), new)

    @_emits("arange.start_step")
    def _arange(self, node: Node, a: Arguments) -> Value:
        start, step = number(a["start"]), number(a["step"])
        operation = Pointwise("{0:3} + {1:4} * {2:5}", SUM)

        def at(index: Index) -> Expression:
            return Apply(operation, (start, step, index[0]))

        return Value(shape_of(node), dtype_of(node), at, cost=1)

    @_emits(*aten.EMPTY)
    def _empty(self, node: Node, a: Arguments) -> Value:
        """What is made to be written into: its numbers are never read."""
        readers = list(_readers(node))
        if any(by_chance(reader) for reader, _ in readers):  # dropout, say
            raise self.refusal(node, aten.CHANCE)
        if not all(self._only_overwrites(reader, operand) for reader, operand in readers):
            raise self.refusal(node, aten.advice(base_of(node)))
        return self.value_of_all(0.0, node)

    def _only_overwrites(self, reader: Node, operand: Node) -> bool:
        """Whether an operand is only what is written into, all of it or where a mask of constants says.

        What is known although its operand is not, a tensor of ones of its shape, reads no number either.
        """
        if reader in self.known:
            return True
        first, *others = reader.args
        if name_of(reader) == "where.self":
            return first in self.known and operand is not first
        return name_of(reader) in aten.OVERWRITES and operand is first and operand not in others

    @_emits("facts.decided.default")
    def _decided(self, node: Node, a: Arguments) -> Value:
        operation = Pointwise(f"$decided({{0:?0}}, {json.dumps(a['words'])})", helpers=("$decided",))
        return self._like(node, operation, a["holds"])

    # Views

    @_emits(*aten.VIEWS)
    def _view(self, node: Node, a: Arguments) -> Value:
        value, shape = self.value(a["self"]), shape_of(node)
        if math.prod(shape) > value.size:
            value = self.computed(value)
        return view(value, shape, aten.VIEWS[name_of(node)](value.shape, shape, a))

    @_emits(*aten.RESHAPES)
    def _reshape(self, node: Node, a: Arguments) -> Value:
        return self.reshape(self.value(a["self"]), shape_of(node))

    @_emits("split_with_sizes.default")
    def _split(self, node: Node, a: Arguments) -> list[Value]:
        x, dim, begin, parts = self.computed(self.value(a["self"])), a["dim"], 0, []
        for size in a["split_sizes"]:
            parts.append(part_of(x, dim % len(x.shape), begin, size))
            begin += size
        return parts

    # Reductions

    @_emits(*aten.REDUCTIONS)
    def _reduction(self, node: Node, a: Arguments) -> Value:
        x, name, dtype = self.value(a["self"]), name_of(node), dtype_of(node)
        dims = aten.dims_of(a.get("dim"), len(x.shape))
        reduction = aten.REDUCTIONS[name]
        self._check_conversion(node, x, a)
        finish = None
        if name.startswith("mean"):
            finish = Pointwise(f"{{0:4}} / {math.prod(x.shape[d] for d in dims)}", PRODUCT)
        elif dtype == torch.int64 and reduction.on_integers:
            finish, reduction = aten.INTEGER, aten.on_integers(reduction)
        keepdim = a.get("keepdim", False)
        return self.reduce(x, dims, reduction, dtype, node.name, finish, keepdim, self._live_rows(node))

    @_emits(*aten.SCANS)
    def _scan(self, node: Node, a: Arguments) -> Value:
        x, reduction = self.value(a["self"]), aten.SCANS[name_of(node)]
        dims = aten.dims_of(a["dim"], len(x.shape))
        self._check_conversion(node, x, a)
        out = self._array(node)
        if not x.size:
            return out
        total = Name(self.fresh("t"))
        is_checked = out.dtype == torch.int64
        result = Apply(aten.INTEGER, (total,)) if is_checked else total

        def update(index: Index) -> None:
            self.add(Reduce(total, reduction.update, x.at(index)))
            self.add(Store(out.element(index), result))

        def row(outer: Index) -> None:
            self.add(Let(total.name, reduction.start, mutable=True))
            self.loop_within(x.shape, dims, outer, update)

        self.loop(reduced(x.shape, dims), row)
        return out

    def _check_conversion(self, node: Node, x: Value, a: Arguments) -> None:
        if a.get("dtype") not in (None, torch.float64, x.dtype):
            raise self.refusal(node, "its dtype= converts first: convert explicitly")

    @_emits(*aten.SELECTIONS)
    def _selection(self, node: Node, a: Arguments) -> Any:
        """argmax, argmin, and max and min along an axis: the first NaN, or the first of the best."""
        x, name = self.value(a["self"]), name_of(node)
        dims = aten.dims_of(a["dim"], len(x.shape))
        start, better = aten.SELECTIONS[name]
        loop_shape, shape = reduced(x.shape, dims), reduced(x.shape, dims, a["keepdim"])
        place = self.array(f"{node.name}_index", loop_shape, torch.int64)
        value = self.array(f"{node.name}_value", loop_shape, x.dtype) if name.endswith(".dim") else None
        steps = strides(tuple(n if d in dims else 1 for d, n in enumerate(x.shape)))
        element, best, at = (Name(self.fresh(name)) for name in ("v", "best", "at"))

        def update(index: Index) -> None:
            here = Affine()
            for d in dims:
                here = here.plus(index[d].times(steps[d]))
            self.add(Let(element.name, x.at(index)))
            is_better = Apply(better, (element, best))
            self.add(If((is_better,), (Store(best, element), Store(at, here))))

        def row(outer: Index) -> None:
            self.add(Let(best.name, start, mutable=True))
            self.add(Let(at.name, Literal("0"), mutable=True))
            self.loop_within(x.shape, dims, outer, update)
            self.add(Store(place.element(outer), at))
            if value:
                self.add(Store(value.element(outer), best))

        self.loop(loop_shape, row)
        indices = self.reshape(place, shape)
        return (self.reshape(value, shape), indices) if value else indices

    @_emits("mm.default", "bmm.default")
    def _matmul(self, node: Node, a: Arguments) -> Value:
        left = self.computed(self.value(a["self"]))
        right = self.computed(self.value(a["mat2"]))
        *batch, n, k = left.shape
        shape = (*batch, n, right.shape[-1], k)

        def at(index: Index) -> Expression:
            *batch, i, j, k = index
            factors = left.at([*batch, i, k]), right.at([*batch, k, j])
            return Apply(_product(left.dtype), factors)

        products = Value(shape, left.dtype, at, cost=1)
        finish = aten.INTEGER if left.dtype == torch.int64 else None
        short = k <= SHORT and left.dtype == torch.float64 and 1 in shape[-3:-1]
        if math.prod(shape) >= LARGE and max(n, right.shape[-1]) >= TILE and not short:
            return self._tiled(node, left, right, finish)
        return self.reduce(products, [len(shape) - 1], _sum(left.dtype), left.dtype, node.name, finish)

    def _tiled(self, node: Node, left: Value, right: Value, finish: Pointwise | None) -> Value:
        """A product, several of its numbers at once: they share a factor, and none waits for another's sum."""
        out, terms = self._array(node), left.shape[-1]
        batch = len(out.shape) - 2
        along = batch + (out.shape[-1] >= TILE)
        whole = out.shape[along] // TILE
        for begin, tiles, count in ((0, whole, TILE), (whole * TILE, 1, out.shape[along] % TILE)):
            if count:
                shape = tuple(tiles if d == along else size for d, size in enumerate(out.shape))
                self.loop(shape, self._tile(out, left, right, along, begin, count, terms, finish))
        return out

    def _tile(
        self,
        out: Value,
        left: Value,
        right: Value,
        along: int,
        begin: int,
        count: int,
        terms: int,
        finish: Pointwise | None,
    ) -> Callable[[Index], None]:
        """Writes ``count`` neighbours of a product along an axis, from ``begin`` on, all in one loop over terms."""
        totals = [Name(self.fresh("t")) for _ in range(count)]
        shared = Name(self.fresh("v"))
        shares_right = along == len(out.shape) - 2

        def write(index: Index) -> None:
            moved = [index[along].times(TILE).plus(Affine(begin + c)) for c in range(count)]
            cells = [[*index[:along], position, *index[along + 1 :]] for position in moved]

            def update(k: Index) -> None:
                factors = [(left.at([*c[:-1], *k]), right.at([*c[:-2], *k, c[-1]])) for c in cells]
                self.add(Let(shared.name, factors[0][shares_right]))
                for total, pair in zip(totals, factors, strict=True):
                    product = Apply(_product(left.dtype), (shared, pair[not shares_right]))
                    self.add(Reduce(total, _sum(left.dtype).update, product))

            for total in totals:
                self.add(Let(total.name, Literal("0"), mutable=True))
            self.loop((terms,), update)
            for total, cell in zip(totals, cells, strict=True):
                self.add(Store(out.element(cell), Apply(finish, (total,)) if finish else total))

        return write

    # Joining and overwriting

    @_emits("cat.default")
    def _cat(self, node: Node, a: Arguments) -> Value:
        out, begin = self._array(node), 0
        dim = a["dim"] % len(out.shape)
        for tensor in a["tensors"]:
            piece = self.value(tensor)
            if piece.shape == (0,):  # torch lets an empty vector join anything
                continue
            part = part_of(out, dim, begin, piece.shape[dim])
            self.store(part, piece, self.row_masks(self._live_rows(node)) if dim else ())
            self.note_part(piece, part)
            begin += piece.shape[dim]
        return out

    @_emits("constant_pad_nd.default")
    def _pad(self, node: Node, a: Arguments) -> Value:
        """Padding is listed from the last axis, in pairs; what is negative cuts."""
        x, fill, out = self.value(a["self"]), self._fitting(node, a["value"]), self._array(node)
        pairs = list(zip(a["pad"][::2], a["pad"][1::2], strict=True))[::-1]
        pairs = [(0, 0)] * (len(x.shape) - len(pairs)) + pairs
        cut = tuple(n + min(b, 0) + min(e, 0) for n, (b, e) in zip(x.shape, pairs, strict=True))
        self.store(out, self.expand(fill, out.shape))
        target = view(out, cut, [Axis(max(b, 0), d, 1) for d, (b, _) in enumerate(pairs)])
        self.store(target, view(x, cut, [Axis(max(-b, 0), d, 1) for d, (b, _) in enumerate(pairs)]))
        return out

    @_emits(*aten.SCATTERS)
    def _scatter_view(self, node: Node, a: Arguments) -> Value:
        source, out = self._fitting(node, a["src"]), self._copy_of(node, a["self"])
        axes = aten.VIEWS[aten.SCATTERS[name_of(node)]](out.shape, source.shape, a)
        self.store(view(out, source.shape, axes), source)
        return out

    def _copy_of(self, node: Node, base: Any) -> Value:
        value, out = self.value(base), self._array(node)
        self.store(out, value)
        return out

    def _fitting(self, node: Node, operand: Any) -> Value:
        """A value to be written into an array of the node's dtype."""
        value, dtype = self.value(operand), dtype_of(node)
        if value.literal is None:
            fits = value.dtype == dtype or dtype == torch.float64
        elif dtype == torch.bool:
            fits = value.literal in (0, 1)
        else:
            fits = dtype == torch.float64 or value.literal.is_integer()
        if not fits:
            raise self.refusal(node, f"it would convert to {dtype}: convert explicitly")
        return value

    # Indexing with tensors

    def _index_of(self, node: Node, size: int, wrap: bool) -> Value:
        """Integers that index an axis: checked now if they are known, else when they are used."""
        if node in self.known:
            indices = self.known[node].to(torch.int64)
            if indices.numel() and not ((-size if wrap else 0) <= indices.min() and indices.max() < size):
                raise IndexError(f"kernel {self.name!r}: an index is out of range for size {size}")
            return self.constant(torch.where(indices < 0, indices + size, indices))
        value = self.value(node)

        def at(index: Index) -> Expression:
            return Checked(value.at(index), size, wrap)

        return Value(value.shape, torch.int64, at, 1 + value.cost)

    def _located(
        self, node: Node, shape: Shape, indices: Sequence[Any]
    ) -> tuple[Shape, Callable[[Index], Index]]:
        """Advanced indexing: the shape of the result, and which element of the indexed tensor each one is."""
        given = {d: index for d, index in enumerate(indices) if index is not None}
        if any(dtype_of(index) not in (torch.int64, torch.int32) for index in given.values()):
            raise self.refusal(node, "an index must be integers, not a mask: weigh with torch.where instead")
        values = {d: self._index_of(index, shape[d], wrap=True) for d, index in given.items()}
        common = tuple(torch.broadcast_shapes(*(value.shape for value in values.values())))
        values = {d: self.expand(value, common) for d, value in values.items()}
        others = [n for d, n in enumerate(shape) if d not in values]
        first, last = min(values), max(values)
        # torch puts indices that stand apart in front
        front = first if last - first + 1 == len(values) else 0
        back = front + len(common)

        def locate(index: Index) -> Index:
            rest = iter([*index[:front], *index[back:]])
            return [
                Affine.of(values[d].at(index[front:back])) if d in values else next(rest)
                for d in range(len(shape))
            ]

        return (*others[:front], *common, *others[front:]), locate

    def _along(self, shape: Shape, a: Arguments) -> tuple[Shape, Callable[[Index], Index]]:
        """Where the elements of an index tensor point to along one axis."""
        dim = a["dim"] % max(len(shape), 1)
        index = self._index_of(a["index"], shape[dim] if shape else 1, wrap=False)

        def locate(position: Index) -> Index:
            return [Affine.of(index.at(position)) if d == dim else position[d] for d in range(len(shape))]

        return index.shape, locate

    @_emits("index.Tensor")
    def _index(self, node: Node, a: Arguments) -> Value:
        x = self.in_memory(self.value(a["self"]))
        shape, locate = self._located(node, x.shape, a["indices"])
        return Value(shape, x.dtype, lambda index: x.at(locate(index)), cost=1)

    @_emits("gather.default")
    def _gather(self, node: Node, a: Arguments) -> Value:
        x = self.in_memory(self.value(a["self"]))
        shape, locate = self._along(x.shape, a)
        return Value(shape, x.dtype, lambda index: x.at(locate(index)), cost=1)

    @_emits("index_select.default")
    def _index_select(self, node: Node, a: Arguments) -> Value:
        x = self.in_memory(self.value(a["self"]))
        dim = a["dim"] % max(len(x.shape), 1)
        index = self._index_of(a["index"], x.shape[dim] if x.shape else 1, wrap=False)
        index = self.computed(self.reshape(index, (index.size,)))

        def at(position: Index) -> Expression:
            chosen = Affine.of(index.at([position[dim] if position else Affine()]))
            return x.at([chosen if d == dim else place for d, place in enumerate(position)])

        return Value(shape_of(node), x.dtype, at, cost=int(dim > 0))  # whole rows are read where they are

    @_emits("index_put.default", "_unsafe_index_put.default")
    def _index_put(self, node: Node, a: Arguments) -> Value:
        values, (first, *more) = self._fitting(node, a["values"]), a["indices"]
        if not more and first is not None and dtype_of(first) == torch.bool:
            return self._masked(node, a)
        shape, locate = self._located(node, shape_of(node), a["indices"])
        return self._overwrite(node, a["self"], shape, locate, self.expand(values, shape), a["accumulate"])

    def _masked(self, node: Node, a: Arguments) -> Value:
        """One number put wherever a mask is true."""
        mask, new, old = self.value(a["indices"][0]), self.value(a["values"]), self.value(a["self"])
        if new.size != 1 or a["accumulate"]:
            raise self.refusal(node, "which numbers a mask selects is not known: use torch.where")
        mask = self.reshape(mask, (*mask.shape, *[1] * (len(old.shape) - len(mask.shape))))
        operands = [mask, self.reshape(new, ()), old]
        return self.pointwise(aten.POINTWISE["where"], operands, old.shape, old.dtype)

    @_emits("scatter.src", "scatter.value", "scatter_add.default")
    def _scatter(self, node: Node, a: Arguments) -> Value:
        shape, locate = self._along(shape_of(node), a)
        source = self._fitting(node, a["src"] if "src" in a else a["value"])
        axes = [Axis(0, d, 1) for d in range(len(source.shape))]  # as much of the source as there are indices
        source = view(source, shape, axes) if source.shape else self.expand(source, shape)
        return self._overwrite(
            node, a["self"], shape, locate, source, name_of(node).startswith("scatter_add")
        )

    def _overwrite(
        self,
        node: Node,
        base: Any,
        shape: Shape,
        locate: Callable[[Index], Index],
        values: Value,
        add: bool,
    ) -> Value:
        """A copy with new values at some places, or with values added there."""
        if add and dtype_of(node) == torch.bool:
            raise self.refusal(node, "booleans cannot be added up: convert to float64")
        out = self._copy_of(node, base)
        masks: Sequence[Mask] = ()
        start = self.value(base).literal
        if add and out.dtype != torch.int64 and start == 0 and math.copysign(1, start) > 0:  # −0 + 0 is 0
            masks, values = self.chosen(values, range(len(shape)))
        update = _sum(out.dtype).update

        def write(index: Index) -> None:
            target, value = out.element(locate(index)), values.at(index)
            self.add(Reduce(target, update, value) if add else Store(target, value))

        self.loop(shape, write, masks=masks)
        return out

    # Loops

    @_emits(str(REPEAT))
    def _repeat(self, node: Node, a: Arguments) -> list[Value]:
        """The calls of a loop's body, which is a kernel of its own."""
        body = BODIES[a["number"]]
        given = [[self.value(operand) for operand in a[part]] for part in ("start", "fixed", "tables")]
        results = [(look.shape, look.dtype) for look in body.outputs[: len(body.outputs) - len(body.kept)]]
        return self.repeat(self.translate(body), body.repetitions, given, results, body.kept, node.name)


def _in_float64(dtype: torch.dtype) -> str:
    """The way out for an operation that computes in another type."""
    by_default = ", or call torch.set_default_dtype(torch.float64) first" if dtype == torch.float32 else ""
    return f"it computes in {dtype}: make its operands float64{by_default}"


def by_chance(node: Node) -> bool:
    """Whether it draws random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _readers(node: Node) -> Iterator[tuple[Node, Node]]:
    """What reads a node, at once or through views, each with its operand."""
    for user in node.users:
        if name_of(user) in aten.VIEWS or name_of(user) in aten.RESHAPES:
            yield from _readers(user)
        else:
            yield user, node


def _is_sized(node: Node) -> bool:
    """Whether no tensor that it returns has a size that depends on numbers."""
    leaves = (leaf for leaf in pytree.tree_leaves(node.meta["val"]) if isinstance(leaf, Tensor))
    return all(isinstance(size, int) for leaf in leaves for size in leaf.shape)


def has_javascript(node: Node) -> bool:
    """Whether there is an emitter, whatever the dtypes."""
    if name_of(node) in EMITTERS:
        return True
    if not isinstance(node.target, torch._ops.OpOverload) or node.target.namespace != "aten":
        return node.target is operator.getitem
    only_operands = all(
        str(argument.type) in ("Tensor", "number") or argument.name == "alpha"
        for argument in node.target._schema.arguments
    )
    return only_operands and base_of(node) in aten.POINTWISE.keys() | aten.ON_BOOLEANS.keys()


def _product(dtype: torch.dtype) -> Pointwise:
    """A product: of integers, one that a double holds."""
    return aten.ON_INTEGERS["mul"] if dtype == torch.int64 else aten.POINTWISE["mul"]


def _sum(dtype: torch.dtype) -> Reduction:
    """A sum likewise."""
    return aten.on_integers(aten.ADD) if dtype == torch.int64 else aten.ADD


def _template(base: str, dtype: torch.dtype) -> Pointwise | None:
    """The template for a result of this dtype."""
    plain = aten.POINTWISE.get(base)
    if dtype == torch.bool and not (plain and plain.truth):
        return aten.ON_BOOLEANS.get(base)
    return aten.ON_INTEGERS.get(base) if dtype == torch.int64 else plain
