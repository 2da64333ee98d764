"""Lemma 7 on drawn functions whose Lipschitz constants are known: descent from beside their saddles.

Each is f(x) = Σⱼ gⱼ(⟨wⱼ, x⟩), with directions wⱼ drawn at random, and has a saddle or a maximum at 0:

- waves: orthonormal wⱼ, gⱼ(y) = hⱼ(1 − cos kⱼy)/kⱼ², so that α = max |hⱼ| and ρ = max |hⱼkⱼ|;
- steepest: orthonormal wⱼ, g″ⱼ(y) = min(hⱼ + ρ|y|, α), the curvature that rises as fast as ρ allows, up to α;
- neurons: 2d unit vectors wⱼ, gⱼ(y) = hⱼ log cosh y, with upper bounds for α and ρ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import seeded, uniform_ball

FAMILIES = ("waves", "steepest", "neurons")
THIRD = 4 / (3 * math.sqrt(3))
"""The largest third derivative of log cosh."""
LATER = 2
"""How many times the lemma's number of steps are taken, to see whether the function stays low."""
FLAT = 0.05
"""The least γ/α that is run: the lemma's number of steps is inverse to it."""


class Function(NamedTuple):
    """A function of d numbers and its constants."""

    value: Callable[[Tensor], Tensor]  # (…, d) → (…)
    alpha: float  # Lipschitz constant of the gradient
    rho: float  # of the Hessian


class DrawnDescent(NamedTuple):
    """How far descent falls from random perturbations of one point of a drawn function."""

    log: float  # log(dα/(δγ))
    flatness: float  # γ/α where it starts; ``FLAT`` where nothing curves down more
    gradient: float  # ‖∇f‖ where it starts, over the largest that the lemma allows
    share: float  # of the draws that fall by ηα γ³/ρ² over a cubed logarithm, and never rise above that again
    over_promise: float  # the median drop over that
    steps: float


def drawn(family: str, dimension: int, condition: float, seed: int) -> Function:
    """A function of the family; hⱼ lies between −1 and ``condition``, for neurons between −1 and 1.

    Raises:
        ValueError: an unknown family.
    """
    generator = seeded(seed)

    def uniform(low: float, high: float, size: int = dimension) -> Tensor:
        return low + (high - low) * torch.rand(size, generator=generator, dtype=torch.float64)

    if family not in FAMILIES:
        raise ValueError(f"family = {family!r}: must be one of {', '.join(FAMILIES)}")
    normal = torch.randn(2 * dimension, dimension, generator=generator, dtype=torch.float64)
    basis = torch.linalg.qr(normal[:dimension]).Q
    h = uniform(-1.0, condition)
    h[0] = -1.0
    if family == "waves":
        k = uniform(0.2, 1.0)
        alpha, rho = float(h.abs().max()), float((h * k).abs().max())
        return Function(lambda x: (h / k**2 * (1 - torch.cos(k * (x @ basis.T)))).sum(-1), alpha, rho)
    if family == "steepest":
        return Function(lambda x: _steepest(x @ basis.T, h, condition).sum(-1), condition, 1.0)
    w = normal / normal.norm(dim=1, keepdim=True)
    h = uniform(-1.0, 1.0, 2 * dimension)
    h[0] = -1.0
    bound = float(torch.linalg.matrix_norm((w.T * h.abs()) @ w, 2))
    return Function(lambda x: (h * _log_cosh(x @ w.T)).sum(-1), bound, THIRD * bound)


def _steepest(y: Tensor, h: Tensor, alpha: float) -> Tensor:
    """g with g″(y) = min(h + |y|, α) and g(0) = g′(0) = 0."""
    size, turn = y.abs(), alpha - h  # beyond ``turn`` the curvature is α
    beyond = size - turn
    at_turn = h * turn**2 / 2 + turn**3 / 6
    far = at_turn + (h * turn + turn**2 / 2) * beyond + alpha * beyond**2 / 2
    return torch.where(size < turn, h * y**2 / 2 + size**3 / 6, far)


def _log_cosh(y: Tensor) -> Tensor:
    return torch.logaddexp(y, -y) - math.log(2)


def drawn_descent(
    family: str,
    dimension: int,
    condition: float,
    delta: float,
    constant: float,
    slope: float = 0.9,
    seed: int = 0,
    draws: int = 1000,
    radius_factor: float = 1.0,
) -> DrawnDescent:
    """Descent on a drawn function with Lemma 7's own step size, radius and number of steps, over many draws.

    It starts away from the saddle in a drawn direction, where the gradient is a part of what the lemma allows.

    Args:
        family: one of ``FAMILIES``.
        dimension: d.
        condition: the largest hⱼ, about α/γ; for neurons it does nothing.
        delta: δ, the share of draws that may fail.
        constant: the lemma's universal c, in η = c/α and in the number of steps.
        slope: the gradient where it starts, to first order, over what the lemma allows; 0 at the saddle itself.
        seed: of the function, and of the perturbations.
        draws: number of perturbations.
        radius_factor: 1 for the lemma's radius.
    """
    f = drawn(family, dimension, condition, seed)
    direction = torch.randn(dimension, generator=seeded(seed + 1), dtype=torch.float64)
    hessian, gradient = torch.func.hessian(f.value), torch.func.grad(lambda x: f.value(x).sum())

    def gamma_at(x: Tensor) -> float:
        return max(-float(torch.linalg.eigvalsh(hessian(x))[0]), FLAT * f.alpha)

    def log(gamma: float) -> float:
        return math.log(dimension * f.alpha / (delta * gamma))

    def allowed(gamma: float) -> float:
        return math.sqrt(constant) * gamma**2 / f.rho / log(gamma) ** 2

    zero = torch.zeros(dimension, dtype=torch.float64)
    point = slope * allowed(gamma_at(zero)) / (hessian(zero) @ direction).norm() * direction
    gamma = gamma_at(point)
    eta, logarithm = constant / f.alpha, log(gamma)
    steps = math.ceil(logarithm / (constant * eta * gamma))
    promised = constant * gamma**3 / f.rho**2 / logarithm**3
    x = point + uniform_ball(draws, dimension, radius_factor * allowed(gamma) / f.alpha, seed)
    start, stays, median = f.value(point), torch.ones(draws, dtype=torch.bool), math.nan
    for step in range(1, LATER * steps + 1):
        x = x - eta * gradient(x)
        if step == steps:
            median = float((start - f.value(x)).median())
        if step >= steps:
            stays &= start - f.value(x) >= promised
    return DrawnDescent(
        log=logarithm,
        flatness=gamma / f.alpha,
        gradient=float(gradient(point).norm()) / allowed(gamma),
        share=float(stays.double().mean()),
        over_promise=median / promised,
        steps=float(steps),
    )
