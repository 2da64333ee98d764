"""The theorems of a live figure outside the assumptions: lamps that show which hold, and the cases of its caption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import ipywidgets as ipw
import torch
from torch import Tensor

from book.ledger import Bound, Statement
from book.together.relaxed import THEOREMS, Menu, Predicate, Theorem
from lib.program import Program, with_outputs
from widgets import controls
from widgets.figure.panels import Cases
from widgets.figure.scenes import Claims

AWAY = 0.5
"""How far right of the line a lamp stands that is on, and left of it one that is off, where no ratio says more."""
CHANGED = "what is changed"
"""What the switch of a figure says."""
LEAST = 0.1
"""The least distance from the line, so that one sees on which side a lamp stands."""


class Lamp(NamedTuple):
    """A theorem with the statement that judges it."""

    theorem: Theorem
    judge: Statement

    def bounds(self, r: Any) -> list[Bound]:
        """What the statement says of the theorem."""
        return [bound for bound in self.judge.says(r) if bound.name.startswith(self.theorem.name)]


def lamps(paper: str, *judges: Statement) -> tuple[Lamp, ...]:
    """A lamp for each theorem of a paper, with those statements that judge them."""
    by_id = {judge.id: judge for judge in judges}
    return tuple(
        Lamp(theorem, by_id[f"together.relaxed-{theorem.judge}"])
        for id, theorem in THEOREMS.items()
        if id.startswith(f"{paper}.")
    )


def lamps_of(title: str, lamps: Sequence[Lamp]) -> Claims:
    """The part of a scene that says which theorems hold."""
    words = tuple(f"{_name(lamp).replace('Proposition', 'Prop.')}: {lamp.theorem.claim}" for lamp in lamps)
    silent = tuple(lamp.theorem.silent for lamp in lamps)
    return Claims(title, (("", words),), "lamps", "lamps_at_end", silent)


def opens(menu: Menu, name: str) -> dict[str, ipw.Widget]:
    """The switch of a figure that opens with this assumption given up: most are by something that is added."""
    switch = menu.switch._replace(default=menu.index(name), words=CHANGED)
    return {switch.name: controls.of(switch)}


def with_lamps(program: Program, lamps: Sequence[Lamp], step: Callable[[Any], Tensor]) -> Program:
    """``program`` with what :func:`lamps_of` shows.

    Args:
        step: of a state, how many steps the run has taken; 0-d.
    """

    def last_step(theorem: Theorem, p: Any) -> Tensor:
        return sum(getattr(p, stage.limit) for stage in program.stages[: theorem.stages])

    def now(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
        decided = torch.stack([step(state) >= last_step(lamp.theorem, p) for lamp in lamps])
        return {"lamps": torch.where(decided, torch.nan, torch.inf).double()}

    def at_end(r: Any, ends: Any, p: Any) -> dict[str, Tensor]:
        return {
            "lamps_at_end": torch.stack(
                [
                    torch.where(lamp.theorem.applies(r, p), position(lamp.bounds(r)), torch.inf)
                    for lamp in lamps
                ]
            )
        }

    return with_outputs(program, now, at_end)


def position(bounds: Sequence[Bound]) -> Tensor:
    """Where a lamp stands at a run's end, in traceable torch: by the bound that is nearest to failing, or fails most.

    Returns:
        0-d, from −1 to 1 and above 0 where all bounds hold: how far number and limit are apart, a factor of ten or
        more being 1.
    """
    return torch.stack([_side(bound) for bound in bounds]).amin()


def _side(bound: Bound) -> Tensor:
    """On which side a bound stands, by the limit that is exceeded, or else the one that there is."""
    number, low, high = (torch.as_tensor(each, dtype=torch.float64) for each in bound[1:4])
    limit = torch.where((number < low) | torch.isinf(high), low, high)
    has_ratio = (number > 0) & (limit > 0)
    ratio = torch.where(has_ratio, number, 1.0) / torch.where(has_ratio, limit, 1.0)
    far = torch.clamp(torch.where(has_ratio, torch.log10(ratio).abs(), AWAY), LEAST, 1.0)
    return torch.where(bound.holds, far, -far)


def holding(lamps: Sequence[Lamp]) -> dict[str, Predicate]:
    """Whether each theorem holds, all of its items together, by its name: conditions on report and parameters."""

    def all_hold(some: Sequence[Lamp], r: Any, p: Any) -> Tensor:
        return torch.stack([bound.holds for lamp in some for bound in lamp.bounds(r)]).all()

    names = dict.fromkeys(_name(lamp) for lamp in lamps)
    return {name: partial(all_hold, [lamp for lamp in lamps if _name(lamp) == name]) for name in names}


def _name(lamp: Lamp) -> str:
    return lamp.theorem.name.partition(",")[0]


def cases(lamps: Sequence[Lamp]) -> Cases:
    """The cases of a caption: the first theorem that fails, or that all hold."""

    def fails(holds: Predicate) -> Predicate:
        return lambda r, p: ~holds(r, p)

    return {**{f"{name} fails": fails(holds) for name, holds in holding(lamps).items()}, "all hold": None}
