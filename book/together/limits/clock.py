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
RADIUS = 1e-4
MOST_STEPS = 20_000


class Clock(NamedTuple):
    """Power laws of the number of steps until the saddle is left."""

    temperature: Fit  # in 1/T, at η₂ = c₂T²
    rate: Fit  # in c₂
    width: Fit  # in the memory's 3n² neurons
    radius: Fit  # of the growth until the saddle is left, in r


def clock(warmest: float = 0.02, rate: float = 32.0, seed: int = 0) -> Clock:
    """The four laws, each over a decade or more.

    Args:
        warmest: the highest of a decade of temperatures; the middle of the decade is that of the other laws.
        rate: the largest of a decade of c₂.
    """
    inverse = torch.tensor(logarithmic(1 / warmest, 10 / warmest, VALUES))
    rates = torch.tensor(logarithmic(rate / 10, rate, VALUES))
    radii, subjects = (
        torch.tensor(logarithmic(*ends, VALUES)) for ends in ((1e-7, 1e-2), (3.0, 1e5))
    )
    middle = torch.tensor(warmest / 10**0.5)
    columns = {
        "temperature": torch.cat([1 / inverse, middle.expand(3 * VALUES)]),
        "rate": torch.cat([rates[-1:].expand(VALUES), rates, rates[-1:].expand(2 * VALUES)]),
        "subjects": torch.cat([subjects[:1].expand(2 * VALUES), subjects, subjects[:1].expand(VALUES)]),
        "radius": torch.cat([torch.full((3 * VALUES,), RADIUS), radii]),
    }
    steps = waits(**{name: column.to(torch.float64) for name, column in columns.items()}, seed=seed)
    curvature = float(saddle_curvature(3, scalar(float(middle))))
    growth = torch.log1p(-scalar(rate) * float(middle) ** 2 * curvature)
    of = steps.split(VALUES)
    return Clock(
        temperature=fit_power(inverse, of[0]),
        rate=fit_power(rates, of[1]),
        width=fit_power(3 * subjects**2, of[2]),
        radius=fit_power(radii, torch.exp(growth * of[3])),
    )


def waits(temperature: Tensor, rate: Tensor, subjects: Tensor, radius: Tensor, seed: int) -> Tensor:
    """Steps of stage 2 until the saddle is left, with η₂ = ``rate`` T², of R runs side by side.

    Args:
        temperature, rate, subjects, radius: (R,) each. All runs are perturbed in one direction, by the seed.

    Returns:
        (R,), ``MOST_STEPS`` where it is not left before.
    """
    theta = radius[:, None] * uniform_ball(1, 4, 1.0, seed)
    t, eta = temperature[:, None], (rate * temperature**2)[:, None]
    steps = torch.full_like(temperature, MOST_STEPS)
    for step in range(MOST_STEPS):
        left = has_left(torch.softmax(theta, -1))
        steps = torch.where(left & (steps == MOST_STEPS), float(step), steps)
        if bool((steps < MOST_STEPS).all()):
            break
        theta = theta - eta * free_gradient(theta, t, subjects)
    return steps
