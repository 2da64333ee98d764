"""An operation that stops a run in the page where torch's answer is an error, or is left open by torch itself."""

from __future__ import annotations

import torch
from torch import Tensor


@torch.library.custom_op("facts::decided", mutates_args=())
def decided(holds: Tensor, words: str) -> Tensor:
    """1 wherever a condition holds, as float64: a factor of what is decided only then.

    Args:
        holds: bool, of any shape.
        words: what is the matter where it does not hold: "the matrix is singular".

    Raises:
        ArithmeticError: it does not hold somewhere.
    """
    if not bool(holds.all()):
        raise ArithmeticError(f"not decided here: {words}")
    return torch.ones(holds.shape, dtype=torch.float64)


@decided.register_fake
def _shape(holds: Tensor, words: str) -> Tensor:
    return torch.ones(holds.shape, dtype=torch.float64)


@decided.register_vmap
def _mapped(
    info: object, axes: tuple[int | None, None], holds: Tensor, words: str
) -> tuple[Tensor, int | None]:
    return decided(holds, words), axes[0]
