"""Liveness: which rows and which branches of a trace are read, so that the others are not computed.

What is read through ``torch.where(mask, x, ·)`` alone, with a mask of rows, is computed in the rows where the mask is
true; what one side of a choice by a single boolean alone reads, only where the choice falls on that side. A row is all
that has one index along the first axis.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeGuard

import torch
from torch import Tensor
from torch.fx import Node
from torch.utils import _pytree as pytree

from widgets.translate import aten
from widgets.translate.aten import base_of, name_of, shape_of

SAME_INDEX = aten.Axis(0, 0, 1)
"""A first axis whose indices a view leaves as they are."""

CHOICES = {
    "where.self": (True, False),
    **{"logical_and.default": (True,), "bitwise_and.Tensor": (True,)},
    **{"logical_or.default": (False,), "bitwise_or.Tensor": (False,)},
}
"""What the first operand, a boolean, has to be for each of the others to be read."""

LEAST_SAVING = 256
"""Numbers that a condition must save the kernel from computing, if it is to be evaluated ahead of them."""

Condition = tuple[Node, bool]
"""A boolean, and the value that it must have."""
Masks = dict[Node, Node]
Guards = dict[Node, tuple[Condition, ...]]


def masks(computed: Sequence[Node], results: Iterable[Node]) -> Masks:
    """For each node of which some rows are never read, a vector of booleans that is true for the others.

    Args:
        computed: the nodes to be written, in the order of the trace.
        results: the outputs, of which every row is read.
    """
    live: dict[Node, Node | None] = dict.fromkeys(results)
    for reader in reversed(computed):
        for node in reader.all_input_nodes:
            mask = _rows_read(reader, node, live.get(reader))
            live[node] = mask if live.setdefault(node, mask) is mask else None
    return {node: mask for node, mask in live.items() if mask}


def guards(computed: Sequence[Node], results: Iterable[Node], known: Collection[Node]) -> Guards:
    """The conditions, each a single boolean, under which alone each node is read, if they save enough work.

    Args:
        computed: the nodes to be written, in the order of the trace.
        results: the outputs, which are always read.
        known: the nodes that depend on no input.
    """
    conditions: dict[Node, list[Condition]] = {node: [] for node in results}
    for node in reversed(computed):
        for operand, more in _operands(node, known):
            guard = [*conditions[node], *more]
            conditions[operand] = [both for both in conditions.get(operand, guard) if both in guard]
    saving: dict[Node, int] = {}
    for node in computed:
        leaves = (leaf for leaf in pytree.tree_leaves(node.meta["val"]) if isinstance(leaf, Tensor))
        size = sum(leaf.numel() for leaf in leaves)
        for boolean, _ in conditions[node]:
            saving[boolean] = saving.get(boolean, 0) + size
    return {
        node: tuple(condition for condition in conditions[node] if saving[condition[0]] >= LEAST_SAVING)
        for node in computed
    }


def in_order(computed: Sequence[Node], masks: Masks, guards: Guards) -> list[Node]:
    """The same nodes, each after what decides whether it is read."""
    order: dict[Node, None] = {}
    waiting, listed = list(reversed(computed)), set(computed)
    while waiting:
        node = waiting[-1]
        deciding = [condition for condition, _ in guards.get(node, ())]
        if node in masks:
            deciding.append(masks[node])
        ahead = [
            needed
            for needed in (*node.all_input_nodes, *deciding)
            if needed in listed and needed not in order
        ]
        if ahead:
            waiting += ahead
        else:
            order[waiting.pop()] = None
    return list(order)


def _operands(node: Node, known: Collection[Node]) -> list[tuple[Node, list[Condition]]]:
    """What a node reads, each with the condition under which alone it does, if there is one."""
    first, *others = node.args or (None,)
    sides = CHOICES.get(name_of(node))
    if sides and isinstance(first, Node) and first not in known:
        value = first.meta["val"]
        if value.dtype == torch.bool and value.numel() == 1:
            chosen = zip(others, sides, strict=True)
            return [
                (first, []),
                *((other, [(first, side)]) for other, side in chosen if isinstance(other, Node)),
            ]
    return [(operand, []) for operand in node.all_input_nodes]


def _mask_of(choice: Node) -> Node | None:
    """The mask by which a ``torch.where`` chooses among rows, if it does."""
    node, value = choice.args[0], choice.meta["val"]
    if not isinstance(node, Node) or node.meta["val"].shape[:1] != value.shape[:1] or value.shape[:1] == (1,):
        return None
    if node.meta["val"].ndim != value.ndim:
        return None
    while node.meta["val"].ndim > 1:
        source = node.all_input_nodes[0] if node.op == "call_function" else None
        if source is None or not _is_view(node) or not _keeps_rows(node, source):
            return None
        node = source
    return node


def _rows_read(reader: Node, node: Node, mask: Node | None) -> Node | None:
    """The mask of the rows of a node that a reader reads; None for all.

    Args:
        mask: that of the reader's own rows that are read.
    """
    value, out = node.meta.get("val"), reader.meta.get("val")
    if not _is_sized(value) or not _is_sized(out) or not value.ndim:
        return None
    if value.dtype == torch.int64 or value.shape[:1] != out.shape[:1]:  # every index is checked
        return None
    if name_of(reader) == "where.self" and value.ndim == out.ndim:
        condition, chosen, other = reader.args
        if node is chosen and node is not condition and node is not other and (rows := _mask_of(reader)):
            return rows
    return mask if mask and _keeps_rows(reader, node) else None


def _is_sized(value: Any) -> TypeGuard[Tensor]:
    """Whether it is a tensor whose shape depends on no number; others will be refused."""
    return isinstance(value, Tensor) and all(isinstance(size, int) for size in value.shape)


def _is_view(node: Node) -> bool:
    return name_of(node) in aten.VIEWS or name_of(node) in aten.RESHAPES


def _keeps_rows(reader: Node, node: Node) -> bool:
    """Whether each row of the reader depends on the node's same row alone; both have as many rows."""
    name, shape, out = name_of(reader), shape_of(node), shape_of(reader)
    if not isinstance(reader.target, torch._ops.OpOverload) or shape[:1] != out[:1] or shape[0] == 1:
        return False
    named = aten.arguments(reader)
    if name in aten.VIEWS:
        return aten.VIEWS[name](shape, out, named)[0] == SAME_INDEX
    if name in aten.REDUCTIONS:
        return 0 not in aten.dims_of(named.get("dim"), len(shape))
    if name in ("cat.default", "gather.default"):
        return named["dim"] % len(out) != 0 and named.get("index") is not node
    pointwise = name == "_to_copy.default" or base_of(reader) in aten.POINTWISE
    return name in aten.RESHAPES or (pointwise and len(shape) == len(out))
