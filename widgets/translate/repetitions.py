"""Repetitions in what a function does: the loops that Python has written out.

The repetitions of a loop are the same operations on tensors of the same shapes. What each of them reads is the same
for all, or what an earlier repetition computed, always as many repetitions ago, or a row of a table: they are a loop
only if this holds of every operand of every repetition, so that the loop is the program that was recorded, to the last
operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from widgets.translate.recording import Input, Operation, Recording, Ref, Repeat

aten = torch.ops.aten

FEWEST_REPEATS = 20
"""Minimum repeats before a sequence of operations is called a loop."""

LEAST_OPERATIONS = 500
"""Fewest operations, over all repetitions, that are worth a loop; fewer are translated as they are written."""

LONGEST_LAG = 4
"""The most repetitions ago that a loop may look back."""


def _row_of(x: Tensor, dim: int, index: Tensor) -> Tensor:
    return x.index_select(dim, index.reshape(1)).squeeze(dim)


def _with_row(x: Tensor, row: Tensor, dim: int, index: Tensor) -> Tensor:
    return x.index_copy(dim, index.reshape(1), row.unsqueeze(dim))


def _add(x: Tensor, y: Tensor, alpha: Tensor) -> Tensor:
    return x + alpha * y


def _sub(x: Tensor, y: Tensor, alpha: Tensor) -> Tensor:
    return x - alpha * y


def _addcmul(x: Tensor, a: Tensor, b: Tensor, value: Tensor) -> Tensor:
    return x + value * a * b


def _addcdiv(x: Tensor, a: Tensor, b: Tensor, value: Tensor) -> Tensor:
    return x + value * (a / b)


class Varying(NamedTuple):
    """A number among an operation's arguments that may be another one in each repetition."""

    argument: int | str
    kind: type
    with_tensor: Callable[..., Tensor]
    """The same with a tensor for the number."""


VARYING: dict[Any, tuple[Varying, ...]] = {
    aten.select.int: (Varying(2, int, _row_of),),
    aten.select_scatter.default: (Varying(3, int, _with_row),),
    aten.add.Tensor: (Varying(1, float, torch.add), Varying("alpha", float, _add)),
    aten.sub.Tensor: (Varying(1, float, torch.sub), Varying("alpha", float, _sub)),
    aten.mul.Tensor: (Varying(1, float, torch.mul),),
    aten.div.Tensor: (Varying(1, float, torch.div),),
    aten.addcmul.default: (Varying("value", float, _addcmul),),
    aten.addcdiv.default: (Varying("value", float, _addcdiv),),
}


class Run(NamedTuple):
    """Repetitions, in a list of operations."""

    first: int
    period: int
    repetitions: int


class Inner(NamedTuple):
    """What the operation at a place of the loop's body computed, so many repetitions ago."""

    place: int
    result: int
    lag: int
    start: tuple[Ref, ...]
    """What stands for it in the repetitions that have none so early."""


class Table(NamedTuple):
    """Another tensor for each repetition."""

    rows: tuple[Ref, ...]


Source = Inner | Ref | Table
"""Where an operand of the body comes from: a :class:`Ref` is the same for all repetitions."""


class Found(NamedTuple):
    """A loop in a recording."""

    run: Run
    places: list[int]
    """Those of the loop's entries in the recording."""
    sources: list[list[Source]]
    """For each operation of the body where each of its operands comes from."""


def find(recording: Recording) -> Found | None:
    """The longest loop."""
    places = [
        place for place, entry in enumerate(recording.entries) if not isinstance(entry, (Input, Tensor))
    ]
    calls = [recording.entries[place] for place in places]
    codes: dict[Any, int] = {}
    run = _longest(np.array([codes.setdefault(_code(call), len(codes)) for call in calls]))
    if run is None:
        return None
    refs = [list(refs_of(call)) for call in calls]
    positions = {place: position for position, place in enumerate(places)}
    for _ in range(3):  # the first repetitions may read other things than all others
        if run.repetitions < FEWEST_REPEATS:
            return None
        if sources := _sources(refs, positions, run):
            break
        run = Run(run.first + run.period, run.period, run.repetitions - 1)
    else:
        return None
    if shift := _best_shift(sources, run.period):
        run = Run(run.first + shift, run.period, run.repetitions - 1)
        sources = _sources(refs, positions, run)
    inside = places[run.first : run.first + run.period * run.repetitions]
    return Found(run, inside, sources) if sources else None


def _longest(codes: np.ndarray[Any, Any]) -> Run | None:
    """The longest run of repetitions of the same sequence."""
    best, most = None, 0
    for period in range(1, len(codes) // FEWEST_REPEATS + 1):
        same = codes[period:] == codes[:-period]
        if np.count_nonzero(same) <= most:
            continue
        breaks = np.flatnonzero(np.concatenate([[True], ~same, [True]]))
        lengths = np.diff(breaks) - 1
        longest = int(lengths.argmax())
        length = int(lengths[longest])
        if length > most and length >= max(LEAST_OPERATIONS, FEWEST_REPEATS * period) - period:
            most, best = length, Run(int(breaks[longest]), period, length // period + 1)
    return best


def _code(call: Any) -> Any:
    """What two calls have in common if they are of the same operation on tensors that look alike."""
    if isinstance(call, Repeat):
        return id(call.body)
    varying: dict[Any, type] = {place.argument: place.kind for place in varying_of(call)}

    def pattern(argument: Any) -> Any:
        if isinstance(argument, Ref):
            return Ref
        if isinstance(argument, tuple):
            return tuple(map(pattern, argument))
        return type(argument), repr(argument)  # 0, 0.0, −0.0 and False are equal to Python

    args = [
        varying[number] if number in varying else pattern(argument)
        for number, argument in enumerate(call.args)
    ]
    kwargs = [
        (name, varying[name] if name in varying else pattern(argument))
        for name, argument in call.kwargs.items()
    ]
    return call.target, tuple(args), tuple(kwargs), call.looks


def varying_of(call: Operation) -> list[Varying]:
    """The numbers of a call that a loop may change, if it computes in float64 otherwise."""
    if call.looks[0] is None or (call.looks[0].dtype != torch.float64):
        return []
    given: dict[Any, Any] = dict(enumerate(call.args))
    given.update(call.kwargs)
    return [place for place in VARYING.get(call.target, ()) if type(given.get(place.argument)) is place.kind][
        :1
    ]


def refs_of(argument: Any) -> Iterator[Ref]:
    """The tensors among a call's arguments, in their order."""
    if isinstance(argument, Ref):
        yield argument
    elif isinstance(argument, Operation):
        yield from refs_of((*argument.args, *argument.kwargs.values()))
    elif isinstance(argument, Repeat):
        yield from refs_of((argument.start, argument.fixed, argument.tables))
    elif isinstance(argument, tuple):
        for item in argument:
            yield from refs_of(item)


def _sources(
    refs: Sequence[Sequence[Ref]], positions: Mapping[int, int], run: Run
) -> list[list[Source]] | None:
    """For each operand of each operation of the body where it comes from; None if it is no loop."""
    first, period, repetitions = run
    sources: list[list[Source]] = []
    for place in range(period):
        columns = zip(*(refs[first + period * turn + place] for turn in range(repetitions)), strict=True)
        row = [_source(column, positions, run) for column in columns]
        if any(source is None for source in row):
            return None
        sources.append([source for source in row if source is not None])
    return sources


def _source(column: Sequence[Ref], positions: Mapping[int, int], run: Run) -> Source | None:
    """Where an operand comes from, by what it is in each repetition."""
    first, period, repetitions = run
    places = [positions.get(ref.place, -1) - first for ref in column]
    if places[-1] >= 0:
        turn, place = divmod(places[-1], period)
        lag, result = repetitions - 1 - turn, column[-1].result
        if lag > LONGEST_LAG or any(later >= 0 for later in places[:lag]):
            return None
        expected = range(place, place + period * (repetitions - lag), period)
        if places[lag:] != list(expected) or any(ref.result != result for ref in column[lag:]):
            return None
        return Inner(place, result, lag, tuple(column[:lag]))
    if any(place >= 0 for place in places):
        return None
    return column[0] if len(set(column)) == 1 else Table(tuple(column))


def _best_shift(sources: Sequence[Sequence[Source]], period: int) -> int:
    """How much later a repetition had better begin, so that the next one needs the fewest tensors of it."""
    lasts: dict[tuple[int, int], int] = {}
    for reader, row in enumerate(sources):
        for source in row:
            if isinstance(source, Inner):
                value, last = (source.place, source.result), source.lag * period + reader
                lasts[value] = max(lasts.get(value, 0), last)
    cuts = np.arange(period)
    crossed = np.zeros(period, dtype=int)
    for (place, _), last in lasts.items():
        crossed += (last - cuts) // period - (place - cuts) // period
    return int(crossed.argmin())


def argument_of(call: Operation, varying: Varying) -> Any:
    key = varying.argument
    return call.args[key] if isinstance(key, int) else call.kwargs[key]
