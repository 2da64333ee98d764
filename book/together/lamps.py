"""Lamps beside a run outside the assumptions: which theorems hold, each from the step on that decides it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.program import Program, with_outputs
from widgets.figure.scenes import Claims

AWAY = 0.5
"""How far right of the line a lamp stands that is on, and left of it one that is off, of all the way."""


def always(r: Any, p: Any) -> Tensor:
    """True of every run."""
    return torch.ones((), dtype=torch.bool)


class Lamp(NamedTuple):
    """A theorem, and when it is decided."""

    words: str
    holds: Callable[[Any, Any], Tensor]
    """Of report and parameters, whether it holds; 0-d bool."""
    after: Callable[[Any], Tensor]
    """Of the parameters, after how many steps of the run this is decided; 0-d."""
    speaks: Callable[[Any, Any], Tensor] = always
    """Whether it says anything of such a run; 0-d bool."""


def lamps_of(title: str, head: str, lamps: Sequence[Lamp]) -> Claims:
    """The part of a scene in which each theorem stands right of a line if it holds, left of it if it fails."""
    return Claims(title, ((head, tuple(lamp.words for lamp in lamps)),), "lit", "stood")


def with_lamps(program: Program, lamps: Sequence[Lamp], step: Callable[[Any], Tensor]) -> Program:
    """``program`` with what :func:`lamps_of` shows.

    Args:
        step: of a state, how many steps the run has taken; 0-d.
    """

    def lit(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
        decided = torch.stack([step(state) >= lamp.after(p) for lamp in lamps])
        return {"lit": torch.where(decided, torch.nan, torch.inf).double()}

    def stood(r: Any, ends: Any, p: Any) -> dict[str, Tensor]:
        sides = [AWAY * (2 * lamp.holds(r, p).double() - 1) for lamp in lamps]
        spoken = [
            torch.where(lamp.speaks(r, p), side, torch.inf) for lamp, side in zip(lamps, sides, strict=True)
        ]
        return {"stood": torch.stack(spoken)}

    return with_outputs(program, lit, stood)
