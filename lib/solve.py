"""Runs: a start, stages of one repeated step, and what is read off on the way and at the end.

A :class:`Program` is nothing but pure torch functions over explicit state, so the very same functions can be
traced for the page; :func:`run` is the loop around them in torch, ``widgets/src/program.js`` the one in the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
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


def extended(own: Any, more: Mapping[str, Tensor]) -> Any:
    """A record of the same kind as ``own``, a NamedTuple or a dict, with more fields."""
    if isinstance(own, dict):
        return {**own, **more}
    return record(type(own).__name__, (*own._fields, *more))(*own, *more.values())


def beside(
    program: Program,
    watch: Callable[[Any, Any, Any], Mapping[str, Tensor]],
    report: Callable[[Any, tuple[Any, ...], Any], Mapping[str, Tensor]] = lambda own, ends, p: {},
) -> Program:
    """``program`` that watches and reports more.

    Args:
        watch: more fields, by what the program itself watches, the state and the parameters.
        report: the same of its report, by the states at the end of each stage.
    """

    def seen(state: Any, p: Any) -> Any:
        own = program.watch(state, p)
        return extended(own, watch(own, state, p))

    def told(ends: tuple[Any, ...], p: Any) -> Any:
        own = program.report(ends, p)
        return extended(own, report(own, ends, p))

    return program._replace(watch=seen, report=told)


class History(NamedTuple):
    """What was watched in one stage: the steps at which, and each watched tensor stacked along the first axis."""

    steps: list[int]
    rows: Any


class Run(NamedTuple):
    """The outcome of :func:`run`."""

    histories: tuple[History, ...]
    report: Any


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
    return Run(tuple(histories), program.report(tuple(ends), chosen))


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


_WEIGHTS = (
    (0.0,) * 7,
    (1 / 5, 0, 0, 0, 0, 0, 0),
    (3 / 40, 9 / 40, 0, 0, 0, 0, 0),
    (44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0),
)
_ERROR = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


class Adaptive(NamedTuple):
    """An adaptive integration under way.

    Attributes:
        time: of the last accepted state, 0-d. ``state``: that state, (D,).
        size: the step being attempted, 0-d. ``slopes``: its right-hand sides so far, (7, D).
        place: which of the seven comes next, 0-d.
    """

    time: Tensor
    state: Tensor
    size: Tensor
    slopes: Tensor
    place: Tensor


def adaptive_start(state: Tensor, size: Tensor) -> Adaptive:
    """Time 0 at ``state`` (D,), with a first attempt of length ``size``."""
    zero = torch.zeros_like(size)
    return Adaptive(zero, state, size, torch.zeros(7, state.shape[0], dtype=torch.float64), zero)


def adaptive_step(
    slope: Callable[[Tensor], Tensor], run: Adaptive, end: Tensor, relative: float, absolute: float
) -> tuple[Adaptive, Tensor]:
    """One evaluation of an autonomous right-hand side by Dormand and Prince's pair of orders 5 and 4.

    A seventh evaluation completes an attempt, which is accepted or rejected. One evaluation a call, so that a
    page holds one copy of ``slope``: V8 does not optimise a function with seven.

    Args:
        slope: maps a (D,) state to its time derivative.
        end: the last time, 0-d, reached exactly.
        relative, absolute: the tolerances on one step's error.

    Returns:
        The integration and whether it has ended.
    """
    remaining = end - run.time
    size = torch.minimum(run.size, remaining)
    place = run.place.to(torch.int64).reshape(1)
    row = torch.tensor(_WEIGHTS, dtype=torch.float64).index_select(0, place)[0]  # (7,)
    trial = run.state + size * (row @ run.slopes)
    slopes = run.slopes.index_copy(0, place, slope(trial)[None])
    tolerance = absolute + relative * torch.maximum(run.state.abs(), trial.abs())
    miss = size * (torch.tensor(_ERROR, dtype=torch.float64) @ slopes)
    error = torch.sqrt(torch.square(miss / tolerance).mean())
    error = torch.where(torch.isfinite(error), error, torch.full_like(error, 1e9))
    complete = run.place == 6
    accepted = complete & (error <= 1)
    factor = torch.clamp(0.9 * torch.clamp(error, min=1e-10) ** -0.2, 0.2, 5.0)
    first = torch.where(accepted, slopes[6], slopes[0])  # the last slope is the next step's first
    afresh = torch.cat([first[None], torch.zeros_like(slopes[1:])])  # 0 × NaN would stay NaN
    time = torch.where(accepted, torch.where(size < remaining, run.time + size, end), run.time)
    proceed = Adaptive(
        time,
        torch.where(accepted, trial, run.state),
        torch.where(complete, size * factor, run.size),
        torch.where(complete, afresh, slopes),
        torch.where(complete, torch.ones_like(run.place), run.place + 1),
    )
    return proceed, time >= end


def integrate(
    slope: Callable[[Tensor], Tensor], start: Adaptive, end: Tensor, relative: float, absolute: float
) -> Iterator[Adaptive]:
    """``start``, then the integration after each accepted :func:`adaptive_step`, until ``end``. Not traceable."""
    yield start
    going, ended = start, bool(start.time >= end)
    while not ended:
        before = going.time
        going, done = adaptive_step(slope, going, end, relative, absolute)
        ended = bool(done)
        if bool(going.time > before):
            yield going
