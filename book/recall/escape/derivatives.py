"""Equations 11–17 measured: derivatives along the way out of the saddle, by automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import scalar
from lib.recall.landscape import ESCAPE_DIRECTION
from lib.recall.logits import printed_logits


class Derivatives(NamedTuple):
    """Values, first and second derivatives along ε̃, in this order."""

    attention: list[Tensor]  # (4,) each
    logits: list[Tensor]  # (6,)
    probabilities: list[Tensor]  # (6,)


class EquationErrors(NamedTuple):
    """How far the derivatives are from equations 11–17."""

    attention: float  # largest |v″|
    slope: float  # largest error of l′
    bend: float  # largest error of l″
    probability_1: float  # |p₁′|
    probability_2: float  # p₁″
    terms: float  # term I + term II, which p₁″ must be


def along_escape_direction(temperature: float, tilt: float = 0.0) -> Derivatives:
    """Derivatives along ε̃ at θ̃ + (tilt, 0, 0, 0), through the softmax and Table 2's logits."""
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    base = torch.tensor((tilt, 0, 0, 0), dtype=torch.float64)

    def attention(x: Tensor) -> Tensor:
        return torch.softmax(base + x * direction, 0)

    def logits(x: Tensor) -> Tensor:
        v = attention(x)
        return torch.stack(printed_logits(v[0], v[1], v[2], v[3], torch.zeros_like(x)))

    def probabilities(x: Tensor) -> Tensor:
        return torch.softmax(logits(x) / temperature, 0)

    def derivatives(function: Callable[[Tensor], Tensor]) -> list[Tensor]:
        first = torch.func.jacfwd(function)
        return [each(scalar(0.0)) for each in (function, first, torch.func.jacfwd(first))]

    return Derivatives(derivatives(attention), derivatives(logits), derivatives(probabilities))


def equation_errors(temperature: float, tilt: float) -> EquationErrors:
    """Equations 11–17 against automatic differentiation at the saddle, or ``tilt`` away from it in θ₁."""
    along = along_escape_direction(temperature, tilt)
    eighth, sixteenth = torch.tensor([0.0, 0, 1, 0, 0, -1]) / 8, torch.tensor([4.0, 0, 3, 1, 1, 3]) / 16
    value, slope, bend = along.probabilities
    p, mismatched = float(value[0]), float(value[2])
    return EquationErrors(
        attention=float(along.attention[2].abs().max()),
        slope=float((along.logits[1] - eighth).abs().max()),
        bend=float((along.logits[2] - sixteenth).abs().max()),
        probability_1=abs(float(slope[0])),
        probability_2=float(bend[0]),
        terms=p / (8 * temperature) - p * mismatched / (32 * temperature**2),
    )
