"""Lemma 6's number of steps until the loss is below log 2: how it grows as T falls, and as δ does."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from book.ledger.rates import Fit, fit_power
from book.recall.common import scalar, uniform_ball
from book.recall.escape.perturbed_descent import FINITE_SCORES
from lib.recall.escape import free_gradient, free_loss, saddle_spectrum

COLDEST, WARMEST = 0.008, 0.08
"""A decade of temperatures, all below the one at which the inner minimum crosses log 2."""
TEMPERATURES = 9
SLOW, FAST = 16.0, 100.0
"""c₂: half of what the proofs' 1/ℓ allows, and what the page's figure starts with."""
DRAWS, MANY_DRAWS = 4, 4000
MOST_STEPS = 60_000
SHARES = (0.3, 0.1, 0.03, 0.01, 0.003)
"""The δ at which the (1 − δ)-quantile of the number of steps is taken."""


class StepsToFall(NamedTuple):
    """How the number of steps grows."""

    slow: Fit
    """Steps over log(1/T) against 1/T, at c₂ = 16, half of the proofs' 1/ℓ."""
    fast: Fit
    """The fit at c₂ = 100."""
    per_factor: float
    """How many more steps each factor e of 1/δ takes, times the logarithm of the growth in a step: 1 is log(1/δ)."""


def steps_until_below_log_2(
    temperature: float, rate: float, draws: int, radius: float, seed: int
) -> torch.Tensor:
    """The number of steps of stage 2 until L₁ < log 2, for random perturbations; (draws,), inf where it never is.

    Args:
        rate: c₂, for η₂ = c₂T².
        radius: of the ball that they are drawn from.
    """
    t = scalar(temperature)
    theta = uniform_ball(draws, FINITE_SCORES, radius, seed)
    steps = torch.full((draws,), math.inf, dtype=torch.float64)
    for step in range(MOST_STEPS):
        below = (free_loss(theta, t) < math.log(2)) & steps.isinf()
        steps = torch.where(below, float(step), steps)
        if not bool(steps.isinf().any()):
            break
        theta = theta - rate * t**2 * free_gradient(theta, t)
    return steps


def radius_at(temperature: float, *, exponential: bool) -> float:
    """The radius of the perturbation: T³ as in Algorithm 1, or e^(−1/4T)."""
    return math.exp(-1 / (4 * temperature)) if exponential else temperature**3


def exponent_of_temperature(rate: float, seed: int, *, exponential: bool) -> Fit:
    """The exponent a in steps = c (1/T)ᵃ log(1/T), over a decade of T, with several perturbations at each."""
    temperatures = torch.logspace(math.log10(COLDEST), math.log10(WARMEST), TEMPERATURES).tolist()
    inverse, steps = [], []
    for place, temperature in enumerate(temperatures):
        radius = radius_at(temperature, exponential=exponential)
        measured = steps_until_below_log_2(temperature, rate, DRAWS, radius, TEMPERATURES * seed + place)
        inverse += [1 / temperature] * DRAWS
        steps += (measured / math.log(1 / temperature)).tolist()
    return fit_power(inverse, steps)


def steps_per_factor(temperature: float, rate: float, seed: int, *, exponential: bool) -> float:
    """The slope of the (1 − δ)-quantile of the steps in log(1/δ), times the logarithm of the growth in a step."""
    radius = radius_at(temperature, exponential=exponential)
    steps = steps_until_below_log_2(temperature, rate, MANY_DRAWS, radius, seed)
    shares = torch.tensor(SHARES, dtype=torch.float64)
    quantiles = torch.quantile(steps, 1 - shares)
    x = -torch.log(shares)
    slope = ((x - x.mean()) * (quantiles - quantiles.mean())).sum() / ((x - x.mean()) ** 2).sum()
    growth = torch.log1p(-rate * temperature**2 * saddle_spectrum(scalar(temperature))[0])
    return float(slope * growth)


def steps_to_fall(seed: int = 0, *, exponential: bool = False) -> StepsToFall:
    """The number of steps by T at two learning rates, and by δ at T = 0.05.

    Args:
        seed: of the perturbations.
        exponential: whether they are drawn from a ball of radius e^(−1/4T), which is smaller than any power of T.
    """
    return StepsToFall(
        exponent_of_temperature(SLOW, seed, exponential=exponential),
        exponent_of_temperature(FAST, seed, exponential=exponential),
        steps_per_factor(0.05, FAST, seed, exponential=exponential),
    )


class PaperRadius(NamedTuple):
    """Stage 2 from perturbations of Algorithm 1's radius, which depends on δ."""

    radius: float  # T³ log⁻²(1/δ)
    share: float  # of the draws with L₁ < log 2 after ``allowed`` steps
    allowed: float  # log(6/(δ radius)) over the logarithm of the growth in a step
    later: float  # steps more than with radius T³, the mean of the draws
    predicted: float  # 2 log log(1/δ) over the logarithm of the growth in a step


def paper_radius(
    temperature: float,
    delta: float,
    rate: float,
    seed: int = 0,
    draws: int = 1000,
    radius_factor: float = 1.0,
) -> PaperRadius:
    """Stage 2 from the saddle, with a perturbation from the ball of radius T³ log⁻²(1/δ).

    Args:
        temperature: T.
        delta: δ, the share of draws that may take longer.
        rate: c₂, for η₂ = c₂T².
        seed: of the perturbations.
        draws: number of perturbations.
        radius_factor: the radius that is drawn from over that of the algorithm.
    """
    logarithm = math.log(1 / delta)
    radius = temperature**3 / logarithm**2
    growth = math.log1p(-rate * temperature**2 * float(saddle_spectrum(scalar(temperature))[0]))
    steps = steps_until_below_log_2(temperature, rate, draws, radius * radius_factor, seed)
    without = steps_until_below_log_2(temperature, rate, draws, temperature**3, seed)
    allowed = math.ceil(math.log(6 / (delta * radius)) / growth)
    return PaperRadius(
        radius=radius,
        share=float((steps <= allowed).double().mean()),
        allowed=float(allowed),
        later=float((steps - without).mean()),
        predicted=2 * math.log(logarithm) / growth,
    )
