"""Small steps are made many at a call, in variables, and come to what torch comes to step by step, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

from tests.widgets.node import Node
from widgets.translate.trace import Kernel, compile

D = torch.float64
Step = Callable[..., tuple[Tensor, ...]]
RATE = torch.tensor(0.013, dtype=D)
NEVER = torch.tensor(False)


@pytest.fixture(scope="module")
def nodejs() -> Iterator[Node]:
    with Node() as process:
        yield process


def number(*values: float) -> Tensor:
    return torch.tensor(values if len(values) > 1 else values[0], dtype=D)


def steep(x: Tensor) -> Tensor:
    return (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2


def one_number(x: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    return x - rate * (x**3 - x), NEVER


def by_grad(x: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    return x - 0.1 * rate * torch.func.grad(steep)(x), NEVER


def momentum(x: Tensor, v: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    v = 0.9 * v - rate * torch.stack([x[0] * 2, x[1] * 20])
    return x + v, v, NEVER


def exchanged(x: Tensor, y: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    return y - rate, x * (1 + rate), NEVER


def resting(x: Tensor, fixed: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    return x + rate * (fixed - x), fixed, NEVER


def leaky_sums(x: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    total = x.sum() - x.cumsum(0)
    return x + rate * torch.where(total > 0, -total, total / 2), NEVER


def attention(x: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    weights = torch.softmax(x @ x.T, -1)
    return x + rate * (weights @ x - x), NEVER


def counted(x: Tensor, n: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
    x = x * (1 - rate)
    return x, n + 1, (x.abs() < 0.5).all()


STEPS: list[tuple[Step, tuple[Tensor, ...]]] = [
    (one_number, (number(0.3),)),
    (by_grad, (number(-1, 1),)),
    (momentum, (number(1, -0.5), number(0, 0))),
    (exchanged, (number(1, 2, 3), number(-1, 0, 5))),
    (resting, (number(1, 2), number(-3, 4))),
    (leaky_sums, (number(0.3, -0.2, 0.5, -0.9),)),
    (counted, (number(1, -2, 0.1), number(0))),
]


def translated(step: Step, state: tuple[Tensor, ...]) -> Kernel:
    return compile(step, [*state, RATE], "step", len(state))


@pytest.mark.parametrize(("step", "state"), STEPS, ids=lambda value: getattr(value, "__name__", ""))
def test_many_steps_in_a_call_are_those_of_torch(step, state, nodejs: Node):
    kernel = translated(step, state)
    assert "most" in kernel.source
    for steps in (1, 2, 5, 200):
        expected, finished, taken = state, NEVER, 0
        while taken < steps and not finished:
            *expected, finished = step(*expected, RATE)
            taken += 1
        (*after, done), count = nodejs.steps(kernel, *state, RATE, steps=steps)
        assert count == taken
        assert bool(done) == bool(finished)
        for place, leaf in enumerate(expected):
            if place not in kernel.stays:
                assert torch.equal(after[place], leaf)


def test_a_single_call_is_a_single_step(nodejs: Node):
    for step, state in STEPS:
        kernel = translated(step, state)
        once = nodejs.run(kernel, *state, RATE)
        for place, leaf in enumerate(step(*state, RATE)):
            if place not in kernel.stays:
                assert torch.equal(once[place], leaf.to(D))


def test_exponentials_agree_to_rounding(nodejs: Node):
    x = torch.linspace(-1, 1, 6, dtype=D).reshape(3, 2)
    kernel = translated(attention, (x,))
    assert "most" in kernel.source
    (after, _done), _ = nodejs.steps(kernel, x, RATE, steps=50)
    for _ in range(50):
        x, _ = attention(x, RATE)
    assert torch.allclose(after, x, rtol=1e-12, atol=1e-13)


def test_large_steps_and_places_that_depend_on_numbers_stay_in_arrays():
    many = torch.linspace(-1, 1, 200, dtype=D)

    def looked_up(x: Tensor, rate: Tensor) -> tuple[Tensor, ...]:
        return x + rate * x.gather(0, x.argmax(0, keepdim=True)), NEVER

    for step, x in ((one_number, many), (looked_up, many[:3])):
        kernel = translated(step, (x,))
        assert "most" not in kernel.source


def test_without_a_sign_that_it_is_done_a_kernel_is_no_step():
    assert "most" not in compile(lambda x: x / 2, [number(1)], state=1).source
    assert "most" not in compile(lambda x: (x / 2, x < 1), [number(1)]).source
