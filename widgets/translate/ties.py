"""Equal numbers among those that are sorted: what comes of them is decided where it is the same in whichever order.

Torch leaves the order of equal numbers open, and so which of them ``topk`` takes. A program that picks numbers from
their places, or puts some there, is made twice: once in one order, and once with what another order would give, or lies
beyond that. Where the results are the same, they do not depend on the order: k-sparse activations, say, of which many
are 0. Else, or if the places themselves are used, the run stops.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Interpreter, Node

from widgets.translate.decided import decided

TIED = "some of the numbers to be sorted are equal, and torch leaves open which of them comes first"
GOLDEN = 0.6180339887498949
aten = torch.ops.aten
SCATTERS = (aten.scatter.src, aten.scatter.value, aten.scatter_add.default)
SAME = (aten.detach.default, aten.alias.default, aten.clone.default)


@torch.library.custom_op("facts::places", mutates_args=())
def places(indices: Tensor, alike: Tensor, rivals: Tensor, dim: int) -> Tensor:
    """The places of the first k of some sorted numbers, with what tells whether they are decided.

    Args:
        indices: (…, k, …).
        alike: (…, k, …), whether each of the k numbers equals the one that comes next.
        rivals: (…, n, …), of all numbers those that equal both the last of the k and one that is left out.
        dim: the axis, counted from the end.
    """
    return indices.clone()


@places.register_fake
def _shape(indices: Tensor, alike: Tensor, rivals: Tensor, dim: int) -> Tensor:
    return torch.empty_like(indices)


@places.register_vmap
def _mapped(info: Any, axes: tuple[int | None, ...], *arguments: Any) -> tuple[Tensor, int]:
    *tensors, dim = arguments
    moved = [
        tensor.expand(info.batch_size, *tensor.shape) if axis is None else tensor.movedim(axis, 0)
        for tensor, axis in zip(tensors, axes, strict=False)
    ]
    return places(*moved, dim), 0


PLACES = torch.ops.facts.places.default


def has_places(module: GraphModule) -> bool:
    """Whether a trace goes on with the places of sorted numbers."""
    return any(node.target is PLACES for node in module.graph.nodes)


def settled(module: GraphModule, *inputs: Tensor) -> list[Tensor]:
    """What the module returns, decided where it does not depend on the order of equal numbers."""
    results: list[Tensor] = _Order(module, other=False).run(*inputs)
    if not any(_places_of(node) for node in module.graph.nodes):
        return results
    others = _Order(module, other=True).run(*inputs)
    same = [((a == b) | ((a != a) & (b != b))).all() for a, b in zip(results, others, strict=True)]
    factor = decided(torch.stack(same).all(), TIED)
    return [(result * factor).to(result.dtype) for result in results]


def _places_of(node: Node) -> Node | None:
    """The places of sorted numbers from which an operation picks, or to which it puts, numbers along the same axis."""
    if node.target is not aten.gather.default and node.target not in SCATTERS:
        return None
    whole, dim, found = node.args[:3]
    while isinstance(found, Node) and found.target in SAME:
        found = found.args[0]
    if not isinstance(found, Node) or found.target is not PLACES or not isinstance(whole, Node):
        return None
    put = node.args[3] if len(node.args) > 3 else None
    look, rivals = whole.meta["val"], found.args[2].meta["val"]  # type: ignore[union-attr]
    fits = look.shape == rivals.shape and (int(dim) - look.ndim) % look.ndim == int(found.args[3]) % look.ndim  # type: ignore[arg-type]
    if isinstance(put, Node):
        fits &= put.meta["val"].shape == found.meta["val"].shape
    return found if fits and look.is_floating_point() else None


class _Order(Interpreter):
    """Runs a trace in one order of equal numbers, or with what the ``other`` ones would give."""

    def __init__(self, module: GraphModule, other: bool):
        super().__init__(module, garbage_collect_values=False)
        self.other = other

    def run_node(self, node: Node) -> Any:
        if node.target is PLACES:
            (indices, alike, _rivals, dim), _ = self.fetch_args_kwargs_from_env(node)
            return indices * decided(~alike.any(dim, keepdim=True), TIED).to(indices.dtype)
        if found := _places_of(node):
            with self._set_current_node(node):
                return self._exchanged(node, found)
        return super().run_node(node)

    def _exchanged(self, node: Node, found: Node) -> Tensor:
        """What is picked from the places, or the whole into which numbers are put."""
        (whole, _dim, _indices, *put), _ = self.fetch_args_kwargs_from_env(node)
        (indices, alike, rivals, dim), _ = self.fetch_args_kwargs_from_env(found)
        if node.target is aten.gather.default:
            picked = whole.gather(dim, indices)
            if not self.other:
                return picked
            most = torch.where(rivals, whole, -torch.inf).amax(dim, keepdim=True)
            least = torch.where(rivals, whole, torch.inf).amin(dim, keepdim=True)
            rival = torch.where(picked == most, least, most)
            is_open = rivals.gather(dim, indices) & (rival != picked)
            return torch.where(is_open, _beyond(picked, rival, dim), _neighbouring(picked, alike, dim))
        values = (
            put[0] if isinstance(put[0], Tensor) else torch.full(indices.shape, put[0], dtype=whole.dtype)
        )
        scatter = torch.scatter_add if node.target is aten.scatter_add.default else torch.scatter
        filled = scatter(whole, dim, indices, values)
        if not self.other:
            return filled
        taken = torch.zeros_like(whole).scatter(dim, indices, 1.0) != 0
        last = values.narrow(dim, values.shape[dim] - 1, 1)
        rival = torch.where(taken, whole, whole + last if scatter is torch.scatter_add else last)
        exchanged = scatter(whole, dim, indices, _neighbouring(values, alike, dim))
        return torch.where(rivals & (rival != filled), _beyond(filled, rival, dim), exchanged)


def _neighbouring(values: Tensor, alike: Tensor, dim: int) -> Tensor:
    """Values at the places of sorted numbers, as their order is changed where these are equal."""
    size = values.shape[dim]
    first, last = values.narrow(dim, 0, 1), values.narrow(dim, size - 1, 1)
    after = torch.cat([values.narrow(dim, 1, size - 1), last], dim)
    before = torch.cat([first, values.narrow(dim, 0, size - 1)], dim)
    within = alike.narrow(dim, 0, size - 1)
    none = torch.zeros_like(alike.narrow(dim, 0, 1))
    neighbour = torch.where(torch.cat([none, within], dim), before, values)
    neighbour = torch.where(torch.cat([within, none], dim), after, neighbour)
    return torch.where(neighbour != values, _beyond(values, neighbour, dim), values)


def _beyond(values: Tensor, others: Tensor, dim: int) -> Tensor:
    """From values over others to a little further, by a share that is another at each place along an axis."""
    shares = 1.25 + (torch.arange(1, values.shape[dim] + 1, dtype=torch.float64) * GOLDEN) % 0.5
    return values + (others - values) * shares.reshape(-1, *[1] * (-dim - 1))
