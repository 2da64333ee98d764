"""One torch function, two engines: what the page computes is what torch computes, or it is refused."""

from __future__ import annotations

import copy
import itertools
import math
import operator
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils import _pytree as pytree

from tests.widgets.node import KernelFailed, Node
from widgets.translate import aten
from widgets.translate.expressions import Affine, Apply, Name, number
from widgets.translate.printer import expression_code
from widgets.translate.trace import Kernel, UnsupportedOperation, compile

INF, NAN = math.inf, math.nan
SPECIAL = torch.tensor(
    [0.0, -0.0, 1, -1, 0.3, -0.3, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7, -7, 1e-320, 1e300, -1e300, INF, -INF, NAN],
    dtype=torch.float64,
)
ORDINARY = SPECIAL[(SPECIAL == 0) | (SPECIAL.abs() > 1e-300)]  # torch's own remainders overflow below
ULPS = 8 * torch.finfo(torch.float64).eps


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def scalar(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


X, M, V, S = normal(4, 5), normal(5, 4, seed=1), normal(5, seed=2), scalar(0.7)
P = X.abs() + 0.1
K = torch.tensor([0, 2, 1, 1])
TABLE = normal(4, 5, seed=3)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node() as process:
        yield process


def agree(
    node: Node, fn: Callable[..., Any], *inputs: Tensor, rtol: float = 1e-13, atol: float = 1e-14
) -> Kernel:
    """Run in both engines; whole numbers and booleans must be equal, float64 within the tolerance."""
    kernel = compile(fn, inputs)
    expected = pytree.tree_leaves(fn(*inputs))
    actual = node.run(kernel, *inputs)
    assert [tuple(output.shape) for output in expected] == list(kernel.outputs)
    for ours, theirs in zip(actual, expected, strict=True):
        exact = not theirs.dtype.is_floating_point
        r, a = (0.0, 0.0) if exact else (rtol, atol)
        torch.testing.assert_close(ours, theirs.to(torch.float64), rtol=r, atol=a, equal_nan=True)
    return kernel


# Pointwise ---------------------------------------------------------------------------------------------------

ROUNDINGS = [torch.floor, torch.ceil, torch.trunc, torch.round, torch.frac, torch.sign, torch.sgn]
UNARY = [
    *ROUNDINGS,
    *(
        torch.neg,
        torch.abs,
        torch.reciprocal,
        torch.sqrt,
        torch.rsqrt,
        torch.square,
        torch.relu,
        torch.sigmoid,
    ),
    *(torch.exp, torch.exp2, torch.expm1, torch.log, torch.log1p, torch.log2, torch.log10, F.softplus),
    *(torch.sin, torch.cos, torch.tan, torch.asin, torch.acos, torch.atan),
    *(torch.sinh, torch.cosh, torch.tanh, torch.asinh, torch.acosh, torch.atanh, F.logsigmoid),
    *(torch.isnan, torch.isinf, torch.isfinite, torch.logical_not, F.elu, F.silu, F.leaky_relu),
]
SCALARS: dict[str, Callable[[Tensor], Tensor]] = {
    "x + 1e-05": lambda x: x + 1e-05,
    "x - -1": lambda x: x - -1,
    "-1 - x": lambda x: -1 - x,
    "-(-x)": lambda x: torch.neg(-x),
    "-2 * x": lambda x: -2 * x,
    "1 / x": lambda x: 1 / x,
    "x / -3": lambda x: x / -3,
    "x - inf": lambda x: x - INF,
    "x * nan": lambda x: x * NAN,
    "maximum -inf": lambda x: torch.maximum(x, scalar(-INF)),
    "clamp": lambda x: x.clamp(-0.5, 1),
    "clamp min": lambda x: x.clamp(min=0.25),
    "clamp max": lambda x: x.clamp(max=2),
    "clamp nan": lambda x: x.clamp(NAN, 1),
    "clamp crossed": lambda x: x.clamp(2, 1),
    "clamp tensors": lambda x: x.clamp(x.flip(0), scalar(2)),
    "nan_to_num": lambda x: torch.nan_to_num(x, nan=5.0, posinf=6.0, neginf=-6.0),
    "where": lambda x: torch.where(x > 0, x, -1.0),
    "masked_fill": lambda x: x.masked_fill(x.isnan(), 9.0),
    "mask = 0": lambda x: x.clone().index_put((x > 0,), scalar(0.0)),
    "x // 0.3": lambda x: x // 0.3,
    "x % 0.3": lambda x: x % 0.3,
    "x % -2": lambda x: x % -2,
    "2 % x": lambda x: torch.remainder(2, x + 0.01),
    "fmod": lambda x: torch.fmod(x, -2),
    "add alpha": lambda x: torch.add(x, x.flip(0), alpha=-2.5),
    "sub alpha": lambda x: torch.sub(x, x.flip(0), alpha=3),
    "xor": lambda x: torch.logical_xor(x, x.flip(0)),
    "chained comparisons": lambda x: (x > 0) == (x.flip(0) > 0),
    "lerp": lambda x: torch.lerp(x, x.flip(0), 0.3),
    "addcmul": lambda x: torch.addcmul(x, x, x.flip(0), value=0.5),
    "heaviside": lambda x: torch.heaviside(x, scalar(0.25)),
    "isclose": lambda x: torch.isclose(x, x.flip(0)),
}
POWERS = [0, 1, 2, 3, 4, 0.5, -0.5, -1, -2, 2.5, -3, INF, -INF, NAN]
BINARY = [
    *(torch.add, torch.sub, torch.mul, torch.div, torch.fmod, torch.remainder, torch.floor_divide, torch.pow),
    *(torch.atan2, torch.maximum, torch.minimum, torch.hypot, torch.xlogy, torch.logaddexp),
    *(torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge, torch.logical_and, torch.logical_or),
]


def same_zeros(node: Node, fn: Callable[..., Tensor], *inputs: Tensor) -> None:
    """Zeros have the same sign in both engines."""
    expected = fn(*inputs)
    (actual,) = node.run(compile(fn, inputs), *inputs)
    zero = expected == 0
    assert torch.equal(actual.signbit()[zero], expected.signbit()[zero])


@pytest.mark.parametrize("fn", [torch.erf, torch.erfc, torch.lgamma, torch.digamma, F.gelu])
def test_special_functions(node, fn):
    x = torch.cat([SPECIAL[SPECIAL.abs() != 1e-320], torch.linspace(-7.97, 26, 800, dtype=torch.float64)])
    low = -INF if fn in (torch.erf, torch.erfc) else 0.0  # torch's own digamma is off next to its poles
    agree(node, fn, x[~(x < low)], rtol=2e-14, atol=1e-14)


def test_special_functions_left_of_zero(node):
    x = torch.linspace(-7.97, -0.01, 200, dtype=torch.float64)
    agree(node, torch.lgamma, x)
    agree(node, torch.digamma, x, rtol=1e-12, atol=1e-12)


def test_the_normal_distribution_and_its_gradient(node):
    def likelihood(x: Tensor) -> Tensor:
        return torch.log(torch.special.ndtr(x)).sum() + torch.lgamma(1 + x * x).sum()

    agree(node, torch.func.grad(likelihood), normal(20), rtol=1e-12)


@pytest.mark.parametrize("fn", UNARY, ids=lambda fn: fn.__name__)
def test_unary(node, fn):
    agree(node, fn, torch.cat([SPECIAL, normal(30), 40 * normal(30)]), rtol=ULPS, atol=0)


@pytest.mark.parametrize(
    "fn", [torch.floor, torch.ceil, torch.trunc, torch.round, torch.sign, torch.neg, torch.relu]
)
def test_zeros_keep_the_sign_that_torch_gives_them(node, fn):
    same_zeros(node, fn, SPECIAL)


@pytest.mark.parametrize("name", SCALARS)
def test_with_numbers(node, name):
    agree(node, SCALARS[name], torch.cat([SPECIAL, normal(20)]), rtol=ULPS, atol=0)


@pytest.mark.parametrize("power", POWERS)
def test_powers(node, power):
    agree(node, lambda x: (x**power, torch.full_like(x, power) ** x), SPECIAL, rtol=ULPS, atol=0)
    same_zeros(node, lambda x: x**power, SPECIAL)


@pytest.mark.parametrize("base", [0.0, 1.0, 2.0, -2.0, 0.5, INF])
def test_exponentials(node, base):
    agree(node, lambda x: base**x, SPECIAL, rtol=ULPS, atol=0)


@pytest.mark.parametrize("fn", BINARY, ids=lambda fn: fn.__name__)
def test_binary(node, fn):
    numbers = torch.cat([ORDINARY if fn in (torch.fmod, torch.remainder) else SPECIAL, normal(10)])
    agree(node, lambda x: fn(x[:, None], x), numbers, rtol=ULPS, atol=0)


@pytest.mark.parametrize("fn", [torch.add, torch.sub, torch.mul, torch.div, torch.remainder, torch.fmod])
def test_zeros_of_arithmetic_keep_their_sign(node, fn):
    same_zeros(node, lambda x: fn(x[:, None], x), SPECIAL)


@pytest.mark.parametrize("mode", ["floor", "trunc"])
def test_rounded_division(node, mode):
    agree(
        node, lambda x: torch.div(x[:, None], x, rounding_mode=mode), torch.cat([SPECIAL, normal(20)]), rtol=0
    )
    same_zeros(node, lambda x: torch.div(x[:, None], x, rounding_mode=mode), SPECIAL)


def test_every_template_uses_each_operand_once():
    tables = [aten.POINTWISE, aten.ON_BOOLEANS, aten.ON_INTEGERS, aten.POW_BY, aten.WHOLE_DIVISION]
    for table in tables:
        for operation in table.values():  # type: ignore[attr-defined]
            assert all(operation.template.count(f"{{{k}:") <= 1 for k in range(3)), operation


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-05, "1e-05"),
        (1e300, "1e+300"),
        (2.0, "2"),
        (-0.0, "-0"),
        (0.0, "0"),
        (0.1, "0.1"),
        (1e15, "1000000000000000"),
        (NAN, "NaN"),
        (-INF, "-Infinity"),
        (True, "1"),
        (2**53, "9007199254740992"),
    ],
)
def test_numbers_are_written_for_javascript(value, text):
    assert number(value).text == text


def test_parentheses_follow_precedence():
    def written(operation: str, *operands: Any) -> str:
        return str(expression_code(Apply(aten.POINTWISE[operation], operands)))

    total, negative = Apply(aten.POINTWISE["add"], (Name("a"), Name("b"))), number(-2)
    assert written("mul", total, negative) == "(a + b) * -2"
    assert written("sub", total, total) == "a + b - (a + b)"
    assert written("neg", negative) == "-(-2)"
    index = Affine(-3, ((Name("i"), -1), (Name("j"), 4)))
    assert str(expression_code(index)) == "-i + 4 * j - 3"


# Whole numbers and booleans ----------------------------------------------------------------------------------

INTEGERS: dict[str, Callable[[Tensor], Any]] = {
    "to int64 and back": lambda n: n.to(torch.float64) / 3,
    "signs": lambda n: (-n, n.abs(), n.sign(), -(n - n)),
    "arithmetic": lambda n: (n + 3, n - n.flip(0), n * n.flip(0), n**2, n**3),
    "floor": lambda n: torch.div(n, 3, rounding_mode="floor"),
    "floor by a negative": lambda n: n // -4,
    "trunc": lambda n: torch.div(n, -3, rounding_mode="trunc"),
    "remainders": lambda n: (n % 3, n % -3, torch.fmod(n, 3), torch.fmod(n, -3)),
    "no minus zero": lambda n: (1 / (n * 0 * -1).to(torch.float64), 1 / (n % 1).to(torch.float64)),
    "comparisons": lambda n: (n > 2, n == n.flip(0), n != 0),
    "extremes": lambda n: (torch.maximum(n, n.flip(0)), n.clamp(-1, 2), n.amax(), n.amin()),
    "sums": lambda n: (n.sum(), n.prod(), n.cumsum(0), n.to(torch.float64).mean()),
    "with floats": lambda n: (n + scalar(0.5), torch.where(n > 0, n, scalar(0.5))),
    "to bool": lambda n: (n.to(torch.bool), ~(n.to(torch.bool))),
    "floor of integers": lambda n: (n.floor(), n.trunc(), n.round()),
}
BOOLEANS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "logic": lambda p, q: (p & q, p | q, p ^ q, ~p, torch.logical_xor(p, q)),
    "arithmetic": lambda p, q: (p + q, p * q, p.to(torch.float64) + q, p + 2, p * scalar(2.5)),
    "order": lambda p, q: (p < q, p == q, p != q, torch.maximum(p, q)),
    "choice": lambda p, q: (torch.where(p, q, ~q), torch.where(p, scalar(2.5), q)),
    "counts": lambda p, q: (p.sum(), p.to(torch.float64).mean(), p.any(), p.all(), (p & q).cumsum(0)),
    "conversion": lambda p, q: (p.to(torch.int64) - q.to(torch.int64), p.to(torch.float64)),
    "copies": lambda p, q: (torch.cat([p, q]), p.flip(0), p),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(node, name):
    def fn(x: Tensor) -> Any:
        return INTEGERS[name](x.to(torch.int64))

    agree(node, fn, torch.tensor([0, -0.9, 7.9, -7.9, 5, -5, 2, 3.5, -1, 6], dtype=torch.float64))


@pytest.mark.parametrize("name", BOOLEANS)
def test_booleans(node, name):
    kernel = agree(node, BOOLEANS[name], torch.tensor([True, True, False, False]), K % 2 == 0)
    assert kernel.inputs == ((4,), (4,))


def test_conversions_truncate_and_nan_is_true(node):
    agree(node, lambda x: x.to(torch.int64), torch.tensor([2.9, -2.9, -0.5, 0.5, 1e15], dtype=torch.float64))
    agree(node, lambda x: (x.bool(), x.any(), x.all(), torch.logical_not(x)), SPECIAL)


@pytest.mark.parametrize("value", [NAN, INF, 1e17])
def test_a_number_that_is_no_small_integer_is_an_error(node, value):
    kernel = compile(lambda x: x.to(torch.int64) + 1, [S], "count")
    with pytest.raises(KernelFailed, match="count: no float64 holds the integer"):
        node.run(kernel, scalar(value))


@pytest.mark.parametrize(
    "fn", [lambda i: i @ i, lambda i: torch.bmm(i[None], i[None]), lambda i: torch.add(i, i, alpha=2**31)]
)
def test_a_product_of_integers_that_grows_too_large_is_an_error(node, fn):
    large = torch.tensor([[2**31 + 1, 3], [5, 2**31 + 3]])
    with pytest.raises(KernelFailed, match="no float64 holds the integer"):
        node.run(compile(fn, [large]), large)


@pytest.mark.parametrize(
    "fn",
    [
        lambda i: i @ torch.tensor([[2**30], [-(2**30)], [1]]),
        lambda i: (i * 2**23 * torch.tensor([1, -1, 1])).sum(),
        lambda i: torch.cat([i[:1] * 2**22, torch.tensor([[0, 0, 0]])]).prod(),
        lambda i: torch.add(i - i, i, alpha=2**23) - torch.add(i - i, i, alpha=2**23),
    ],
)
def test_an_integer_that_grows_too_large_on_the_way_is_an_error_though_what_comes_out_is_small(node, fn):
    large = torch.full((2, 3), 2**30 + 1)
    with pytest.raises(KernelFailed, match="no float64 holds the integer"):
        node.run(compile(fn, [large]), large)


def test_an_integer_that_grows_too_large_is_an_error(node):
    kernel = compile(lambda x: x.to(torch.int64) * 3**20 * 3**20, [S], "hash")
    assert node.run(kernel, scalar(0)) == [scalar(0)]
    with pytest.raises(KernelFailed, match="hash"):
        node.run(kernel, scalar(1))


def test_float32_may_be_chosen_and_converted_but_not_computed_with(node):
    agree(node, lambda x: torch.where(x > 0, 0.1, 0.7).to(torch.float64), X)
    agree(node, lambda x: torch.where(x > 0, torch.where(x > 1, 0.1, 0.2), 0.7), X)
    agree(node, lambda x: x * torch.tensor(0.1), X)  # a float32 constant in float64 arithmetic
    agree(node, lambda x: x.to(torch.float32).to(torch.float64), X, rtol=0, atol=0)


# Structure ---------------------------------------------------------------------------------------------------


def overwritten(x: Tensor) -> Tensor:
    y = torch.zeros(4, 5, dtype=torch.float64)
    y[1:, ::2] = x[1:, ::2]
    y[0] = x[3] * 2
    y[:, -1] += 1
    y.diagonal().mul_(3)
    y[x > 1] = 0.25
    y[K[:3], K[1:]] = x[0, :3]
    return y


STRUCTURAL: dict[str, Callable[[Tensor, Tensor, Tensor, Tensor], Any]] = {
    "sum": lambda x, m, v, s: (x.sum(), x.sum(0), x.sum(-1, keepdim=True), x.sum((0, 1)), v[:1].sum(0)),
    "mean": lambda x, m, v, s: (x.mean(), x.mean(0), x.mean(1, keepdim=True), s.mean()),
    "prod": lambda x, m, v, s: (x.prod(), x.prod(1), x.prod(0, keepdim=True)),
    "amax amin": lambda x, m, v, s: (
        x.amax(),
        x.amax(0),
        x.amin(1, keepdim=True),
        x.max(),
        x.min(),
        s.amax(),
    ),
    "max min along": lambda x, m, v, s: (*x.max(1), *x.min(0), *x.max(0, keepdim=True), *x.t().max(0)),
    "argmax": lambda x, m, v, s: (
        x.argmax(),
        x.argmax(0),
        x.t().argmax(),
        x.argmax(1, keepdim=True),
        s.argmax(),
    ),
    "argmin": lambda x, m, v, s: (x.argmin(), x.argmin(1), x[:, ::2].argmin()),
    "aminmax": lambda x, m, v, s: tuple(torch.aminmax(x)),
    "any all": lambda x, m, v, s: ((x > 0).any(), (x > 0).all(1), (x > 0).any(0, keepdim=True), x.all()),
    "count": lambda x, m, v, s: torch.count_nonzero(x > 0, 1),
    "var std": lambda x, m, v, s: (
        x.var(),
        x.std(0),
        x.var(1, correction=0, keepdim=True),
        *torch.var_mean(x),
    ),
    "norms": lambda x, m, v, s: (x.norm(), torch.linalg.vector_norm(x, dim=1), x.norm(1), x.norm(INF)),
    "logsumexp": lambda x, m, v, s: (
        x.logsumexp(1),
        torch.logsumexp(x, (0, 1)),
        v.logsumexp(0, keepdim=True),
    ),
    "softmax": lambda x, m, v, s: (x.softmax(0), x.softmax(1), x.log_softmax(-1), s.softmax(0)),
    "cumsum": lambda x, m, v, s: (x.cumsum(0), x.cumsum(1), v.cumsum(0), s.cumsum(0)),
    "cumprod": lambda x, m, v, s: (x.cumprod(0), v.cumprod(-1)),
    "mm": lambda x, m, v, s: (x @ m, m @ x, x @ x.T, (x * 2) @ (m + 1)),
    "mv dot outer": lambda x, m, v, s: (x @ v, v @ m, v @ v, torch.outer(v, v), torch.inner(x, x)),
    "bmm": lambda x, m, v, s: (
        torch.stack([x, x + 1]) @ m,
        torch.baddbmm(x[None] @ m, x[None], m[None]),
        torch.stack([x, x + 1]) @ torch.stack([m, m + 1]),
    ),
    "addmm": lambda x, m, v, s: (torch.addmm(s, x, m, beta=2, alpha=-1), F.linear(x, m.T, v[:4])),
    "einsum": lambda x, m, v, s: (
        torch.einsum("ij,j,jk->ik", x, v, m),
        torch.einsum("ij,ji->", x, m),
        torch.einsum("bij,i,j->b", TABLE.reshape(5, 2, 2), v[:2], v[2:4]),
    ),
    "kron": lambda x, m, v, s: torch.kron(x, v[:2]),
    "reshape": lambda x, m, v, s: (x.reshape(2, 10), x.t().reshape(20), x[:, 1:].flatten(), s.reshape(1, 1)),
    "reshape of products": lambda x, m, v, s: (
        (x * 2).reshape(-1),
        (x.t() * 3).reshape(2, 10).t(),
        (s * 2).view(1),
    ),
    "permute": lambda x, m, v, s: (
        x.T,
        x.reshape(2, 2, 5).permute(2, 0, 1),
        x.movedim(0, 1),
        x.transpose(0, -1),
    ),
    "expand": lambda x, m, v, s: (
        v.expand(3, 5),
        s.expand(2, 2),
        (v * 2).expand(2, 5),
        x[:, :1].expand(4, 3),
    ),
    "unsqueeze": lambda x, m, v, s: (v[:, None], v[None], x[:1].squeeze(0), x[:1, :1].squeeze(), s[None]),
    "select": lambda x, m, v, s: (x[1], x[-1], x[:, -2], x[2, 3], (x * 2)[1, -1]),
    "slice": lambda x, m, v, s: (x[1:3], x[:, ::2], x[-2:, -4:-1], x[1:1], x[:99], (x * 2)[1::2, 1:]),
    "flip roll": lambda x, m, v, s: (
        x.flip(0),
        x.flip(0, 1),
        (x * 2).flip(1)[:, 1:],
        x.roll(1, 0),
        v.roll(-2),
    ),
    "split": lambda x, m, v, s: (*x.split(3, 1), *x.chunk(2), *x.unbind(1), *(x * 2).split([1, 3])),
    "repeat": lambda x, m, v, s: (v.repeat(2, 2), x.tile(2, 1), v.repeat_interleave(2)),
    "cat": lambda x, m, v, s: (
        torch.cat([x, x * 2, v[None]]),
        torch.cat([x, x], -1),
        torch.cat([torch.empty(0).double(), v]),
    ),
    "stack": lambda x, m, v, s: (
        torch.stack([v, v * 2], 1),
        torch.stack([s, v[1], s * 2]),
        torch.meshgrid(v, v)[0],
    ),
    "pad": lambda x, m, v, s: (
        F.pad(x, (1, 2)),
        F.pad(x, (0, 0, 2, 1), value=-1.5),
        F.pad(x, (-1, 1, 1, -2), value=-INF),
        F.pad(x * 2, (-2, 0)),
    ),
    "tril triu": lambda x, m, v, s: (x.tril(), x.triu(1), x.tril(-1), (x * x).triu(-1)),
    "diagonals": lambda x, m, v, s: (
        *(x.diagonal(), x.diagonal(1), x.diagonal(-2), torch.diag(v), torch.diag_embed(x), torch.trace(x)),
        *(torch.diag(v, 1), x.reshape(2, 2, 5).diagonal(0, 0, 1)),
    ),
    "creation": lambda x, m, v, s: (
        *(x @ torch.eye(5, dtype=torch.float64), torch.zeros_like(x) + s, torch.full((2, 3), -INF).double()),
        *(torch.arange(5) * v, torch.linspace(0, 1, 5, dtype=torch.float64) + v, torch.ones(3).double()),
    ),
    "a large identity": lambda x, m, v, s: (
        torch.eye(40, dtype=torch.float64) * s,
        torch.arange(2000.0).double() * s,
    ),
    "overwriting": lambda x, m, v, s: overwritten(x),
    "scatter views": lambda x, m, v, s: (
        torch.slice_scatter(x, v[None, :].expand(2, 5), 0, 0, 4, 2),
        torch.select_scatter(x, v, 0, -1),
        torch.diagonal_scatter(x, v[:4], 1),
    ),
    "index": lambda x, m, v, s: (x[K], x[:, K], x[K, K], x[K[:, None], K], x[-1 - K], x[None][:, K]),
    "index apart": lambda x, m, v, s: (x.reshape(2, 2, 5)[K % 2, :, K], x.reshape(2, 2, 5)[:, K % 2, K]),
    "index of products": lambda x, m, v, s: ((x * 2)[K], (x * 2)[K, 0] + v[K], (x @ m)[K, K]),
    "index_select": lambda x, m, v, s: (
        x.index_select(0, K),
        (x * 2).index_select(1, K),
        s.index_select(0, K[:1]),
    ),
    "gather": lambda x, m, v, s: (
        x.gather(0, K[None]),
        x.gather(1, K[:, None]),
        x.take_along_dim(K[:, None], 1),
        x[0].gather(0, K[1]),
        s.gather(0, K[:1] * 0),
    ),
    "embedding": lambda x, m, v, s: F.embedding(K, x),
    "index_put": lambda x, m, v, s: (
        x.index_put((K,), v, accumulate=True),
        x.index_put((K[:3], K[1:]), s),
        x.index_put((torch.tensor([-1]),), v),
        x.index_add(0, K, x),
        x.index_copy(0, torch.tensor([2, 0]), x[:2] * 3),
        x.index_fill(0, K, 2.0),
    ),
    "scatter": lambda x, m, v, s: (
        x.scatter(0, K[None], m[:1, :4]),
        x.scatter(1, K[:, None], 2.5),
        x.scatter_add(0, torch.stack([K, K]), x[:2, :4]),
        x.scatter_add(1, K[:, None], x[:, 1:2]),
    ),
    "losses": lambda x, m, v, s: (F.cross_entropy(x, K), F.mse_loss(x, TABLE), F.nll_loss(x, K)),
    "normalize": lambda x, m, v, s: (
        F.normalize(x),
        F.cosine_similarity(x, x + 1),
        F.gelu(x, approximate="tanh"),
    ),
    "attention": lambda x, m, v, s: F.scaled_dot_product_attention(x[None], x[None], x[None]),
    "differences": lambda x, m, v, s: (v.diff(), torch.trapezoid(v), torch.linalg.cross(x[:, :3], x[:, 1:4])),
    "new tensors": lambda x, m, v, s: (
        x.new_zeros(2),
        x.new_tensor([1.0, 2.0]) * s,
        torch.empty_like(x).fill_(3.0),
    ),
}
WITHOUT_GRADIENT = {"argmax", "argmin", "any all", "count", "overwriting"}


@pytest.mark.parametrize("name", STRUCTURAL)
def test_structure(node, name):
    agree(node, STRUCTURAL[name], X, M, V, S)


def weighted(fn: Callable[..., Any]) -> Callable[..., Tensor]:
    """A scalar that weighs every number differently, so that no two may be confused."""

    def loss(*inputs: Tensor) -> Tensor:
        leaves = [leaf for leaf in pytree.tree_leaves(fn(*inputs)) if leaf.dtype == torch.float64]
        return sum(
            ((leaf.reshape(-1) * torch.arange(1.0, leaf.numel() + 1).double()).sum() for leaf in leaves),
            scalar(0),
        )

    return loss


@pytest.mark.parametrize("name", sorted(STRUCTURAL.keys() - WITHOUT_GRADIENT))
def test_gradients_of_structure(node, name):
    agree(node, torch.func.grad(weighted(STRUCTURAL[name]), argnums=(0, 1, 2, 3)), X, M, V, S, rtol=1e-12)


SMOOTH = [
    *(
        torch.exp,
        torch.log,
        torch.sqrt,
        torch.sin,
        torch.tanh,
        torch.sigmoid,
        torch.relu,
        torch.abs,
        torch.expm1,
    ),
    *(torch.log1p, torch.rsqrt, torch.reciprocal, torch.atan, F.softplus, F.silu, torch.square, torch.cosh),
]


@pytest.mark.parametrize("fn", SMOOTH, ids=lambda fn: fn.__name__)
def test_second_derivatives(node, fn):
    agree(node, torch.func.grad(weighted(torch.func.grad(weighted(fn)))), P)


def test_a_jacobian_and_a_directional_derivative(node):
    agree(node, lambda m, v: torch.func.jacrev(lambda one: torch.tanh(m.T @ one))(v), M, V)
    agree(node, lambda v, d: torch.func.jvp(lambda one: one.softmax(0), (v,), (d,)), V, V.flip(0))
    agree(node, lambda x, v: torch.func.vmap(lambda one: one.softmax(0) @ v)(x), X, V)


EXTREME = [
    *(torch.argmax, torch.argmin, torch.amax, torch.amin, torch.max, torch.sum, torch.prod),
    *(
        lambda x: x.logsumexp(0),
        lambda x: x.softmax(0),
        lambda x: x.cumsum(0),
        lambda x: x @ x,
        lambda x: x.var(),
    ),
]


@pytest.mark.parametrize("fn", EXTREME)
def test_reductions_of_special_values(node, fn):
    for numbers in (
        SPECIAL,
        SPECIAL[:-1],
        SPECIAL[-3:-1],
        torch.full((3,), -INF).double(),
        torch.ones(3).double(),
    ):
        agree(node, fn, numbers)


def test_ties_go_to_the_first(node):
    numbers = torch.tensor([[1.0, 3, 3, 1], [NAN, 5, NAN, 5], [INF, INF, -INF, -INF]], dtype=torch.float64)
    agree(node, lambda x: (*x.max(1), *x.min(1), x.argmax(1), x.argmin(1), x.argmax()), numbers)


def test_empty_tensors(node):
    agree(node, lambda x: (x, x.sum(), x.sum(0), x.mean(), x.prod(), x.any(), torch.cat([x, x])), X[:0])


# Layout and aliasing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [X, M.T, normal(8, 10)[::2, ::2], V.expand(4, 5), X.flip(0)], ids=str)
def test_inputs_are_read_by_their_logical_shape(node, x):
    agree(node, lambda x: (x, x.T, x * 2, x.sum(0), x.reshape(-1)), x)


def test_outputs_that_are_views_are_written_in_row_major_order(node):
    agree(node, lambda x: (x.T, (x * 2).T, x[::2, 1:], (x + 1).flip(1), x[0]), X)
    agree(node, lambda x: (x @ x.T, (x @ x.T).T[1:, ::2], x.sum(0).expand(2, 5)), X)


def test_outputs_that_are_inputs_constants_or_each_other(node):
    kernel = agree(
        node, lambda x, s: (x, x, s, s, TABLE, TABLE.T, x * 2, 2 * x, torch.ones(2).double()), X, S
    )
    assert kernel.constants.numel() == TABLE.numel()

    def twice(x: Tensor) -> tuple[Tensor, ...]:
        y = x.exp()
        return y, y, y.T, y[0], y.sum(), y + 1

    agree(node, twice, X)


VIEWED: dict[str, Callable[[Tensor], Tensor]] = {
    "itself": lambda y: y,
    "transposed": lambda y: y.T,
    "in columns": lambda y: y.T.reshape(-1),
    "in columns, square": lambda y: y.T.reshape(-1).reshape(4, 4),
    "flipped": lambda y: y.flip(0),
    "flipped, in rows": lambda y: y.flip(0).reshape(-1).reshape(4, 4),
    "detached": lambda y: y.detach(),
    "a row, expanded": lambda y: y[0].expand(4, 4).reshape(-1).reshape(4, 4),
    "rolled": lambda y: y.roll(1, 0),
}


@pytest.mark.parametrize(
    "produce", [lambda x: x.clone(), torch.sin, lambda x: x @ x], ids=["clone", "sin", "mm"]
)
def test_outputs_that_are_views_of_an_output_leave_it_alone(node, produce):
    square = normal(4, 4)
    for first, second in itertools.pairwise(VIEWED.values()):
        agree(node, lambda x, first=first, second=second: (y := produce(x), first(y), second(y)), square)
        agree(node, lambda x, first=first, second=second: (first(y := produce(x)), second(y), y), square)


def test_a_running_sum_of_nothing_is_nothing(node):
    agree(node, lambda x: (torch.cumsum(x[:, :0], 1), torch.cumsum(x[:0], 0), torch.cumprod(x[:0], 1)), X)


def test_one_tensor_as_two_inputs(node):
    zero = scalar(0)
    kernel = compile(lambda a, b, c: (a + 2 * b, c), [zero, zero, TABLE], "twins")
    assert node.run(kernel, scalar(1), scalar(10), X)[0] == 21
    closed = compile(lambda a: a - TABLE, [TABLE], "closed over")
    torch.testing.assert_close(node.run(closed, X)[0], X - TABLE)


class State(NamedTuple):
    position: Tensor
    total: Tensor


def test_nested_outputs_are_flattened(node):
    kernel = agree(node, lambda x: {"a": State(x, x.sum()), "b": [x.T, (x[0],)]}, X)
    assert kernel.outputs == ((4, 5), (), (5, 4), (5,))


def test_unused_inputs_and_no_inputs(node):
    assert agree(node, lambda x, v, s: v * 2, X, V, S).inputs == ((4, 5), (5,), ())
    agree(node, lambda: (torch.arange(3.0).double(), scalar(-INF), torch.zeros(2, 2).double()))


def test_constants_are_shared_and_uniform_ones_are_written_out():
    twin = TABLE.clone()
    kernel = compile(lambda x: (x + TABLE * 2) * (twin * 2) + torch.full((4, 5), -INF).double(), [X])
    assert kernel.constants.numel() == TABLE.numel()
    assert "-Infinity" in kernel.source


def test_zero_and_minus_zero_are_two_constants(node):
    agree(node, lambda x: (1 / (x * 0.0), 1 / (x * -0.0), x + 0.0, x + 0), P)
    signs = torch.tensor([[0.0, -0.0, 0.0], [0.0, -0.0, 0.0]], dtype=torch.float64)
    agree(node, lambda x: x / signs, P[:2, :3])


def test_constants_keep_infinities_and_nan(node):
    agree(node, lambda x: (x + SPECIAL[:, None], torch.where(SPECIAL > 0, x, SPECIAL)), S)


def test_views_and_transposed_products_need_no_array():
    for fn in (lambda x: x.T[1:].flip(0)[:, ::2], lambda x: x.T @ x, lambda x: (x.T * TABLE.T).T[0]):
        assert "new Float64Array" not in compile(fn, [X]).source


def test_a_chain_is_one_loop_and_what_is_used_twice_is_computed_once():
    chain = compile(lambda x, s: ((x * 2 + s).exp() / 3).sum(), [V, S]).source
    assert chain.count("for (") == 1
    twice = compile(lambda x: (lambda y: y * y + y)(torch.tanh(x)), [V]).source
    assert twice.count("Math.tanh") == 1
    spread = compile(lambda x: torch.tanh(x)[:, None] * TABLE[0], [V]).source
    assert "const tanh = Math.tanh(x0[i]);" in spread
    assert "new Float64Array" not in spread


def test_long_loops_are_functions_beside_the_kernel(node):
    def fn(x, y):
        whole = (x @ y).sum()
        scale = y.amax() + whole
        return x / scale, (x * whole).cumsum(0), x.argmax(1), (x[0, :3] * whole).sum()

    x, y = torch.rand(2, 9, 9, dtype=torch.float64)
    agree(node, fn, x, y)
    head, body = compile(fn, [x, y]).source.split("return (ins, outs)")
    assert head.count("for (") == 3 + 1 + 1 + 2  # a product, its sum, the largest; what goes by rows of x
    assert body.count("for (") == 1  # three numbers


def test_loops_are_joined_and_what_stays_the_same_is_read_once(node):
    def fn(x, rows, weights):
        return x.index_add(0, rows, weights[:, None, None] * x), x.flip(1) + x, x.sum((1, 2))

    x, rows = torch.rand(5, 4, 6, dtype=torch.float64), torch.tensor([1, 1, 0, 4, 2])
    inputs = (x, rows, torch.rand(5, dtype=torch.float64))
    agree(node, fn, *inputs)
    added, turned, total = (compile(lambda *x, k=k: fn(*x)[k], inputs).source for k in range(3))
    assert "for (let i = 0; i < 120; i++) o0[i] = x0[i];" in added
    assert "o0[24 * h + j] += h_1 * x0[24 * i + j];" in added
    assert "for (let i = 0; i < 5; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 6; k++) o0" in turned
    assert "for (let j = 0; j < 24; j++) t += x0[24 * i + j];" in total


# Refusals ----------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "cummax": (lambda x: x.cummax(0).values, r"aten\.cummax.*compare all pairs"),
    "eigh": (lambda x: torch.linalg.eigh(x @ x.T), r"_linalg_eigh.*power iteration"),
    "svd": (lambda x: torch.linalg.svdvals(x), r"_linalg_svd"),
    "rand": (lambda x: x + torch.rand(4, 5), r"aten\.rand.*no torch generator"),
    "randn_like": (lambda x: x + torch.randn_like(x), r"aten\.randn.*no torch generator"),
    "dropout": (lambda x: F.dropout(x), r"aten\."),
    "empty": (lambda x: x + torch.empty(4, 5, dtype=torch.float64), r"aten\.empty.*use zeros"),
    "erfinv": (lambda x: torch.erfinv(x), r"aten\.erfinv"),
    "as_strided": (lambda x: x.as_strided((2, 2), (1, 1)), r"aten\.as_strided"),
    "item": (lambda x: x * x.sum().item(), r"item"),
    "float": (lambda x: x * float(x[0, 0]), r"item"),
    "list": (lambda x: x * torch.tensor(x[0].tolist()), r"item"),
    "a closed-over number read by NumPy": (lambda x: x * float(np.mean(TABLE.numpy())), r"item"),
    "times an array": (lambda x: x * np.arange(5.0), r"NumPy.*torch\.as_tensor"),
    "NumPy's functions": (lambda x: np.exp(x), r"NumPy"),
    "an array of it": (lambda x: torch.from_numpy(np.asarray(x)), r"NumPy"),
    "numpy()": (lambda x: x + torch.tensor(x.numpy()), r"NumPy"),
    "NumPy's dlpack": (lambda x: torch.as_tensor(np.from_dlpack(x)), r"NumPy"),
    "dlpack": (lambda x: torch.from_dlpack(x) * 2, r"memory.*NumPy"),
    "apply_": (lambda x: x.clone().apply_(lambda value: 2 * value), r"apply_ asks for.*memory"),
    "map_": (lambda x: x.clone().map_(x, max), r"map_ asks for.*memory"),
    "data_ptr": (lambda x: x * (x.data_ptr() % 7), r"data_ptr asks for.*memory"),
    "a formatted number": (
        lambda x: x * float(f"{x.sum():.1f}"),
        r"Python asks for a number",
    ),
    "deepcopy": (lambda x: copy.deepcopy(x) * 2, r"no memory to copy"),
    "torch.compile": (
        lambda x: torch.compile(torch.sin, backend="eager")(x),
        r"leave torch.compile out",
    ),
    "cond": (lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), r"cond|cannot trace it"),
    "a generator": (
        lambda x: x + torch.rand(5, generator=torch.Generator(), dtype=x.dtype),
        r"aten\.rand.*no torch generator",
    ),
    "normal_": (lambda x: x.clone().normal_(), r"aten\.normal.*no torch generator"),
    "exponential_": (lambda x: x.clone().exponential_(), r"aten\.exponential.*no torch generator"),
    "filled with a number": (lambda x: torch.full_like(x, *x[0, :1]), r"asks for a number"),
    "if": (lambda x: x if x.sum() > 0 else -x, r"torch\.where"),
    "gradient in place": (
        lambda x: torch.func.grad(lambda x: overwritten(x).sum())(x),
        r"aten\..*cat, stack",
    ),
    "0-d index": (lambda x: x[x[0, 0].to(torch.int64)], r"index_select"),
    "int as an index": (lambda x: x[int(x[0, 0])], r"item"),
    "mask": (lambda x: x[x > 0], r"aten\.index.*not a mask"),
    "nonzero": (lambda x: torch.nonzero(x), r"aten\.nonzero.*must not depend on values"),
    "mask with many values": (lambda x: x.clone().index_put((x > 0,), x.flatten()), r"aten\.index_put"),
    "masked_scatter": (lambda x: x.masked_scatter(x > 0, x), r"aten\.masked_scatter"),
    "float32": (lambda x: x.float() * 2, r"aten\.mul.*float32.*float64"),
    "float32 by division": (lambda x: x.to(torch.int64) / 2, r"float32"),
    "float32 by a root": (lambda x: x.to(torch.int64).sqrt(), r"float32"),
    "float32 in a comparison": (lambda x: torch.tensor([0.1]) > x[0, 0], r"aten\..*float32"),
    "float32 chosen from float64": (lambda x: torch.where(x > 0, torch.ones(4, 5), x[0, 0]), r"float32"),
    "float16": (lambda x: x.half(), r"float16"),
    "int32": (lambda x: x.to(torch.int32), r"int32"),
    "complex": (lambda x: x * 1j, r"complex"),
    "fft": (lambda x: torch.fft.fft(x), r"complex|fft"),
    "bits": (lambda x: x.to(torch.int64) & 3, r"bitwise_and.*int64"),
    "integer powers": (lambda x: x.to(torch.int64) ** 5, r"aten\.pow"),
    "sum as integers": (lambda x: x.sum(dtype=torch.int64), r"aten\.sum.*converts"),
    "unique": (lambda x: x.unique(), r"unique"),
    "scatter_reduce": (lambda x: x.scatter_reduce(0, K[None], x, "amax"), r"aten\.scatter_reduce"),
    "in place on the input": (lambda x: x.add_(1), r"in place.*clone"),
    "in place on a constant": (lambda x: (TABLE.clone().add_(x), TABLE.add_(x))[1], r"in place"),
    "transposed convolution": (lambda x: F.conv_transpose1d(x[None], x[:, None]), r"convolution"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    fn, words = REFUSED[name]
    with pytest.raises(UnsupportedOperation, match=f"kernel 'step 2'.*(?:{words})"):
        compile(fn, [X], "step 2")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.complex128, torch.int32])
def test_inputs_of_other_dtypes_are_refused(dtype):
    with pytest.raises(UnsupportedOperation, match=f"kernel 'step 2': input 1 is {dtype}"):
        compile(lambda x, y: x, [X, X.to(dtype)], "step 2")


def test_only_tensors_may_be_returned():
    with pytest.raises(TypeError, match=r"kernel 'step 2' returns 1.5: must be tensors only"):
        compile(lambda x: (x, 1.5), [X], "step 2")


def test_errors_of_the_function_itself_pass_and_say_which_kernel():
    def fn(x: Tensor) -> Tensor:
        raise ValueError("temperature = 0")

    with pytest.raises(ValueError, match="temperature = 0") as caught:
        compile(fn, [X], "step 2")
    assert caught.value.__notes__ == ["while tracing kernel 'step 2'"]


def test_unused_trouble_is_no_trouble(node):
    agree(node, lambda x: (x.cummax(0), x.float() * 2, x * 3)[-1], X)


def test_what_depends_on_no_input_may_be_anything(node):
    agree(
        node,
        lambda x: x * torch.linalg.eigvalsh(TABLE @ TABLE.T)[:, None] + TABLE.float().sort().values[0, 0],
        X,
    )


def whole(k: Tensor) -> Tensor:
    """A 0-d parameter as one index."""
    return k.to(torch.int64).reshape(1)


@pytest.mark.parametrize("place", [4, -5, NAN])
def test_an_index_out_of_range_is_an_error(node, place):
    for fn in (lambda x, k: x[whole(k)], lambda x, k: x.gather(0, whole(k)[None])):
        with pytest.raises(KernelFailed, match="look up: "):
            node.run(compile(fn, [X, S], "look up"), X, scalar(place))


def test_a_constant_may_be_asked_for_its_value(node):
    agree(node, lambda x: x * TABLE.sum().item(), X)


def test_a_large_constant_of_any_origin_is_baked_in(node):
    wide = normal(40, 40)
    kernel = agree(node, lambda x: torch.linalg.eigh(wide @ wide.T).eigenvectors * x, S)
    assert kernel.constants.numel() == 1600


@pytest.mark.parametrize("place", [0, 3, -1, -4])
def test_an_index_may_be_computed_and_negative(node, place):
    agree(node, lambda x, k: (x[whole(k)], x[:, whole(k)]), X, scalar(place))
    agree(node, lambda x, k: x.index_put((whole(k),), x[0], accumulate=True), X, scalar(place))


def test_a_computed_index_into_products_and_single_numbers(node):
    agree(
        node,
        lambda x, k: ((x * 2)[whole(k), 1:], (x.sum()[None] * 2)[whole(k) - 1]),
        X,
        scalar(1),
    )
    agree(node, lambda x, k: x.gather(1, (k * x.abs()).clamp(0, 4).to(torch.int64)), X, scalar(2))
    agree(node, lambda x: x.scatter_add(1, x.argmax(1, keepdim=True), x), X)


# Random expressions ------------------------------------------------------------------------------------------

EXAMPLES = int(os.environ.get("EXAMPLES", "80"))
"""Programs to try: EXAMPLES=5000 for a long night."""
LEAVES: list[tuple[tuple[int, ...], ...]] = [
    *([((3, 4), (4,), (3, 1), ())] * 2 + [((4, 4), (4,), (4, 1), ())] * 2),
    *(((1, 1), (1,), (1, 1), ()), ((0, 4), (4,), (0, 1), ()), ((3, 0), (0,), (3, 1), ())),
    ((5, 17), (17,), (5, 1), ()),
]
"""Shapes that broadcast, square ones among them, where a view is as large as what it views, empty ones, long rows."""
ONE: list[Callable[[Tensor], Tensor]] = [
    *(torch.tanh, torch.sin, torch.sigmoid, torch.abs, torch.neg, torch.relu, torch.square, torch.atan),
    *(lambda x: (x * x + 1).log(), lambda x: torch.exp(-x * x), lambda x: x / (1 + x * x), lambda x: 2 - x),
    *(lambda x: x.clone(), lambda x: x.detach() + x),
    lambda x: (10 * x.atan().nan_to_num()).to(torch.int64).to(x.dtype),
]
TWO = [
    *(operator.add, operator.sub, operator.mul, torch.maximum, lambda x, y: torch.where(x > y, x, y * 0.5)),
    *(
        lambda x, y: torch.cat([x.sin(), torch.cat([y, x], -1)[..., : x.shape[-1]], y * y]),
        lambda x, y: torch.cat([torch.cat([x, y.cos()], -1), torch.cat([x.flip(0), y], -1)]),
    ),
    lambda x, y: torch.where(x.reshape(-1)[0] > 0.1, y, with_a_row(x, y.sum(0, keepdim=True))),
    lambda x, y: torch.where(x.reshape(-1)[0] > 0.1, y[1:], with_a_row(x, y[:1])[1:]),
]


JUMPS: list[Callable[[Tensor], Tensor]] = [
    *(
        lambda x: x.argmax(-1),
        lambda x: x.flip(-1).argmin(-1),
        lambda x: x.max(0).indices,
        lambda x: x > x.flip(0),
    ),
    *(
        lambda x: x.sign(),
        lambda x: x.round(),
        lambda x: (x / 0.3).floor(),
        lambda x: x.isnan() | (x < 0),
        lambda x: x == x[..., :1],
    ),
    *(
        lambda x: x.gather(-1, x.argmax(-1, keepdim=True)),
        lambda x: (x < 0).cumsum(-1),
        lambda x: x.bool().any(-1),
    ),
    *(
        lambda x: x.atan().nan_to_num().mul(4).to(torch.int64) % 3 // 2,
        lambda x: x.index_select(0, x.argmax()[None] % len(x)),
    ),
    lambda x: x.nan_to_num().clamp(-9, 9).to(torch.int64).cumprod(-1),
]
"""What jumps where its operands differ in their last digits: of leaves only, which are the same in both engines."""


def as_numbers(fn: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: fn(x).to(x.dtype)


def changed(x: Tensor) -> list[Callable[[Tensor], Tensor]]:
    """What changes a copy in place, through views of it."""

    def through(
        view: Callable[[Tensor], Tensor], change: Callable[[Tensor], Any]
    ) -> Callable[[Tensor], Tensor]:
        def changed(x: Tensor) -> Tensor:
            copied = x.clone()
            change(view(copied))
            return copied

        return changed

    views: list[Callable[[Tensor], Tensor]] = [
        *(lambda y: y[0], lambda y: y[..., ::2], lambda y: y.unbind(-1)[-1], lambda y: y.chunk(2)[0]),
        *(
            lambda y: y.view(-1)[1:],
            lambda y: y.narrow(-1, 0, 1),
            lambda y: y.movedim(0, -1),
            lambda y: y.detach(),
        ),
    ]
    if x.ndim == 2:
        views += [lambda y: y.T[:2], lambda y: y.diagonal(), lambda y: y.split(1, 1)[0]]
    changes: list[Callable[[Tensor], Any]] = [
        *(
            lambda v: v.mul_(2),
            lambda v: v.zero_(),
            lambda v: v.add_(v.clone()),
            lambda v: v.copy_(v.flip(0)),
        ),
        *(
            lambda v: v.clamp_(-0.5, 0.5),
            lambda v: v.masked_fill_(v.isnan(), 1.0),
            lambda v: v.sub_(v.mean()),
        ),
    ]
    return [through(view, change) for view, change in itertools.product(views, changes)]


def shaped(x: Tensor) -> list[Callable[[Tensor], Tensor]]:
    """Views, reductions and products that a tensor of this shape allows."""
    if x.ndim == 0:
        return [lambda x: x.reshape(1), lambda x: x.expand(3, 1)]
    ways: list[Callable[[Tensor], Tensor]] = [
        *(lambda x: x.sum(-1), lambda x: x.mean(0, keepdim=True), lambda x: x.amax(-1, keepdim=True)),
        *(lambda x: x.flip(0), lambda x: x.cumsum(-1), lambda x: x.softmax(-1), lambda x: x.logsumexp(0)),
        *(lambda x: x[..., ::2], lambda x: torch.cat([x, x * 2], -1)[..., : x.shape[-1]], lambda x: x[0]),
        *(lambda x: x.sort(-1).values, lambda x: F.layer_norm(x, x.shape[-1:]), lambda x: x.logcumsumexp(-1)),
        *(lambda x: x.reshape(-1), lambda x: F.pad(x, (1, -1)), lambda x: x[..., [-1, 0]]),
        *(lambda x: x.flip(0).contiguous(), lambda x: x.roll(1, 0), lambda x: x.expand(2, *x.shape)[0]),
        *(lambda x: torch.func.vmap(torch.sin)(x), lambda x: torch.func.vmap(lambda row: row.sum() * row)(x)),
        *(lambda x: x.index_select(0, places(x)), lambda x: x.index_add(0, places(x), x), lambda x: x.sum(0)),
        *(
            lambda x: x[:, None] * x[None],
            lambda x: torch.stack([x, x * x], -1),
            lambda x: x.argmax(-1).to(x.dtype),
        ),
        *(
            lambda x: some_rows(x, x.sin()).sum(0),
            lambda x: some_rows(x, torch.where(x < 1, x.exp() * x, 0.0)).sum(0),
            lambda x: torch.where(x > 0.1, x.cos(), 0.0).sum(-1),
            lambda x: torch.zeros_like(x).index_add(0, places(x), some_rows(x, x.softmax(-1))),
            lambda x: some_rows(x, x.amax(-1, keepdim=True) * x, 1.0).sum(0) + some_rows(x, x).amin(0),
            lambda x: torch.cat([torch.cat([x, x.exp()], -1), torch.cat([x * 2, x.sin()], -1)]).sum(0),
            lambda x: torch.where(x.reshape(-1)[0] > 0.1, with_a_row(x.cos(), x[:1]), x),
        ),
    ]
    if x.ndim == 2:
        ways += [lambda x: x.T, lambda x: x @ x.T, lambda x: x.T.reshape(x.shape), lambda x: x.triu()]
    return ways


def places(x: Tensor) -> Tensor:
    """For each row one that its numbers choose."""
    return (
        (3 * x.reshape(len(x), -1).sum(1).atan().nan_to_num()).abs().to(torch.int64).remainder(max(len(x), 1))
    )


def with_a_row(x: Tensor, row: Tensor) -> Tensor:
    """A copy of ``x`` in which the last row is another one."""
    return x.index_copy(0, torch.tensor([len(x) - 1]), row)


def some_rows(x: Tensor, chosen: Tensor, other: float = 0.0) -> Tensor:
    """Rows of a tensor where x's begin with a number above 0.1; else another number."""
    begins = x.reshape(len(x), -1)[:, 0] > 0.1
    return torch.where(begins.reshape(-1, *[1] * (x.ndim - 1)), chosen, other)


@st.composite
def expressions(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """Shapes, then instructions that grow a list of tensors of these: each makes a new one of earlier ones."""
    shapes = draw(st.sampled_from(LEAVES))
    tensors = [torch.zeros(shape, dtype=torch.float64) for shape in shapes]
    program: list[tuple[Any, ...]] = [shapes]
    for _ in range(draw(st.integers(1, 10))):
        first = draw(st.integers(0, len(tensors) - 1))
        kind = draw(st.sampled_from(["one", "two", "shape", "jump", "change"]))
        if kind == "one":
            step: tuple[Any, ...] = (draw(st.sampled_from(ONE)), first)
        elif kind == "jump":
            step = (as_numbers(draw(st.sampled_from(JUMPS))), first % len(shapes))
        elif kind == "change":
            step = (draw(st.sampled_from(changed(tensors[first]))), first)
        elif kind == "shape":
            step = (draw(st.sampled_from(shaped(tensors[first]))), first)
        else:
            fits = [k for k, other in enumerate(tensors) if broadcasts(tensors[first], other)]
            step = (draw(st.sampled_from(TWO)), first, draw(st.sampled_from(fits)))
        with suppress(IndexError, RuntimeError, ZeroDivisionError, TypeError):  # the largest of nothing, say
            tensors.append(step[0](*(tensors[k] for k in step[1:])))
            program.append(step)
    return program


def broadcasts(x: Tensor, y: Tensor) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(x.shape), reversed(y.shape), strict=False))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    program=expressions(),
    seed=st.integers(0, 1000),
    kind=st.sampled_from(["normal", "tied", "special", "grad"]),
)
def test_random_expressions(node, program, seed, kind):
    shapes, *program = program
    if kind == "grad":  # a gradient through what is changed in place is refused
        program = [(torch.clone if fn.__name__ == "changed" else fn, *rest) for fn, *rest in program]

    def fn(*leaves: Tensor) -> list[Tensor]:
        tensors = list(leaves)
        for function, *operands in program:
            tensors.append(function(*(tensors[k] for k in operands)))
        return tensors[len(leaves) - 1 :]

    inputs = [normal(*shape, seed=seed + k) for k, shape in enumerate(shapes)]
    if kind == "tied":
        inputs = [one.round() for one in inputs]
    if kind == "special":  # of many numbers torch takes a sum in an order of its own, which 1e300 shows
        among = [SPECIAL if one.numel() < 16 else SPECIAL[SPECIAL.abs() != 1e300] for one in inputs]
        inputs = [
            torch.where(one > 1, some[(one * 50).to(torch.int64) % len(some)], one)
            for one, some in zip(inputs, among, strict=True)
        ]
    if kind == "grad":
        agree(node, torch.func.grad(weighted(fn), argnums=tuple(range(4))), *inputs, rtol=1e-9, atol=1e-9)
    else:
        agree(node, fn, *inputs, rtol=1e-10, atol=1e-11)


# Gradient descent --------------------------------------------------------------------------------------------


def classes() -> Tensor:
    """The 13 partial injective maps from 3 subjects to 2 answers, (13, 3, 2) of 0 and 1."""
    maps = [(i, j, k) for i in range(3) for j in range(3) for k in range(3)]
    maps = [one for one in maps if one.count(0) <= 1 and one.count(1) <= 1]
    return (torch.tensor(maps)[:, :, None] == torch.arange(2)).to(torch.float64)


MATCHES = classes()
LOG_COUNTS = torch.tensor([0.0] * 6 + [-INF] * 3 + [math.log(4)] * 4, dtype=torch.float64)


def loss(theta: Tensor, temperature: Tensor) -> Tensor:
    attention = torch.softmax(theta, 0)  # (6,)
    logits = 2 * torch.einsum("cij,i,j->c", MATCHES, attention[0::2], attention[1:-1:2])  # (13,)
    return torch.logsumexp(LOG_COUNTS + (logits - logits[0]) / temperature, 0)


def descend(theta: Tensor, count: Tensor, temperature: Tensor, rate: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    gradient, value = torch.func.grad_and_value(loss)(theta, temperature)
    return theta - rate * gradient, count + 1, value


THETA, RATES = normal(6, seed=4), (scalar(0.5), scalar(0.1))


def test_a_thousand_steps_of_descent_agree(node):
    assert MATCHES.shape == (13, 3, 2)
    kernel = compile(descend, [THETA, scalar(0), *RATES], "descend")
    theta, count = THETA, scalar(0)
    for _ in range(1000):
        theta, count, _loss = descend(theta, count, *RATES)
    descended, steps = node.iterate(kernel, [THETA, scalar(0)], RATES, 1000)
    assert steps == 1000
    assert (theta - THETA).abs().max() > 0.5
    torch.testing.assert_close(descended, theta, rtol=0, atol=1e-12)


def test_state_that_comes_out_as_it_went_in_survives_double_buffering(node):
    kernel = compile(lambda a, b, c: (b, a, c + a[0]), [V, V * 2, S], "swap")
    a, b, c = node.iterate(kernel, [V, V * 2, S], [], 3)
    torch.testing.assert_close(a, V * 2)
    torch.testing.assert_close(b, V)
    torch.testing.assert_close(c, S + V[0] + 2 * V[0] + V[0])


def test_what_a_state_keeps_is_not_copied():
    def step(a: Tensor, b: Tensor, c: Tensor, p: Tensor) -> tuple[Tensor, ...]:
        return b, b, c * p, c.sum() > p

    kernel = compile(step, [V, V * 2, V * 3, S], "step", state=3)
    assert kernel.stays == (1,)
    assert {*re.findall(r"outs\[(\d)\]", kernel.source)} == {"0", "2", "3"}
    assert compile(step, [V, V * 2, V * 3, S]).stays == ()


def test_attention_of_exactly_zero_has_gradient_zero(node):
    theta = torch.tensor([0.0, 0.1, 0.2, 0.3, -INF, -INF], dtype=torch.float64)
    kernel = agree(node, lambda theta, t: torch.func.grad(loss)(theta, t), theta, RATES[0], rtol=1e-14)
    (gradient,) = node.run(kernel, theta, RATES[0])
    assert torch.equal(gradient[4:], torch.zeros(2, dtype=torch.float64))


def test_a_gradient_step_is_small_and_takes_microseconds(node):
    inputs = [THETA, scalar(0), *RATES]
    kernel = compile(descend, inputs, "descend")
    assert len(kernel.source) < 8000
    assert node.time(kernel, *inputs, steps=20_000) < 30
