"""A function's operations as a list, found fast: what a trace takes a millisecond for takes a tenth of it here.

A recorded tensor has a shape and no numbers, so that nothing can be decided by them. Whatever stops a recording stops
the trace of the function as well, which says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.fx import traceback as origins
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

ALIKE = {
    torch.ops.aten.lift_fresh.default: torch.ops.aten.alias.default,
    torch.ops.aten.lift_fresh_copy.default: torch.ops.aten.clone.default,
}
"""What ``torch.tensor`` calls, and what does the same to a tensor that is no constant."""

BY_NUMBERS = (
    torch.Tag.nondeterministic_seeded,
    torch.Tag.data_dependent_output,
    torch.Tag.dynamic_output_shape,
)
"""Tags of operations whose results hang on chance, or on more than shapes."""


class Look(NamedTuple):
    """What is known of a tensor without its numbers."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype

    def empty(self) -> Tensor:
        """A tensor that looks so."""
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device="meta")


class Ref(NamedTuple):
    """A tensor of a recording: by the place of its entry and, of several results, by its number."""

    place: int
    result: int = -1


class Input(NamedTuple):
    """An argument of the function."""

    number: int
    look: Look


class Operation(NamedTuple):
    """A call of an operation of ATen; in its arguments a :class:`Ref` stands for each tensor."""

    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    looks: tuple[Look | None, ...]
    """What is known of its results; None where there is none."""
    line: str
    """The author's."""


class Repeat(NamedTuple):
    """A loop, which :mod:`~widgets.translate.rolling` finds."""

    body: Any
    start: tuple[Ref, ...]
    fixed: tuple[Ref, ...]
    tables: tuple[Ref, ...]
    looks: tuple[Look, ...]


Entry = Input | Tensor | Operation | Repeat
"""What stands in a recording: an argument, a constant, a call, or a loop."""


class Recording(NamedTuple):
    """What a function does, in the order in which it does it."""

    entries: list[Entry]
    results: list[Ref]


class CannotRecord(Exception):
    """What a recording cannot follow."""


def count_operations(fn: Callable[..., Any], examples: Sequence[Tensor]) -> int:
    """How many operations of ATen torch calls."""
    with _Counter() as counter:
        fn(*beside(examples))
    return counter.calls


def beside(examples: Sequence[Tensor]) -> list[Tensor]:
    """Numbers a little beside the examples, so that what a run leaves behind is not taken for what these come to."""
    return [example * 0.999 if example.is_floating_point() else example.clone() for example in examples]


def record(fn: Callable[..., Sequence[Tensor]], examples: Sequence[Tensor]) -> Recording:
    """The operations of a function.

    Raises:
        CannotRecord: the function asks for numbers or for chance; torch may raise other errors.
    """
    recorder = _Recorder()
    looks = map(look_of, examples)
    inputs = [recorder.new(Input(number, look), look) for number, look in enumerate(looks)]
    try:
        with recorder:
            results = fn(*inputs)
    finally:
        for tensor, gradient in recorder.gradients:
            tensor.grad = gradient
    return Recording(recorder.entries, [recorder.shape_of(result).ref for result in results])


def run_again(recording: Recording, *inputs: Tensor) -> list[Tensor]:
    """The results of a recording at other inputs: what it changes in place, it changes."""
    known: list[Any] = []

    def filled(argument: Any) -> Any:
        if isinstance(argument, Ref):
            return known[argument.place] if argument.result < 0 else known[argument.place][argument.result]
        return [filled(item) for item in argument] if isinstance(argument, tuple) else argument

    for entry in recording.entries:
        if isinstance(entry, Operation):
            origins.set_stack_trace([entry.line])
            args = (filled(argument) for argument in entry.args)
            known.append(entry.target(*args, **{name: filled(a) for name, a in entry.kwargs.items()}))
        else:
            known.append(inputs[entry.number] if isinstance(entry, Input) else entry)
    return [filled(ref) for ref in recording.results]


def look_of(tensor: Tensor) -> Look:
    """How a tensor looks."""
    return Look(tuple(tensor.shape), tensor.stride(), tensor.dtype)


class _Counter(TorchDispatchMode):
    calls = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls += 1
        return func(*args, **(kwargs or {}))


class _Shape(Tensor):
    """A tensor of a recording, without numbers."""

    look: Look
    ref: Ref
    recorder: _Recorder
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @staticmethod
    def __new__(cls, look: Look, ref: Ref, recorder: _Recorder) -> _Shape:
        made: _Shape = Tensor._make_wrapper_subclass(cls, look.shape, look.strides, dtype=look.dtype)
        made.look, made.ref, made.recorder = look, ref, recorder
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        raise CannotRecord(f"{func} after the recording")


class _Recorder(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []
        self.constants: dict[int, _Shape] = {}
        """By their ids, which nothing else gets: their entries keep them alive."""
        self.gradients: list[tuple[Tensor, Tensor | None]] = []
        """Those that constants have before the recording."""
        self.results: dict[tuple[Any, ...], Any] = {}
        """How the results of calls look, by the operation and its arguments."""

    def new(self, entry: Entry, look: Look) -> _Shape:
        """An argument or a constant as a tensor of the recording."""
        self.entries.append(entry)
        return _Shape(look, Ref(len(self.entries) - 1), self)

    def shape_of(self, tensor: Tensor) -> _Shape:
        """A tensor as one of the recording; what is none yet is a constant."""
        if isinstance(tensor, _Shape):
            if tensor.recorder is not self:
                raise CannotRecord("a tensor of another recording")
            return tensor
        if type(tensor) not in (Tensor, torch.nn.Parameter) or tensor.layout != torch.strided:
            raise CannotRecord(type(tensor).__name__)
        if id(tensor) not in self.constants:
            with _disable_current_modes():
                self.constants[id(tensor)] = self.new(tensor, look_of(tensor))
                if tensor.requires_grad and tensor.is_leaf:
                    self.gradients.append((tensor, tensor.grad))
        return self.constants[id(tensor)]

    def _recorded(self, argument: Any) -> tuple[Any, Any]:
        """An argument as it is recorded, and how it looks."""
        if isinstance(argument, Tensor):
            shape = self.shape_of(argument)
            return shape.ref, shape.look
        if isinstance(argument, (list, tuple)):
            pairs = [self._recorded(item) for item in argument]
            return tuple([ref for ref, _ in pairs]), tuple([look for _, look in pairs])
        return argument, (type(argument), argument)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "profiler":  # torch's optimizers note when they begin
            return func(*args, **(kwargs or {}))
        refs, looks = self._recorded(args)
        named = {name: self._recorded(argument) for name, argument in (kwargs or {}).items()}
        key = (func, looks, *((name, look) for name, (_, look) in named.items()))
        if key not in self.results:
            self.results[key] = _results(func, looks, {name: look for name, (_, look) in named.items()})
        kind, results = self.results[key]
        place, line = len(self.entries), origins.current_meta.get("stack_trace") or ""
        kept = {name: ref for name, (ref, _) in named.items()}
        self.entries.append(Operation(ALIKE.get(func, func), refs, kept, results, line))
        if func._schema.is_mutable:
            return args[0]
        if kind is Tensor:
            return _Shape(results[0], Ref(place), self)
        return kind(look and _Shape(look, Ref(place, number), self) for number, look in enumerate(results))


def _results(
    func: Any, looks: Sequence[Any], named: dict[str, Any]
) -> tuple[type[Any], tuple[Look | None, ...]]:
    """The type of what a call returns, and how each of its results looks.

    Raises:
        CannotRecord: they hang on more than the arguments' looks, or are no tensors.
    """
    arguments = func._schema.arguments
    changed = [
        argument.name for argument in arguments if argument.alias_info and argument.alias_info.is_write
    ]
    if func.namespace != "aten" or not set(func.tags).isdisjoint(BY_NUMBERS) or "as_strided" in func.name():
        raise CannotRecord(str(func))
    if changed and (changed != ["self"] or len(func._schema.returns) != 1):
        raise CannotRecord(str(func))
    computed = {name: _empty(look) for name, look in named.items()}
    if computed.get("device") not in (None, torch.device("cpu")):
        raise CannotRecord(str(computed["device"]))
    if any(argument.name == "device" for argument in arguments):
        computed["device"] = torch.device("meta")
    results = func(*map(_empty, looks), **computed)
    if isinstance(results, Tensor):
        return Tensor, (look_of(results),)
    if isinstance(results, (tuple, list)) and all(
        isinstance(result, (Tensor, type(None))) for result in results
    ):
        return type(results), tuple(None if result is None else look_of(result) for result in results)
    raise CannotRecord(f"{func} returns {type(results).__name__}")


def _empty(look: Any) -> Any:
    """An argument, of which a look says all but the numbers of tensors."""
    if isinstance(look, Look):
        return look.empty()
    if len(look) == 2 and isinstance(look[0], type):
        return look[1]
    return [_empty(item) for item in look]
