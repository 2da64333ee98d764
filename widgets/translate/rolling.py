"""Loops that Python has written out become loops again: their bodies are written once, with what they are given.

What every repetition computes alike of the arguments is computed once, ahead of the loop; what hangs on constants
alone is computed with the body, which is translated as a kernel of its own.
"""

from __future__ import annotations

import itertools
import math
import operator
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from widgets.translate.recording import (
    Entry,
    Input,
    Look,
    Operation,
    Recording,
    Ref,
    Repeat,
    look_of,
)
from widgets.translate.repetitions import (
    Found,
    Inner,
    Source,
    Table,
    Varying,
    argument_of,
    find,
    refs_of,
    varying_of,
)
from widgets.translate.values import Shape, strides

aten = torch.ops.aten

MOST_KEPT = 2**22
"""The most numbers that are kept of what the repetitions of a loop compute."""


class Body(NamedTuple):
    """The body of a loop."""

    module: GraphModule
    """Its arguments are the state, what is the same for all repetitions, and a row of each table; the first of what it
    returns is the next state."""
    repetitions: int
    kept: tuple[int, ...]
    """The numbers of the results that are kept of each repetition."""
    inputs: tuple[Look, ...]
    """What is known of the arguments."""
    outputs: tuple[Look, ...]
    """The same of the results, and then of what is kept of all repetitions."""


BODIES: dict[int, Body] = {}
"""By the number that stands for a loop in a trace."""
_numbers = itertools.count()


def _repeat(number: int, start: list[Tensor], fixed: list[Tensor], tables: list[Tensor]) -> list[Tensor]:
    """What a loop's last repetition returns, and then what is kept of all of them, stacked."""
    body, state = BODIES[number], start
    kept: list[list[Tensor]] = [[] for _ in body.kept]
    outputs: Sequence[Tensor] = ()
    for turn in range(body.repetitions):
        outputs = body.module(*state, *fixed, *(table[turn] for table in tables))
        state = list(outputs[: len(start)])
        for rows, place in zip(kept, body.kept, strict=True):
            rows.append(outputs[place])
    return [*(output.clone() for output in outputs), *map(torch.stack, kept)]


_library = torch.library.Library("facts", "DEF")
_library.define("repeat(int number, Tensor[] start, Tensor[] fixed, Tensor[] tables) -> Tensor[]")
_library.impl("repeat", _repeat, "CPU")


@torch.library.register_fake("facts::repeat", lib=_library)
def _shapes(number: int, start: list[Tensor], fixed: list[Tensor], tables: list[Tensor]) -> list[Tensor]:
    return [torch.empty(look.shape, dtype=look.dtype) for look in BODIES[number].outputs]


REPEAT = torch.ops.facts.repeat.default


def rolled(recording: Recording) -> Recording | None:
    """The recording with a :class:`Repeat` for each loop; None if there is none."""
    found = None
    while (loop := find(recording)) and (shorter := _Roller(recording, loop).rolled()):
        recording = found = shorter
    return found


def module_of(recording: Recording, inputs: int) -> GraphModule:
    """A recording as a graph of so many inputs."""
    graph = _Graph(recording.entries)
    placeholders = [graph.placeholder(f"x{number}") for number in range(inputs)]
    for place, entry in enumerate(recording.entries):
        if isinstance(entry, Input):
            graph.nodes[Ref(place)] = placeholders[entry.number]
    return graph.module([graph.node(ref) for ref in recording.results])


# Rolling up --------------------------------------------------------------------------------------------------


class _Roller:
    """Writes a recording anew, with one loop rolled up."""

    def __init__(self, recording: Recording, found: Found):
        self.recording = recording
        self.entries = recording.entries
        self.run, inside, self.sources = found
        run = self.run
        self.inside = {place: divmod(number, run.period) for number, place in enumerate(inside)}
        """The repetition and the place in the body of each entry of the loop."""
        self.calls: list[list[Any]] = [
            [self.entries[place] for place in inside[number :: run.period]] for number in range(run.period)
        ]
        """The calls at each place of the body, in all repetitions."""
        self.constant = _constants(self.entries)
        self.new: list[Entry] = []
        self.moved: dict[Ref, Ref] = {}
        """Where tensors are now: those outside of the loop, and those inside that are read outside."""
        self.kept: dict[tuple[int, int], Ref] = {}
        """What is kept of all repetitions, by the place in the body and the number of the result."""
        self.invariant: dict[int, int] = {}
        """Where what every repetition computes alike is computed now, by the place in the body."""

    def rolled(self) -> Recording | None:
        """The recording, if the loop needs not too much memory."""
        begin = min(self.inside)
        rest = []
        for place, entry in enumerate(self.entries):
            if place < begin or isinstance(entry, Tensor):
                self._keep(place)
            elif place not in self.inside:
                rest.append(place)
        self._hoist()
        if not self._write_loop(rest):
            return None
        for place in rest:
            self._keep(place)
        return Recording(self.new, [self._outside(ref) for ref in self.recording.results])

    # What stands outside

    def _add(self, entry: Entry) -> Ref:
        self.new.append(entry)
        return Ref(len(self.new) - 1)

    def _call(self, target: Any, *args: Any, shape: Shape, dtype: torch.dtype, line: str = "") -> Ref:
        return self._add(Operation(target, args, {}, (_dense(shape, dtype),), line))

    def _keep(self, place: int) -> None:
        """Write an entry from outside of the loop."""
        entry = self.entries[place]
        if isinstance(entry, Operation):
            if joined := self._joined(entry):
                self.moved[Ref(place)] = joined
                return
            args, kwargs = _filled((entry.args, entry.kwargs), map(self._outside, refs_of(entry)))
            entry = entry._replace(args=args, kwargs=kwargs)
        elif isinstance(entry, Repeat):
            parts = (entry.start, entry.fixed, entry.tables)
            start, fixed, tables = _filled(parts, map(self._outside, refs_of(entry)))
            entry = entry._replace(start=start, fixed=fixed, tables=tables)
        new = self._add(entry)
        self._move(place, new.place, entry)

    def _move(self, old: int, new: int, entry: Entry) -> None:
        for result in range(-1, len(getattr(entry, "looks", ()))):
            self.moved[Ref(old, result)] = Ref(new, result)

    def _outside(self, ref: Ref) -> Ref:
        """A tensor that is read outside of the loop; if it is kept of all repetitions, one of them is taken."""
        if ref not in self.moved:
            turn, place = self.inside[ref.place]
            look = self._look(place, ref.result)
            kept = self.kept[place, ref.result]
            self.moved[ref] = self._call(aten.select.int, kept, 0, turn, shape=look.shape, dtype=look.dtype)
        return self.moved[ref]

    def _joined(self, call: Operation) -> Ref | None:
        """A stack, or a row, of what several repetitions computed, cut out of what is kept of all."""
        if call.target not in (aten.stack.default, aten.cat.default) or (*call.args, 0)[1] != 0:
            return None
        groups = itertools.groupby(enumerate(call.args[0]), key=lambda item: self._series(*item))
        series = [(value, [ref for _, ref in group]) for value, group in groups]
        if all(value is None for value, _ in series):
            return None
        pieces: list[Ref] = []
        (whole,) = call.looks
        assert whole
        row = whole.shape[1:]
        is_stack = call.target is aten.stack.default
        for value, refs in series:
            if value is None:
                outside = [self._outside(ref) for ref in refs]
                if is_stack:
                    outside = [
                        self._call(aten.unsqueeze.default, ref, 0, shape=(1, *row), dtype=whole.dtype)
                        for ref in outside
                    ]
                pieces += outside
                continue
            turn, shape = self.inside[refs[0].place][0], self._look(*value[:2]).shape
            part = self._call(
                aten.slice.Tensor,
                self.kept[value[:2]],
                0,
                turn,
                turn + len(refs),
                shape=(len(refs), *shape),
                dtype=whole.dtype,
            )
            if not is_stack:
                flat = (len(refs) * shape[0], *row)
                part = self._call(aten.reshape.default, part, flat, shape=flat, dtype=whole.dtype)
            pieces.append(part)
        return self._call(
            aten.cat.default, tuple(pieces), 0, shape=whole.shape, dtype=whole.dtype, line=call.line
        )

    def _series(self, number: int, ref: Ref) -> tuple[int, int, int] | None:
        """Which tensor of the body one is that is kept, and by how much its repetition is ahead of a number."""
        if ref in self.moved or ref.place not in self.inside:
            return None
        turn, place = self.inside[ref.place]
        return (place, ref.result, turn - number) if (place, ref.result) in self.kept else None

    # What every repetition computes alike

    def _hoist(self) -> None:
        """Compute ahead of the loop what is alike in all repetitions, unless it hangs on constants alone."""
        for place, (calls, sources) in enumerate(zip(self.calls, self.sources, strict=True)):
            if not self._is_alike(place):
                continue
            call = calls[0]
            args, kwargs = _filled((call.args, call.kwargs), map(self._ahead, sources))
            self.invariant[place] = self._add(call._replace(args=args, kwargs=kwargs)).place
        for old, (_, place) in self.inside.items():
            if place in self.invariant:
                self._move(old, self.invariant[place], self.calls[place][0])

    def _is_alike(self, place: int) -> bool:
        call, sources = self.calls[place][0], self.sources[place]
        if not isinstance(call, Operation) or self._numbers(place):
            return False
        if all(isinstance(source, Ref) and source.place in self.constant for source in sources):
            return False
        return all(isinstance(source, Ref) or self._is_ahead(source) for source in sources)

    def _is_ahead(self, source: Source) -> bool:
        return isinstance(source, Inner) and source.place in self.invariant and source.lag == 0

    def _ahead(self, source: Source) -> Ref:
        """A tensor that is the same for all repetitions."""
        if isinstance(source, Inner):
            return Ref(self.invariant[source.place], source.result)
        assert isinstance(source, Ref)
        return self._outside(source)

    # The loop itself

    def _write_loop(self, rest: Sequence[int]) -> bool:
        """Write the loop, and keep of it what the ``rest`` reads."""
        slots = self._slots()
        graph = _Graph(self.entries)
        states = [graph.placeholder(f"state_{number}") for number in range(len(slots))]
        fixed: dict[Ref, Node] = {}
        inner = [place for place in range(self.run.period) if place not in self.invariant]
        for source in itertools.chain.from_iterable(self.sources[place] for place in inner):
            if (isinstance(source, Ref) and source.place not in self.constant) or self._is_ahead(source):
                ref = self._ahead(source)
                if ref not in fixed:
                    fixed[ref] = graph.placeholder(f"fixed_{len(fixed)}")
        tables: dict[Ref, Node] = {}

        def row_of(table: Ref) -> Node:
            tables[table] = graph.placeholder(f"row_{len(tables)}")
            return tables[table]

        def operand(source: Source) -> Node:
            if isinstance(source, Table):
                return row_of(self._table(source.rows))
            if isinstance(source, Ref) and source.place in self.constant:
                return graph.node(source)
            if isinstance(source, Ref) or self._is_ahead(source):
                return fixed[self._ahead(source)]
            if source.lag:
                return states[slots.index(source)]
            return graph.result(values[source.place], source.result)

        values: dict[int, Node] = {}
        for place in inner:
            call = self.calls[place][0]
            args, kwargs = _filled((call.args, call.kwargs), map(operand, self.sources[place]))
            target = call.target
            if varies := self._numbers(place):
                row, target = row_of(self._numbers_table(place, varies)), varies.with_tensor
                if isinstance(varies.argument, int):
                    args = (*args[: varies.argument], row, *args[varies.argument + 1 :])
                else:
                    kwargs = {**kwargs, varies.argument: row}
            values[place] = graph.call(target, args, kwargs, call.line)
        outputs = [
            graph.result(values[slot.place], slot.result)
            if slot.lag == 1
            else states[slots.index(_earlier(slot))]
            for slot in slots
        ]
        looks = [self._look(slot.place, slot.result) for slot in slots]
        kept: dict[tuple[int, int], int] = {}
        last: dict[Ref, int] = {}
        for (place, result), refs in self._needed(rest).items():
            number = len(outputs)
            outputs.append(graph.result(values[place], result))
            looks.append(self._look(place, result))
            if [self.inside[ref.place][0] for ref in refs] == [self.run.repetitions - 1]:
                last[refs[0]] = number
            else:
                kept[place, result] = number
        histories = [
            _dense((self.run.repetitions, *looks[number].shape), looks[number].dtype)
            for number in kept.values()
        ]
        if sum(math.prod(look.shape) for look in histories) > MOST_KEPT or not (slots or fixed or tables):
            return False
        start = tuple(self._outside(slot.start[0]) for slot in slots)
        given = (
            *(self._new_look(ref) for ref in (*start, *fixed)),
            *(_row(self._new_look(table)) for table in tables),
        )
        body = Body(
            graph.module(outputs), self.run.repetitions, tuple(kept.values()), given, (*looks, *histories)
        )
        loop = self._add(Repeat(body, start, tuple(fixed), tuple(tables), body.outputs)).place
        self.moved |= {ref: Ref(loop, number) for ref, number in last.items()}
        self.kept = {value: Ref(loop, len(looks) + number) for number, value in enumerate(kept)}
        return True

    def _slots(self) -> list[Inner]:
        """The state: what is read of earlier repetitions; of what is read several later, what lies between, too."""
        slots: list[Inner] = []
        for place, sources in enumerate(self.sources):
            for source in sources if place not in self.invariant else ():
                while isinstance(source, Inner) and source.lag and source not in slots:
                    slots.append(source)
                    source = _earlier(source)
        return slots

    def _needed(self, rest: Sequence[int]) -> dict[tuple[int, int], list[Ref]]:
        """What the ``rest`` and the results read of the loop."""
        read = itertools.chain(self.recording.results, *(refs_of(self.entries[place]) for place in rest))
        needed: dict[tuple[int, int], list[Ref]] = {}
        for ref in dict.fromkeys(read):
            if ref.place in self.inside and ref not in self.moved:
                needed.setdefault((self.inside[ref.place][1], ref.result), []).append(ref)
        return needed

    def _look(self, place: int, result: int) -> Look:
        """How a result of the body looks, in a row in memory."""
        look = self.calls[place][0].looks[max(result, 0)]
        return _dense(look.shape, look.dtype)

    def _new_look(self, ref: Ref) -> Look:
        look = _look_at(self.new, ref)
        return _dense(look.shape, look.dtype)

    def _numbers(self, place: int) -> Varying | None:
        """The number in the calls at a place of the body that is another one in each repetition."""
        calls = self.calls[place]
        for varying in varying_of(calls[0]) if isinstance(calls[0], Operation) else ():
            if len({repr(argument_of(call, varying)) for call in calls}) > 1:
                return varying
        return None

    def _numbers_table(self, place: int, varying: Varying) -> Ref:
        numbers = [argument_of(call, varying) for call in self.calls[place]]
        if varying.kind is float:
            return self._add(torch.tensor(numbers, dtype=torch.float64))
        call = self.calls[place][0]
        size = _look_at(self.entries, call.args[0]).shape[call.args[-2]]
        return self._add(torch.tensor([number % size for number in numbers]))

    def _table(self, rows: Sequence[Ref]) -> Ref:
        """The rows as a tensor: constants, what a tensor was cut into, or a stack."""
        entries: list[Any] = [self.entries[row.place] for row in rows]
        if all(isinstance(entry, Tensor) for entry in entries):
            return self._add(torch.stack([entry.detach() for entry in entries]))
        look = _look_at(self.entries, rows[0])
        shape = (len(rows), *look.shape)
        targets = {getattr(entry, "target", None) for entry in entries}
        if targets <= {aten.unbind.int, aten.select.int}:
            sources = {(entry.args[0], *entry.args[1:2]) for entry in entries}
            if sources in ({(entries[0].args[0],)}, {(entries[0].args[0], 0)}):
                numbers = [
                    entry.args[2] if entry.target is aten.select.int else row.result
                    for entry, row in zip(entries, rows, strict=True)
                ]
                index = self._add(torch.tensor(numbers) % _look_at(self.entries, entries[0].args[0]).shape[0])
                cut = self._outside(entries[0].args[0])
                return self._call(aten.index_select.default, cut, 0, index, shape=shape, dtype=look.dtype)
        return self._call(aten.stack.default, tuple(map(self._outside, rows)), shape=shape, dtype=look.dtype)


def _earlier(slot: Inner) -> Inner:
    """What an operation computed a repetition later: what a tensor of the state is there."""
    return Inner(slot.place, slot.result, slot.lag - 1, slot.start[1:])


def _constants(entries: Sequence[Entry]) -> set[int]:
    """The places of the entries that hang on no argument."""
    constant: set[int] = set()
    for place, entry in enumerate(entries):
        if isinstance(entry, Tensor) or (
            isinstance(entry, Operation) and all(ref.place in constant for ref in refs_of(entry))
        ):
            constant.add(place)
    return constant


def _look_at(entries: Sequence[Entry], ref: Ref) -> Look:
    entry = entries[ref.place]
    if isinstance(entry, Tensor):
        return look_of(entry)
    if isinstance(entry, Input):
        return entry.look
    look = entry.looks[max(ref.result, 0)]
    assert look
    return look


def _dense(shape: Shape, dtype: torch.dtype) -> Look:
    return Look(shape, strides(shape), dtype)


def _row(table: Look) -> Look:
    return _dense(table.shape[1:], table.dtype)


def _filled(argument: Any, operands: Iterable[Any]) -> Any:
    """Arguments with operands in the places of their tensors, in the order of :func:`_refs`."""
    rest = iter(operands)

    def filled(part: Any) -> Any:
        if isinstance(part, Ref):
            return next(rest)
        if isinstance(part, dict):
            return {name: filled(item) for name, item in part.items()}
        return tuple(map(filled, part)) if isinstance(part, tuple) else part

    return filled(argument)


class _Graph:
    """A graph being written."""

    def __init__(self, entries: Sequence[Entry]):
        self.entries = entries
        self.graph = Graph()
        self.holder = torch.nn.Module()
        self.nodes: dict[Ref, Node] = {}
        """Those of entries."""
        self.last: Node | None = None
        """The last placeholder."""
        self.numbers: list[int] = []
        """The loops' numbers."""

    def placeholder(self, name: str) -> Node:
        ahead = self.graph.inserting_after(self.last) if self.last else self.graph.inserting_before()
        with ahead:
            self.last = self.graph.placeholder(name)
        return self.last

    def call(self, target: Any, args: Any, kwargs: Any, line: str) -> Node:
        # what is not in a row there may be so here
        target = aten.reshape.default if target in (aten.view.default, aten._unsafe_view.default) else target
        node = self.graph.call_function(target, args, kwargs)
        node.meta["stack_trace"] = line
        return node

    def result(self, node: Node, number: int) -> Node:
        return node if number < 0 else self.graph.call_function(operator.getitem, (node, number))

    def node(self, ref: Ref) -> Node:
        """That of an entry; what it needs is written, if it is not yet."""
        needed, waiting = set(), [ref.place]
        while waiting:
            place = waiting.pop()
            if place not in needed and Ref(place) not in self.nodes:
                needed.add(place)
                waiting += [operand.place for operand in refs_of(self.entries[place])]
        for place in sorted(needed):
            self._write(place)
        return self.result(self.nodes[Ref(ref.place)], ref.result)

    def _write(self, place: int) -> None:
        entry = self.entries[place]
        operands = (self.result(self.nodes[Ref(ref.place)], ref.result) for ref in refs_of(entry))
        if isinstance(entry, Operation):
            args, kwargs = _filled((entry.args, entry.kwargs), operands)
            self.nodes[Ref(place)] = self.call(entry.target, args, kwargs, entry.line)
        elif isinstance(entry, Repeat):
            number = next(_numbers)
            BODIES[number] = entry.body
            self.numbers.append(number)
            args = _filled((entry.start, entry.fixed, entry.tables), operands)
            self.nodes[Ref(place)] = self.graph.call_function(REPEAT, (number, *args))
        elif isinstance(entry, Tensor):
            name = f"_constant_{place}"
            self.holder.register_buffer(name, entry.detach())
            self.nodes[Ref(place)] = self.graph.get_attr(name)

    def module(self, results: Sequence[Node]) -> GraphModule:
        """The graph, which keeps its loops as long as it lives."""
        self.graph.output(list(results))
        self.graph.eliminate_dead_code()
        module = GraphModule(self.holder, self.graph)
        for number in self.numbers:
            weakref.finalize(module, BODIES.pop, number)
        return module
