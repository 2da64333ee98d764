"""Operations written with others: each as torch computes it, at random shapes and numbers, and its derivative."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from tests.widgets.node import Node
from widgets.translate.trace import UnsupportedOperation, compile

D = torch.float64
ROUNDS = int(os.environ.get("EXAMPLES", "80")) // 20
"""Random shapes and numbers for each operation: EXAMPLES=5000 for a long night."""
INF, NAN = math.inf, math.nan
SPECIAL = torch.tensor([0.0, -0.0, 1.0, 1.0, -1.0, 2.5, INF, -INF, NAN, NAN], dtype=D)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node() as process:
        yield process


class Chance:
    """Random shapes and tensors, the same for a seed."""

    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)
        self.special = seed % 2 == 1

    def size(self, low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (1,), generator=self.generator))

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, dtype=D, generator=self.generator)

    def tied(self, *shape: int) -> Tensor:
        """Numbers of which many are equal; every other time infinities and NaN are among them."""
        if self.special:
            return SPECIAL[torch.randint(0, len(SPECIAL), shape, generator=self.generator)]
        return (2 * self.normal(*shape)).round()

    def matrix(self) -> Tensor:
        """A square one, or a few."""
        size, batch = self.size(1, 6), self.size(0, 2)
        return self.normal(*([2] * (batch == 2)), size, size)

    def definite(self) -> Tensor:
        matrix = self.matrix()
        return matrix @ matrix.mT + torch.eye(matrix.shape[-1], dtype=D)


def table(chance: Chance) -> tuple[Tensor]:
    return (chance.tied(*[chance.size(1, 6) for _ in range(chance.size(1, 3))]),)


def rows(chance: Chance) -> tuple[Tensor]:
    return (chance.normal(chance.size(2, 6), chance.size(2, 7)),)


def square(chance: Chance) -> tuple[Tensor]:
    return (chance.matrix(),)


def definite(chance: Chance) -> tuple[Tensor]:
    return (chance.definite(),)


def system(chance: Chance) -> tuple[Tensor, Tensor]:
    matrix = chance.matrix()
    return matrix, chance.normal(*matrix.shape[:-1], chance.size(1, 3))


def images(chance: Chance) -> tuple[Tensor, Tensor, Tensor]:
    image = chance.normal(chance.size(1, 2), 4, chance.size(5, 7), chance.size(5, 8))
    return image, chance.normal(6, 2, chance.size(1, 3), chance.size(1, 3)), chance.normal(6)


def signals(chance: Chance) -> tuple[Tensor, Tensor]:
    return chance.normal(2, 3, chance.size(6, 9)), chance.normal(4, 3, chance.size(1, 3))


def picture(chance: Chance) -> tuple[Tensor]:
    return (chance.normal(2, chance.size(1, 3), chance.size(4, 7), chance.size(4, 8)),)


def tall(chance: Chance) -> tuple[Tensor, Tensor]:
    columns = chance.size(9, 12)
    return chance.normal(chance.size(118, 122), columns), chance.normal(columns)


def overdetermined(chance: Chance) -> tuple[Tensor, Tensor]:
    size = chance.size(1, 4)
    return chance.normal(size + chance.size(0, 4), size), chance.normal(0)


torch.manual_seed(0)
ENCODER = nn.TransformerEncoderLayer(6, 2, 8, batch_first=True).double().eval().requires_grad_(False)
LSTM, GRU = (layer.double().requires_grad_(False) for layer in (nn.LSTM(6, 3), nn.GRU(6, 3)))
BATCH_NORM = nn.BatchNorm1d(6).double().eval().requires_grad_(False)

Case = tuple[Callable[..., Any], Callable[[Chance], tuple[Tensor, ...]]]
ORDER: dict[str, Case] = {
    "sort": (lambda x: x.sort(dim=-1, stable=True), table),
    "sort down": (lambda x: x.sort(dim=0, descending=True, stable=True), table),
    "argsort": (lambda x: x.argsort(dim=-1, stable=True), table),
    "topk": (lambda x: x.topk(1, -1).values, table),
    "topk of the smallest": (lambda x: x.topk(2, 0, largest=False).values, rows),
    "kthvalue": (lambda x: x.kthvalue(x.shape[-1]).values, table),
    "median": (lambda x: x.median(), table),
    "median along": (lambda x: x.median(-1).values, table),
    "quantile": (lambda x: torch.quantile(x, torch.tensor([0.1, 0.5], dtype=D), dim=1), rows),
    "searchsorted": (lambda x: torch.searchsorted(torch.tensor([-1.0, 0, 0, 1], dtype=D), x), table),
    "searchsorted right": (
        lambda x: torch.searchsorted(torch.tensor([-1.0, 0, 0, 1], dtype=D), x, right=True),
        table,
    ),
    "bucketize": (lambda x: torch.bucketize(x, torch.tensor([-1.0, 0, 1], dtype=D)), table),
    "histc": (lambda x: torch.histc(x, 5, -2, 2), rows),
    "one_hot": (lambda x: F.one_hot(x.nan_to_num(0, 0, 0).long().abs() % 3, 3), table),
    "one_hot of a constant": (lambda x: F.one_hot(torch.tensor([0, 2, 1]), 4) * x[0, 0], rows),
    "histc of all": (lambda x: torch.histc(x, 4), rows),
}
SMOOTH: dict[str, Case] = {
    "sort": (lambda x: x.sort(-1).values, rows),
    "logcumsumexp": (lambda x: x.logcumsumexp(-1), rows),
    "mv": (torch.mv, tall),
    "cdist": (lambda x: torch.cdist(x, 2 * x + 1), rows),
    "cdist 1": (lambda x: torch.cdist(x, 2 * x + 1, p=1), rows),
    "cov": (torch.cov, rows),
    "corrcoef": (torch.corrcoef, rows),
    "fill_diagonal_": (lambda x: (x * x).fill_diagonal_(0.5) + x, rows),
    "layer_norm": (lambda x: F.layer_norm(x, x.shape[-1:]), rows),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), rows),
    "group_norm": (lambda x: F.group_norm(x, x.shape[1]), picture),
    "bce with logits": (
        lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).to(D), pos_weight=x.detach()[0] ** 2),
        rows,
    ),
    "solve": (torch.linalg.solve, system),
    "solve from the right": (lambda a, b: torch.linalg.solve(a, b.mT, left=False), system),
    "inv": (torch.linalg.inv, square),
    "det": (torch.linalg.det, square),
    "slogdet": (lambda a: torch.linalg.slogdet(a).logabsdet, definite),
    "cholesky": (torch.linalg.cholesky, definite),
    "cholesky_solve": (lambda a: torch.cholesky_solve(a, torch.linalg.cholesky(a + a)), definite),
    "solve_triangular": (lambda a: torch.linalg.solve_triangular(a.triu(), a, upper=True), definite),
    "lstsq": (lambda a, _: torch.linalg.lstsq(a, a.sum(1, keepdim=True) ** 2).solution, overdetermined),
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, groups=2, stride=2, padding=1), images),
    "conv2d dilated": (lambda x, w, b: F.conv2d(x, w, b, groups=2, dilation=2), images),
    "conv1d": (lambda x, w: F.conv1d(x, w, padding="same"), signals),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, padding=1), picture),
    "max_pool1d": (lambda x: F.max_pool1d(x, 2, stride=1), rows),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, stride=1, padding=1), picture),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 1), picture),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), picture),
}
LAYERS: dict[str, Callable[[Tensor], Tensor]] = {
    "TransformerEncoderLayer": lambda x: ENCODER(x[None]),
    "LSTM": lambda x: LSTM(x)[0],
    "GRU": lambda x: GRU(x)[0],
    "BatchNorm1d": BATCH_NORM,
    "attention": lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True),
}


def agree(node: Node, function: Callable[..., Any], *inputs: Tensor, tolerance: float) -> None:
    expected = pytree.tree_leaves(function(*inputs))
    actual = node.run(compile(function, inputs), *inputs)
    for ours, theirs in zip(actual, expected, strict=True):
        torch.testing.assert_close(ours, theirs.to(D), rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("name", ORDER)
def test_order(node, name):
    function, draw = ORDER[name]
    for seed in range(ROUNDS):
        agree(node, function, *draw(Chance(seed)), tolerance=0 if name != "quantile" else 1e-14)


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth(node, name):
    function, draw = SMOOTH[name]
    for seed in range(ROUNDS):
        agree(node, function, *draw(Chance(2 * seed)), tolerance=1e-9)


def test_of_a_long_product_with_a_vector_several_rows_are_computed_at_once():
    source = compile(torch.mv, tall(Chance(0))).source
    (loop,) = (part for part in source.split("for (let") if part.count(" += ") == 4)
    assert "x0[" in loop


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives(node, name):
    function, draw = SMOOTH[name]

    def total(*inputs: Tensor) -> Tensor:
        result = function(*inputs)
        return (result * torch.linspace(0.5, 2, result.numel(), dtype=D).reshape(result.shape)).sum()

    agree(node, torch.func.grad(total), *draw(Chance(4)), tolerance=1e-8)


@pytest.mark.parametrize("name", LAYERS)
def test_layers_and_their_derivatives(node, name):
    x = Chance(0).normal(5, 6)
    agree(node, LAYERS[name], x, tolerance=1e-12)

    def total(x: Tensor) -> Tensor:
        return (LAYERS[name](x) ** 2).sum()

    agree(node, torch.func.grad(total), x, tolerance=1e-10)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: torch.linalg.inv(x), "linalg_inv.*32 rows"),
        (lambda x: torch.linalg.cholesky(x), "cholesky.*32 rows"),
        (lambda x: torch.linalg.det(x), "33 rows: must be from 1 to 32"),
        (
            lambda x: torch.linalg.lstsq(x[:2], x[:2]).solution,
            "with fewer rows than columns",
        ),
        (lambda x: F.conv_transpose1d(x[None], x[:, None]), "convolution"),
        (lambda x: F.max_pool2d(x[None], 2, ceil_mode=True), "max_pool2d"),
    ],
)
def test_what_is_too_large_or_has_another_form_is_refused(function, words):
    with pytest.raises((UnsupportedOperation, NotImplementedError), match=words):
        compile(function, [torch.eye(33, dtype=D)])
