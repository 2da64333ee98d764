"""Lemma 7 at work: descent from perturbed saddles, and the temperature that its guarantee asks for.

α and ρ are the Lipschitz constants of gradient and Hessian, γ = 1/(8T) is the curvature along ε̃, and d = 4 is the
number of scores that are finite at the saddle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from scipy.optimize import bisect, brentq
from torch import Tensor

from book.recall.common import scalar, uniform_ball
from book.recall.escape.program import escape
from lib.program import defaults
from lib.recall.escape import (
    GRADIENT_LIPSCHITZ,
    HESSIAN_LIPSCHITZ,
    free_gradient,
    free_loss,
    saddle_spectrum,
)
from lib.recall.landscape import ESCAPE_DIRECTION
from lib.recall.phases import thresholds

DEFAULTS = defaults(escape())

FINITE_SCORES = 4
"""θ₁ … θ₄ are finite at the saddle, and 0 there."""


LATER = 2
"""How many times Lemma 7's number of steps are taken, to see whether the loss stays low."""


class PerturbedDescent(NamedTuple):
    """How far descent falls from random perturbations of the saddle."""

    largest_delta: float  # dα/γ
    share: float  # of the draws that fall by ``promised`` or more, and never rise above that again
    promised: float  # cγ³/ρ² over a cubed logarithm
    median_drop: float
    steps: float
    gradient: float  # ‖∇f‖ where it starts, over the largest that the lemma allows


class DecisivePart(NamedTuple):
    """The part along ε̃ that decides which pair wins."""

    part: float
    over_square: float  # divided by the squared distance along the other directions


class HowCold(NamedTuple):
    """Two temperatures below which the loss falls below log 2."""

    proof: float  # by the proof
    in_fact: float


def saddle_gap(temperature: float) -> float:
    """L₁(θ̃) − log 2 = log(1 + 2e^{−1/(8T)})."""
    return math.log1p(2 * math.exp(-1 / (8 * temperature)))


def guaranteed_drop(temperature: float, delta: float) -> float:
    """Lemma 7's drop ηα γ³/ρ² log⁻³(dα/(δγ)) with ηα = 1, γ = 1/(8T) and the measured α and ρ."""
    return 108 * temperature**3 / math.log(1 / (delta * temperature)) ** 3


def proof_temperature(delta: float) -> float:
    """The T below which :func:`guaranteed_drop` exceeds :func:`saddle_gap`, so that the paper's proof works."""
    return brentq(lambda t: math.log(guaranteed_drop(t, delta) / saddle_gap(t)), 1e-3, 0.05)


def how_cold(delta: float) -> HowCold:
    """Below which temperature the proof works, and below which the loss falls below log 2 in fact."""
    return HowCold(proof=proof_temperature(delta), in_fact=thresholds().below_log_2)


def perturbed_descent(
    temperature: float,
    delta: float,
    constant: float,
    radius_factor: float,
    draws: int = 1000,
    slope: float = 0.9,
) -> PerturbedDescent:
    """Descent on L₁ from beside the saddle with Lemma 7's own step size, radius and number of steps, over many draws.

    It starts away from the saddle in a direction that curves up, where the gradient is a part of what the lemma allows.

    Args:
        temperature: T.
        delta: δ, the share of draws that may fail.
        constant: the lemma's universal c, in η = c/α and in the number of steps.
        radius_factor: 1 for the lemma's radius.
        draws: number of perturbations.
        slope: the gradient where it starts, to first order, over what the lemma allows; 0 at the saddle itself.
    """
    t = scalar(temperature)
    alpha, rho = GRADIENT_LIPSCHITZ / temperature**2, HESSIAN_LIPSCHITZ / temperature**3
    eta = constant / alpha
    at_saddle = -float(saddle_spectrum(t)[0])
    upward = torch.tensor([0.5, -0.5, -0.5, 0.5], dtype=torch.float64)
    saddle = torch.zeros(FINITE_SCORES, dtype=torch.float64)
    steepness = float(upward @ _hessian(saddle, t) @ upward)
    point = slope * _allowed_gradient(at_saddle, delta, constant, temperature) / steepness * upward
    gamma = -float(torch.linalg.eigvalsh(_hessian(point, t))[0])
    log = math.log(FINITE_SCORES * alpha / (delta * gamma))
    radius = math.sqrt(constant) * gamma**2 / (rho * alpha) / log**2
    steps = math.ceil(log / (constant * eta * gamma))
    theta = point + uniform_ball(draws, FINITE_SCORES, radius * radius_factor, seed=0)
    promised = constant * gamma**3 / rho**2 / log**3
    start, stays = free_loss(point, t), torch.ones(draws, dtype=torch.bool)
    median = math.nan
    for step in range(1, LATER * steps + 1):
        theta = theta - eta * free_gradient(theta, t)
        if step == steps:
            median = float((start - free_loss(theta, t)).median())
        if step >= steps:
            stays &= start - free_loss(theta, t) >= promised
    return PerturbedDescent(
        largest_delta=FINITE_SCORES * alpha / gamma,
        share=float(stays.double().mean()),
        promised=promised,
        median_drop=median,
        steps=float(steps),
        gradient=float(free_gradient(point, t).norm())
        / _allowed_gradient(gamma, delta, constant, temperature),
    )


def _allowed_gradient(gamma: float, delta: float, constant: float, temperature: float) -> float:
    """Lemma 7's √(ηα) γ²/ρ log⁻²(dα/(δγ)), ηα being ``constant``."""
    alpha, rho = GRADIENT_LIPSCHITZ / temperature**2, HESSIAN_LIPSCHITZ / temperature**3
    return math.sqrt(constant) * gamma**2 / rho / math.log(FINITE_SCORES * alpha / (delta * gamma)) ** 2


def _hessian(theta: Tensor, temperature: Tensor) -> Tensor:
    """The Hessian of the loss of four scores, (4,) → (4, 4)."""
    return torch.func.hessian(lambda x: free_loss(x, temperature))(theta)


def decisive_part(radius: float) -> DecisivePart:
    """The part x along ε̃ above which the first pair wins, ``radius`` away along the two directions that curve up."""
    t, rate = scalar(DEFAULTS["temperature"]), DEFAULTS["rate_2"]
    out = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    others = torch.tensor([1.0, -1.0, 0.0, 0.0], dtype=torch.float64) / math.sqrt(2)

    def lead(x: float) -> float:
        theta = x * out + radius * others
        for _ in range(80):
            theta = theta - rate * t**2 * free_gradient(theta, t)
        return float(theta @ out)

    part = bisect(lead, -radius / 10, radius / 10, xtol=radius * 1e-6)
    return DecisivePart(part, part / radius**2)
