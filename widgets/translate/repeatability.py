"""Repeatability: what chance, the time or a counter has a part in comes out otherwise each time, and is refused.

Every operation of torch does the same to the same numbers, to its last digits: those hang on where LAPACK finds its
matrices in memory. So only what comes into a run from outside is compared: the operations and their Python numbers,
tensors that none of the run's own operations made, and what is drawn by chance.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from widgets.translate import progress
from widgets.translate.refusals import UnsupportedOperation

CHANGING = "comes out otherwise each time it is run: chance, time and counters must be arguments"

LAST_DIGITS = 1e-9
"""Largest relative difference allowed between numbers from outside that LAPACK has computed there."""
MOST_RUNS = 10
"""Most runs of a function whose numbers differ in their last digits: a clock's never come back, LAPACK's do."""

Trial = tuple[list[Tensor], Callable[..., list[Tensor]]]
"""Inputs, and the function that is translated."""


def check_repeatable(names: Iterable[str], trials: Iterable[Trial]) -> None:
    """Run every function twice in torch, and compare what comes into the runs from outside.

    Raises:
        UnsupportedOperation: other operations, or the same ones with other numbers.
    """
    for name, (inputs, function) in zip(names, trials, strict=True):
        progress.tell(f"{name}: run twice in torch")
        seen = [_record(function, inputs)]
        for _ in range(MOST_RUNS):
            latest = _record(function, inputs)
            if any(latest.is_same(earlier) for earlier in seen):
                break
            if not latest.is_near(seen[0]):
                raise UnsupportedOperation(f"kernel {name!r}: {CHANGING}")
            seen.append(latest)
        else:
            raise UnsupportedOperation(f"kernel {name!r}: {CHANGING}")


class _Record(NamedTuple):
    """What a run does, and what comes into it from outside."""

    operations: list[Any]
    numbers: list[float]
    tensors: list[Tensor]

    def is_same(self, other: _Record) -> bool:
        return self._is_like(other) and all(itertools.starmap(_same, self._pairs(other)))

    def is_near(self, other: _Record) -> bool:
        return self._is_like(other) and all(itertools.starmap(_near, self._pairs(other)))

    def _is_like(self, other: _Record) -> bool:
        """Whether two records are of the same operations, with whatever numbers."""
        looks, others = ([(tensor.shape, tensor.dtype) for tensor in r.tensors] for r in (self, other))
        return (
            self.operations == other.operations
            and looks == others
            and len(self.numbers) == len(other.numbers)
        )

    def _pairs(self, other: _Record) -> Iterable[tuple[Tensor, Tensor]]:
        numbers = (torch.tensor(r.numbers, dtype=torch.float64) for r in (self, other))
        return itertools.chain([tuple(numbers)], zip(self.tensors, other.tensors, strict=True))  # type: ignore[list-item]


def _same(ours: Tensor, theirs: Tensor) -> bool:
    return bool(((ours == theirs) | ((ours != ours) & (theirs != theirs))).all())


def _near(ours: Tensor, theirs: Tensor) -> bool:
    if not (ours.is_floating_point() or ours.is_complex()):
        return _same(ours, theirs)
    return torch.allclose(ours, theirs, rtol=LAST_DIGITS, atol=0, equal_nan=True)


def _record(function: Callable[..., list[Tensor]], inputs: Sequence[Tensor]) -> _Record:
    with _Recorder() as recorder:
        copies = [tensor.clone() for tensor in inputs]
        outputs = function(*copies)
    for output in outputs:
        recorder.note(output)
    return recorder.record


class _Recorder(TorchDispatchMode):
    """Records the operations of a run, their Python numbers, and what they read that no operation has made."""

    def __init__(self) -> None:
        super().__init__()
        self.record = _Record([], [], [])
        self.own: dict[int, StorageWeakRef] = {}
        """The memory of what the run's operations have made: what is kept so is not given to others."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "profiler":  # torch's optimizers note when they begin
            return func(*args, **(kwargs or {}))
        leaves = pytree.tree_leaves((args, kwargs))
        self.record.numbers.extend(leaf for leaf in leaves if isinstance(leaf, float))
        others = [leaf for leaf in leaves if not isinstance(leaf, (float, Tensor))]
        self.record.operations.append((func.name(), repr(others)))
        for leaf in leaves:
            self.note(leaf)
        result = func(*args, **(kwargs or {}))
        by_chance = torch.Tag.nondeterministic_seeded in func.tags
        for leaf in pytree.tree_leaves(result):
            self.note(leaf, keep=by_chance)
        return result

    def note(self, leaf: Any, keep: bool | None = None) -> None:
        """Keep a copy of what comes from outside.

        Args:
            leaf: what an operation reads or returns; nothing but a tensor has numbers to copy.
            keep: for what an operation returns, whether it is drawn by chance.
        """
        if (
            not isinstance(leaf, Tensor)
            or leaf.layout != torch.strided
            or leaf.is_quantized
            or leaf._is_zerotensor()
        ):
            return
        storage = leaf.untyped_storage()
        if keep is None and storage._cdata in self.own:
            return
        self.own.setdefault(storage._cdata, StorageWeakRef(storage))
        if keep is not False:
            with _disable_current_modes():
                self.record.tensors.append(leaf.detach().clone())
