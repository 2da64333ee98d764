"""What need not be computed, because nobody reads it.

What is read through ``torch.where(mask, x, ·)`` alone, with a mask of rows, is computed in the rows where that is true;
what one side of a choice by a single boolean alone reads, where that is so. A row is all that has one index along the
first axis.
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

SAME = aten.Axis(0, 0, 1)
"""An axis whose indices a view leaves as they are."""

CHOICES = {
    "where.self": (True, False),
    **{"logical_and.default": (True,), "bitwise_and.Tensor": (True,)},
    **{"logical_or.default": (False,), "bitwise_or.Tensor": (False,)},
}
"""What the first operand, a boolean, has to be for the others to be read."""

SPARED = 256
"""Numbers that a condition must spare the kernel at least, if it is to be asked ahead of them."""

Masks = dict[Node, Node]
Guards = dict[Node, tuple[tuple[Node, bool], ...]]
"""Conditions and whether they are to be true."""


def masks(computed: Sequence[Node], results: Iterable[Node]) -> Masks:
    """For each node of which some rows are never read, a vector of booleans that is true for the others.

    Args:
        computed: the nodes to be written, in the order of the trace.
    """
    found: dict[Node, Node | None] = dict.fromkeys(results)
    for reader in reversed(computed):
        for node in reader.all_input_nodes:
            mask = _asked_by(reader, node, found.get(reader))
            found[node] = mask if found.setdefault(node, mask) is mask else None
    return {node: mask for node, mask in found.items() if mask}


def guards(computed: Sequence[Node], results: Iterable[Node], known: Collection[Node]) -> Guards:
    """The conditions of one number under which alone each node is read, as far as they spare enough work."""
    found: dict[Node, list[tuple[Node, bool]]] = {node: [] for node in results}
    spared: dict[Node, int] = {}
    for node in reversed(computed):
        for operand, more in _read(node, known):
            guard = [*found[node], *more]
            found[operand] = [one for one in found.get(operand, guard) if one in guard]
    for node in computed:
        size = sum(one.numel() for one in pytree.tree_leaves(node.meta["val"]) if isinstance(one, Tensor))
        for condition, _ in found[node]:
            spared[condition] = spared.get(condition, 0) + size
    return {node: tuple(one for one in found[node] if spared[one[0]] >= SPARED) for node in computed}


def in_order(computed: Sequence[Node], masks: Masks, guards: Guards) -> list[Node]:
    """The same nodes, each after what decides whether it is read."""
    order: dict[Node, None] = {}
    waiting, listed = list(reversed(computed)), set(computed)
    while waiting:
        node = waiting[-1]
        deciding = [condition for condition, _ in guards.get(node, ())]
        if node in masks:
            deciding.append(masks[node])
        ahead = [one for one in (*node.all_input_nodes, *deciding) if one in listed and one not in order]
        if ahead:
            waiting += ahead
        else:
            order[waiting.pop()] = None
    return list(order)


def _read(node: Node, known: Collection[Node]) -> list[tuple[Node, list[tuple[Node, bool]]]]:
    """What a node reads, and whether only where one boolean is true or false."""
    first, *others = node.args or (None,)
    sides = CHOICES.get(name_of(node))
    if sides and isinstance(first, Node) and first not in known:
        value = first.meta["val"]
        if value.dtype == torch.bool and value.numel() == 1:
            under = zip(others, sides, strict=True)
            return [(first, []), *((one, [(first, true)]) for one, true in under if isinstance(one, Node))]
    return [(one, []) for one in node.all_input_nodes]


def _mask_of(choice: Node) -> Node | None:
    """The mask by which a ``torch.where`` chooses among rows, if it does."""
    node, value = choice.args[0], choice.meta["val"]
    if not isinstance(node, Node) or node.meta["val"].shape[:1] != value.shape[:1] or value.shape[:1] == (1,):
        return None
    if node.meta["val"].ndim != value.ndim:
        return None
    while node.meta["val"].ndim > 1:
        source = node.all_input_nodes[0] if node.op == "call_function" else None
        if source is None or not _is_view(node) or not _by_rows(node, source):
            return None
        node = source
    return node


def _asked_by(reader: Node, node: Node, mask: Node | None) -> Node | None:
    """The mask of the rows of a node that a reader reads of which the ``mask`` is given; None for all."""
    value, out = node.meta.get("val"), reader.meta.get("val")
    if not _is_sized(value) or not _is_sized(out) or not value.ndim:
        return None
    if value.dtype == torch.int64 or value.shape[:1] != out.shape[:1]:  # of indices every one is checked
        return None
    if name_of(reader) == "where.self" and value.ndim == out.ndim:
        condition, chosen, other = reader.args
        if node is chosen and node is not condition and node is not other and (own := _mask_of(reader)):
            return own
    return mask if mask and _by_rows(reader, node) else None


def _is_sized(value: Any) -> TypeGuard[Tensor]:
    """Whether it is a tensor whose shape no number decides; others will be refused."""
    return isinstance(value, Tensor) and all(isinstance(size, int) for size in value.shape)


def _is_view(node: Node) -> bool:
    return name_of(node) in aten.VIEWS or name_of(node) in aten.RESHAPES


def _by_rows(reader: Node, node: Node) -> bool:
    """Whether each row of what reads is made of the node's same row; both have as many."""
    name, shape, out = name_of(reader), shape_of(node), shape_of(reader)
    if not isinstance(reader.target, torch._ops.OpOverload) or shape[:1] != out[:1] or shape[0] == 1:
        return False
    named = aten.arguments(reader)
    if name in aten.VIEWS:
        return aten.VIEWS[name](shape, out, named)[0] == SAME
    if name in aten.REDUCTIONS:
        return 0 not in aten.dims_of(named.get("dim"), len(shape))
    if name in ("cat.default", "gather.default"):
        return named["dim"] % len(out) != 0 and named.get("index") is not node
    pointwise = name == "_to_copy.default" or base_of(reader) in aten.POINTWISE
    return name in aten.RESHAPES or (pointwise and len(shape) == len(out))
