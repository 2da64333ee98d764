"""Rows that nobody reads: what is read through ``torch.where(mask, x, ·)`` alone is computed where the mask is true.

A mask is a vector of booleans, one for each row of a tensor, a row being all that has one index along the first axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any, TypeGuard

import torch
from torch import Tensor
from torch.fx import Node

from widgets import aten
from widgets.aten import base_of, name_of, shape_of

SAME = aten.Axis(0, 0, 1)
"""An axis whose indices a view leaves as they are."""


def asked(nodes: Sequence[Node], results: Iterable[Node], computed: Set[Node]) -> dict[Node, Node]:
    """For each node of which some rows are never read, the mask of the others.

    Args:
        nodes: in the order of the trace. ``computed``: those that some result needs and that are not constants.
    """
    place = {node: number for number, node in enumerate(nodes)}
    masks: dict[Node, Node | None] = dict.fromkeys(results)
    for reader in reversed(nodes):
        if reader in computed:
            for node in reader.all_input_nodes:
                mask = _asked_by(reader, node, masks.get(reader))
                masks[node] = mask if masks.setdefault(node, mask) is mask else None
    return {node: mask for node, mask in masks.items() if mask and place[mask] < place[node]}


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
