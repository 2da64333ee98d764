"""Stage 2 of Huang et al.'s Algorithm 1 with another rule of descent: momentum, Adam, or weight decay."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.together.descents import Moments, Rule, descend
from book.together.experiments.relaxations import MOMENTUM
from book.together.experiments.relaxed_recall import WARM_UP
from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recall.algorithm import CONVERGED, DOMAINS, perturbation
from lib.recall.escape import escape_time, free_gradient, free_loss, saddle_spectrum
from lib.recall.landscape import ESCAPE_DIRECTION, has_left, inner_minimum, slice_loss

SUBJECTS = 3
RULES = ("as in the paper", f"momentum {MOMENTUM:g}", "Adam", "weight decay")
PLAIN, WITH_MOMENTUM, WITH_ADAM, WITH_DECAY = range(4)
RATE = WARM_UP.adam
"""Adam's rate."""
OURS = (
    Domain("rule", 0, 3, integer=True, default=PLAIN, words="update rule", scale="menu", track=RULES),
    Domain(
        "decay",
        0,
        1,
        high_open=True,
        default=1e-3,
        words="weight decay (for that rule)",
        scale="log",
        track=(1e-4, 0.3),
    ),
)
KEPT = {domain.name: domain for domain in DOMAINS if domain.name not in ("rate_1", "to_limit")}
RULED_DOMAINS = (
    OURS[0],
    KEPT.pop("temperature"),
    KEPT.pop("perturbation_radius"),
    OURS[1],
    *KEPT.values(),
)
"""The rule, the decay, and the parameters of stage 2."""
Ruled = record("Ruled", [domain.name for domain in RULED_DOMAINS])


class State(NamedTuple):
    """A run of stage 2 by any of the rules."""

    theta: Tensor  # (4,) the scores θ₁ … θ₄; θ₅ = θ₆ = −∞
    mean: Tensor  # (4,) running mean of the gradient
    square: Tensor  # (4,) of its square
    loss: Tensor  # 0-d: L₁ before the last step
    moved: Tensor  # 0-d: the largest move of a score in the last step, over c₂T
    step: Tensor  # 0-d
    escape: Tensor  # 0-d: steps before the saddle was left, −1 while it is not
    fallen: Tensor  # 0-d: steps before L₁ fell below log 2, −1 while it has not


class Watch(NamedTuple):
    """What is drawn while it runs."""

    attention: Tensor  # (4,) v₁ … v₄
    distance: Tensor  # (2,) log₁₀ |⟨θ, ε̃⟩|: measured, and as predicted from the curvature
    loss: Tensor  # (1,) L₁


class End(NamedTuple):
    """The result, beside what the curvature at the saddle predicts; each 0-d."""

    growth: Tensor  # logarithm of the factor of a step at the saddle
    cancelled: Tensor  # the growth that weight decay, where it is the rule, just cancels: −log(1 − δ)
    predicted_escape: Tensor
    measured_escape: Tensor  # inf while the saddle is not left
    fallen: Tensor  # steps until L₁ < log 2; inf if never
    overlap: Tensor  # ⟨ξ, ε̃⟩
    lowest: Tensor  # L₁ at the inner minimum; NaN if there is none
    end_loss: Tensor
    moved: Tensor  # the largest move of a score in the last step, over c₂T


def ruled() -> Program:
    """Stage 2 of Algorithm 1 for three subjects from the saddle, by the chosen rule."""
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)

    def start(p: Any) -> State:
        theta = perturbation(p.seed, p.perturbation_radius)[:4]
        zero = torch.zeros_like(theta)
        loss = free_loss(theta, p.temperature)
        nought = torch.zeros_like(loss)
        return State(theta, zero, zero, loss, nought, nought, nought - 1, nought - 1)

    def watch(s: State, p: Any) -> Watch:
        xi = perturbation(p.seed, p.perturbation_radius)[:4]
        begun = (xi @ direction).abs().clamp(min=1e-12)
        line = torch.log(begun) + s.step * growth(p)
        far = torch.log((s.theta @ direction).abs().clamp(min=1e-12))
        both = torch.stack([far, torch.clamp(line, max=math.log(2))]) / math.log(10)
        return Watch(torch.softmax(s.theta, 0), both, free_loss(s.theta, p.temperature).reshape(1))

    def report(ends: tuple[State, ...], p: Any) -> End:
        return _report(ends[0], p, perturbation(p.seed, p.perturbation_radius)[:4] @ direction)

    return Program(
        Ruled, RULED_DOMAINS, start, (Stage("stage 2", lambda s, p: s, advance, "steps"),), watch, report
    )


def advance(s: State, p: Any) -> tuple[State, Tensor]:
    """One step by the rule, and whether the run has left the saddle and come to rest."""
    gradient, step = free_gradient(s.theta, p.temperature), s.step + 1
    decay = torch.where(p.rule == WITH_DECAY, p.decay, 0.0)
    rule = Rule(p.rule == WITH_ADAM, p.rule == WITH_MOMENTUM, RATE, decay)
    seen = Moments(s.mean, s.square, s.step)
    theta, seen = descend(s.theta, gradient, p.rate_2 * p.temperature**2, rule, seen)
    loss = free_loss(theta, p.temperature)
    moved = (theta - s.theta).abs().amax() / (p.rate_2 * p.temperature)
    state = State(
        theta=theta,
        mean=seen.mean,
        square=seen.square,
        loss=loss,
        moved=moved,
        step=step,
        escape=_since(s.escape, step, has_left(torch.softmax(theta, -1))),
        fallen=_since(s.fallen, step, loss < math.log(2)),
    )
    return state, (moved < CONVERGED) & (state.escape >= 0)


def growth(p: Any) -> Tensor:
    """By how much the logarithm of ⟨θ, ε̃⟩ grows in one step near the saddle, by the curvature λ there; 0-d.

    A step of plain descent multiplies it by 1 + a, a = −η₂λ; so it would under Adam if that were plain descent. With a
    running mean of momentum β it is the larger root of z² − (1 + β + (1 − β)a) z + β = 0, and weight decay δ multiplies
    1 + a by 1 − δ.
    """
    a = -p.rate_2 * p.temperature**2 * saddle_spectrum(p.temperature)[0]
    half = (1 + MOMENTUM + (1 - MOMENTUM) * a) / 2
    root = half + torch.sqrt(torch.clamp(half**2 - MOMENTUM, min=0))
    factor = torch.where(p.rule == WITH_MOMENTUM, root, 1 + a)
    return torch.log(torch.where(p.rule == WITH_DECAY, factor * (1 - p.decay), factor))


def _report(end: State, p: Any, overlap: Tensor) -> End:
    rate = growth(p)
    return End(
        growth=rate,
        cancelled=-torch.log1p(-p.decay),
        predicted_escape=torch.where(
            rate > 0, escape_time(overlap, torch.where(rate > 0, rate, 1)), math.inf
        ),
        measured_escape=torch.where(end.escape < 0, math.inf, end.escape),
        fallen=torch.where(end.fallen < 0, math.inf, end.fallen),
        overlap=overlap,
        lowest=slice_loss(inner_minimum(SUBJECTS, p.temperature), SUBJECTS, p.temperature),
        end_loss=end.loss,
        moved=end.moved,
    )


def _since(before: Tensor, step: Tensor, happens: Tensor) -> Tensor:
    """The step at which something first happens: ``before`` if that is not −1, else ``step`` if it happens now."""
    return torch.where((before < 0) & happens, step, before)
