"""Stage 2 of Algorithm 1 alone: descent from the saddle at six radii, and what the curvature predicts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.program import Program, Stage, record
from lib.recall.algorithm import DOMAINS, Exits, at_saddle, descend, perturbation
from lib.recall.escape import (
    escape_curvature,
    escape_time,
    free_gradient,
    free_loss,
    printed_curvature,
    saddle_spectrum,
)
from lib.recall.landscape import (
    ESCAPE_DIRECTION,
    ESCAPED,
    SADDLE,
    imbalance,
    inner_minimum,
    slice_loss,
)

SUBJECTS = 3

RADII = (1e-9, 1e-7, 1e-5, 1e-3, 1e-1)
"""The radii whose runs stand beside the one that is asked for."""

GRID = torch.logspace(-10, 0, 51, dtype=torch.float64)
"""The radii for which the time to leave the saddle is predicted."""

ESCAPE_DOMAINS = tuple(domain for domain in DOMAINS if domain.name not in ("rate_1", "to_limit"))
"""The parameters of stage 2."""

EscapeSchedule = record("EscapeSchedule", [domain.name for domain in ESCAPE_DOMAINS])


class EscapeWatch(NamedTuple):
    """What is drawn while stage 2 runs."""

    attention: Tensor  # (4,) v₁ … v₄; v₅ = v₆ = 0
    distance: Tensor  # (2,) log₁₀ |⟨θ, ε̃⟩|: measured, and growing by 1 + η|λ| a step
    loss: Tensor  # (1,) L₁


class Escape(NamedTuple):
    """The result of stage 2, beside what the curvature at the saddle predicts."""

    spectrum: Tensor  # (4,) 8T times the Hessian's eigenvalues at the saddle, in saddle_spectrum's order
    measured: Tensor  # 8T times the curvature along ε̃, by automatic differentiation
    predicted: Tensor  # (51,) steps to leave the saddle from each radius of GRID, for this seed
    runs: Tensor  # (5,) steps measured from each of RADII; NaN where the run has not left
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
    end_gradient: Tensor  # T‖∇L₁‖∞ at the end
    rise: Tensor  # the largest rise of L₁ over one step


def escape() -> Program:
    """Stage 2 of Algorithm 1 for three subjects from the saddle, at the chosen radius and at five others."""
    others = torch.tensor(RADII, dtype=torch.float64)
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)

    def start(p: Any) -> Exits:
        radii = torch.cat([p.perturbation_radius.reshape(1), others])  # (R,)
        return at_saddle(radii[:, None] * _unit_perturbation(p), p.temperature)

    def step(s: Exits, p: Any) -> tuple[Exits, Tensor]:
        state = descend(s, p.rate_2, p.temperature)
        return state, (state.moving[0] < 0.5) & (state.escape[1:] >= 0).all()

    def watch(s: Exits, p: Any) -> EscapeWatch:
        xi = p.perturbation_radius * _unit_perturbation(p)
        far = torch.log((s.theta[0] @ direction).abs().clamp(min=1e-12))
        line = torch.log((xi @ direction).abs().clamp(min=1e-12)) + s.step * _growth(p)
        both = torch.stack([far, torch.clamp(line, max=math.log(2))]) / math.log(10)
        return EscapeWatch(torch.softmax(s.theta[0], 0), both, s.loss.reshape(1))

    def report(ends: tuple[Exits, ...], p: Any) -> Escape:
        return _report(ends[0], p, _unit_perturbation(p) @ direction, _growth(p))

    stage = Stage("stage 2", lambda s, p: s, step, "steps")
    return Program(EscapeSchedule, ESCAPE_DOMAINS, start, (stage,), watch, report)


def _unit_perturbation(p: Any) -> Tensor:
    """The part of ξ that moves θ₁ … θ₄, for radius 1; (4,)."""
    return perturbation(p.seed, torch.ones_like(p.seed))[:4]


def _growth(p: Any) -> Tensor:
    """The logarithm of the factor by which ⟨θ, ε̃⟩ grows in one step near the saddle."""
    return torch.log1p(-p.rate_2 * p.temperature**2 * saddle_spectrum(p.temperature)[0])


def _report(end: Exits, p: Any, share: Tensor, growth: Tensor) -> Escape:
    """Args: ``share`` is ⟨ξ, ε̃⟩ for radius 1."""
    t = p.temperature
    overlap = p.perturbation_radius * share
    curvature = escape_curvature(t)
    saddle_loss = free_loss(torch.tensor(SADDLE[:4], dtype=torch.float64), t)
    return Escape(
        spectrum=8 * t * saddle_spectrum(t),
        measured=8 * t * curvature,
        predicted=escape_time(GRID * share, growth),
        runs=torch.where(end.escape[1:] < 0, math.nan, end.escape[1:]),
        predicted_escape=escape_time(overlap, growth),
        measured_escape=torch.where(end.escape[0] < 0, math.inf, end.escape[0]),
        fallen=torch.where(end.fallen < 0, math.inf, end.fallen),
        right_curvature=saddle_spectrum(t)[0],
        curvature=curvature,
        printed_curvature=printed_curvature(t),
        overlap=overlap,
        predicted_winner=_winner(overlap, 0.0),
        measured_winner=_winner(imbalance(torch.softmax(end.theta[0], 0)), ESCAPED),
        gap=saddle_loss - math.log(2),
        gain=saddle_loss - end.loss,
        lowest=slice_loss(inner_minimum(SUBJECTS, t), SUBJECTS, t),
        end_loss=end.loss,
        end_gradient=t * free_gradient(end.theta[0], t).abs().amax(),
        rise=end.rise,
    )


def _winner(lead: Tensor, least: float) -> Tensor:
    """1 where the first pair leads by more than ``least``, 2 where the second does, else 0."""
    none = torch.zeros_like(lead)
    return torch.where(lead > least, none + 1, torch.where(lead < -least, none + 2, none))
