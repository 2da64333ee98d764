"""How long Huang et al.'s training waits at the saddle: the powers of temperature, learning rate, radius and width."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.ledger.rates import Fit, fit_power
from book.recall.common import scalar, uniform_ball
from book.together.experiments.limits import logarithmic
from lib.recall.escape import free_gradient
from lib.recall.landscape import has_left, saddle_curvature

VALUES = 4
RADIUS = 1e-3
MOST_STEPS = 20_000


class Clock(NamedTuple):
    """Power laws of the number of steps until the saddle is left."""

    temperature: Fit  # in 1/T, at η₂ = c₂T²
    rate: Fit  # in c₂
    width: Fit  # in the memory's 3n² neurons
    radius: Fit  # of the growth until the saddle is left, in r


def clock(warmest: float = 0.02, rate: float = 50.0, seed: int = 0) -> Clock:
    """The four laws, each over a decade or more.

    Args:
        warmest: the highest of a decade of temperatures; the middle of the decade is that of the other laws.
        rate: the largest of a decade of c₂.
    """
    inverse = 1 / warmest * spread(1.0, 10.0)
    rates = rate * spread(0.1, 1.0)
    radii, subjects = spread(1e-5, 1e-2), spread(3.0, 1e5)
    middle = scalar(warmest / 10**0.5)
    columns = {
        "temperature": torch.cat([1 / inverse, middle.expand(3 * VALUES)]),
        "rate": torch.cat([rates[-1:].expand(VALUES), rates, rates[-1:].expand(2 * VALUES)]),
        "subjects": torch.cat([subjects[:1].expand(2 * VALUES), subjects, subjects[:1].expand(VALUES)]),
        "radius": torch.cat([torch.full_like(radii, RADIUS).repeat(3), radii]),
    }
    growth = torch.log1p(-rate * middle**2 * saddle_curvature(3, middle))
    of = waits(**columns, seed=seed).split(VALUES)
    return Clock(
        temperature=fit_power(inverse, of[0]),
        rate=fit_power(rates, of[1]),
        width=fit_power(3 * subjects**2, of[2]),
        radius=fit_power(radii, torch.exp(growth * of[3])),
    )


def spread(low: float, high: float) -> Tensor:
    """``VALUES`` numbers from one to the other, evenly in the logarithm; (4,) float64."""
    return torch.tensor(logarithmic(low, high, VALUES), dtype=torch.float64)


def waits(temperature: Tensor, rate: Tensor, subjects: Tensor, radius: Tensor, seed: int) -> Tensor:
    """Steps of stage 2 until the saddle is left, with η₂ = ``rate`` T², of R runs side by side.

    Args:
        temperature, rate, subjects, radius: (R,) each. All runs are perturbed in one direction, by the seed.

    Returns:
        (R,), ``MOST_STEPS`` where it is not left before.
    """
    theta = radius[:, None] * uniform_ball(1, 4, 1.0, seed)
    eta, slope = (rate * temperature**2)[:, None], torch.func.vmap(free_gradient)
    steps = torch.full_like(temperature, MOST_STEPS)
    for step in range(MOST_STEPS):
        left = has_left(torch.softmax(theta, -1))
        steps = torch.where(left & (steps == MOST_STEPS), float(step), steps)
        if bool((steps < MOST_STEPS).all()):
            break
        theta = theta - eta * slope(theta, temperature, subjects)
    return steps
