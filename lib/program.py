"""Programs: a start, stages of one repeated step, what is watched on the way, and what is reported at the end.

A :class:`Program` consists of pure torch functions over explicit state, so that the same functions can be traced for
the page. :func:`run` is the loop around them in torch; the page has its own in ``widgets/src``.
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
"""The most rows that are kept of a stage's history: every step, then every 2nd, 4th, 8th …"""


class Stage(NamedTuple):
    """One stage of a run: a step that is repeated until it says that it is done, or up to a limit."""

    name: str
    enter: Callable[[Any, Any], Any]
    """``enter(state, parameters) → state``: called once, before the first step."""
    step: Callable[[Any, Any], tuple[Any, Tensor]]
    """``step(state, parameters) → (state, done)``; ``done``, 0-d, is true if another step would not matter."""
    limit: str
    """The name of the parameter that holds the largest number of steps."""


class Program(NamedTuple):
    """A computation that a slider can rerun.

    Every function is pure torch in float64, with static shapes and no control flow on tensors. States, watches
    and reports are NamedTuples of tensors.
    """

    parameters: Callable[..., Any]
    """A NamedTuple type whose fields are the parameters, 0-d tensors."""
    domains: tuple[Domain, ...]
    """The range of each parameter, in the order of the fields."""
    start: Callable[[Any], Any]
    """``start(parameters) → state``."""
    stages: tuple[Stage, ...]
    watch: Callable[[Any, Any], Any]
    """``watch(state, parameters)``: what is followed from step to step."""
    report: Callable[[tuple[Any, ...], Any], Any]
    """``report(states at the end of each stage, parameters)``: the numbers and curves at the end."""


def record(name: str, fields: Iterable[str]) -> Any:
    """A NamedTuple type with these fields, each a tensor: that of a program's parameters, by its domains."""
    return NamedTuple(name, [(field, Tensor) for field in fields])


def attributes(report: Any) -> Any:
    """The report with its fields as attributes: a dict becomes a namespace, a NamedTuple stays as it is."""
    return SimpleNamespace(**report) if isinstance(report, dict) else report


def extended(fields: Any, more: Mapping[str, Tensor]) -> Any:
    """A record of the same kind as ``fields``, a NamedTuple or a dict, that also has the fields of ``more``."""
    if isinstance(fields, dict):
        return {**fields, **more}
    return record(type(fields).__name__, (*fields._fields, *more))(*fields, *more.values())


def with_outputs(
    program: Program,
    watch: Callable[[Any, Any, Any], Mapping[str, Tensor]],
    report: Callable[[Any, tuple[Any, ...], Any], Mapping[str, Tensor]] = lambda reported, ends, p: {},
) -> Program:
    """``program`` with further fields in what it watches and reports.

    Args:
        watch: ``watch(watched, state, parameters)``: the further fields, by what the program itself watches.
        report: ``report(reported, states at the end of each stage, parameters)``: likewise.
    """

    def longer_watch(state: Any, p: Any) -> Any:
        watched = program.watch(state, p)
        return extended(watched, watch(watched, state, p))

    def longer_report(ends: tuple[Any, ...], p: Any) -> Any:
        reported = program.report(ends, p)
        return extended(reported, report(reported, ends, p))

    return program._replace(watch=longer_watch, report=longer_report)


class History(NamedTuple):
    """What was watched in one stage."""

    steps: list[int]
    """The steps after which it was watched, from 0."""
    rows: Any
    """The watched record, each tensor stacked along a first axis of the length of ``steps``."""


class Run(NamedTuple):
    """The outcome of :func:`run`."""

    histories: tuple[History, ...]
    report: Any
    parameters: Any
    """A record of 0-d tensors: the parameters of this run."""


def defaults(program: Program) -> dict[str, float]:
    """The default of each parameter that has one."""
    return {domain.name: domain.default for domain in program.domains if domain.default is not None}


def parameters(program: Program, values: dict[str, float]) -> Any:
    """The program's parameters as a record of 0-d tensors, each value checked against its domain.

    Args:
        values: by name; a missing one takes the default of its domain.

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
    """Run ``program`` in torch; parameters that are not given take their defaults.

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

    Each run stops where :func:`run` would stop it; the others go on. What a run does not give takes its default.

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
        over = limits < 1  # (B,) the runs that have left this stage
        taken = 0
        while not bool(over.all()):
            moved, done = step(state, chosen)
            state = tree_map(partial(_where, over), state, moved)
            taken += 1
            over = over | done | (limits <= taken)
        ends.append(state)
    return torch.func.vmap(program.report)(tuple(ends), chosen)


def reports(program: Program, many: Sequence[dict[str, float]]) -> list[Any]:
    """The reports of many runs, one record for each: those of :func:`run_many`, unstacked."""
    stacked = run_many(program, many)
    return [tree_map(lambda leaf, i=i: leaf[i], stacked) for i in range(len(many))]


def _where(over: Tensor, old: Tensor, new: Tensor) -> Tensor:
    """``old`` where a run is over, else ``new``; both (B, …), ``over`` (B,)."""
    return torch.where(over.reshape(-1, *[1] * (new.ndim - 1)), old, new)


class _Recorder:
    """Keeps at most ``ROWS`` evenly spaced rows of a stage, and the last one whatever its step."""

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
