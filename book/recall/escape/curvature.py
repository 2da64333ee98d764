"""The curvature at the saddle as printed and as it is, how cold the proof asks it to be, and what bears that out."""

from __future__ import annotations

import math

import torch
from scipy.optimize import bisect, brentq
from torch import Tensor

from book.recall.common import curvature_by_autograd, scalar, three_subjects
from book.recall.escape import algebra
from book.recall.escape.program import escape
from lib.program import defaults
from lib.recall.escape import (
    GRADIENT_LIPSCHITZ,
    HESSIAN_LIPSCHITZ,
    free_gradient,
    free_loss,
    printed_curvature,
    saddle_share,
    saddle_spectrum,
)
from lib.recall.landscape import ESCAPE_DIRECTION, SADDLE
from lib.recall.logits import printed_logits
from lib.recall.phases import thresholds

DEFAULTS = defaults(escape())

DIMENSION = 4
"""The scores that are finite at the saddle."""

HERE = torch.zeros(DIMENSION, dtype=torch.float64)
"""Their values there."""


def saddle_gap(temperature: float) -> float:
    """L₁(θ̃) − log 2 = log(1 + 2e^{−1/(8T)})."""
    return math.log1p(2 * math.exp(-1 / (8 * temperature)))


def guaranteed_drop(temperature: float, delta: float) -> float:
    """Lemma 7's drop ηα γ³/ρ² log⁻³(dα/(δγ)) with ηα = 1, γ = 1/(8T) and the measured α and ρ."""
    return 108 * temperature**3 / math.log(1 / (delta * temperature)) ** 3


def proof_temperature(delta: float) -> float:
    """The T below which :func:`guaranteed_drop` exceeds :func:`saddle_gap`: how cold the paper's proof needs it."""
    return brentq(lambda t: math.log(guaranteed_drop(t, delta) / saddle_gap(t)), 1e-3, 0.05)


def curvature_numbers() -> dict[str, float]:
    t = scalar(DEFAULTS["temperature"])
    return {
        "temperature": float(t),
        "paper": float(printed_curvature(t)),
        "right": float(saddle_spectrum(t)[0]),
        "measured": float(curvature_by_autograd(three_subjects(), t)),
    }


def least_is_along_the_direction() -> bool:
    """λ_min of the Hessian at the saddle is the curvature along ε̃, and the others are as derived."""
    for t in torch.tensor([0.01, 0.05, 0.2, 1.0], dtype=torch.float64):
        found = torch.linalg.eigvalsh(torch.func.hessian(free_loss)(HERE, t))
        if not torch.allclose(found, saddle_spectrum(t).sort().values, rtol=1e-9, atol=1e-11):
            return False
    return True


def always_negative() -> bool:
    """−1/(8T) ≤ curvature ≤ −0.768/(8T) at every temperature: the claimed order −1/T."""
    t = torch.logspace(-3, 4, 7001, dtype=torch.float64)
    scaled = 8 * t * saddle_spectrum(t)[:, 0]
    return bool((scaled >= -1).all()) and bool((scaled <= -0.768).all())


def saddle_loss_is_right() -> bool:
    """L₁(θ̃) = log 2 + log(1 + 2e^{−1/(8T)}): above log 2, and tending to it."""
    return all(
        math.isclose(
            float(free_loss(HERE, scalar(t))) - math.log(2), saddle_gap(t), rel_tol=1e-9, abs_tol=1e-12
        )
        for t in (0.01, 0.05, 0.5)
    )


def term_2_numbers() -> dict[str, float]:
    t = DEFAULTS["temperature"]
    shares, _, bends = algebra.by_autograd(t).shares
    p, other = float(shares[0]), float(saddle_share(scalar(t)))
    return {
        "temperature": t,
        "paper": -p * other**2 / (16 * t**2),
        "right": -p * other / (32 * t**2),
        "measured": float(bends[0]) - p / (8 * t),
    }


def gradient_numbers() -> dict[str, float]:
    """∂l₃/∂v₅ at the saddle."""
    start = torch.softmax(torch.tensor(SADDLE, dtype=torch.float64), 0)
    by_v = torch.func.grad(lambda v: printed_logits(*v[:5])[2])(start)
    return {"paper": 0.0, "right": 0.5, "measured": float(by_v[4])}


def uniform_ball(count: int, dimension: int, radius: float, seed: int) -> Tensor:
    """``count`` points drawn uniformly from a ball: (count, dimension)."""
    generator = torch.Generator().manual_seed(seed)
    normal = torch.randn(count, dimension, dtype=torch.float64, generator=generator)
    length = torch.rand(count, 1, dtype=torch.float64, generator=generator) ** (1 / dimension)
    return radius * length * normal / normal.norm(dim=1, keepdim=True)


def perturbed_descent(
    temperature: float, delta: float, constant: float, radius_factor: float, draws: int = 4000
) -> dict[str, float]:
    """Descent on L₁ from the saddle with Lemma 7's own step size, radius and number of steps, over many draws.

    Args:
        constant: its universal c, in η = c/α and in the number of steps.
        radius_factor: 1 for the lemma's radius.
    """
    t = scalar(temperature)
    alpha, rho = GRADIENT_LIPSCHITZ / temperature**2, HESSIAN_LIPSCHITZ / temperature**3
    gamma = -float(saddle_spectrum(t)[0])
    log = math.log(DIMENSION * alpha / (delta * gamma))
    eta = constant / alpha
    radius = math.sqrt(constant) * gamma**2 / (rho * alpha) / log**2
    steps = math.ceil(log / (constant * eta * gamma))
    theta = uniform_ball(draws, DIMENSION, radius * radius_factor, seed=0)
    for _ in range(steps):
        theta = theta - eta * free_gradient(theta, t)
    drop = free_loss(HERE, t) - free_loss(theta, t)
    promised = constant * gamma**3 / rho**2 / log**3
    return {
        "in_ball": radius_factor == 1,
        "rare": delta <= DIMENSION * alpha / gamma,
        "small_steps": constant <= 0.5,
        "wanted": 1 - delta,
        "share": float((drop >= promised).double().mean()),
        "promised": promised,
        "median_drop": float(drop.median()),
        "steps": float(steps),
    }


def decisive_part(radius: float) -> dict[str, float]:
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
    return {"part": part, "over_square": part / radius**2}


def how_cold(delta: float) -> dict[str, float]:
    """Below which temperature the proof works, and below which the loss falls below log 2 in fact."""
    return {"proof": proof_temperature(delta), "in_fact": thresholds().below_log_2}
