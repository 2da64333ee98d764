"""Verification of a translation, before anybody sees it: every kernel is called once in Node, beside torch.

What chance, the time or a counter has a part in does something else when torch runs it twice, and is refused.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from widgets import node
from widgets.translate import progress
from widgets.translate.trace import Kernel, UnsupportedOperation

TOLERANCE = 1e-9
"""The largest difference between JavaScript and torch, relative above 1."""


CHANGING = "comes out otherwise each time it is run: chance, time and counters must be arguments"

Trial = tuple[list[Tensor], Callable[..., list[Tensor]]]
"""Inputs, and the function that is translated."""


def check_repeatable(names: Iterable[str], trials: Iterable[Trial]) -> None:
    """Run every function twice in torch, and compare what it does, operation by operation.

    Raises:
        UnsupportedOperation: another operation, or the same one with another result.
    """
    for name, (inputs, function) in zip(names, trials, strict=True):
        progress.tell(f"{name}: run twice in torch")
        first, second = (_operations(function, inputs) for _ in range(2))
        if first != second:
            raise UnsupportedOperation(f"kernel {name!r}: {CHANGING}")


def _operations(function: Callable[..., list[Tensor]], inputs: Sequence[Tensor]) -> list[tuple[Any, ...]]:
    """What torch does in a call: the operations, their numbers, and a hash of what each returns."""
    with _Recorder() as recorder:
        outputs = function(*(tensor.clone() for tensor in inputs))
    return [*recorder.operations, tuple(map(_hash, outputs))]


class _Recorder(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.operations: list[tuple[Any, ...]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.namespace == "profiler":  # torch's optimizers note when they begin
            return result
        numbers = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if not isinstance(leaf, Tensor)]
        is_empty = "empty" in func.name()  # which holds anything
        leaves = [] if is_empty else pytree.tree_leaves(result)
        hashes = [_hash(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
        self.operations.append((func.name(), repr(numbers), *hashes))
        return result


def _hash(tensor: Tensor) -> Any:
    """What tells a tensor from others; of one that is not dense in memory only its looks."""
    looks = tuple(tensor.shape), str(tensor.dtype)
    if tensor.layout != torch.strided or tensor.is_quantized:
        return looks
    with torch.utils._python_dispatch._disable_current_modes():
        return *looks, hash(tensor.detach().resolve_conj().resolve_neg().cpu().contiguous().numpy().tobytes())


def verify(
    kernels: Sequence[Kernel], trials: Sequence[Trial], where: str = "where the controls stand"
) -> None:
    """Call every kernel once in Node, and compare it with torch wherever torch does not hang on the last digits.

    Args:
        trials: for each kernel the inputs, and the function that it translates.
        where: the settings in words.

    Raises:
        UnsupportedOperation: JavaScript stops with an error, or its numbers are not torch's.
    """
    jobs = [
        {
            "name": kernel.name,
            "source": kernel.source,
            "constants": _bytes(kernel.constants),
            "ins": [_bytes(tensor) for tensor in inputs],
            "sizes": [math.prod(shape) for shape in kernel.outputs],
        }
        for kernel, (inputs, _) in zip(kernels, trials, strict=True)
    ]
    progress.tell("the page's code, which runs beside torch")
    try:
        results = node.run(jobs)
    except ArithmeticError as error:
        raise UnsupportedOperation(f"{error}, {where}") from error
    for kernel, (inputs, function), texts in zip(kernels, trials, results, strict=True):
        _compare(kernel, inputs, function, texts, where)


def _compare(
    kernel: Kernel,
    inputs: list[Tensor],
    function: Callable[..., list[Tensor]],
    texts: Sequence[str],
    where: str,
) -> None:
    """Compare the outputs of one kernel, as base64, with torch's."""
    nudged = [_nudged(tensor) for tensor in inputs]
    outputs = zip(texts, function(*inputs), function(*nudged), strict=True)
    for place, (text, output, nudged_output) in enumerate(outputs):
        if place in kernel.stays:
            continue
        expected, nearby = (tensor.flatten().to(torch.float64) for tensor in (output, nudged_output))
        actual = (
            torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.float64) if text else expected
        )
        is_settled = _close(nearby, expected, TOLERANCE / 10)
        wrong = ~_close(actual, expected, TOLERANCE) & is_settled
        if bool(wrong.any()):
            raise UnsupportedOperation(
                f"kernel {kernel.name!r}, {where}: torch gets {expected[wrong][0]:g} where JavaScript gets "
                f"{actual[wrong][0]:g}: chance, time, counters and what earlier runs leave behind must be arguments"
            )


def _nudged(x: Tensor) -> Tensor:
    """The same but for each number's last digits, in all directions, so that ties break."""
    if not x.is_floating_point():
        return x
    return x * (1 + 1e-14 * torch.cos(torch.arange(x.numel(), dtype=x.dtype)).reshape(x.shape))


def _close(actual: Tensor, expected: Tensor, tolerance: float) -> Tensor:
    """Where two tensors differ by no more than the tolerance, relative above 1; NaN is like NaN."""
    near = (actual - expected).abs() <= tolerance * expected.abs().clamp(min=1)
    return near | (actual == expected) | (actual.isnan() & expected.isnan())


def _bytes(numbers: Tensor) -> str:
    """A tensor's numbers as float64, in base64."""
    return base64.b64encode(numbers.detach().to(torch.float64).contiguous().numpy().tobytes()).decode()
