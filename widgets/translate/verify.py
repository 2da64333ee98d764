"""Verification of a translation, before anybody sees it: every kernel is called once in Node, beside torch.

Torch's numbers are right to the last digits that rounding leaves them: where the page's differ by more than that, the
translation is refused, with the line of the author's at which they part, if it can be found.
"""

from __future__ import annotations

import base64
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from widgets import node
from widgets.translate import aten, author, progress
from widgets.translate.repeatability import Trial
from widgets.translate.trace import Kernel, UnsupportedOperation, decompositions

TOLERANCE = 1e-9
"""The largest difference between JavaScript and torch, relative above 1, that needs no reason."""
REPEATS = 6
"""Times that torch runs again with other last digits."""
SLACK = 100
"""JavaScript may be off by so many times as much as those runs are."""
EPS = torch.finfo(torch.float64).eps
CHANGED = "chance, time, counters and what earlier runs leave behind must be arguments"

EXACT = {
    *(name.split(".")[0] for name in (*aten.VIEWS, *aten.RESHAPES, *aten.EMPTY, *aten.OVERWRITES)),
    *(
        "_to_copy",
        "abs",
        "amax",
        "amin",
        "cat",
        "ceil",
        "clamp",
        "constant_pad_nd",
        "embedding",
        "flip",
        "floor",
    ),
    *(
        "gather",
        "index",
        "index_select",
        "max",
        "maximum",
        "min",
        "minimum",
        "neg",
        "relu",
        "repeat",
        "roll",
        "round",
    ),
    *(
        "scatter",
        "sgn",
        "sign",
        "sort",
        "split_with_sizes",
        "stack",
        "topk",
        "tril",
        "triu",
        "trunc",
        "where",
    ),
}
"""Operations that round nothing."""


def verify(
    kernels: Sequence[Kernel], trials: Sequence[Trial], where: str = "where the controls stand"
) -> None:
    """Call every kernel once in Node, and compare it with torch wherever torch does not hang on the last digits.

    Args:
        trials: for each kernel the inputs, and the function that it translates.
        where: the settings in words.

    Raises:
        UnsupportedOperation: JavaScript stops with an error, or its numbers are not torch's.
        Undecided: JavaScript stops because the answer is not decided here.
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
    except node.Undecided:
        raise
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
    written = [place for place, text in enumerate(texts) if text and place not in kernel.stays]

    def of_torch(*inputs: Tensor) -> Tensor:
        outputs = function(*inputs)
        return _joined([outputs[place].detach() for place in written])

    ours = _joined([_decoded(texts[place]) for place in written])
    theirs = of_torch(*inputs)
    apart = gaps(ours, theirs)
    if not bool((apart > TOLERANCE).any()):
        return
    own = torch.zeros_like(theirs)
    for seed in range(REPEATS):
        with _OtherDigits(seed):
            moved = of_torch(*inputs)
        own = torch.maximum(own, gaps(moved, theirs))
    wrong = (apart > TOLERANCE) & ~(apart <= SLACK * own)
    if bool(wrong.any()):
        line, reason = _where_they_part(of_torch, inputs) or ("", CHANGED)
        of_torch_there, of_ours_there = different(float(theirs[wrong][0]), float(ours[wrong][0]))
        raise UnsupportedOperation(
            f"kernel {kernel.name!r}, {where}: {line and f'{line}: '}torch gets {of_torch_there} where JavaScript gets "
            f"{of_ours_there}: {reason}"
        )


class _OtherDigits(TorchDispatchMode):
    """Each operation that rounds has rounded otherwise: what it returns and, of a sum, its terms."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        is_exact = not _is_pure(func) or func._schema.name.removeprefix("aten::") in EXACT
        if is_exact or not any(isinstance(leaf, Tensor) for leaf in pytree.tree_leaves((args, kwargs))):
            return func(*args, **kwargs)
        if torch.Tag.pointwise not in func.tags:
            args, kwargs = pytree.tree_map_only(Tensor, self._moved, (args, kwargs))
        return pytree.tree_map_only(Tensor, self._moved, func(*args, **kwargs))

    def _moved(self, x: Tensor) -> Tensor:
        """The same but for each number's last digits."""
        if x.dtype != torch.float64 or x.layout != torch.strided or x._is_zerotensor():
            return x
        with _disable_current_modes():
            return x * (1 + 2 * EPS * (2 * torch.rand(x.shape, dtype=x.dtype, generator=self.generator) - 1))


class _Parting(TorchDispatchMode):
    """Notes the first operation whose definition in the page gives other numbers than torch does."""

    found: tuple[str, str] | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if self.found or func not in decompositions() or not _is_pure(func):
            return result
        with _disable_current_modes():
            try:
                ours = decompositions()[func](*args, **(kwargs or {}))
            except ArithmeticError as error:
                self.found = author.line(sys._getframe(1)), str(error)
                return result
        pairs = zip(pytree.tree_leaves(ours), pytree.tree_leaves(result), strict=False)
        for mine, their in pairs:
            if isinstance(mine, Tensor) and isinstance(their, Tensor) and mine.shape == their.shape:
                numbers = (part.detach().to(torch.float64).flatten() for part in (mine, their))
                if bool((gaps(*numbers) > TOLERANCE).any()):
                    self.found = author.line(sys._getframe(1)), f"{func} has other last digits in the page"
        return result


def _where_they_part(function: Callable[..., Tensor], inputs: Sequence[Tensor]) -> tuple[str, str] | None:
    """The author's line at which the page's numbers and torch's part, and how; None if no operation differs."""
    with _Parting() as parting:
        function(*inputs)
    return parting.found


def _is_pure(func: Any) -> bool:
    """Whether an operation changes nothing in place and returns no view."""
    schema = func._schema
    return not schema.is_mutable and all(returned.alias_info is None for returned in schema.returns)


def different(first: float, second: float) -> tuple[str, str]:
    """Two numbers with so many digits that they look different."""
    for digits in range(6, 18):
        texts = f"{first:.{digits}g}", f"{second:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


def gaps(ours: Tensor, theirs: Tensor) -> Tensor:
    """How far each number is from its fellow, relative above 1; the same infinity is no difference."""
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    return torch.where(same, 0.0, (ours - theirs).abs() / theirs.abs().clamp(min=1)).nan_to_num(nan=math.inf)


def _joined(pieces: Sequence[Tensor]) -> Tensor:
    empty = torch.empty(0, dtype=torch.float64)
    return torch.cat([empty, *(piece.flatten().to(torch.float64) for piece in pieces)])


def _decoded(text: str) -> Tensor:
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.float64)


def _bytes(numbers: Tensor) -> str:
    """A tensor's numbers as float64, in base64."""
    return base64.b64encode(numbers.detach().to(torch.float64).contiguous().numpy().tobytes()).decode()
