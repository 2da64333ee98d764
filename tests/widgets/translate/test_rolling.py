"""Loops that Python has written out are found again, and come to what torch comes to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from tests.widgets.translate.test_speed import kuramoto, logistic, looking_back, lstm, updates
from widgets.translate.trace import Kernel, compile
from widgets.translate.verify import verify

D = torch.float64
Function = Callable[[Tensor], dict[str, Tensor]]
X = torch.linspace(-2, 2, 21, dtype=D)[:, None]
Y = torch.sin(2 * X)


def network(width: int = 4) -> list[Tensor]:
    shapes = (1, width), (width,), (width, 1), (1,)
    return [torch.linspace(-1, 1, width if width in shape else 1, dtype=D).reshape(shape) for shape in shapes]


def error(weights: list[Tensor]) -> Tensor:
    first, offset, second, last = weights
    return ((torch.tanh(X @ first + offset) @ second + last - Y) ** 2).mean()


def by_grad(steps: int) -> Function:
    def run(rate: Tensor) -> dict[str, Tensor]:
        weights, losses = network(), []
        for _ in range(steps):
            slopes, loss = torch.func.grad_and_value(error)(weights)
            weights = [weight - rate * slope for weight, slope in zip(weights, slopes, strict=True)]
            losses.append(loss)
        return {"loss": torch.stack(losses), "bend": weights[2].flatten()}

    return run


def by_backward(steps: int) -> Function:
    def run(rate: Tensor) -> dict[str, Tensor]:
        weights = [weight.clone().requires_grad_() for weight in network()]
        losses = []
        for _ in range(steps):
            for weight in weights:
                weight.grad = None
            loss = error(weights)
            loss.backward()
            with torch.no_grad():
                for weight in weights:
                    assert weight.grad is not None
                    weight -= rate * weight.grad
            losses.append(loss.detach())
        return {"loss": torch.stack(losses)}

    return run


def with_a_schedule(steps: int) -> Function:
    """Numbers of Python's that change from step to step: a rate, and Adam's corrections."""

    def run(rate: Tensor) -> dict[str, Tensor]:
        weights = network()
        first = [torch.zeros_like(weight) for weight in weights]
        second = [torch.zeros_like(weight) for weight in weights]
        for step in range(1, steps + 1):
            slopes = torch.func.grad(error)(weights)
            for i, slope in enumerate(slopes):
                first[i] = 0.9 * first[i] + 0.1 * slope
                second[i] = 0.99 * second[i] + 0.01 * slope**2
                move = first[i] / (1 - 0.9**step) / (torch.sqrt(second[i] / (1 - 0.99**step)) + 1e-8)
                weights[i] = torch.add(weights[i] - 0.01 * rate * move, move, alpha=-0.001 / step)
        return {"loss": error(weights)}

    return run


def two_back(steps: int) -> Function:
    """A recurrence of two terms; what is computed of the argument alone is computed once."""

    def run(rate: Tensor) -> dict[str, Tensor]:
        before, now, path = torch.zeros(2, dtype=D), torch.linspace(0.5, 1, 2, dtype=D), []
        for _ in range(steps):
            pull = torch.exp(-rate) * torch.cos(rate * 3)
            before, now = now, 2 * now - before - 0.01 * pull * torch.sin(now)
            path.append(now[0] - before[1] * torch.sqrt(rate + 1))
        return {"path": torch.stack(path)}

    return run


def with_data(steps: int) -> Function:
    """Rows of data by their number, as Python's own items, and as constants; a result filled in place."""
    rows = torch.linspace(-1, 1, 3 * steps, dtype=D).reshape(steps, 3).sin()

    def run(rate: Tensor) -> dict[str, Tensor]:
        state, filled = torch.zeros(3, dtype=D), torch.zeros(steps, dtype=D)
        scaled = rows * rate
        for step, (row, item) in enumerate(zip(scaled, rows.tolist(), strict=True)):
            given = torch.tensor(item, dtype=D)
            state = torch.tanh(0.5 * state + row - rate * given.flip(0) + scaled[steps - 1 - step] / 3)
            filled[step] = state.sum()
        return {"sums": filled, "state": state}

    return run


def through_time(steps: int) -> Function:
    """The gradient through all steps: a second loop, which goes back over what the first one keeps."""
    given = torch.linspace(0, 6, steps, dtype=D).sin()

    def end(weight: Tensor) -> Tensor:
        state = torch.zeros(3, dtype=D)
        for step in range(steps):
            state = torch.tanh(weight @ state + given[step])
        return (state**2).sum()

    def run(rate: Tensor) -> dict[str, Tensor]:
        weight = rate * torch.eye(3, dtype=D) + 0.1
        return {"slope": torch.func.grad(end)(weight)}

    return run


def loop_in_loop(steps: int) -> Function:
    """Each step has a loop itself, long enough to be one."""

    def run(rate: Tensor) -> dict[str, Tensor]:
        state = torch.linspace(0, 1, 3, dtype=D)
        for _ in range(steps):
            inner = state
            for _ in range(130):
                inner = torch.sin(inner + rate) * 0.9 + inner.flip(0) * 0.1
            state = torch.cos(inner) - state * 0.5
        return {"state": state}

    return run


def of_layers(steps: int) -> Function:
    module = nn.Sequential(nn.Linear(1, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 1)).double()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        start = {name: torch.randn_like(weight) / 2 for name, weight in module.named_parameters()}

    def run(rate: Tensor) -> dict[str, Tensor]:
        weights = start

        def loss(weights: dict[str, Tensor]) -> Tensor:
            return nn.functional.mse_loss(torch.func.functional_call(module, weights, (X,)), Y)

        for _ in range(steps):
            slopes = torch.func.grad(loss)(weights)
            weights = {name: weights[name] - rate * slopes[name] for name in weights}
        return {"loss": loss(weights), "weights": weights["0.weight"]}

    return run


LOOPS: dict[str, tuple[Function, int]] = {
    "grad": (by_grad(60), 1),
    "backward": (by_backward(60), 1),
    "a schedule": (with_a_schedule(40), 1),
    "two steps back": (two_back(80), 1),
    "rows of data": (with_data(60), 1),
    "through time": (through_time(200), 2),
    "layers": (of_layers(40), 1),
    "loop in loop": (loop_in_loop(25), 2),
    "Kuramoto": (kuramoto(60), 1),
    "LSTM": (lstm(60), 1),
    "updates in place": (updates(160), 1),
    "logistic map": (logistic(150), 1),
}
"""Functions, and how many loops each of them has."""


def compiled(function: Function) -> Kernel:
    return compile(function, [torch.tensor(0.3, dtype=D)])


def check(kernel: Kernel, function: Function) -> None:
    for rate in (0.3, 0.0, 0.17):
        inputs = [torch.tensor(rate, dtype=D)]
        verify([kernel], [(inputs, lambda p: list(function(p).values()))], f"at {rate}")


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_found_again_and_comes_to_what_torch_does(name):
    function, loops = LOOPS[name]
    kernel = compiled(function)
    assert kernel.source.count("$repeat(") == loops
    check(kernel, function)


@pytest.mark.parametrize("make", [by_grad, by_backward])
def test_a_kernel_is_no_longer_for_more_steps(make):
    short, long = (compiled(make(steps)) for steps in (40, 120))
    assert len(long.source) < len(short.source) + 20
    assert long.repeats == 1  # nothing is written out


def test_what_is_kept_of_the_steps_is_read_where_it_is():
    """Every fifth state, and the last one twice; the steps in between are not read."""

    def run(rate: Tensor) -> dict[str, Tensor]:
        state, some = torch.ones(2, dtype=D), []
        for step in range(200):
            state = torch.sin(state + rate) + torch.cos(state.flip(0)) * 0.5
            if step % 5 == 0:
                some.append(state)
        return {"some": torch.stack(some, 1), "twice": torch.cat([state, state])}

    kernel = compiled(run)
    assert "$repeat(" in kernel.source
    check(kernel, run)


def test_what_only_looks_like_a_loop_is_none():
    kernel = compiled(looking_back(120))
    assert "$repeat(" not in kernel.source
    assert kernel.operations > 600
    check(kernel, looking_back(120))


def test_what_an_author_s_own_tensors_have_as_gradients_stays():
    weight = torch.ones(2, dtype=D, requires_grad=True)

    def run(rate: Tensor) -> dict[str, Tensor]:
        total = rate
        for _ in range(120):
            weight.grad = None
            loss = (weight * total * torch.arange(2, dtype=D)).sum() ** 2
            loss.backward()
            assert weight.grad is not None
            total = total - 0.1 * weight.grad.sum()
        return {"total": total}

    compiled(run)
    assert weight.grad is None or type(weight.grad) is Tensor
