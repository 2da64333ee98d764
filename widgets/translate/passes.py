"""The passes over a kernel's tree, in their order: from statements in the order of the trace to what is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from widgets.translate.fusion import fuse
from widgets.translate.hoisting import hoist
from widgets.translate.loops import Statements
from widgets.translate.nests import collapse, unroll
from widgets.translate.outlining import outline
from widgets.translate.scalars import replace_scalars
from widgets.translate.storage import SubBuffer, elide_copies, merge_sub_buffers, shrink


def optimise(
    statements: Statements,
    arrays: Mapping[str, int],
    outputs: Iterable[str],
    parts: Mapping[str, SubBuffer],
    fresh: Callable[[str], str],
) -> tuple[Statements, dict[str, int]]:
    """The same computation with less work and less memory; what it computes stays the same to the last bit.

    Args:
        statements: in the order in which they run.
        arrays: the sizes of the arrays that the kernel keeps.
        outputs: the arrays that are outputs.
        parts: the arrays of which all is copied into a larger one.
        fresh: makes a new name of one.

    Returns:
        The statements, and the sizes of the arrays that they need.
    """
    statements, arrays = elide_copies(statements, arrays, outputs)
    statements = fuse(statements)
    statements, arrays = replace_scalars(statements, arrays, fresh)
    statements, arrays = merge_sub_buffers(statements, arrays, parts)
    statements, arrays = shrink(statements, arrays)
    statements = outline(collapse(statements))
    return hoist(unroll(statements), fresh), dict(arrays)
