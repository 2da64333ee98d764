"""Recorded steps: the numbers of a program's own, to the last digit, and a step that can't be recorded is called."""

from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from book.ledger import replay
from book.ledger.replay import Replayed, replayed
from lib.domain import Domain
from lib.program import Program, Stage, run, run_many


class Settings(NamedTuple):
    rate: Tensor
    steps: Tensor


class State(NamedTuple):
    x: Tensor  # (3,)
    begun: Tensor  # (3,) x at the start
    taken: Tensor  # 0-d


def descent(step_taken) -> Program:
    """Descent on a bumpy loss; at the start two of the state's tensors are one."""

    def loss(x: Tensor, p: Settings) -> Tensor:
        return torch.softmax(x * torch.arange(3), 0)[0] + (torch.tensor([1.0, 2.0, 3.0]) * x**4).sum()

    def step(s: State, p: Settings) -> tuple[State, Tensor]:
        gradient = torch.func.grad(loss)(s.x, p)
        step_taken.append(1)
        x = s.x - p.rate * torch.where(s.taken > 5, gradient, s.begun)
        return State(x, s.begun, s.taken + 1), gradient.abs().max() < 1e-3

    def start(p: Settings) -> State:
        x = torch.linspace(0.1, 1, 3, dtype=torch.float64) * (1 + p.rate)
        return State(x, x, torch.zeros((), dtype=torch.float64))

    return Program(
        Settings,
        (Domain("rate", low=0, high=1), Domain("steps", low=0, integer=True)),
        start,
        (Stage("down", lambda s, p: s, step, "steps"), Stage("on", lambda s, p: s, step, "steps")),
        watch=lambda s, p: s,
        report=lambda ends, p: torch.stack([end.x for end in ends]),
    )


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    """Steps are recorded at once."""
    monkeypatch.setattr(replay, "PATIENCE", -1)


def test_recorded_steps_give_the_same_numbers_and_are_called_no_more():
    plainly, recorded = [], []
    plain, fast = descent(plainly), replayed(descent(recorded))
    assert torch.equal(run(plain, rate=0.01, steps=40).report, run(fast, rate=0.01, steps=40).report)
    assert len(recorded) < len(plainly) / 3
    settings = [{"rate": rate, "steps": steps} for rate, steps in ((0.01, 40), (0.05, 9), (0.5, 0))]
    assert torch.equal(run_many(plain, settings), run_many(fast, settings))
    seen = len(recorded)
    assert torch.equal(run_many(plain, settings[::-1]), run_many(fast, settings[::-1]))
    assert len(recorded) == seen  # as many runs side by side have been recorded
    assert torch.equal(run_many(plain, settings[:2]), run_many(fast, settings[:2]))


def calls(function, count=30) -> list[float]:
    """What a function gives, called again and again."""
    return [float(function(torch.tensor(float(i)))[0]) for i in range(count)]


def test_what_reads_a_number_out_of_a_tensor_or_counts_its_calls_is_called_as_it_is():
    counted = []

    def counts(x: Tensor) -> list[Tensor]:
        counted.append(1)
        return [x + len(counted)]

    asks = Replayed(lambda x: [x * 2 if float(x) > 20 else x])
    exposes = Replayed(lambda x: [x * 0 + int(x.numpy())])
    assert calls(asks) == [i * 2 if i > 20 else i for i in range(30)]
    assert calls(exposes) == list(range(30))
    found = calls(Replayed(counts))
    assert all(later > sooner for sooner, later in zip(found, found[1:], strict=False))


def test_inputs_of_another_shape_are_not_replayed():
    doubled = Replayed(lambda x: [2 * x.sum() / x.numel()])
    assert calls(doubled, 12)[-1] == 22
    assert float(doubled(torch.tensor([1.0, 2.0, 3.0]))[0]) == 4
    assert float(doubled(torch.tensor(4))[0]) == 8
