"""Whole kernels after all passes: which loops they have, what they store and skip; always what torch computes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.widgets.node import Node
from tests.widgets.translate.test_trace import agree, normal
from widgets.translate.trace import compile

X, W = normal(20, 5, 6), normal(20, seed=1)
ROWS = torch.arange(20) * 7 % 5


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node() as process:
        yield process


def loops(source: str) -> int:
    """How many loops there are that are in no other."""
    return len(re.findall(r"^ {4}for ", source, re.MULTILINE))


def arrays(source: str) -> dict[str, int]:
    return {name: int(size) for name, size in re.findall(r"const (\w+) = new Float64Array\((\d+)\)", source)}


def test_what_goes_by_rows_is_one_loop_and_one_row_of_memory(node):
    def fn(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        logits = torch.relu(x).mean(-1)  # (20, 5)
        push = w[:, None] * torch.softmax(logits, -1)
        return (push[..., None] * x).sum(0), (push * push).sum(1)

    agree(node, fn, X, W)
    source = compile(fn, [X, W]).source
    assert loops(source) == 2  # zeros for the sum
    assert max(arrays(source).values()) == 5
    assert source.count("Math.exp") == 1


def test_a_row_that_needs_another_waits_for_the_whole_loop(node):
    def fn(x: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.tanh(x)
        return y + y.flip(0), y + y.roll(1, 0)

    agree(node, fn, X)
    assert loops(compile(fn, [X]).source) == 2


def test_what_a_row_needs_of_other_loops_moves_ahead(node):
    def fn(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.tanh(x)  # by rows
        column = x.transpose(0, 2).cumsum(0)[..., 0].amax(1)  # another loop, which the next rows need
        return y.sum((1, 2)) * w + column.sum(), y * y

    agree(node, fn, X, W)
    assert compile(fn, [X, W]).source.count("    for (let i = 0; i < 20;") == 1


def test_rows_are_gathered_in_place_and_added_up_where_they_belong(node):
    def fn(x: Tensor, w: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        mine = x.index_select(0, rows) * w[:, None, None]
        return torch.zeros_like(x[:5]).index_add(0, rows, mine), (mine * x).sum((1, 2))

    agree(node, fn, X, W, ROWS)
    source = compile(fn, [X, W, ROWS]).source
    assert loops(source) == 1
    assert ".fill(0, " in source, "zeros for the sums"
    assert not arrays(source)


def test_adding_up_and_then_reading_is_not_one_loop(node):
    def fn(x: Tensor, rows: Tensor) -> Tensor:
        total = torch.zeros_like(x).index_add(0, rows, x)
        return total * x

    agree(node, fn, X, ROWS)
    source = compile(fn, [X, ROWS]).source
    assert loops(source) == 2  # sums, products
    assert ".fill(0)" in source


def test_a_scan_and_a_sum_over_rows_keep_their_order(node):
    agree(node, lambda x: (x.cumsum(0) * x, x.sum(0), x.amax(0), (x.cumsum(0) - x)[-1]), X)
    agree(node, lambda x: (x.sum(0) * x, x.prod(0), (x > 0).any(0), (x * 3).to(torch.int64).sum(0)), X)


def test_numbers_of_two_loops_never_share_a_name(node):
    def fn(x: Tensor) -> tuple[Tensor, ...]:
        return x.argmax(-1), x.argmin(-1), x.sum(-1), x.cumsum(-1), x.max(-1).values, x.amin(-1)

    agree(node, fn, X)


def test_an_array_that_is_read_in_the_next_turn_stays_whole(node):
    agree(node, lambda x: (torch.tanh(x)[1:] + torch.tanh(x)[:-1], torch.tanh(x).sum((1, 2))), X)


def test_parts_of_one_array_are_written_in_one_loop(node):
    def fn(x: Tensor) -> Tensor:
        both = torch.cat([x.sin(), x.cos()], -1)
        return torch.softmax(both, -1)[..., ::2]

    agree(node, fn, X)
    assert loops(compile(fn, [X]).source) == 1


@pytest.mark.parametrize("shape", [(1, 33, 37), (41, 30, 1), (9, 17, 10), (3, 400, 3), (8, 16, 8)])
def test_large_products_are_computed_some_numbers_at_once(node, shape):
    n, k, m = shape
    x, y, z = normal(n, k), normal(k, m, seed=1), normal(2, k, m, seed=2)
    agree(node, lambda x, y: (x @ y, (y.T @ x.T).tanh(), torch.softmax(x @ y, 0).sum(1)), x, y)
    agree(node, lambda x, z: torch.einsum("nk,bkm->bmn", x, z), x, z)
    agree(node, lambda x, y: (x * 9).to(torch.int64) @ (y * 9).to(torch.int64), x, y)
    source = compile(lambda x, y: x @ y, [x, y]).source
    assert ("t_3" in source) == (max(n, m) >= 4)


def rows(x: Tensor, w: Tensor) -> Tensor:
    return torch.where((w > 0)[:, None, None], x, 0.0)


def test_rows_that_are_left_out_of_every_sum_are_not_computed(node):
    def fn(x: Tensor, w: Tensor, places: Tensor) -> tuple[Tensor, ...]:
        real = w > 0
        odds = torch.exp(x * w[:, None, None])
        chance = odds / odds.sum(-1, keepdim=True)
        added = torch.zeros_like(x[:5]).index_add(0, places, rows(chance, w))
        return rows(chance * x, w).sum(0), added, torch.where(real, chance.amax((1, 2)), torch.inf).amin()

    for w in (W, W.abs(), -W.abs(), torch.where(W > 0, W, torch.nan)):
        agree(node, fn, X, w, ROWS)
    source = compile(fn, [X, W, ROWS]).source
    assert source.index("if (x1[i] > 0) {") < source.index("Math.exp")
    assert source.count("if (x1[i] > 0)") == 1


def test_what_a_left_out_row_holds_does_not_matter(node):
    x = torch.where((W > 0)[:, None, None], X, torch.nan)
    agree(node, lambda x, w: rows(x / w[:, None, None], w).sum(0), x, W)


@pytest.mark.parametrize(
    "read",
    [
        lambda y, w: y.sum((1, 2)),
        lambda y, w: y.flip(0).sum(0),
        lambda y, w: torch.where((w > 0.5)[:, None, None], y, 0.0).sum(0),
        lambda y, w: torch.where((w > 0)[:, None, None], 1.0, y).sum(0),
        lambda y, w: rows(y.roll(1, 0), w).sum(0),
        lambda y, w: rows(y.cumsum(0), w).sum(0),
        lambda y, w: rows(y.sum(0, keepdim=True) * y, w).sum(0),
    ],
)
def test_rows_that_anything_else_reads_are_computed(node, read):
    def fn(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.tanh(x)
        return rows(y * 2, w).sum(0), read(y, w)

    agree(node, fn, X, W)
    agree(node, lambda x, w: fn(x, w)[::-1], X, W)


def test_a_row_as_long_as_there_are_rows_is_no_row(node):
    x = normal(20, 20, seed=3)

    def fn(x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        columns = torch.where((w > 0)[None, :], torch.tanh(x), 0.0)
        both = torch.where((w > 0)[:, None], torch.sin(x).T * w, 0.0)
        return columns.sum(0), columns.sum(1), both.sum(0), both.sum(1), both.T.sum(0)

    agree(node, fn, x, W)

    def down(x: Tensor, w: Tensor) -> Tensor:
        y = torch.tanh(x)
        return torch.where(w > 0, y.sum(0) * y.amax(0), 0.0).sum()

    agree(node, down, x, W)


def test_zeros_keep_their_sign_where_nothing_is_added(node):
    def fn(x: Tensor, w: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
        below = -torch.zeros_like(x[:5])
        added = below.index_add(0, places, rows(x * 0, w))
        return 1 / added, 1 / (below + rows(x, w).sum(0) * 0)

    for w in (W, -W.abs()):
        agree(node, fn, X, w, ROWS)


def test_numbers_that_are_left_out_of_sums_cost_no_sum(node):
    def fn(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        on = x > 0
        return torch.where(on, x * y, 0.0).sum((1, 2)), torch.where(on, y, 0.0).sum(0)

    for y in (X.flip(0), torch.where(X > 0, X, torch.inf)):
        agree(node, fn, X, y)
    for dim in (0, 1, 2, (0, 1), (0, 2), (1, 2)):

        def some(x: Tensor, y: Tensor, dim: Any = dim) -> tuple[Tensor, Tensor]:
            part = torch.where(x[:, :, :1] > 0, y[:1], 0.0)
            return part.sum(dim), torch.where(x > 0, x + 1, 0.0).sum(dim)

        agree(node, some, X[:3], X[3:6])
    source = compile(fn, [X, X]).source
    assert re.findall(r"if \((.*)\)", source) == ["x0[30 * i + j] > 0"]


def test_what_decides_a_sum_is_known_before_it(node):
    def fn(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        first = torch.logsumexp(x, 0)
        on = x > y
        return first, torch.where(on, x, y) * first, torch.where(on, y, 0.0).sum(0, keepdim=True)

    agree(node, fn, normal(3, 4), normal(3, 4, seed=1))

    def total(x: Tensor, y: Tensor) -> Tensor:
        return torch.cat(fn(x, y)[1:]).sum()

    agree(node, torch.func.grad(total, argnums=(0, 1)), X[0], X[1])


# What a condition decides -------------------------------------------------------------------------------------


def under(source: str, condition: str) -> str:
    """What a kernel's body does under a condition, all its places together."""
    block = rf"^    if \({re.escape(condition)}\) (?:\{{\n((?:      .*\n)*)    \}}|(.*))$"
    return "\n".join(some or one for some, one in re.findall(block, source, re.MULTILINE))


@pytest.mark.parametrize("sign", [1, -1])
def test_what_one_side_of_a_condition_alone_reads_is_computed_there(node, sign):
    def fn(x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        costly = torch.softmax(x, 1).cumsum(0)
        total, other = costly.sum(), torch.tanh(x).prod(2)
        late = w.sum() > 0
        return torch.where(late, total * w, w), torch.where(late, 0.0, other), late & (total > 3)

    kernel = agree(node, fn, X, sign * W.abs())
    assert under(kernel.source, "gt").count("loop") == 3
    assert under(kernel.source, "!gt").count("loop") == 1
    assert "let sum_2 = 0;" in kernel.source


def test_what_others_read_too_is_always_computed(node):
    def fn(x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        costly = torch.softmax(x, 1).cumsum(0)
        late = costly.sum() > 1e9  # needs it itself
        return torch.where(late, costly.tanh().sum((1, 2)), w), torch.where(w > 0, costly.sum((1, 2)), 0.0)

    kernel = agree(node, fn, X, W)
    assert under(kernel.source, "gt").count("loop") == 1
    assert under(kernel.source, "!gt").count("loop") == 1
    assert kernel.source.count("\n    if (") == 2


@pytest.mark.parametrize("sign", [1, -1])
def test_a_choice_between_arrays_is_made_once(node, sign):
    def fn(x: Tensor, y: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        return torch.where(w.sum() > 0, x, y), torch.where(w.sum() > 0, 0.0, y)

    kernel = agree(node, fn, X, X.flip(0) * -0.0, sign * W.abs())
    assert kernel.source.count(".set(") == 3
    assert not re.search(r"\?[^.]*:[^:]*;", kernel.source)


PUT = torch.tensor([2])
CHOSEN_COPIES: list[Callable[[Tensor, Tensor, Tensor], tuple[Tensor, ...]]] = [
    lambda c, x, on: (torch.where(on, c[1:4], x[1:4]),),
    lambda c, x, on: (torch.where(on, c[:3], x[:3]), torch.where(on, x[:3], c[4:7])),
    lambda c, x, on: (torch.where(on, c[:1].expand(3, 5, 6), x[:3]),),
    lambda c, x, on: (torch.where(on, c, x), c + 1),
    lambda c, x, on: (torch.where(on, c, x), torch.where(on, x, c)),
    lambda c, x, on: (torch.where(on, c, c.flip(0)), torch.where(on, c.flip(0), c)),
    lambda c, x, on: (c, torch.where(on, c.transpose(1, 2), x.transpose(1, 2))),
    lambda c, x, on: (torch.where(on, c, x), torch.cat([c, x]), torch.cat([c[1:], c.flip(0)])),
]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("choose", CHOSEN_COPIES)
def test_a_copy_goes_to_an_output_only_as_a_whole(node, choose, sign):
    def fn(x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        return choose(x.index_copy(0, PUT, x[:1].sin()), x, sign * w.abs().sum() > 0)

    agree(node, fn, X, W)


def test_a_constant_is_lined_up_whatever_its_place_in_memory(node):
    def fn(x: Tensor) -> Tensor:
        copied = x.clone()
        copied.movedim(0, -1).zero_()
        return copied.reshape(-1) + x.reshape(-1)

    agree(node, fn, X)


def test_a_whole_copy_is_made_where_it_ends_up(node):
    def fn(x: Tensor, w: Tensor) -> Tensor:
        return torch.where(w.sum() > 0, x.index_copy(0, PUT, x[:1].sin()), x)

    assert not arrays(agree(node, fn, X, W.abs()).source)


def test_copies_in_a_row_are_one_call(node):
    def fn(x: Tensor, place: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        table = x.reshape(2, 300).index_copy(0, place, torch.sin(x[10:]).reshape(1, 300))
        return table, x.transpose(0, 1).contiguous(), torch.cat([x, x[:1], x]), table.tanh().sum(0) * w.sum()

    special = X.clone()
    special[0, 0] = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 1.0])
    kernel = agree(node, fn, special, torch.tensor([1]), W)
    assert kernel.source.count(".set(") >= 3
    swapped = compile(lambda x: x.transpose(0, 1).contiguous(), [X]).source
    assert ".set(" not in swapped


@pytest.mark.parametrize("terms", [1, 2, 7, 8])
def test_a_vector_times_a_wide_matrix_needs_no_array(node, terms):
    x, y = normal(terms), normal(terms, 1100 // terms + 5, seed=1)

    def fn(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return y[0] + torch.tanh(x @ y), y.T @ x

    kernel = agree(node, fn, x, y)
    assert not arrays(kernel.source)
    agree(node, fn, x * -0.0, y)


@pytest.mark.parametrize("seed", range(40))
def test_random_choices(node, monkeypatch, seed):
    monkeypatch.setattr("widgets.translate.liveness.LEAST_SAVING", 1)
    agree(node, chosen(seed), X, W, rtol=1e-9)


def chosen(seed: int) -> Callable[[Tensor, Tensor], list[Tensor]]:
    """A program of twenty steps, many of them choices by one condition that other choices decide."""

    def fn(x: Tensor, w: Tensor) -> list[Tensor]:
        chance = random.Random(seed)
        arrays, numbers, tests = [x, torch.sin(x)], [w.sum(), x.sum() / 9], [w.sum() > 0, x.sum() > 1]
        for _ in range(20):
            (test, other), (a, b), (s, t) = (
                chance.choices(kind[-4:], k=2) for kind in (tests, arrays, numbers)
            )
            arrays.append(chance.choice([torch.where(test, a, b), torch.tanh(a * s), a - b]))
            numbers.append(chance.choice([torch.where(test, s, t), arrays[-1].mean(), s * t]))
            tests.append(chance.choice([test & other, test | other, s > t, ~test]))
        return [arrays[-1], torch.where(tests[-2], arrays[-2], w[:, None, None]), numbers[-1], tests[-1]]

    return fn


CHEAP: list[Callable[[Tensor], Tensor]] = [
    lambda x: x > 0,
    lambda x: -x,
    lambda x: (x > 0).to(torch.int64) + 1,
    lambda x: x,
    lambda x: x[:1].expand(x.shape),
]
"""What is computed again where it is read, of every dtype."""
VIEWS: list[Callable[[Tensor], Tensor]] = [
    lambda m: m.flip(0),
    lambda m: m.flip(-1),
    lambda m: m.reshape(-1),
    lambda m: m.t() if m.ndim == 2 else m,
    lambda m: m.reshape(2, -1),
    lambda m: m[1:],
    lambda m: m.roll(1, 0),
    lambda m: torch.cat([m, m]),
    lambda m: m.clone(),
]


@pytest.mark.parametrize("seed", range(120))
def test_several_outputs_may_be_views_and_copies_of_one_cheap_value(node, seed):
    chance = random.Random(seed)
    cheap = chance.choice(CHEAP)
    chains = [chance.choices(VIEWS, k=chance.choice([0, 1, 2, 3])) for _ in range(chance.choice([2, 3]))]

    def fn(x: Tensor) -> tuple[Tensor, ...]:
        results, value = [], cheap(x)
        for chain in chains:
            result = value
            for look in chain:
                result = look(result)
            results.append(result)
        return tuple(results)

    agree(node, fn, normal(4, 4))
