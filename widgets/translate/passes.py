"""What is done to a kernel's tree before it is printed, pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from widgets.translate.fusion import fuse
from widgets.translate.hoisting import hoist
from widgets.translate.loops import Statements
from widgets.translate.nests import collapse, unroll
from widgets.translate.outlining import outline
from widgets.translate.scalars import replace_scalars
from widgets.translate.storage import SubBuffer, elide_copies, merge_sub_buffers, shrink


class Kernel(NamedTuple):
    """A kernel's statements, and the sizes of the arrays that it keeps."""

    statements: Statements
    arrays: Mapping[str, int]


def optimise(
    kernel: Kernel, outputs: Iterable[str], parts: Mapping[str, SubBuffer], fresh: Callable[[str], str]
) -> Kernel:
    """The kernel with less work and less memory; what it computes stays the same to the last bit.

    Args:
        outputs: the arrays that are outputs.
        parts: the arrays of which all is copied into a larger one.
        fresh: makes a new name of one.
    """
    statements, arrays = elide_copies(kernel.statements, kernel.arrays, outputs)
    statements = fuse(statements)
    statements, arrays = replace_scalars(statements, arrays, fresh)
    statements, arrays = merge_sub_buffers(statements, arrays, parts)
    statements, arrays = shrink(statements, arrays)
    statements = outline(collapse(statements))
    return Kernel(hoist(unroll(statements), fresh), arrays)
