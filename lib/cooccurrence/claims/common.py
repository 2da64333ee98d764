"""What the chapter's claims share."""

from __future__ import annotations

import torch
from torch import Tensor

PAPER = "Yang et al., 2024"


def scalar(value: float) -> Tensor:
    """A 0-d float64 tensor."""
    return torch.tensor(float(value), dtype=torch.float64)
