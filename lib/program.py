"""Runs: a start, stages of one repeated step, and what is read off on the way and at the end.

A :class:`Program` is nothing but pure torch functions over explicit state, so the very same functions can be
traced for the page; :func:`run` is the loop around them in torch, ``widgets/src/run/program.js`` the one in the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

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


def record(name: str, fields: Iterable[str]) -> Any:
    """A NamedTuple type with these fields, each a tensor: a program's parameters where its domains say all."""
    return NamedTuple(name, [(field, Tensor) for field in fields])


def attributes(report: Any) -> Any:
    """A dict's entries as attributes; a NamedTuple as it is."""
    return SimpleNamespace(**report) if isinstance(report, dict) else report


def extended(fields: Any, more: Mapping[str, Tensor]) -> Any:
    """A record of the same kind as ``fields``, a NamedTuple or a dict, with more fields."""
    if isinstance(fields, dict):
        return {**fields, **more}
    return record(type(fields).__name__, (*fields._fields, *more))(*fields, *more.values())


def with_outputs(
    program: Program,
    watch: Callable[[Any, Any, Any], Mapping[str, Tensor]],
    report: Callable[[Any, tuple[Any, ...], Any], Mapping[str, Tensor]] = lambda own, ends, p: {},
) -> Program:
    """``program`` that watches and reports more.

    Args:
        watch: more fields, by what the program itself watches, the state and the parameters.
        report: the same of its report, by the states at the end of each stage.
    """

    def longer_watch(state: Any, p: Any) -> Any:
        watched = program.watch(state, p)
        return extended(watched, watch(watched, state, p))

    def longer_report(ends: tuple[Any, ...], p: Any) -> Any:
        reported = program.report(ends, p)
        return extended(reported, report(reported, ends, p))

    return program._replace(watch=longer_watch, report=longer_report)


class History(NamedTuple):
    """What was watched in one stage: the steps at which, and each watched tensor stacked along the first axis."""

    steps: list[int]
    rows: Any


class Run(NamedTuple):
    """The outcome of :func:`run`."""

    histories: tuple[History, ...]
    report: Any
    parameters: Any
    """A record of 0-d tensors: the parameters of this run."""


def defaults(program: Program) -> dict[str, float]:
    """Where the parameters stand of which nothing is said, as far as their domains have a default."""
    return {domain.name: domain.default for domain in program.domains if domain.default is not None}


def parameters(program: Program, values: dict[str, float]) -> Any:
    """Check every value against its domain and return the program's parameters as 0-d tensors.

    Args:
        values: by name; what is missing stands at its domain's default.

    Raises:
        ValueError: a value is unknown, outside its domain, or missing without a default.
    """
    values = {**defaults(program), **values}
    names = [domain.name for domain in program.domains]
    if set(values) != set(names):
        raise ValueError(f"parameters = {sorted(values)}: must be exactly {sorted(names)}")
    checked = [float(domain.check(values[domain.name])) for domain in program.domains]
    return program.parameters(*(torch.tensor(value, dtype=torch.float64) for value in checked))


def run(program: Program, /, **values: float) -> Run:
    """Run ``program`` in torch; parameters that are not given stand at their defaults.

    Raises:
        ValueError: a parameter is unknown, outside its domain, or missing without a default.
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
    return Run(tuple(histories), program.report(tuple(ends), chosen), chosen)


def run_many(program: Program, many: Sequence[dict[str, float]]) -> Any:
    """The reports of many runs of ``program`` side by side, stacked along a first axis; no histories are kept.

    Each run stops where :func:`run` would stop it; the others go on. What a run does not give stands at its default.

    Raises:
        ValueError: a parameter is unknown, outside its domain, or missing without a default; or there is no run.
    """
    if not many:
        raise ValueError("many = []: must be at least one run")
    rows = [parameters(program, values) for values in many]
    chosen = type(rows[0])(*(torch.stack(column) for column in zip(*rows, strict=True)))
    state, ends = torch.func.vmap(program.start)(chosen), []
    for stage in program.stages:
        state = torch.func.vmap(stage.enter)(state, chosen)
        limits = getattr(chosen, stage.limit)
        step = torch.func.vmap(stage.step)
        over = limits < 1
        taken = 0
        while not bool(over.all()):
            moved, done = step(state, chosen)
            state = tree_map(partial(_where, over), state, moved)
            taken += 1
            over = over | done | (limits <= taken)
        ends.append(state)
    return torch.func.vmap(program.report)(tuple(ends), chosen)


def reports(program: Program, many: Sequence[dict[str, float]]) -> list[Any]:
    """Those of :func:`run_many`, one after the other."""
    stacked = run_many(program, many)
    return [tree_map(lambda leaf, i=i: leaf[i], stacked) for i in range(len(many))]


def _where(over: Tensor, old: Tensor, new: Tensor) -> Tensor:
    """``old`` where a run is over, else ``new``; both (B, …)."""
    return torch.where(over.reshape(-1, *[1] * (new.ndim - 1)), old, new)


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
