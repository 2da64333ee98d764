"""Stage 2 of Algorithm 1 alone: descent from the saddle at six radii, and what the curvature foretells."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.program import Program, Stage, record
from lib.recall.algorithm import CONVERGED, DOMAINS, ESCAPED
from lib.recall.escape import (
    GRADIENT_LIPSCHITZ,
    escape_curvature,
    escape_time,
    free_gradient,
    free_loss,
    printed_curvature,
    saddle_spectrum,
)
from lib.recall.landscape import ESCAPE_DIRECTION, imbalance, inner_minimum, slice_loss

RADII = (1e-9, 1e-7, 1e-5, 1e-3, 1e-1)
"""The radii whose runs stand beside the one that is asked for."""

NAMES = ("temperature", "perturbation_radius", "seed", "rate_2", "steps")
EscapeSchedule = record("EscapeSchedule", NAMES)


class Flight(NamedTuple):
    """Stage 2 from R = 6 radii at once, the one asked for first."""

    theta: Tensor  # (R, 4)
    loss: Tensor  # 0-d: L₁ of the first run before its last step
    rise: Tensor  # 0-d: the largest rise of that loss over one step
    step: Tensor  # 0-d: steps taken
    escape: Tensor  # (R,) steps before each run left the saddle, −1 while it has not
    fallen: Tensor  # 0-d: steps before the first run's loss fell below log 2, −1 while it has not


class FlightWatch(NamedTuple):
    """What is drawn while stage 2 runs."""

    attention: Tensor  # (4,) v₁ … v₄; v₅ = v₆ = 0
    distance: Tensor  # (2,) log₁₀ |⟨θ, ε̃⟩|: measured, and growing by 1 + η|λ| a step
    loss: Tensor  # (1,) L₁


class Escape(NamedTuple):
    """What stage 2 comes to, beside what the curvature at the saddle foretells."""

    grid_T: Tensor  # (81,) temperatures
    right: Tensor  # (81,) 8T times the curvature along ε̃
    printed: Tensor  # (81,) the same by the printed formula
    now_T: Tensor
    spectrum: Tensor  # (4,) 8T times the Hessian's eigenvalues at the saddle, in saddle_spectrum's order
    measured: Tensor  # 8T times the curvature, by automatic differentiation, at now_T
    grid_r: Tensor  # (51,) radii
    predicted: Tensor  # (51,) steps to leave the saddle from each, for this seed
    runs_r: Tensor  # (5,)
    runs: Tensor  # (5,) steps measured; NaN where the run has not left
    now_r: Tensor
    predicted_escape: Tensor
    measured_escape: Tensor  # inf while the saddle is not left
    fallen: Tensor  # steps until L₁ < log 2; inf if never
    right_curvature: Tensor
    curvature: Tensor  # by automatic differentiation
    printed_curvature: Tensor
    overlap: Tensor  # ⟨ξ, ε̃⟩
    predicted_winner: Tensor  # 0 none, 1 first pair, 2 second
    measured_winner: Tensor
    gap: Tensor  # L₁(θ̃) − log 2
    gain: Tensor  # L₁(θ̃) − L₁ at the end
    lowest: Tensor  # L₁ at the inner minimum; NaN if there is none
    end_loss: Tensor
    rate_limit: Tensor  # c₂ at which η₂ = 1/ℓ
    cold: Tensor
    perturbed: Tensor
    small_steps: Tensor
    settled: Tensor  # the run has left the saddle and converged, or the loss has fallen already
    left: Tensor  # it has left the saddle
    fell: Tensor  # the loss ends below log 2


def escape() -> Program:
    """Stage 2 of Algorithm 1 for three subjects from the saddle, at the asked radius and at five others."""
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    others = torch.tensor(RADII, dtype=torch.float64)
    domains = tuple(domain for domain in DOMAINS if domain.name in NAMES)

    def perturbation(p: Any) -> Tensor:
        return noise.ball(p.seed, 13, torch.ones_like(p.seed))[:4]  # as in Algorithm 1: the first 4 of θ, ω

    def growth(p: Any) -> Tensor:
        return torch.log1p(-p.rate_2 * p.temperature**2 * saddle_spectrum(p.temperature)[0])

    def start(p: Any) -> Flight:
        radii = torch.cat([p.perturbation_radius.reshape(1), others])  # (R,)
        theta = radii[:, None] * perturbation(p)
        zero = torch.zeros_like(p.seed)
        loss = free_loss(theta[0], p.temperature)
        return Flight(theta, loss, zero, zero, -torch.ones_like(radii), zero - 1)

    def step(s: Flight, p: Any) -> tuple[Flight, Tensor]:
        gradient = free_gradient(s.theta, p.temperature)
        theta = s.theta - p.rate_2 * p.temperature**2 * gradient
        loss = free_loss(theta[0], p.temperature)
        left = imbalance(torch.softmax(theta, 1)).abs() > ESCAPED
        count = s.step + 1
        state = Flight(
            theta=theta,
            loss=loss,
            rise=torch.maximum(s.rise, loss - s.loss),
            step=count,
            escape=torch.where((s.escape < 0) & left, count, s.escape),
            fallen=torch.where((s.fallen < 0) & (loss < math.log(2)), count, s.fallen),
        )
        still = p.temperature * gradient[0].abs().amax() < CONVERGED
        gone = (state.escape[0] >= 0) | (theta[0] @ direction == 0)
        return state, still & gone & (state.escape[1:] >= 0).all()

    def watch(s: Flight, p: Any) -> FlightWatch:
        xi = p.perturbation_radius * perturbation(p)
        far = torch.log((s.theta[0] @ direction).abs().clamp(min=1e-12))
        line = torch.log((xi @ direction).abs().clamp(min=1e-12)) + s.step * growth(p)
        both = torch.stack([far, torch.clamp(line, max=math.log(2))]) / math.log(10)
        return FlightWatch(torch.softmax(s.theta[0], 0), both, s.loss.reshape(1))

    def report(ends: tuple[Flight, ...], p: Any) -> Escape:
        return _report(ends[0], p, perturbation(p) @ direction, growth(p))

    return Program(
        EscapeSchedule, domains, start, (Stage("stage 2", lambda s, p: s, step, "steps"),), watch, report
    )


def _report(end: Flight, p: Any, share: Tensor, growth: Tensor) -> Escape:
    """Args: ``share`` is ⟨ξ, ε̃⟩ for radius 1."""
    t = p.temperature
    lowest = slice_loss(inner_minimum(3, t), 3, t)
    grid_t = torch.logspace(-2, 1, 81, dtype=torch.float64)
    grid_r = torch.logspace(-10, 0, 51, dtype=torch.float64)
    overlap = p.perturbation_radius * share
    lead = imbalance(torch.softmax(end.theta[0], 0))
    measured = escape_curvature(t)
    saddle = free_loss(torch.zeros(4, dtype=torch.float64), t)
    left = end.escape[0] >= 0
    still = t * free_gradient(end.theta[0], t).abs().amax() < CONVERGED
    fell = end.loss < math.log(2)
    none = torch.zeros_like(t)
    return Escape(
        grid_T=grid_t,
        right=8 * grid_t * saddle_spectrum(grid_t)[:, 0],
        printed=8 * grid_t * printed_curvature(grid_t),
        now_T=t,
        spectrum=8 * t * saddle_spectrum(t),
        measured=8 * t * measured,
        grid_r=grid_r,
        predicted=escape_time(grid_r * share, growth),
        runs_r=torch.tensor(RADII, dtype=torch.float64),
        runs=torch.where(end.escape[1:] < 0, math.nan, end.escape[1:]),
        now_r=p.perturbation_radius,
        predicted_escape=escape_time(overlap, growth),
        measured_escape=torch.where(left, end.escape[0], math.inf),
        fallen=torch.where(end.fallen < 0, math.inf, end.fallen),
        right_curvature=saddle_spectrum(t)[0],
        curvature=measured,
        printed_curvature=printed_curvature(t),
        overlap=overlap,
        predicted_winner=torch.where(overlap > 0, none + 1, torch.where(overlap < 0, none + 2, none)),
        measured_winner=torch.where(lead > ESCAPED, none + 1, torch.where(lead < -ESCAPED, none + 2, none)),
        gap=saddle - math.log(2),
        gain=saddle - end.loss,
        lowest=lowest,
        end_loss=end.loss,
        rate_limit=none + 1 / GRADIENT_LIPSCHITZ,
        cold=lowest < math.log(2),  # NaN is not less
        perturbed=overlap != 0,
        small_steps=end.rise < 1e-9,
        settled=(left & still) | fell,
        left=left,
        fell=fell,
    )
