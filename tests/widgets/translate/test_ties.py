"""The order of equal numbers: what does not depend on it is torch's, what does stops the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from widgets import node
from widgets.translate.trace import compile
from widgets.translate.verify import verify

D = torch.float64
A = torch.tensor(1.0, dtype=D)
W = torch.linspace(-1.3, 1.1, 24, dtype=D).reshape(6, 4).sin()
X = torch.linspace(-2, 2.2, 20, dtype=D).reshape(5, 4).cos()
EQUAL = torch.tensor([1.0, 1, 0, 1], dtype=D)


def sparse(weights: Tensor, k: int = 4) -> Tensor:
    """The k largest of each row's rectified activations, of which most are 0."""
    active = torch.relu(X @ weights.T)
    values, places = active.topk(k, -1)
    assert places.shape[-1] == k
    return torch.zeros_like(active).scatter(-1, places, values)


def loss(weights: Tensor) -> Tensor:
    return ((sparse(weights) @ weights - X) ** 2).mean()


def masked(a: Tensor) -> Tensor:
    active = torch.relu(X @ (a * W).T)
    return active * torch.zeros_like(active).scatter_(-1, active.topk(4, -1).indices, 1.0)


def trained(a: Tensor) -> Tensor:
    weights = a * W
    for _ in range(3):
        weights = weights - 0.1 * torch.func.grad(loss)(weights)
    return weights


def by_backward(a: Tensor) -> Tensor:
    weights = W.clone().requires_grad_()
    (a.detach() * loss(weights)).backward()
    assert weights.grad is not None
    return a * weights.grad


def columns(a: Tensor) -> Tensor:
    active = torch.relu(X @ (a * W).T)
    values, places = active.topk(3, 0)
    return torch.zeros_like(active).scatter(0, places, values * 2)


def sorted_back(a: Tensor) -> Tensor:
    values, places = (a * EQUAL.repeat(5)).sort()
    return torch.zeros(20, dtype=D).scatter(0, places, values.cumsum(0) * 0 + values)


DECIDED: dict[str, Callable[[Tensor], Tensor]] = {
    "k-sparse activations": lambda a: sparse(a * W),
    "a training of them": trained,
    "backward": by_backward,
    "a mask": masked,
    "along columns": columns,
    "under vmap": lambda a: torch.func.vmap(
        lambda row: (
            torch.zeros(6, dtype=D).scatter(0, (hidden := torch.relu(a * W @ row)).topk(4).indices, 0.0)
            + hidden
        )
    )(X),
    "what is picked again": lambda a: (
        (s := torch.relu(X @ (a * W).T)).gather(-1, s.topk(4, -1).indices).sum(0)
    ),
    "equal ones that are all taken": lambda a: torch.zeros(4, dtype=D).scatter(
        0, (a * EQUAL).topk(3).indices, 1.0
    ),
    "all in order, put back": sorted_back,
    "counts": lambda a: torch.zeros(4, dtype=D).scatter_add(
        0, (a * EQUAL).topk(3).indices, torch.ones(3, dtype=D)
    ),
}
OPEN: dict[str, Callable[[Tensor], Tensor]] = {
    "which of equal ones": lambda a: torch.zeros(4, dtype=D).scatter(0, (a * EQUAL).topk(2).indices, 1.0),
    "their values put back": lambda a: torch.zeros(4, dtype=D).scatter(0, *(a * EQUAL).topk(2)[::-1]),
    "their neighbours' labels": lambda a: (
        torch.arange(4, dtype=D).gather(0, (a * EQUAL).topk(2).indices).sum()
    ),
    "whether they are": lambda a: (
        (torch.zeros(4, dtype=D).scatter(0, (a * EQUAL).topk(2).indices, 1.0) > 0.5).to(D) * torch.arange(4)
    ),
    "a derivative": lambda a: torch.func.grad(lambda x: x.topk(2).values.sum())(a * EQUAL),
    "the order of those taken": lambda a: torch.zeros(4, dtype=D).scatter(
        0, (a * EQUAL).topk(3).indices, torch.arange(3, dtype=D)
    ),
    "the places themselves": lambda a: (a * EQUAL).topk(2).indices.to(D),
}


@pytest.mark.parametrize("name", DECIDED)
def test_what_does_not_depend_on_the_order_is_torchs(name):
    function = DECIDED[name]
    verify([compile(function, [A])], [([A], lambda a: [function(a)])])


@pytest.mark.parametrize("name", OPEN)
def test_what_depends_on_it_is_not_decided(name):
    function = OPEN[name]
    with pytest.raises(node.Undecided, match="not decided here: some of the numbers to be sorted are equal"):
        verify([compile(function, [A])], [([A], lambda a: [function(a)])])
