"""Runs: a start, stages of one repeated step, and what is read off on the way and at the end.

A :class:`Program` is nothing but pure torch functions over explicit state, so the very same functions can be
traced for the page; :func:`run` is the loop around them in torch, ``widgets/src/program.js`` the one in the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain

ROWS = 256
"""At most so many rows of a stage's history are kept: every step, then every 2nd, 4th, 8th …"""


class Stage(NamedTuple):
    """One stretch of a run.

    ``enter(state, parameters) → state`` is called once; then ``step(state, parameters) → (state, done)`` until
    ``done`` (0-d, true when another step would change nothing that matters) or until the number of steps
    reaches the parameter called ``limit``.
    """

    name: str
    enter: Callable[[Any, Any], Any]
    step: Callable[[Any, Any], tuple[Any, Tensor]]
    limit: str


class Program(NamedTuple):
    """A computation that a slider can rerun.

    Every function is pure torch in float64, with static shapes and no control flow on tensors. States, watches
    and reports are NamedTuples of tensors; ``parameters`` is a NamedTuple type whose fields are 0-d tensors.
    """

    parameters: Callable[..., Any]
    domains: tuple[Domain, ...]
    start: Callable[[Any], Any]
    stages: tuple[Stage, ...]
    watch: Callable[[Any, Any], Any]
    report: Callable[[tuple[Any, ...], Any], Any]
    """``report(states at the end of each stage, parameters)``: the numbers and curves at the end."""


class History(NamedTuple):
    """What was watched in one stage: the steps at which, and each watched tensor stacked along the first axis."""

    steps: list[int]
    rows: Any


class Run(NamedTuple):
    """The outcome of :func:`run`."""

    histories: tuple[History, ...]
    report: Any


def parameters(program: Program, values: dict[str, float]) -> Any:
    """Check every value against its domain and return the program's parameters as 0-d tensors.

    Raises:
        ValueError: a value is missing, unknown or outside its domain.
    """
    names = [domain.name for domain in program.domains]
    if set(values) != set(names):
        raise ValueError(f"parameters = {sorted(values)}: must be exactly {sorted(names)}")
    checked = [float(domain.check(values[domain.name])) for domain in program.domains]
    return program.parameters(*(torch.tensor(value, dtype=torch.float64) for value in checked))


def run(program: Program, /, **values: float) -> Run:
    """Run ``program`` in torch.

    Raises:
        ValueError: a parameter is missing, unknown or outside its domain.
    """
    chosen = parameters(program, values)
    state = program.start(chosen)
    ends, histories = [], []
    for stage in program.stages:
        state = stage.enter(state, chosen)
        limit = int(getattr(chosen, stage.limit))
        recorder = _Recorder()
        recorder.add(0, program.watch(state, chosen))
        for step in range(1, limit + 1):
            state, done = stage.step(state, chosen)
            if bool(done) or step == limit or recorder.wants(step):
                recorder.add(step, program.watch(state, chosen))
            if bool(done):
                break
        ends.append(state)
        histories.append(recorder.history())
    return Run(tuple(histories), program.report(tuple(ends), chosen))


class _Recorder:
    """Keeps at most ``ROWS`` evenly spaced rows, and the last one whatever its step."""

    def __init__(self) -> None:
        self.stride = 1
        self.steps: list[int] = []
        self.rows: list[Any] = []

    def wants(self, step: int) -> bool:
        return step % self.stride == 0

    def add(self, step: int, row: Any) -> None:
        if len(self.steps) == ROWS:
            self.steps, self.rows = self.steps[::2], self.rows[::2]
            self.stride *= 2
        self.steps.append(step)
        self.rows.append(row)

    def history(self) -> History:
        stacked = [torch.stack(column) for column in zip(*self.rows, strict=True)]
        return History(self.steps, type(self.rows[0])(*stacked))


CUTS = 128
"""Into how many parts :func:`rising_root` cuts its bracket in each round."""


def rising_root(slope: Callable[[Tensor], Tensor], low: Tensor, high: Tensor, rounds: int = 5) -> Tensor:
    """Where ``slope`` first turns from falling (negative) to rising on [low, high]: a minimum, by repeated cutting.

    Without such a turn it returns ``low`` if the slope starts positive, ``high`` if it is negative throughout.
    Two turns within (high − low)/128 of each other may be missed.

    Args:
        slope: maps a (129,) tensor of points to the (129,) tensor of slopes.
        low, high: 0-d.
        rounds: each makes the bracket 128 times narrower.

    Returns:
        0-d, to within (high − low)/128^rounds.
    """
    cuts = torch.arange(CUTS + 1, dtype=torch.float64) / CUTS
    for _ in range(rounds):
        points = low + (high - low) * cuts  # (129,)
        falling = torch.cumprod(
            (slope(points) < 0).to(torch.float64), 0
        ).sum()  # leading points still going down
        width = (high - low) / CUTS
        low, high = (
            low + width * torch.clamp(falling - 1, 0, CUTS),
            low + width * torch.clamp(falling, 0, CUTS),
        )
    return (low + high) / 2
