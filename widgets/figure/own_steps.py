"""Whether a figure trains as its author does: three steps of the author's own objects beside three of the figure's.

The author's module, optimizer and loss take the steps themselves, in float64, hooks and all::

    optimizer.zero_grad()
    loss(module(*inputs), target).backward()
    optimizer.step()

Then everything is put back as it was. What the figure's own steps come to must be the same; where it is not, the
refusal names what is in the way.
"""

from __future__ import annotations

import functools
import gc
import operator
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from widgets.translate import author

STEPS = 3
"""Steps that are compared."""
CLOSE = 1e-9
"""The largest difference between two trainings that are the same, relative to how far a parameter has moved."""
MOST_HELD = 20_000
"""Most objects that a training refers to that are looked through."""
PLAIN = (bool, int, float, str, type(None))

Steps = list[dict[str, Tensor]]
"""The parameters after each step, by name."""


class Given(NamedTuple):
    """The author's own objects."""

    module: nn.Module
    optimizer: Optimizer
    loss: Callable[..., Tensor]
    scheduler: LRScheduler | None = None

    @property
    def hooks(self) -> list[Any]:
        """What the author has hung on the optimizer's steps and on the parameters' gradients."""
        of_steps: tuple[Any, ...] = (
            self.optimizer._optimizer_step_pre_hooks,
            self.optimizer._optimizer_step_post_hooks,
        )
        return [
            hook
            for hooks in (*of_steps, *map(_of_tensor, self.module.parameters()))
            for hook in hooks.values()
        ]


def _of_tensor(tensor: Tensor) -> dict[Any, Any]:
    return {**(tensor._backward_hooks or {}), **(tensor._post_accumulate_grad_hooks or {})}


class StandIns(TorchFunctionMode):
    """Calls of torch that take other tensors in place of the author's own.

    A loss or a hook that reads the author's module, ``net.parameters()``, so gets the figure's parameters.
    """

    def __init__(self, pairs: Sequence[tuple[Tensor, Tensor]]):
        super().__init__()
        self.pairs = {id(own): (own, other) for own, other in pairs}

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        args, kwargs = pytree.tree_map_only(Tensor, self._of, (tuple(args), kwargs or {}))
        return func(*args, **kwargs)

    def _of(self, tensor: Tensor) -> Tensor:
        return self.pairs.get(id(tensor), (tensor, tensor))[1]


def check_steps(
    held: Held, rows: Callable[[int], tuple[Sequence[Tensor], Sequence[Tensor]]], ours: Callable[[], Steps]
) -> None:
    """Compare the author's own steps with the figure's.

    Args:
        held: the author's own objects, which are float64 for now.
        rows: the inputs and the target of each step.
        ours: takes the figure's steps, and returns the parameters after each.

    Raises:
        ValueError: they differ, or hang on chance or on counters, which a page cannot repeat.
    """
    try:
        theirs = list(_authors(held.given, rows))
    except RuntimeError as error:
        raise ValueError(f"your own training stops: {str(error).splitlines()[0]}") from error
    held.check_unchanged()
    _check_alike(theirs, ours(), held)


def _authors(given: Given, rows: Callable[[int], Any]) -> Iterator[dict[str, Tensor]]:
    """The author's own steps, by the author's own objects."""
    for step in range(STEPS):
        inputs, target = rows(step)
        given.optimizer.zero_grad()
        given.loss(given.module(*inputs), *target).reshape(()).backward()
        given.optimizer.step()
        if given.scheduler:
            given.scheduler.step()
        yield {name: parameter.detach().clone() for name, parameter in given.module.named_parameters()}


def _check_alike(theirs: Steps, mine: Steps, held: Held) -> None:
    for step, (own, other) in enumerate(zip(theirs, mine, strict=True), 1):
        for name, parameter in own.items():
            before = held.start[name]
            moved = max(float((parameter - before).abs().max()), float((other[name] - before).abs().max()))
            far = (parameter - other[name]).abs()
            allowed = CLOSE * moved + 1e-13 * float(before.abs().max())
            if bool((far > allowed).any()) or not torch.equal(parameter.isfinite(), other[name].isfinite()):
                place = int(far.nan_to_num(torch.inf).argmax())
                values = (f"{tensor.flatten()[place]:.6g}" for tensor in (parameter, other[name]))
                raise ValueError(
                    "after step {} of your own training a number of {!r} is {}, and here {}: {}".format(
                        step, name, *values, held.reason()
                    )
                )


# What stands in the way -----------------------------------------------------------------------------------------


def check_nothing_else(given: Given) -> None:
    """Refuse what changes a training from outside its module, optimizer, loss and scheduler.

    Raises:
        ValueError: a scheduler that is not given, or an optimizer whose step is replaced.
    """
    step = vars(given.optimizer).get("step")
    if step is not None and not hasattr(step, "_wrapped_by_lr_sched"):
        raise ValueError(
            f"optimizer.step is replaced by {getattr(step, '__qualname__', step)!r}: must be torch's own; what comes "
            "before or after it may be a hook, optimizer.register_step_pre_hook"
        )
    attached = schedulers_of(given.optimizer)
    if attached and given.scheduler is None:
        raise ValueError(
            f"{type(attached[0]).__name__} is attached to the optimizer and changes its learning rate: must be given, "
            "live(module, optimizer, loss, data, scheduler=scheduler), or be deleted before"
        )


def schedulers_of(optimizer: Optimizer) -> list[Any]:
    """The schedulers that are attached to an optimizer, which does not know them itself."""
    kinds = (LRScheduler, ReduceLROnPlateau)
    return [
        thing
        for thing in gc.get_objects()
        if issubclass(type(thing), kinds) and getattr(thing, "optimizer", None) is optimizer
    ]


class Held:
    """All that a training refers to: to see what its steps change, and to put it back."""

    def __init__(self, given: Given):
        self.given = given
        self.start = {
            name: parameter.detach().to(torch.float64, copy=True)
            for name, parameter in given.module.named_parameters()
        }
        self.containers: list[tuple[str, Any, Any]] = []
        self.cells: list[tuple[str, CellType | tuple[dict[str, Any], str], Any]] = []
        self.tensors: list[tuple[str, Tensor, Tensor, Any, int]] = []
        self.generators: list[tuple[str, Any, Any]] = []
        self.seen: dict[int, Any] = {}
        self.drawn: list[tuple[str, Any, Any]] = [
            ("torch's generator", torch.default_generator, _state_of(torch.default_generator)),
            ("random", random._inst, _state_of(random._inst)),
            ("numpy.random", np.random.mtrand._rand, _state_of(np.random.mtrand._rand)),
        ]
        self.whole = [
            module
            for one in (given.module, given.loss)
            if isinstance(one, nn.Module)
            for module in one.modules()
        ]
        own = [*given.module.parameters(), *(buffer for part in self.whole for buffer in part.buffers())]
        own += [parameter for part in self.whole for parameter in part.parameters()]
        self.own = {id(tensor) for tensor in own}
        self._hold("module", given.module)
        self._hold("loss", given.loss)
        for hook in given.hooks:
            self._hold(_name_of(hook), hook)
        self._hold("optimizer", given.optimizer)
        before = len(self.containers)
        self._hold("scheduler", given.scheduler)
        self.scheduled = {id(thing) for _path, thing, _before in self.containers[before:]}

    def _hold(self, path: str, thing: Any) -> None:
        todo = deque([(path, thing)])
        while todo and len(self.seen) < MOST_HELD:
            path, thing = todo.popleft()
            if id(thing) in self.seen or isinstance(thing, (*PLAIN, type, ModuleType)):
                continue
            self.seen[id(thing)] = thing
            todo.extend((f"{path}{name}", part) for name, part in self._parts(path, thing))

    def _parts(self, path: str, thing: Any) -> Iterator[tuple[str, Any]]:
        """What a thing refers to, by name; notes how it stands."""
        if isinstance(thing, Tensor):
            if thing.layout != torch.strided or thing.is_inference() or thing.is_meta:
                return
            yield from ((f".{name}", hook) for name, hook in enumerate(_of_tensor(thing).values()))
            self.tensors.append(
                (path, thing, thing.data, thing.grad if thing.is_leaf else None, thing._version)
            )
        elif isinstance(thing, (torch.Generator, np.random.Generator, np.random.RandomState, random.Random)):
            self.generators.append((path, thing, _state_of(thing)))
        elif isinstance(thing, dict):
            self.containers.append((path, thing, dict(thing)))
            yield from ((f"[{key!r}]" if isinstance(key, PLAIN) else "", part) for key, part in thing.items())
        elif isinstance(thing, (list, set, deque)):
            self.containers.append((path, thing, list(thing)))
            yield from ((f"[{place}]", part) for place, part in enumerate(thing))
        elif isinstance(thing, (tuple, frozenset)):
            yield from ((f"[{place}]", part) for place, part in enumerate(thing))
        elif isinstance(thing, FunctionType):
            yield from self._of_function(thing)
        elif isinstance(thing, MethodType):
            yield from (("", thing.__self__), ("", thing.__func__))
        elif isinstance(thing, functools.partial):
            yield from ((".func", thing.func), (".args", thing.args), (".keywords", thing.keywords))
        elif isinstance(thing, (nn.Module, Optimizer, LRScheduler, SimpleNamespace)) or _is_own(type(thing)):
            fields = getattr(thing, "__dict__", {})
            self.containers.append((path, fields, dict(fields)))
            yield from ((f".{name}", part) for name, part in fields.items())
            kinds: tuple[Any, ...] = type(thing).__mro__
            for kind in kinds:
                if _is_own(kind):
                    yield from (
                        (f".{name}", part)
                        for name, part in vars(kind).items()
                        if isinstance(part, FunctionType)
                    )

    def _of_function(self, function: FunctionType) -> Iterator[tuple[str, Any]]:
        """The variables that a function of the author's finds outside itself, and its attributes."""
        if not author.is_own(function.__code__.co_filename):
            return
        fields = vars(function)
        self.containers.append((_name_of(function), fields, dict(fields)))
        yield from ((f".{name}", part) for name, part in fields.items())
        yield from ((f".{i}", part) for i, part in enumerate(function.__defaults__ or ()))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                contents = cell.cell_contents
            except ValueError:  # not yet assigned
                continue
            self.cells.append((name, cell, contents))
            yield f"'s {name}", contents
        for name in _global_names(function.__code__):
            if name in function.__globals__:
                self.cells.append((name, (function.__globals__, name), function.__globals__[name]))
                yield f"'s {name}", function.__globals__[name]

    def check_unchanged(self) -> None:
        """Refuse chance and counters: what a step changes besides the parameters and what the optimizer keeps.

        Raises:
            ValueError: with its name.
        """
        for path, generator, state in [*self.generators, *self.drawn]:
            if not _same(_state_of(generator), state):
                raise ValueError(
                    f"each step draws at random, from {path}: must be the same whenever it is run, without noise, "
                    "shuffling, augmentation or dropout, so that a page can repeat it"
                )
        of_optimizer = {id(thing) for thing in (vars(self.given.optimizer), self.given.optimizer.state)}
        of_optimizer |= {id(part) for part in self.given.optimizer.state.values()}
        if self.given.scheduler:
            of_optimizer |= {id(group) for group in self.given.optimizer.param_groups} | self.scheduled
        for path, thing, before in self.containers:
            if isinstance(before, dict) and id(thing) not in of_optimizer:
                for name, value in before.items():
                    now = thing.get(name, value)
                    if isinstance(value, (int, float, str)) and isinstance(now, PLAIN) and now != value:
                        raise ValueError(_changed(f"{path}, {name!r},", value, now))
        for name, cell, value in self.cells:
            now = _contents(cell)
            if isinstance(value, (int, float, str)) and isinstance(now, PLAIN) and now != value:
                raise ValueError(_changed(f"{name!r}", value, now))
        of_state = {id(leaf) for leaf in pytree.tree_leaves(list(self.given.optimizer.state.values()))}
        for path, tensor, _data, _grad, version in self.tensors:
            if id(tensor) not in self.own | of_state and tensor._version != version and tensor.is_leaf:
                raise ValueError(
                    f"each step changes the tensor {path}: must change nothing but the module's parameters and what "
                    "the optimizer keeps"
                )

    def reason(self) -> str:
        """What may be in the way, for a training that differs."""
        module, optimizer = self.given.module, self.given.optimizer
        if hooks := self.given.hooks:
            return f"the hook {_name_of(hooks[0])} does something that cannot be repeated"
        if any(part._backward_hooks or part._backward_pre_hooks for part in module.modules()):
            return "a backward hook of the module does something that cannot be repeated"
        return (
            f"something besides the module, {type(optimizer).__name__}, and the loss as functions of the parameters "
            "takes part in a step, and cannot be repeated"
        )

    @contextmanager
    def put_back(self) -> Iterator[None]:
        """The author's objects are float64 in it, and afterwards as they were."""
        flags = [tensor.requires_grad for _path, tensor, *_ in self.tensors if tensor.is_leaf]
        leaves = [tensor for _path, tensor, *_ in self.tensors if tensor.is_leaf]
        contents = [
            data if id(tensor) in self.own else data.clone() for _path, tensor, data, *_ in self.tensors
        ]
        try:
            self._widen()
            yield
        finally:
            for _path, thing, before in self.containers:
                if not _as_it_was(thing, before):
                    thing.clear()
                    (thing.extend if isinstance(thing, (list, deque)) else thing.update)(before)
            for _name, cell, before in self.cells:
                if _contents(cell) is before:
                    continue
                if isinstance(cell, CellType):
                    cell.cell_contents = before
                else:
                    cell[0][cell[1]] = before
            for (_path, tensor, data, grad, version), content in zip(self.tensors, contents, strict=True):
                if id(tensor) in self.own:
                    tensor.grad = None
                    tensor.data = data
                    tensor.grad = grad
                elif tensor._version != version:
                    with torch.no_grad():
                        data.copy_(content)
            for tensor, flag in zip(leaves, flags, strict=True):
                tensor.requires_grad_(flag)
            for _path, generator, state in [*self.generators, *self.drawn]:
                _set_state(generator, state)

    def _widen(self) -> None:
        """Turn copies of the author's parameters, buffers and moments to float64, in their places."""
        for part in self.whole:
            for tensor in [*part._parameters.values(), *part._buffers.values()]:
                if tensor is not None:
                    if tensor.is_leaf:
                        tensor.grad = None
                    tensor.data = _wide(tensor.data)
        for group in self.given.optimizer.param_groups:
            group.update({key: _wide(number) for key, number in group.items() if isinstance(number, Tensor)})
        for parameter, moments in self.given.optimizer.state.items():
            self.given.optimizer.state[parameter] = {
                key: _wide(moment) if isinstance(moment, Tensor) else moment
                for key, moment in moments.items()
            }


def _as_it_was(thing: Any, before: Any) -> bool:
    """Whether a container holds the same objects in the same order."""
    if isinstance(before, dict):
        return list(thing) == list(before) and all(thing[key] is before[key] for key in before)
    return len(thing) == len(before) and all(map(operator.is_, thing, before))


def _contents(cell: CellType | tuple[dict[str, Any], str]) -> Any:
    return cell.cell_contents if isinstance(cell, CellType) else cell[0].get(cell[1])


def _wide(tensor: Tensor) -> Tensor:
    return tensor.detach().to(torch.float64 if tensor.is_floating_point() else tensor.dtype, copy=True)


def _changed(what: str, before: Any, now: Any) -> str:
    return (
        f"{what} goes from {before!r} to {now!r} in a few steps: must stay, because a page repeats one and the same "
        "step; what counts or is scheduled is not repeated"
    )


def _global_names(code: CodeType) -> Iterator[str]:
    """The names that a function's code looks up, those of the functions in it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _is_own(kind: Any) -> bool:
    """Whether a class is the author's."""
    if kind.__module__ in ("builtins", "torch"):
        return False
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is None or author.is_own(file)


def _name_of(thing: Any) -> str:
    return str(getattr(thing, "__qualname__", type(thing).__qualname__)).split("<locals>.")[-1]


def _state_of(generator: Any) -> Any:
    if isinstance(generator, torch.Generator):
        return generator.get_state()
    if isinstance(generator, random.Random):
        return generator.getstate()
    return (
        generator.bit_generator.state if isinstance(generator, np.random.Generator) else generator.get_state()
    )


def _set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, (torch.Generator, np.random.RandomState)):
        generator.set_state(state)
    elif isinstance(generator, random.Random):
        generator.setstate(state)
    else:
        generator.bit_generator.state = state


def _same(a: Any, b: Any) -> bool:
    """Whether two states of a generator are the same."""
    if isinstance(a, Tensor):
        return torch.equal(a, b)
    if isinstance(a, Mapping):
        return all(_same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return all(map(_same, a, b))
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)
