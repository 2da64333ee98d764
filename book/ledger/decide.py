"""What a run comes to, from its hypotheses, bounds and conditions: decided once, for the page and the command line."""

from __future__ import annotations

import torch
from torch import Tensor

from book.ledger.outcomes import OUTCOMES

ITEMS = ("hypothesis", "bound", "condition")
"""What may decide it."""


def decide(lights: Tensor, holds: Tensor, settled: Tensor) -> dict[str, Tensor]:
    """The verdict on a run, in traceable torch: the one place where it is made, for page and command line.

    Args:
        lights: (A,) a number for each hypothesis: 1 holds, 0 is violated, ½ says nothing here.
        holds: (B,) 1 for each bound that holds. ``settled``: (D,) 1 for each condition on the run that is reached.

    Returns:
        ``assumed``, ``concluded`` and ``undecided``, 0-d booleans; ``outcome``, the place in :data:`OUTCOMES`, 0-d; and
        ``decisive``, (3,): the place of the first hypothesis violated, of the first bound that fails and of the first
        condition not reached, in the order of :data:`ITEMS`, −1 where the outcome does not rest on one.
    """
    assumed, concluded, undecided = (lights > 0.25).all(), (holds > 0.5).all(), ~(settled > 0.5).all()
    number = OUTCOMES.index
    inside = torch.where(concluded, number("holds"), number("contradicted"))
    outside = torch.where(concluded, number("beyond"), number("outside"))
    outcome = torch.where(undecided, number("undecided"), torch.where(assumed, inside, outside))
    decisive = (
        _first(lights > 0.25),
        torch.where(undecided, -1, _first(holds > 0.5)),
        _first(settled > 0.5),
    )
    return {
        "assumed": assumed,
        "concluded": concluded,
        "undecided": undecided,
        "outcome": outcome.to(torch.float64),
        "decisive": torch.stack(decisive).to(torch.float64),
    }


def _first(truths: Tensor) -> Tensor:
    """The place of the first that is false, 0-d; −1 if none is."""
    if not len(truths):
        return torch.full((), -1.0, dtype=torch.float64)
    place = torch.cumprod(truths.to(torch.float64), 0).sum()
    return torch.where(truths.all(), -1.0, place).to(torch.float64)
