"""The mean field: exact where facts and phrases are exchangeable; its coverage is exact where they are not."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from book.acquire.experiments import mean_field
from book.acquire.experiments.mean_field import Questions, State, Task
from lib.acquire import task as data
from lib.acquire.task import Facts

KAPPA = 0.004


PACE = ((2, 20.0), (30, 100.0))


def scalar(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def alike() -> Facts:
    """Frequent facts with all phrases."""
    return data.facts(6, 4, 4, 1.0)


def test_counts_of_shared_phrases_are_expected_ones_on_average() -> None:
    numbers = (24, 6, 3, 12, 57, 57, KAPPA)
    task = mean_field.expected(*(scalar(float(x)) for x in numbers))
    drawn = [mean_field.counted(data.facts(24, 6, 3, 0.5, seed), task).together for seed in range(60)]
    mean = torch.stack(drawn).mean(0)
    assert float(((mean - task.together) / task.together).abs().max()) < 0.1
    exact = mean_field.of_facts(alike(), KAPPA).together
    assert float(exact[0, 0]) == 5  # all others share every phrase


def test_phrases_and_facts_that_do_not_exist_change_nothing() -> None:
    known = data.facts(16, 4, 2, 0.5)
    chosen = data.fine_tuned(known, scalar(0.5))
    task, asked = mean_field.of_facts(known, KAPPA), mean_field.questions(known, chosen)
    field = mean_field.pretrained(task, PACE)
    wider = Questions(
        torch.nn.functional.pad(asked.uses, (0, 3, 0, 2)), torch.nn.functional.pad(asked.groups, (0, 2))
    )
    ours = mean_field.tuning(field, task, asked, 4.0, 20)
    assert torch.allclose(mean_field.tuning(field, task, wider, 4.0, 20), ours)
    assert float(ours[:, 0].max()) > 0


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_class_without_facts_is_no_trouble(share: float) -> None:
    task = mean_field.of_facts(data.facts(8, 4, 2, share), KAPPA)
    for block in mean_field.pretrained(task, PACE):
        assert all(bool(torch.isfinite(field).all()) for field in block)


def test_steps_are_traced_without_their_numbers() -> None:
    known = data.facts(8, 4, 2, 0.5)
    task = mean_field.of_facts(known, KAPPA)
    state = mean_field.start()
    asked = mean_field.questions(known, data.fine_tuned(known, scalar(0.5)))
    tuned = mean_field.tune_start(state, asked)

    def learn(*x: Tensor) -> tuple[Tensor, ...]:
        now = State(mean_field.Features(*x[8:11]), mean_field.Scores(*x[11:16]))
        after = mean_field.pretrain_step(now, Task(*x[:8]), x[16])
        return (*after.features, *after.scores)

    def tune(*x: Tensor) -> tuple[Tensor, ...]:
        given = Questions(*x[14:16])
        after = mean_field.tune_step(mean_field.Tuned(*x[8:14]), given, Task(*x[:8]), x[16])
        return (*after, mean_field.accuracy(after, given, Task(*x[:8])))

    other = tuple(x + 0.5 for x in (*task, *state.features, *state.scores, scalar(1.0)))
    traced = make_fx(learn, tracing_mode="fake", _allow_non_fake_inputs=True)(
        *task, *state.features, *state.scores, scalar(1.0)
    )
    assert all(map(torch.equal, traced(*other), learn(*other)))
    first = (*task, *tuned, *asked, scalar(1.0))
    other = (*task, *(x + 0.5 for x in tuned), *asked, scalar(4.0))
    assert all(
        map(
            torch.equal,
            make_fx(tune, tracing_mode="fake", _allow_non_fake_inputs=True)(*first)(*other),
            tune(*other),
        )
    )
