"""How smooth L₁ is: Proposition 1 (Proposition 2 of Appendix E), and Lemma 12, how far descent can move."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import scalar, three_subjects, uniform_ball
from book.recall.escape.perturbed_descent import DEFAULTS
from lib.recall.escape import GRADIENT_LIPSCHITZ, free_gradient, free_loss
from lib.recall.landscape import slice_loss, slice_minimum
from lib.recall.reduction import relation_loss


class Scaled(NamedTuple):
    """The largest derivatives found, in their units."""

    gradient: float  # T²ℓ, ℓ the gradient's Lipschitz constant
    hessian: float  # T³ρ, ρ the Hessian's


class Smoothness(NamedTuple):
    """How the largest derivatives grow as T falls."""

    second: float  # exponent of 1/T in the largest second derivative, from T to T/16
    third: float  # the same of the third derivative
    gradient: float  # T²ℓ at T
    hessian: float  # T³ρ at T


class Moved(NamedTuple):
    """How far descent moves."""

    lipschitz: float  # ℓ, the gradient's Lipschitz constant
    moved: float  # largest ratio of distance to Lemma 12's bound
    rise: float  # largest rise of the loss over one step


def derivative(theta: Tensor, direction: Tensor, temperature: float, order: int) -> Tensor:
    """The derivative of L₁ of this order along each unit ``direction``, (B, 6), at each ``theta``, (B, 6): (B,)."""
    reduced, t = three_subjects(), scalar(temperature)

    def along(x: Tensor) -> Tensor:
        return torch.func.vmap(lambda a, b: relation_loss(a + x * b, reduced, t))(theta, direction)

    function: Callable[[Tensor], Tensor] = along
    for _ in range(order):
        function = _derived(function)
    return function(scalar(0.0))


def _derived(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: torch.func.jvp(function, (x,), (torch.ones_like(x),))[1]


def _places(temperature: float, count: int) -> tuple[Tensor, Tensor]:
    """Points θ and directions to search: random ones, and a fine line across the tie at (¼, ½, ¼, 0, 0, 0)."""
    generator = torch.Generator().manual_seed(0)
    theta = 2 * torch.randn(count, 6, dtype=torch.float64, generator=generator)
    direction = torch.randn(count, 6, dtype=torch.float64, generator=generator)
    depth = 12 * min(temperature, 0.02) * torch.linspace(-1, 1, 801, dtype=torch.float64)[:, None]
    tie = torch.tensor([0.25, 0.5, 0.25, 1e-9, 1e-9, 1e-9], dtype=torch.float64).log()
    across = torch.tensor([1.0, 0, -1, 0, 0, 0], dtype=torch.float64)
    within = torch.tensor(
        [0.0, 1, -1, 0, 0, 0], dtype=torch.float64
    )  # a pair that mismatches: curvature −1/(2T)
    wrong = torch.tensor([1e-9, 0.5, 0.5, 1e-9, 1e-9, 1e-9], dtype=torch.float64).log()[None]
    theta = torch.cat([theta, tie + depth * across, wrong])
    direction = torch.cat([direction, across.expand(len(depth), 6), within[None]])
    return theta, direction / direction.norm(dim=1, keepdim=True)


def largest(temperature: float, order: int, count: int = 2000) -> float:
    """The largest absolute derivative of L₁ that the search finds: a lower bound of the Lipschitz constant."""
    theta, direction = _places(temperature, count)
    return float(derivative(theta, direction, temperature, order).abs().max())


def scaled(temperature: float, count: int = 2000) -> Scaled:
    """T²ℓ and T³ρ, the largest found."""
    second, third = (largest(temperature, order, count) * temperature**order for order in (2, 3))
    return Scaled(second, third)


def smoothness(temperature: float) -> Smoothness:
    """The exponents with which the largest second and third derivatives grow from T to T/16, and both at T."""
    warm, cold = scaled(temperature), scaled(temperature / 16)
    return Smoothness(
        second=2 + math.log(cold.gradient / warm.gradient) / math.log(16),
        third=3 + math.log(cold.hessian / warm.hessian) / math.log(16),
        gradient=warm.gradient,
        hessian=warm.hessian,
    )


def descended(start: Tensor, rate: float, temperature: Tensor, steps: int) -> tuple[Tensor, float]:
    """Descent from ``start``, (B, 4), with η = ``rate`` T²: every θ, (steps + 1, B, 4), and the largest rise of L₁."""
    path = [start]
    for _ in range(steps):
        path.append(path[-1] - rate * temperature**2 * free_gradient(path[-1], temperature))
    theta = torch.stack(path)
    return theta, float(free_loss(theta, temperature).diff(dim=0).max().clamp(min=0))


def largest_rise(rate: float) -> float:
    """The largest rise of the loss over one step of 600, for 20 perturbations of radius 1e-3."""
    start = uniform_ball(20, 4, DEFAULTS["perturbation_radius"], seed=0)
    return descended(start, rate, scalar(DEFAULTS["temperature"]), 600)[1]


def distance_moved(temperature: float, rate: float, steps: int, seed: int = 0, starts: int = 32) -> Moved:
    """The largest ratio of distance moved to Lemma 12's bound, over random starts and all t up to ``steps``."""
    t = scalar(temperature)
    generator = torch.Generator().manual_seed(seed)
    start = torch.randn(starts, 4, dtype=torch.float64, generator=generator)
    lowest = slice_loss(slice_minimum(3, t), 3, t)
    lipschitz = max(GRADIENT_LIPSCHITZ / temperature**2, 1 / (2 * temperature))
    budget = (free_loss(start, t) - lowest).clamp(min=0)  # below 0 by rounding alone
    theta, rise = descended(start, rate, t, steps)
    bound = torch.sqrt(2 * torch.arange(1, steps + 1)[:, None] * budget / lipschitz)
    distance = (theta[1:] - start).norm(dim=2)
    moved = torch.where(distance > 0, distance / bound, 0)  # so cold, a loss may be 0 to the last digit
    return Moved(lipschitz, float(moved.max()), rise)
