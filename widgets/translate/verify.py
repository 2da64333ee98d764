"""A translation is tried out before anybody sees it: every kernel is called once in Node, beside torch."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from widgets import node
from widgets.translate.trace import Kernel, UnsupportedOperation


def verify(
    kernels: Sequence[Kernel], trials: Sequence[tuple[list[Tensor], Callable[..., list[Tensor]]]]
) -> None:
    """Call every kernel once in Node, and compare it with torch wherever torch does not hang on the last digits."""
    jobs = [
        {
            "name": kernel.name,
            "source": kernel.source,
            "constants": _bytes(kernel.constants),
            "ins": [_bytes(one) for one in inputs],
            "sizes": [math.prod(shape) for shape in kernel.outputs],
        }
        for kernel, (inputs, _) in zip(kernels, trials, strict=True)
    ]
    try:
        results = node.run(jobs)
    except ArithmeticError as error:
        raise UnsupportedOperation(f"{error}, where the controls stand") from error
    for kernel, (inputs, function), texts in zip(kernels, trials, results, strict=True):
        moved = [_in_last_digits(one) for one in inputs]
        each = enumerate(zip(texts, function(*inputs), function(*moved), strict=True))
        for ours, theirs, near in (one for place, one in each if place not in kernel.stays):
            wanted, other = (one.flatten().to(torch.float64) for one in (theirs, near))
            found = (
                torch.frombuffer(bytearray(base64.b64decode(ours)), dtype=torch.float64) if ours else wanted
            )
            off = ~_close(found, wanted, 1e-9) & _close(other, wanted, 1e-10)
            if bool(off.any()):
                raise UnsupportedOperation(
                    f"kernel {kernel.name!r}: torch gets {wanted[off][0]:g} where JavaScript gets {found[off][0]:g}: "
                    "chance, time, counters and what earlier runs leave behind must be arguments"
                )


def _in_last_digits(x: Tensor) -> Tensor:
    """The same but for each number's last digits, every which way, so that ties break."""
    if not x.is_floating_point():
        return x
    return x * (1 + 1e-14 * torch.cos(torch.arange(x.numel(), dtype=x.dtype)).reshape(x.shape))


def _close(one: Tensor, other: Tensor, most: float) -> Tensor:
    """Where two tensors differ by no more, relative above 1; NaN is like NaN."""
    near = (one - other).abs() <= most * other.abs().clamp(min=1)
    return near | (one == other) | (one.isnan() & other.isnan())


def _bytes(numbers: Tensor) -> str:
    return base64.b64encode(numbers.detach().to(torch.float64).contiguous().numpy().tobytes()).decode()
