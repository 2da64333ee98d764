"""What the page runs: gradient descent on both matrices, beside the paper's curves at the same time."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from lib.linear import modes, network
from livetorch.domain import Domain
from livetorch.program import Program, Stage, record
from torch import Tensor

DOMAINS = (
    Domain(
        "imbalance",
        low=0,
        high=1.5,
        default=0.0,
        symbol="δ",
        words="imbalance of the layers",
        track=(0.0, 1.5, 0.05),
    ),
    Domain(
        "correlation",
        low=0,
        high=0.9,
        default=0.0,
        symbol="ρ",
        words="correlation of two inputs",
        track=(0.0, 0.9, 0.05),
    ),
    Domain(
        "start",
        low=1e-6,
        high=0.05,
        default=1e-3,
        symbol="u₀",
        words="strength at the start",
        scale="log",
        track=(1e-6, 0.05),
    ),
    Domain(
        "strong",
        low=1.2,
        high=3,
        default=2.0,
        symbol="s₁",
        words="largest singular value",
        track=(1.2, 3.0, 0.1),
    ),
    Domain(
        "weak",
        low=0.5,
        high=1.2,
        default=0.8,
        symbol="s₃",
        words="smallest singular value",
        track=(0.5, 1.2, 0.1),
    ),
    Domain(
        "rate",
        low=2e-3,
        high=0.05,
        default=0.01,
        symbol="λ",
        words="learning rate",
        scale="log",
        track=(2e-3, 0.05),
    ),
    Domain(
        "steps",
        low=0,
        high=10_000,
        integer=True,
        default=3000,
        words="steps at most",
        scale="whole",
        track=(0, 3000, 50),
    ),
)
Choices = record("Choices", (domain.name for domain in DOMAINS))
AT_REST = 0.003
"""A run ends where no entry of the error is larger."""
LEARNED = 0.98
"""A run is long enough, too, when the weakest mode's curve has come so far."""


class State(NamedTuple):
    """Where training is."""

    first: Tensor  # (3, 4), W₁
    second: Tensor  # (3, 3), W₂
    time: Tensor  # 0-d, steps times the learning rate
    half: Tensor  # (3,) the time at which each mode was half learned, 0 before
    gap: Tensor  # (3,) the largest distance from the curve so far, as a share of the singular value


class Seen(NamedTuple):
    """What is drawn while it runs."""

    strength: Tensor  # (3,)
    curve: Tensor  # (3,) the paper's
    left: Tensor  # (1,) the size of the error


class Report(NamedTuple):
    """The numbers at the end of a run."""

    gap: Tensor  # the largest distance from the curve, as a share of the singular value
    half: Tensor  # (3,) when each mode was half learned
    predicted_half: Tensor  # (3,)
    earliest: Tensor  # the least of half over predicted_half
    latest: Tensor  # the greatest
    steepness: Tensor  # λ s₁ ln(s₁/u₀): eight times the largest distance that the steps' size explains
    strong_step: Tensor  # the step at which the strongest mode was half learned, NaN before
    weak_step: Tensor  # the weakest
    learned: Tensor  # whether the run is long enough for the weakest mode


def singular_values(p: Any) -> Tensor:
    """s, (3,): the largest, the smallest, and between them their geometric mean."""
    return torch.stack([p.strong, torch.sqrt(p.strong * p.weak), p.weak])


def error(now: State, p: Any) -> Tensor:
    """Σ₃₁ − W₂ W₁ Σ₁₁, (3, 4): what is left to learn."""
    return network.targets(singular_values(p)) - now.second @ now.first @ network.covariance(p.correlation)


def at_rest(now: State, p: Any) -> Tensor:
    """Whether next to nothing is left."""
    return error(now, p).abs().amax() < AT_REST


def strengths(now: State) -> Tensor:
    """The strength of each mode, (3,)."""
    return network.strengths(network.Weights(now.first, now.second))


def training() -> Program:
    """Gradient descent on both matrices."""

    def start(p: Any) -> State:
        nothing = torch.zeros(network.MODES, dtype=torch.float64)
        return State(*network.aligned_start(p.start, p.imbalance), torch.zeros_like(p.rate), nothing, nothing)

    def step(now: State, p: Any) -> tuple[State, Tensor]:
        s = singular_values(p)
        weights = network.Weights(now.first, now.second)
        moved = network.step(weights, network.targets(s), network.covariance(p.correlation), p.rate)
        before, after = network.strengths(weights), network.strengths(moved)
        time = now.time + p.rate
        passes = (now.half == 0) & (after >= s / 2)
        share = (s / 2 - before) / torch.where(passes, after - before, 1.0)
        half = torch.where(passes, now.time + p.rate * share, now.half)
        gap = torch.maximum(now.gap, (after - modes.strength(time, s, p.start)).abs() / s)
        then = State(*moved, time, half, gap)
        return then, at_rest(then, p)

    def watch(now: State, p: Any) -> Seen:
        curve = modes.strength(now.time, singular_values(p), p.start)
        return Seen(strengths(now), curve, (error(now, p) ** 2).sum().sqrt().reshape(1))

    def report(ends: tuple[State, ...], p: Any) -> Report:
        (end,) = ends
        s = singular_values(p)
        predicted = modes.half_time(s, p.start)
        ratio = end.half / predicted
        at = torch.where(end.half > 0, end.half / p.rate, torch.nan)
        weakest = modes.strength(end.time, s, p.start)[2] / s[2]
        steepness = p.rate * p.strong * torch.log(p.strong / p.start)
        learned = at_rest(end, p) | (weakest >= LEARNED)
        return Report(
            end.gap.amax(), end.half, predicted, ratio.amin(), ratio.amax(), steepness, at[0], at[2], learned
        )

    return Program(
        Choices, DOMAINS, start, (Stage("training", lambda now, p: now, step, "steps"),), watch, report
    )
