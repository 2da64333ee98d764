"""Lemma 2 as an order: whatever c₁, the error after one large step falls faster than e^{−1/√T} once T is low enough."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from book.ledger.rates import Fit, fit_power
from book.recall.common import scalar
from lib.recall.decoding import log_odds, printed_gradient
from lib.recall.general import COLD, COOL

DECADES, TEMPERATURES = 4, 13


class ErrorOrder(NamedTuple):
    """How fast the error falls with the temperature."""

    fit: Fit
    """−log of half the odds against a₃, the gap to the two rivals a₁ and a₂ over T, against 1/T."""
    slowly: Fit
    """The fit over log(1/T)."""


def error_order(rate_1: float = 1.0, rate_power: float = 1.5, cold: float = COLD) -> ErrorOrder:
    """The error after one step from zero, from T₀ down to T₀/10⁴, n as large as T allows.

    Args:
        rate_1: c₁.
        rate_power: η₁ = c₁ T^(rate_power) log(1/T); 3/2 is Algorithm 1's.
        cold: T log n.
    """
    temperatures = np.geomspace(COOL, COOL / 10**DECADES, TEMPERATURES)
    sizes = []
    for temperature in temperatures.tolist():
        # beyond the largest number the others' odds, e^(−16/49T) each, are nothing beside those of a₁ and a₂
        t, n = scalar(temperature), scalar(math.exp(min(cold / temperature, 700.0)))
        eta = rate_1 * temperature**rate_power * math.log(1 / temperature)
        sizes.append(math.log(2) - float(log_odds(-eta * printed_gradient(n, t), n, t)))
    log = np.log(1 / temperatures)
    return ErrorOrder(fit_power(1 / temperatures, sizes), fit_power(1 / temperatures, np.array(sizes) / log))
