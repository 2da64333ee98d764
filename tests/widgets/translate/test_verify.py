"""Translations are tried beside torch: what is right passes at every try, what is wrong is refused for its reason."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from widgets import controls, live, node
from widgets.figure import compiled
from widgets.translate import decompositions, trace
from widgets.translate.repeatability import check_repeatable
from widgets.translate.trace import UnsupportedOperation, compile
from widgets.translate.verify import different, verify

D = torch.float64
X = torch.linspace(1, 2, 20, dtype=D)
Y = torch.sin(X)
POWERS = torch.stack([X**i for i in range(6)], 1)
TABLE, VALUES = POWERS.numpy(), Y.numpy()
POINTS = torch.randn(30, 3, dtype=D, generator=torch.Generator().manual_seed(0))
TIES = torch.tensor([1.0, 1, 2, 0] * 8, dtype=D)
TRIES = 5
A = torch.tensor(0.7, dtype=D)

# Repeatability -----------------------------------------------------------------------------------------------


def filled_one_by_one(a: Tensor) -> Tensor:
    y = torch.empty(5, dtype=D)
    for i in range(5):
        y[i] = a * i
    return y


def filled_by_rows(a: Tensor) -> Tensor:
    y = torch.empty(2, 20, dtype=D)
    y[0], y[1] = a * X, X
    return y


def fitted_by_numpy() -> np.ndarray:
    return np.linalg.lstsq(TABLE, VALUES, rcond=None)[0]


def with_a_dual_number(a: Tensor) -> Tensor:
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(X * a, X)
        return torch.autograd.forward_ad.unpack_dual(torch.sin(dual))[1]


def approximated(a: Tensor) -> Tensor:
    _value, derivative = torch.func.linearize(lambda w: torch.sin(a * w), X)
    result: Tensor = derivative(Y)
    return result


def curved(a: Tensor) -> Tensor:
    def energy(w: Tensor) -> Tensor:
        return (torch.sin(a * w) ** 3).sum()

    product: Tensor = torch.func.jvp(torch.func.grad(energy), (X,), (Y,))[1]
    return product


PURE: dict[str, Callable[[Tensor], Tensor]] = {
    "polynomial regression": lambda a: (
        torch.linalg.lstsq(torch.stack([X**i for i in range(4)], 1), a * Y[:, None]).solution
    ),
    "a Vandermonde matrix": lambda a: torch.vander(a * X),
    "a fit of a constant, as a number": lambda a: (
        a * torch.linalg.lstsq(POWERS, Y[:, None]).solution[2].item()
    ),
    "a fit in NumPy": lambda a: a * torch.tensor(fitted_by_numpy()),
    "a fit in NumPy, as a number": lambda a: a * float(fitted_by_numpy()[2]),
    "eigenvalues of a constant": lambda a: a * torch.linalg.eigvalsh(POINTS.T @ POINTS),
    "an inverse": lambda a: torch.linalg.inv(POINTS.T @ POINTS * a) @ POINTS.T,
    "an empty tensor, filled number by number": filled_one_by_one,
    "an empty tensor, filled by rows": filled_by_rows,
    "an empty tensor, copied into": lambda a: torch.empty_like(X).copy_(a * X),
    "a directional derivative": lambda a: torch.func.jvp(lambda w: torch.tanh(a * w), (X,), (Y,))[1],
    "a Hessian": lambda a: torch.func.hessian(lambda w: (torch.tanh(a * w) ** 2).sum())(X[:3]),
    "a product with a Hessian": curved,
    "a linear approximation": approximated,
    "a Jacobian, forward": lambda a: torch.func.jacfwd(lambda w: torch.softmax(a * w, -1))(X[:4]),
    "dual numbers": with_a_dual_number,
}


@pytest.mark.parametrize("name", PURE)
def test_a_pure_function_is_refused_by_no_try(name):
    function = PURE[name]
    for _ in range(TRIES):
        check_repeatable(["report"], [([A], lambda a: [function(a)])])


HIDDEN: list[float] = []
COUNT = itertools.count()
TALLY = torch.zeros(1, dtype=D)


def tallied(a: Tensor) -> Tensor:
    TALLY.numpy()[0] += 1
    return a * TALLY


def longer_each_time(a: Tensor) -> Tensor:
    HIDDEN.append(0.0)
    for _ in HIDDEN:
        a = a * 2
    return a


CHANGING: dict[str, Callable[[Tensor], Tensor]] = {
    "a random number": lambda a: a * random.random(),
    "a toss of a coin, of 64": lambda a: a * random.getrandbits(64),
    "NumPy's random numbers": lambda a: a * torch.from_numpy(np.random.rand(20)),
    "torch's": lambda a: a * torch.rand(20, dtype=D),
    "torch's, drawn in place": lambda a: a * torch.empty(20, dtype=D).normal_(),
    "the time": lambda a: a * time.time(),
    "the time as a tensor": lambda a: a * torch.tensor(time.time(), dtype=D),
    "the time as an integer": lambda a: a * time.perf_counter_ns(),
    "a counter": lambda a: a * next(COUNT),
    "a tensor counted up outside of torch": tallied,
    "more operations": longer_each_time,
}


@pytest.mark.parametrize("name", CHANGING)
def test_what_changes_is_refused_by_every_try(name):
    function = CHANGING[name]
    for _ in range(TRIES):
        with pytest.raises(UnsupportedOperation, match="comes out otherwise each time it is run"):
            check_repeatable(["report"], [([A], lambda a: [function(a)])])


# Other last digits -------------------------------------------------------------------------------------------


def chaos(a: Tensor) -> Tensor:
    x = 0.3 * a
    for _ in range(80):
        x = 3.99 * x * (1 - x)
    return x


LAST_DIGITS: dict[str, Callable[[Tensor], Tensor]] = {
    "distances of points to themselves": lambda a: torch.cdist(a * POINTS, a * POINTS),
    "a ridge of 1e-8": lambda a: torch.linalg.solve(
        (V := torch.vander(X - 1, 10)).T @ V + a * 1e-8 * torch.eye(10, dtype=D), V.T @ Y
    ),
    "a Hilbert matrix": lambda a: torch.linalg.solve(
        a / (torch.arange(8, dtype=D)[:, None] + torch.arange(8) + 1), torch.ones(8, dtype=D)
    ),
    "a variance beside a large mean": lambda a: (
        ((1e8 + a * POINTS) ** 2).mean(0) - (1e8 + a * POINTS).mean(0) ** 2
    ),
    "chaos": chaos,
    "a hard sigmoid's derivative": torch.func.grad(lambda a: F.hardsigmoid(a * POINTS).sum()),
    "ties of values": lambda a: (a * TIES).topk(9).values,
    "ties in their order": lambda a: (a * TIES).argsort(stable=True),
}


@pytest.mark.parametrize("name", LAST_DIGITS)
def test_digits_that_rounding_loses_are_no_reason_to_refuse(name):
    function = LAST_DIGITS[name]
    verify([compile(function, [A])], [([A], lambda a: [function(a)])])


UNDECIDED: dict[str, Callable[[Tensor], Tensor]] = {
    "argsort": lambda a: (a * TIES).argsort(),
    "topk": lambda a: (a * TIES).topk(9).indices,
    "kthvalue": lambda a: (a * TIES).kthvalue(9).indices,
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_the_order_of_ties_is_left_open(name):
    function = UNDECIDED[name]
    with pytest.raises(node.Undecided, match=r"not decided here: some of the numbers .* are equal"):
        verify([compile(function, [A])], [([A], lambda a: [function(a)])])


def test_a_wrong_kernel_is_refused_with_digits_that_differ():
    kernel = compile(lambda a: a * (1 + 1e-8), [A])
    with pytest.raises(
        UnsupportedOperation, match=r"torch gets 0\.7 where JavaScript gets 0\.70000001: chance"
    ):
        verify([kernel], [([A], lambda a: [a])])


def test_two_numbers_are_written_until_they_differ():
    assert different(4983.40218, 4983.40219) == ("4983.40218", "4983.40219")
    assert different(1.0, 2.0) == ("1", "2")
    assert different(1.0, 1.0 + 2**-52)[0] != different(1.0, 1.0 + 2**-52)[1]


def test_the_line_at_which_numbers_part_is_named(monkeypatch):
    table = {**decompositions.DECOMPOSITIONS}
    operation = torch.ops.aten.logcumsumexp.default
    ours = table[operation]
    monkeypatch.setitem(decompositions.DECOMPOSITIONS, operation, lambda x, dim: ours(x, dim) * (1 + 1e-8))
    trace.decompositions.cache_clear()
    try:
        kernel = compile(lambda a: (a * X).logcumsumexp(0), [A])
        with pytest.raises(
            UnsupportedOperation,
            match=r"line \d+ of test_verify\.py, `.*logcumsumexp\(0\)`: torch gets .* where JavaScript gets .*: "
            r"aten\.logcumsumexp\.default has other last digits in the page",
        ):
            verify([kernel], [([A], lambda a: [(a * X).logcumsumexp(0)])])
    finally:
        trace.decompositions.cache_clear()


# Where the controls stand ------------------------------------------------------------------------------------


def test_what_is_wrong_only_where_the_controls_stand_is_refused(monkeypatch):
    monkeypatch.setitem(decompositions.REPLACED, torch.heaviside, lambda x, values: (x > 0).to(D))

    def step(a: Tensor) -> dict[str, Tensor]:
        return {"x": X, "y": X * torch.heaviside(a - 1, 0.5 * a)}

    with pytest.raises(
        UnsupportedOperation, match=r"where the controls stand: .*torch gets 0\.5 where JavaScript gets 0"
    ):
        live(step, a=controls.linear(1.0, 0.5, 2, 0.1, "a"))


def fit(p: Tensor) -> dict[str, Tensor]:
    return {"w": torch.linalg.lstsq(torch.stack([X, X**p], 1), Y[:, None]).solution.flatten()}


def test_a_figure_that_is_not_decided_where_its_controls_stand_is_refused():
    with pytest.raises(
        UnsupportedOperation, match=r"not decided here: the columns .* dependent.*where the controls"
    ):
        live(fit, p=controls.linear(1.0, 0.5, 2, 0.1, "p"))


def test_a_controls_end_at_which_the_page_stops_is_named(monkeypatch):
    monkeypatch.setattr(compiled, "TRIAL_SECONDS", 60)
    with pytest.warns(UserWarning, match=r"at p = 1 the page stops: .*not decided here: the columns"):
        live(fit, p=controls.linear(1.5, 1, 2, 0.1, "p"))
