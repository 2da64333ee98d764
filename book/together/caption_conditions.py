"""Conditions of captions that follow from the bounds of a statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from book.ledger.statement import Statement


def holds(statement: Statement, theorem: str) -> Callable[[Any, Any], Tensor]:
    """Whether all bounds of a statement on the theorem hold: a function of report and parameters, 0-d bool.

    Args:
        theorem: its name, with which the names of its bounds begin.
    """

    def condition(r: Any, p: Any) -> Tensor:
        about = [bound.holds for bound in statement.says(r) if bound.name.startswith(theorem)]
        return torch.stack(about).all()

    return condition
