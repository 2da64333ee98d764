"""Lamps beside a run outside the assumptions: which theorems hold, each from the step on that decides it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.ledger.bounds import Bound, Bounds
from lib.program import Program, with_outputs
from widgets.figure.scenes import Claims

AWAY = 0.5
"""How far right of the line a lamp stands that is on, and left of it one that is off, where no ratio says more."""
LEAST = 0.1
"""The least distance from the line, so that one sees on which side a lamp stands."""


def always(r: Any, p: Any) -> Tensor:
    """True of every run."""
    return torch.ones((), dtype=torch.bool)


class Lamp(NamedTuple):
    """A theorem, and when it is decided."""

    words: str
    says: Callable[[Any], Bounds]
    """What a statement says of a report."""
    theorem: str
    """The name with which its bounds begin."""
    after: Callable[[Any], Tensor]
    """After how many steps of the run this is decided, by the parameters; 0-d."""
    speaks: Callable[[Any, Any], Tensor] = always
    """Whether it says anything of such a run; 0-d bool."""
    silent: str = ""
    """What is said where it does not."""


def lamps_of(title: str, lamps: Sequence[Lamp]) -> Claims:
    """The part of a scene in which each theorem stands right of a line if it holds, left of it if it fails."""
    words, silent = tuple(lamp.words for lamp in lamps), tuple(lamp.silent for lamp in lamps)
    return Claims(title, (("", words),), "lit", "stood", silent)


def with_lamps(program: Program, lamps: Sequence[Lamp], step: Callable[[Any], Tensor]) -> Program:
    """``program`` with what :func:`lamps_of` shows.

    Args:
        step: of a state, how many steps the run has taken; 0-d.
    """

    def lit(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
        decided = torch.stack([step(state) >= lamp.after(p) for lamp in lamps])
        return {"lit": torch.where(decided, torch.nan, torch.inf).double()}

    def stood(r: Any, ends: Any, p: Any) -> dict[str, Tensor]:
        known = [standing(lamp.says(r), lamp.theorem) for lamp in lamps]
        spoken = [
            torch.where(lamp.speaks(r, p), side, torch.inf) for lamp, side in zip(lamps, known, strict=True)
        ]
        return {"stood": torch.stack(spoken)}

    return with_outputs(program, lit, stood)


def standing(bounds: Bounds, theorem: str) -> Tensor:
    """How a theorem stands at a run's end, in traceable torch: by its bound that is nearest to failing, or fails most.

    Args:
        theorem: its name, with which the names of its bounds begin.

    Returns:
        0-d, from −1 to 1 and above 0 where it holds: how far number and limit are apart, a factor of ten or more
        being 1.
    """
    return torch.stack([_side(bound) for bound in bounds if bound.name.startswith(theorem)]).amin()


def _side(bound: Bound) -> Tensor:
    """On which side a bound stands, by the limit that is exceeded, or else the one that there is."""
    number, low, high = (torch.as_tensor(each, dtype=torch.float64) for each in bound[1:4])
    limit = torch.where((number < low) | torch.isinf(high), low, high)
    has_ratio = (number > 0) & (limit > 0)
    ratio = torch.where(has_ratio, number, 1.0) / torch.where(has_ratio, limit, 1.0)
    far = torch.clamp(torch.where(has_ratio, torch.log10(ratio).abs(), AWAY), LEAST, 1.0)
    return torch.where(bound.holds, far, -far)
