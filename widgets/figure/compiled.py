"""A program as JavaScript: traced, tried against torch, and kept on disk."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import ipywidgets as ipw
import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from lib.domain import Domain
from lib.program import Program, Run, parameters
from widgets import node
from widgets.figure.registry import being_made, is_registered
from widgets.figure.settings import tried_settings
from widgets.translate import author, cache, progress, trace
from widgets.translate.fingerprint import Unknown, fingerprint
from widgets.translate.refusals import UnsupportedOperation
from widgets.translate.repeatability import Trial, check_repeatable
from widgets.translate.verify import verify

TRANSLATOR = Path(trace.__file__)
"""The file on which every kernel depends, with all that it rests on."""
TRIAL_SECONDS = 1.5
"""Seconds for which a new translation is tried at other settings."""
MANY_OPERATIONS = 1000
"""The operations from which on a loop that Python has run through had better be a Program."""
UNROLLED = (
    "kernel {!r} has {:,} operations: about {} repeated steps, each written out. Make it a widgets.Loop(start, step, "
    "watch), whose step is translated once and repeated in the page: start(p) → state, step(state, p) → next state, "
    "and watch(state, p) for the curves; or a lib.program.Program of several stages"
)
LONG = 10_000
"""The operations from which on such a loop takes long to translate, which is said ahead of it."""
SLOW = (
    "kernel {!r} has {:,} operations, each of which is recorded: that takes a while. "
    + UNROLLED.partition("written out. ")[-1]
)
STOPS = (ArithmeticError, RuntimeError, ValueError, IndexError)
"""What torch raises at a setting at which a program cannot be run."""
MOST_NUMBERS = 2**18
"""The most numbers that a program may bake in, or show at once: a page has to load and to draw them."""


class Compiled(NamedTuple):
    """A program as JavaScript: what is sent to the page."""

    kernels: list[dict[str, Any]]
    constants: Tensor
    watch: list[str]
    report: list[str]
    steps: list[str]
    """For each stage the name of its step's kernel; stages with the same function share one, compiled once."""


def compile_program(
    program: Program, values: dict[str, float], moved: Mapping[str, ipw.Widget], name: str
) -> Compiled:
    """The program in JavaScript, translated at ``values``, or from disk if it is a registered figure's and is there.

    Args:
        moved: the parameters that have a control, and the controls.
        name: what else tells the figure from others of the same function.

    Raises:
        ValueError: nothing depends on a control, or there are too many numbers for a page.
        UnsupportedOperation: an operation has no JavaScript, or the two engines do not agree.
    """
    compiled = _translation(program, values, moved, name)
    _check_read(program, moved, compiled)
    _check_size(compiled)
    return compiled


def _translation(
    program: Program, values: dict[str, float], moved: Mapping[str, ipw.Widget], name: str
) -> Compiled:
    """The translation of a registered figure, from disk if it is there; any other is translated anew."""
    registered = being_made()
    if registered is None:
        with progress.shown():
            return steady(program, values, tried_settings(moved))
    figure, place = registered
    compiled: Compiled = cache.translation(
        Compiled, lambda: translate(program, values), figure.file, figure.name, place, name, values
    )
    return compiled


def translate(program: Program, values: dict[str, float]) -> Compiled:
    """Trace every function of ``program`` to JavaScript, and try it out at ``values`` and a little off them.

    Raises:
        UnsupportedOperation: an operation has no JavaScript, or the two engines do not agree.
    """
    compiled, _kernels, _trials = _translated(program, values)
    return compiled


def steady(program: Program, values: dict[str, float], settings: Iterable[dict[str, float]] = ()) -> Compiled:
    """:func:`translate`, tried at further settings; what does something else when it is run again is refused.

    Args:
        settings: what differs from ``values`` in each; for as many as :data:`TRIAL_SECONDS` allow.
    """
    compiled, kernels, trials = _translated(program, values)
    check_repeatable([kernel.name for kernel in kernels], trials)
    end = time.monotonic() + TRIAL_SECONDS
    for changed in settings:
        if time.monotonic() > end:
            break
        where = "at " + ", ".join(f"{name} = {value:g}" for name, value in changed.items())
        try:
            trials = _trials(program, {**values, **changed})
        except STOPS as error:
            warnings.warn(f"{where} torch stops: {error}", UserWarning, stacklevel=6)
            continue
        try:
            verify(kernels, trials, where)
        except node.Undecided as error:
            warnings.warn(f"{where} the page stops: {error}", UserWarning, stacklevel=6)
        except (UnsupportedOperation, *STOPS):
            stopped = _stop_of_torch(trials)
            if stopped is None:
                raise
            warnings.warn(f"{where} torch stops: {stopped}", UserWarning, stacklevel=6)
    for kernel in kernels:
        if MANY_OPERATIONS <= kernel.operations < LONG and kernel.repeats > 1:
            warnings.warn(
                UNROLLED.format(kernel.name, kernel.operations, kernel.repeats), UserWarning, stacklevel=6
            )
    return compiled


def _translated(
    program: Program, values: dict[str, float]
) -> tuple[Compiled, list[trace.Kernel], list[Trial]]:
    """The program in JavaScript, its kernels, and what they were tried with."""
    chosen = parameters(program, {d.name: _nearby(d, values[d.name]) for d in program.domains})
    kernels: list[trace.Kernel] = []
    trials: list[Trial] = []

    def compile_one(
        name: str, inputs: list[Tensor], function: Callable[..., list[Tensor]], state: int
    ) -> None:
        kernels.append(_kernel(function, inputs, name, state))
        trials.append((inputs, function))

    steps, watch, report = _run_once(program, chosen, compile_one)
    pieces, begin = [], 0
    for kernel in kernels:
        end = begin + kernel.constants.numel()
        first = len(kernel.inputs) - len(program.domains)  # the parameters come last
        pieces.append(
            {
                "name": kernel.name,
                "source": kernel.source,
                "outputs": [list(shape) for shape in kernel.outputs],
                "constants": [begin, end - begin],
                "reads": [place - first for place in kernel.reads if place >= first],
                "stays": list(kernel.stays),
            }
        )
        begin = end
    try:
        verify([*kernels, *kernels], [*_trials(program, values), *trials])
    except node.Undecided as error:
        raise UnsupportedOperation(f"{error}, where the controls stand") from error
    pool = torch.cat([torch.empty(0, dtype=torch.float64), *(kernel.constants for kernel in kernels)])
    return Compiled(pieces, pool, fields(watch), fields(report), steps), kernels, trials


def _stop_of_torch(trials: Iterable[Trial]) -> Exception | None:
    """The error with which torch itself stops at a trial, if it does."""
    for inputs, function in trials:
        try:
            function(*inputs)
        except STOPS as error:
            return error
    return None


def _kernel(
    function: Callable[..., list[Tensor]], inputs: list[Tensor], name: str, state: int
) -> trace.Kernel:
    """A function in JavaScript; one of a registered figure from disk, if the same was translated before.

    It is the same if its code is, or else its graph. Only shapes and dtypes of the ``inputs`` matter to it.
    """
    if not is_registered():

        def counted(operations: int) -> None:
            if operations >= LONG:
                _warn(SLOW.format(name, operations))

        return trace.compile(function, inputs, name, state, counted)

    def traced() -> trace.Kernel:
        module = trace.traced(function, inputs, name)
        same = name, state, trace.graph_hash(module)
        kernel: trace.Kernel = cache.translation(
            trace.Kernel, lambda: trace.written(module, name, state), TRANSLATOR, *same
        )
        return kernel

    try:
        same = fingerprint(function)
    except Unknown:
        return traced()
    looks = [(tuple(tensor.shape), str(tensor.dtype)) for tensor in inputs]
    kernel: trace.Kernel = cache.translation(trace.Kernel, traced, TRANSLATOR, name, state, looks, same)
    return kernel


def _warn(text: str) -> None:
    """Warn of what the author's own code does, at the line that asks for the figure."""
    frame, level = sys._getframe(), 1
    while frame.f_back and not author.is_own(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, UserWarning, stacklevel=level)


def _run_once(
    program: Program,
    chosen: Any,
    seen: Callable[[str, list[Tensor], Callable[..., list[Tensor]], int], None],
    *,
    to_the_end: bool = True,
) -> tuple[list[str], Any, Any]:
    """One step of each stage in torch; returns the names of the steps' kernels, what is watched, and the report.

    Args:
        chosen: the parameters.
        seen: is called with each kernel's name, inputs and function on lists of tensors, and how many of its inputs are
            a state that goes round, before it is run.
        to_the_end: whether what is watched and the report are computed, too; None in their places if not.
    """

    def call(
        name: str, function: Callable[..., Any], *examples: Any, state: int = 0, runs: bool = True
    ) -> Any:
        leaves, shape = pytree.tree_flatten(examples)

        def flat(*inputs: Tensor) -> list[Tensor]:
            return pytree.tree_leaves(function(*pytree.tree_unflatten(list(inputs), shape)))

        seen(name, leaves, flat, state)
        return function(*examples) if runs else None

    state: Any = call("start", program.start, chosen) if program.stages else ()
    ends, steps = [], {}
    for i, stage in enumerate(program.stages):
        state = call(f"enter {i}", stage.enter, state, chosen)
        if stage.step not in steps:
            steps[stage.step] = f"step {i}"
            leaves = len(pytree.tree_leaves(state))
            state, _done = call(f"step {i}", stage.step, state, chosen, state=leaves)
        ends.append(state)
    watch = call("watch", program.watch, state, chosen, runs=to_the_end) if program.stages else None
    report = call("report", program.report, tuple(ends), chosen, runs=to_the_end)
    return [steps[stage.step] for stage in program.stages], watch, report


def _trials(program: Program, values: dict[str, float]) -> list[Trial]:
    """The inputs of each kernel in one step of each stage at ``values``, and the functions."""
    trials: list[Trial] = []
    _run_once(
        program,
        parameters(program, values),
        lambda _name, inputs, function, _state: trials.append((inputs, function)),
        to_the_end=False,
    )
    return trials


def _nearby(domain: Domain, value: float) -> float:
    """A value near ``value``, at which what tracing at ``value`` itself baked in would show; a whole number stays."""
    near = [value * 1.001 + 1e-9, value * 0.999 - 1e-9]
    inside = (number for number in near if not domain.integer and domain.low < number < domain.high)
    return next(inside, value)


def fields(record: Any) -> list[str]:
    """The names of a NamedTuple's or dict's fields."""
    if record is None:
        return []
    return list(record) if isinstance(record, dict) else list(record._fields)


def flatten(outcome: Run) -> Tensor:
    """Every number of a run, 1-d, in the order of the page: the rows stage by stage, then the report."""
    pieces = []
    for history in outcome.histories:
        for row in zip(*history.rows, strict=True):
            pieces += [leaf.flatten() for leaf in row]
    pieces += [leaf.flatten() for leaf in pytree.tree_leaves(outcome.report)]
    return torch.cat([piece.to(torch.float64) for piece in pieces])


def _check_read(program: Program, moved: Collection[str], compiled: Compiled) -> None:
    """A control that nothing reads would be dead."""
    places = {place for kernel in compiled.kernels for place in kernel["reads"]}
    read = {program.domains[place].name for place in places} | {stage.limit for stage in program.stages}
    if idle := sorted(set(moved) - read):
        raise ValueError(f"controls = {idle}: nothing that is computed depends on them")


def _check_size(compiled: Compiled) -> None:
    """A page loads every number that is baked in, and keeps all that a kernel returns."""
    outputs = [(kernel["name"], sum(map(math.prod, kernel["outputs"]))) for kernel in compiled.kernels]
    for what, size in [("what is baked in", compiled.constants.numel()), *outputs]:
        if size > MOST_NUMBERS:
            raise ValueError(f"{what}: {size:,} numbers: must be at most {MOST_NUMBERS:,}")
