"""Liveness: which rows and branches of a trace are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.fx import Node
from torch.fx.experimental.proxy_tensor import make_fx

from widgets.translate import liveness

X, W = torch.zeros(20, 30, dtype=torch.float64), torch.zeros(20, dtype=torch.float64)


def traced(fn: Callable[..., Any]) -> tuple[dict[str, Node], list[Node], list[Node]]:
    """A function's nodes by name, those that are computed, and the results."""
    graph = make_fx(fn)(X, W).graph
    *nodes, end = graph.nodes
    (results,) = end.args
    listed = [results] if isinstance(results, Node) else list(results)
    computed = [node for node in nodes if node.op == "call_function"]
    return {node.name: node for node in nodes}, computed, listed


def live_rows(fn: Callable[..., Any]) -> dict[str, str]:
    """The mask of each node of which some rows are never read, by name."""
    _, computed, results = traced(fn)
    return {node.name: mask.name for node, mask in liveness.masks(computed, results).items()}


def chosen(x: Tensor, w: Tensor) -> Tensor:
    return torch.where((w > 0)[:, None], x, 0.0)


def test_rows_that_a_mask_leaves_out_are_dead():
    def fn(x: Tensor, w: Tensor) -> Tensor:
        return chosen(torch.tanh(x) * x.sum(1, keepdim=True), w).sum(0)

    rows = live_rows(fn)
    assert {"mul", "tanh", "sum_1"} <= rows.keys()
    assert set(rows.values()) == {"gt"}


@pytest.mark.parametrize(
    "read",
    [
        lambda y, w: y.sum(1),
        lambda y, w: y.flip(0),
        lambda y, w: torch.where((w > 1)[:, None], y, 0.0),
        lambda y, w: torch.where((w > 0)[:, None], 1.0, y),
    ],
)
def test_rows_that_another_reader_needs_are_live(read):
    assert "tanh" not in live_rows(lambda x, w: (chosen(y := torch.tanh(x), w), read(y, w)))


def test_every_index_is_read_so_that_it_is_checked():
    rows = live_rows(lambda x, w: chosen(x.argmax(1).to(x.dtype)[:, None] * x, w))
    assert "mul" in rows
    assert "argmax" not in rows


def conditions(fn: Callable[..., Any]) -> dict[str, list[tuple[str, bool]]]:
    """The conditions under which alone each node is read, by name."""
    _, computed, results = traced(fn)
    guards = liveness.guards(computed, results, ())
    return {node.name: [(boolean.name, side) for boolean, side in guards[node]] for node in computed}


def test_what_one_side_of_a_choice_alone_reads_is_guarded():
    guards = conditions(lambda x, w: torch.where(w.sum() > 0, torch.tanh(x), torch.sin(x)))
    assert guards["tanh"] == [("gt", True)]
    assert guards["sin"] == [("gt", False)]
    assert guards["gt"] == guards["where"] == []


def test_what_both_sides_read_or_saves_too_little_is_not():
    assert conditions(lambda x, w: torch.where(w.sum() > 0, (y := torch.tanh(x)), y * 2))["tanh"] == []
    assert conditions(lambda x, w: torch.where(w.sum() > 0, torch.tanh(w), w))["tanh"] == []


def test_a_choice_within_a_choice_is_guarded_by_both():
    def fn(x: Tensor, w: Tensor) -> Tensor:
        inner = torch.where(w.amax() > 0, torch.tanh(x), x)
        return torch.where(w.sum() > 0, inner, x)

    assert conditions(fn)["tanh"] == [("gt_1", True), ("gt", True)]


def test_what_decides_comes_first():
    def fn(x: Tensor, w: Tensor) -> Tensor:
        y = torch.tanh(x)
        return torch.where(w.sum() > 0, y, x)

    nodes, computed, results = traced(fn)
    guards = liveness.guards(computed, results, ())
    order = liveness.in_order(computed, liveness.masks(computed, results), guards)
    assert order.index(nodes["gt"]) < order.index(nodes["tanh"])
    assert computed.index(nodes["tanh"]) < computed.index(nodes["gt"])
