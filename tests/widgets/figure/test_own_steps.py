"""Each training that people write is the author's own, number by number, or refused in one sentence."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from lib.program import Program, parameters, run
from tests.widgets.figure.trainings import OWN, REFUSED, Training
from tests.widgets.program import in_the_page
from widgets import live, training
from widgets.figure.agreement import distance
from widgets.figure.compiled import flatten

STEPS = 8
IN_THE_PAGE = (
    *("a loss that calls the net again", "the norm clipped in a step hook", "values clipped in a step hook"),
    *("a weight of norm 1 after each step", "a warm up and then a cosine", "a residual of an equation"),
    *("a function with a backward of its own", "a function whose forward has the context"),
    *("momentum for one group and none for another", "a training that goes on", "a rate that is a tensor"),
)
"""One of each kind; all have been tried."""


def program_of(given: Training) -> Program:
    return training(*given[:4], **given.settings)


def looks(given: Training) -> list[Any]:
    """All that a figure must leave as it is, in the author's own objects."""
    tensors = [*given.module.parameters(), *given.module.buffers()]
    return [
        *((t.dtype, t.requires_grad, t.grad is None) for t in tensors),
        *(group["lr"] for group in given.optimizer.param_groups),
        torch.get_rng_state().tolist(),
    ]


def loop(given: Training, steps: int) -> list[dict[str, Tensor]]:
    """The author's loop, as it stands in the docstring, with the author's own objects in float64."""
    module, optimizer, loss, data, settings, _ = given
    module.to(torch.float64)
    for moments in optimizer.state.values():
        moments.update({key: x.to(torch.float64) for key, x in moments.items() if isinstance(x, Tensor)})
    for group in optimizer.param_groups:
        group.update({key: x.to(torch.float64) for key, x in group.items() if isinstance(x, Tensor)})
    if isinstance(loss, torch.nn.Module):
        loss.to(torch.float64)
    tensors = [
        x.to(torch.float64) if x.is_floating_point() else x
        for x in (data if isinstance(data, tuple) else [data])
    ]
    batch, after = settings.get("batch", len(tensors[0])), []
    for step in range(steps):
        first = step * batch % len(tensors[0])
        rows = [tensor[first : first + batch] for tensor in tensors]
        optimizer.zero_grad()
        inputs, target = (rows[:-1], rows[-1:]) if len(rows) > 1 else (rows, [])
        loss(module(*inputs), *target).backward()
        optimizer.step()
        if "scheduler" in settings:
            settings["scheduler"].step()
        after.append({name: p.detach().clone() for name, p in module.named_parameters()})
    return after


@pytest.mark.parametrize("name", OWN)
def test_a_figure_trains_as_its_author_does(name):
    given = OWN[name]()
    before, start = looks(given), copy.deepcopy(dict(given.module.named_parameters()))
    program = program_of(given)
    assert looks(given) == before
    assert all(torch.equal(p, start[key]) for key, p in given.module.named_parameters())
    p = parameters(program, {})
    state, mine = program.start(p), []
    for _ in range(STEPS):
        state, _done = program.stages[0].step(state, p)
        mine.append(state.parameters)
    for ours, theirs in zip(mine, loop(given, STEPS), strict=True):
        for key, parameter in ours.items():
            torch.testing.assert_close(parameter, theirs[key], rtol=1e-11, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", IN_THE_PAGE)
def test_the_page_trains_as_its_author_does(name):
    given = OWN[name]()
    figure = live(*given[:4], **{"steps": STEPS, **given.settings}).figure
    settings = {entry["name"]: entry["default"] for entry in figure.spec["parameters"]}
    ((_steps, numbers),) = in_the_page(figure, [settings])
    assert distance(numbers, flatten(run(figure.program, **settings))) < 1e-11


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_figure_cannot_repeat_is_refused_by_name(name):
    make, sentence = REFUSED[name]
    given = make()
    before = looks(given)
    with pytest.raises(ValueError, match=sentence) as refusal:
        program_of(given)
    assert "\n" not in str(refusal.value)
    assert looks(given) == before
