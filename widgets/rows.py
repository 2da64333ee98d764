"""Rows that nobody reads: what is read through ``torch.where(mask, x, ·)`` alone is computed where the mask is true.

A mask is a vector of booleans, one for each row of a tensor, a row being all that has one index along the first axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

import torch
from torch.fx import Node

from widgets import aten

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


def mask_of(choice: Node) -> Node | None:
    """The mask by which a ``torch.where`` chooses among rows, if it does."""
    node, shape = choice.args[0], choice.meta["val"].shape
    if not isinstance(node, Node) or node.meta["val"].shape[:1] != shape[:1] or shape[:1] == (1,):
        return None
    if node.meta["val"].ndim != len(shape):
        return None
    while node.meta["val"].ndim > 1:
        if not (node.op == "call_function" and _by_rows(node, node.all_input_nodes[0], views_only=True)):
            return None
        node = node.all_input_nodes[0]
    return node if node.meta["val"].dtype == torch.bool else None


def _asked_by(reader: Node, node: Node, mask: Node | None) -> Node | None:
    """The mask of the rows of a node that a reader reads of which the ``mask`` is given; None for all."""
    value, out = node.meta["val"], reader.meta["val"]
    if not isinstance(value, torch.Tensor) or value.dtype == torch.int64:  # indices are checked, every one
        return None
    if str(reader.target) == "aten.where.self" and reader.args[1] is node is not reader.args[2]:
        chosen = mask_of(reader)
        if (
            chosen is not None
            and chosen is not node
            and value.shape[:1] == out.shape[:1]
            and value.ndim == out.ndim
        ):
            return chosen
    return mask if mask and _by_rows(reader, node) else None


def _by_rows(reader: Node, node: Node, views_only: bool = False) -> bool:
    """Whether a reader's rows are made of the same rows of the node."""
    value, out, name = node.meta["val"], reader.meta["val"], str(reader.target).removeprefix("aten.")
    if (
        not isinstance(out, torch.Tensor)
        or not value.ndim
        or value.shape[:1] != out.shape[:1]
        or value.shape[0] == 1
    ):
        return False
    named: dict[str, Any] = aten.arguments(reader)
    if name in aten.VIEWS:
        return aten.VIEWS[name](tuple(value.shape), tuple(out.shape), named)[0] == SAME
    if name in aten.RESHAPES:
        return True
    if views_only:
        return False
    if name in aten.REDUCTIONS:
        return 0 not in aten.dims_of(named.get("dim"), value.ndim)
    if name in ("cat.default", "gather.default"):
        return named["dim"] % out.ndim != 0 and named.get("index") is not node
    return value.ndim == out.ndim and (name == "_to_copy.default" or name.split(".")[0] in aten.POINTWISE)
