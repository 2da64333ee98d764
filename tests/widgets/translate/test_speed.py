"""Loops that Python has run through: which of them had better be a Loop, and how far a translation is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from widgets import controls, live
from widgets.figure import compiled
from widgets.translate import progress
from widgets.translate.trace import compile

D = torch.float64
Function = Callable[[Tensor], dict[str, Tensor]]


def kuramoto(steps: int, rotors: int = 12) -> Function:
    """Coupled rotors: of all to all, r is the length of the mean of exp(iθ)."""
    own = torch.linspace(-1, 1, rotors, dtype=D)

    def run(coupling: Tensor) -> dict[str, Tensor]:
        phases, order = torch.linspace(0, 6, rotors, dtype=D), []
        for _ in range(steps):
            pull = torch.sin(phases[None] - phases[:, None]).sum(1)
            phases = phases + 0.05 * (own + coupling / rotors * pull)
            order.append(torch.hypot(torch.cos(phases).mean(), torch.sin(phases).mean()))
        return {"step": torch.arange(steps, dtype=D), "order": torch.stack(order)}

    return run


def lstm(steps: int, width: int = 8) -> Function:
    generator = torch.Generator().manual_seed(0)
    recurrent = torch.randn(4 * width, width, dtype=D, generator=generator) / 3
    given = torch.randn(4 * width, dtype=D, generator=generator)

    def run(gain: Tensor) -> dict[str, Tensor]:
        hidden, cell, outputs = torch.zeros(width, dtype=D), torch.zeros(width, dtype=D), []
        for step in range(steps):
            gates = recurrent @ hidden + given * (gain * torch.sin(torch.tensor(step / 3, dtype=D)))
            enter, keep, new, leave = gates.chunk(4)
            cell = torch.sigmoid(keep) * cell + torch.sigmoid(enter) * torch.tanh(new)
            hidden = torch.sigmoid(leave) * torch.tanh(cell)
            outputs.append(hidden)
        return {"step": torch.arange(steps, dtype=D), "norm": torch.stack(outputs).norm(dim=1)}

    return run


def updates(steps: int) -> Function:
    """A vector that changes in place, an entry at a time."""

    def run(rate: Tensor) -> dict[str, Tensor]:
        x, sums = torch.ones(8, dtype=D), []
        for step in range(steps):
            x[step % 8] -= 0.1 * rate * x[(step + 1) % 8]
            sums.append(x.sum())
        return {"step": torch.arange(steps, dtype=D), "sum": torch.stack(sums)}

    return run


def logistic(steps: int) -> Function:
    """The logistic map, filled in place."""

    def run(rate: Tensor) -> dict[str, Tensor]:
        x = torch.zeros(steps + 1, dtype=D)
        x[0] = 0.3
        for step in range(steps):
            x[step + 1] = rate * x[step] * (1 - x[step])
        return {"step": torch.arange(steps + 1, dtype=D), "x": x}

    return run


def looking_back(steps: int) -> Function:
    """The same operations again and again, and no loop: each step also reads the state of half its own number."""

    def run(rate: Tensor) -> dict[str, Tensor]:
        states = [rate + 1]
        for step in range(steps):
            states.append(torch.sin(states[-1]) + 0.5 * torch.cos(rate * states[-1] * states[step // 2]))
        return {"step": torch.arange(steps + 1, dtype=D), "state": torch.stack(states)}

    return run


LOOPS: dict[str, tuple[Callable[[int], Function], int]] = {
    "Kuramoto": (kuramoto, 40),
    "LSTM": (lstm, 15),
    "updates in place": (updates, 40),
    "logistic map": (logistic, 50),
}
"""Each with a number of steps."""


def seconds(function: Function) -> float:
    """The processor time that a translation takes."""
    begun = time.process_time()
    compile(function, [torch.tensor(1.0, dtype=D)])
    return time.process_time() - begun


def test_a_long_series_of_steps_that_is_no_loop_gets_a_figure_and_the_advice_to_make_it_a_program():
    with pytest.warns(
        UserWarning, match=r"'report' has 1,\d\d\d operations: about 170 repeated steps.*Program"
    ) as said:
        live(looking_back(170), rate=controls.linear(1.0, 0, 3, 0.1, "rate"))
    assert said[0].filename == __file__


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_very_long_loop_is_told_how_to_become_one_step_before_it_is_recorded(monkeypatch):
    monkeypatch.setattr(compiled, "LONG", 600)
    runs, loop = [], kuramoto(40)

    def counted(coupling: Tensor) -> dict[str, Tensor]:
        runs.append(coupling)
        return loop(coupling)

    with pytest.raises(
        UserWarning, match=r"has 6\d\d operations, .*Make it a widgets\.Loop\(start, step, watch\)"
    ):
        live(counted, coupling=controls.linear(1.0, 0, 3, 0.1, "coupling"))
    assert len(runs) == 3  # two that look at what it returns, and one that counts


def test_a_short_loop_and_what_does_not_repeat_need_no_advice():
    assert compile(kuramoto(5), [torch.tensor(1.0, dtype=D)]).repeats == 1
    assert compile(lambda x: (x.sin() + x.cos(), x.exp()), [torch.ones(3, dtype=D)]).repeats == 1
    assert compile(looking_back(40), [torch.tensor(1.0, dtype=D)]).repeats == 40
    assert compile(kuramoto(40), [torch.tensor(1.0, dtype=D)]).repeats == 1  # a loop again


def test_a_translation_that_takes_long_says_what_it_is_at_and_wipes_that_away(capsys, monkeypatch):
    monkeypatch.setattr(progress, "QUIET", 0.0)
    monkeypatch.setattr(progress, "OFTEN", 0.0)
    live(kuramoto(5), coupling=controls.linear(1.0, 0, 3, 0.1, "coupling"))
    said = capsys.readouterr().err
    for words in (
        "report: 7 operations traced",
        "operations written",
        "runs beside torch",
        "run twice in torch",
    ):
        assert words in said
    assert said.endswith("\r")
    assert not said.split("\r")[-2].strip()


def test_a_translation_that_takes_less_than_its_quiet_time_says_nothing(capsys, monkeypatch):
    monkeypatch.setattr(progress, "QUIET", 600.0)  # however slow the machine
    live(kuramoto(2), coupling=controls.linear(1.0, 0, 3, 0.1, "coupling"))
    assert capsys.readouterr().err == ""


def test_what_is_cached_between_calls_is_no_chance():
    grids: list[Any] = []

    def function(height: Tensor) -> dict[str, Tensor]:
        if not grids:
            grids.append(torch.linspace(0, 1, 5, dtype=D).tolist())
        return {"x": torch.tensor(grids[0], dtype=D), "y": height * torch.tensor(grids[0], dtype=D)}

    live(function, height=controls.linear(1.0, 0, 3, 0.1, "height"))
