"""The curves of the page that no slider moves: turning points, losses and errors against temperature."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.temperature.program import (
    COLDEST,
    HOTTEST,
    NEAR,
    SUBJECTS,
    drawn_error,
    error_law,
    expansion,
)
from lib.recall.landscape import inner_maximum, inner_minimum, slice_loss, slice_minimum
from lib.recall.phases import fold, thresholds

WARMEST_LAW = 0.065
"""Up to where the law for a(T) is drawn."""


class Branches(NamedTuple):
    """The slice's inner minimum and maximum at temperatures up to the last with a minimum."""

    temperature: Tensor  # (B,)
    minimum: Tensor  # (B,) x = a(T)
    maximum: Tensor  # (B,) x of the other turning point, between 0 and a


class Errors(NamedTuple):
    """1 − p(r*) at temperatures that are even in their logarithm."""

    temperature: Tensor  # (81,)
    minimum: Tensor  # (81,) at the minimum; NaN without one and below FLOOR
    law: Tensor  # (81,) RIVALS e^{−GAP/T}; NaN below FLOOR
    end: Tensor  # (81,) at x = 0


@functools.cache
def branches(coldest: float = COLDEST, count: int = 60) -> Branches:
    """Both turning points from ``coldest`` on, at ``count`` + 1 temperatures.

    The curves end upright where they meet, so the temperatures crowd there.
    """
    place, hottest = (torch.tensor(value, dtype=torch.float64) for value in fold())
    away = torch.linspace(1, 1 / count, count, dtype=torch.float64)
    temperature = hottest - (hottest - coldest) * away**2
    lows = [slice_minimum(SUBJECTS, t) for t in temperature]
    highs = [inner_maximum(SUBJECTS, t, a) for t, a in zip(temperature, lows, strict=True)]
    return Branches(
        torch.cat([temperature, hottest.reshape(1)]),
        torch.stack([*lows, place]),
        torch.stack([*highs, place]),
    )


def near_branches() -> Branches:
    """Both turning points at temperatures around the thresholds."""
    return branches(NEAR[0], 30)


def offered_temperatures() -> Tensor:
    """All temperatures that the page offers, (70,)."""
    return torch.linspace(COLDEST, HOTTEST, 70, dtype=torch.float64)


def drawn_law() -> Tensor:
    """The law for a(T) at :func:`offered_temperatures`; NaN where it is no approximation any more."""
    wide = offered_temperatures()
    return torch.where(wide < WARMEST_LAW, expansion(wide), math.nan)


def temperatures_around() -> Tensor:
    """Temperatures around the thresholds and warmer, (21,)."""
    return torch.linspace(*NEAR, 21, dtype=torch.float64)


def loss_at(x: Tensor, temperature: Tensor) -> Tensor:
    """L₁ on the slice, at x from 0 to ½."""
    return slice_loss(x, SUBJECTS, temperature)


@functools.cache
def errors() -> Errors:
    """1 − p(r*) at the minimum, by the law and at one pair alone."""
    spread = torch.logspace(math.log10(COLDEST), math.log10(HOTTEST), 81, dtype=torch.float64)
    lows = torch.stack([inner_minimum(SUBJECTS, t) for t in spread])
    one_pair = torch.zeros((), dtype=torch.float64)
    return Errors(
        temperature=spread,
        minimum=drawn_error(-torch.expm1(-loss_at(lows, spread))),
        law=drawn_error(error_law(spread)),
        end=-torch.expm1(-loss_at(one_pair, spread)),
    )


def bands() -> tuple[Tensor, ...]:
    """The ends of the four ranges of temperature that the three thresholds part, (2,) each."""
    edges = torch.tensor([0, *thresholds(), HOTTEST], dtype=torch.float64)
    return edges.unfold(0, 2, 1).unbind()
