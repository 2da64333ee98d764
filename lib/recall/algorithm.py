"""Algorithm 1 of Huang et al., two stages of gradient descent with a perturbation between, on the exact reduction."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import RADII, Domain
from lib.program import Program, Stage
from lib.recall.landscape import SADDLE, imbalance
from lib.recall.model import LEARNING_RATE, STEPS, TEMPERATURE
from lib.recall.reduction import (
    Reduced,
    answer_loss,
    answer_probability,
    relation_loss,
    relation_shares,
)

DOMAINS = (
    TEMPERATURE._replace(default=0.05, words="temperature", symbol="T", scale="log", track=(1e-4, 10.0)),
    Domain(
        "perturbation_radius",
        low=0,
        default=1e-3,
        words="perturbation radius",
        symbol="r",
        scale="choice",
        track=RADII,
    ),
    Domain("seed", low=0, high=1_000_000, integer=True, default=0, scale="whole", track=(0, 99)),
    LEARNING_RATE._replace(
        name="rate_1",
        default=100.0,
        words="stage 1: c₁ in η₁ = c₁T²",
        scale="log",
        track=(1.0, 1000.0),
    ),
    LEARNING_RATE._replace(
        name="rate_2",
        default=100.0,
        words="stage 2: c₂ in η₂ = c₂T²",
        scale="log",
        track=(1.0, 1000.0),
    ),
    STEPS._replace(
        high=100_000, default=1500, words="steps per stage, at most", scale="whole", track=(0, 4000, 40)
    ),
    Domain(
        "to_limit",
        low=0,
        high=1,
        integer=True,
        default=1,
        words="take stage 1 to its limit, t₁ = ∞",
        scale="switch",
    ),
)
"""What the fields of :class:`Schedule` may be."""

ESCAPED = 0.05
"""The saddle counts as left once |v₁ + v₂ − v₃ − v₄| exceeds this."""

CONVERGED = 1e-9
"""A stage stops once T‖∇L₁‖∞ falls below this."""

SWAP = (2, 3, 0, 1, 4, 5)
"""The positions of a prompt after its two examples change places."""


class Schedule(NamedTuple):
    """The parameters of Algorithm 1, each a 0-d tensor."""

    temperature: Tensor  # T
    perturbation_radius: Tensor  # r: ξ is uniform in the ball of radius r
    seed: Tensor  # of ξ
    rate_1: Tensor  # c₁, where η₁ = c₁T²
    rate_2: Tensor  # c₂, where η₂ = c₂T²
    steps: Tensor  # the most gradient steps in each stage
    to_limit: Tensor  # 1: stage 2 starts from the limit of stage 1 (t₁ = ∞); 0: from where stage 1 stopped


class Descent(NamedTuple):
    """The state of Algorithm 1."""

    theta: Tensor  # (6,) attention scores from EoS
    omega: Tensor  # (7,) attention scores from the decoded relation
    loss: Tensor  # 0-d: L₁ + L₂ before the last step
    rise: Tensor  # 0-d: the largest rise of L₁ + L₂ over one step of this stage
    step: Tensor  # 0-d: steps taken in this stage
    escape: Tensor  # 0-d: steps of this stage before the saddle was left, −1 while it is not


class Watch(NamedTuple):
    """What is drawn while Algorithm 1 runs."""

    attention: Tensor  # (6,) v = softmax(θ)
    shares: Tensor  # (3,) probability of the true relation, the confusing ones, all others; mean over prompts
    loss: Tensor  # (1,) L₁
    position: Tensor  # (1,) x = (v₁ + v₂)/2
    answer: Tensor  # (1,) probability of the right answer in the second decoding step


class End(NamedTuple):
    """What Algorithm 1 comes to."""

    attention: Tensor  # (6,) v
    lesser: Tensor  # a, the smaller of (v₁ + v₂)/2 and (v₃ + v₄)/2
    mismatch: Tensor  # the larger of |v₁ − v₂| and |v₃ − v₄|
    leak: Tensor  # v₅ + v₆
    loss: Tensor  # L₁
    probability: Tensor  # of the true relation
    confusing: Tensor  # of the confusing relation
    answer: Tensor  # probability of the right answer in the second decoding step
    rise: Tensor  # the largest rise of L₁ + L₂ over one step of either stage
    escape: Tensor  # steps of stage 2 until the saddle is left; inf while it is not
    stopped: Tensor  # 1 or 0: stage 2 has ended before its steps were spent


def two_stage_descent(reduced: Reduced) -> Program:
    """Algorithm 1 of Huang et al. for two examples, on the exact reduction.

    Stage 1: (θ, ω) ← (θ, ω) − η₁∇L from 0. Stage 2: (θ, ω) ← (θ̃, ω̃) + ξ, then the same with η₂. With
    η = cT², a stage ends after ``steps`` steps or once T‖∇L₁‖∞ < ``CONVERGED``. Exact arithmetic keeps equal
    scores of the two examples equal; rounding would not, so while they are equal the gradient is symmetrised.

    Args:
        reduced: a data set that does not change when its two examples change places.

    Raises:
        ValueError: prompts with other than two examples, or a data set that is not symmetric in them.
    """
    _check_symmetric(reduced)
    swap = torch.tensor(SWAP)
    saddle = torch.tensor(SADDLE, dtype=torch.float64)

    def loss(theta: Tensor, omega: Tensor, temperature: Tensor) -> tuple[Tensor, Tensor]:
        first = relation_loss(theta, reduced, temperature)
        return first + answer_loss(omega, reduced, temperature), first

    def start(p: Schedule) -> Descent:
        zero = torch.zeros((), dtype=torch.float64)
        theta, omega = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
        return Descent(theta, omega, zero, zero, zero, zero)

    def enter_1(s: Descent, p: Schedule) -> Descent:
        total, _ = loss(s.theta, s.omega, p.temperature)
        zero = torch.zeros_like(total)
        return Descent(s.theta, s.omega, total, zero, zero, zero - 1)

    def enter_2(s: Descent, p: Schedule) -> Descent:
        xi = noise.ball(p.seed, 13, p.perturbation_radius)
        theta = torch.where(p.to_limit > 0.5, saddle, s.theta) + xi[:6]
        return enter_1(s._replace(theta=theta, omega=s.omega + xi[6:]), p)

    def descend(s: Descent, rate: Tensor, temperature: Tensor) -> tuple[Descent, Tensor]:
        (g_theta, g_omega), (total, _) = torch.func.grad_and_value(
            lambda theta, omega: loss(theta, omega, temperature), argnums=(0, 1), has_aux=True
        )(s.theta, s.omega)
        balanced = (s.theta == s.theta[swap]).all()
        g_theta = torch.where(balanced, (g_theta + g_theta[swap]) / 2, g_theta)
        eta = rate * temperature**2
        theta, omega = s.theta - eta * g_theta, s.omega - eta * g_omega
        left = torch.abs(imbalance(torch.softmax(theta, 0))) > ESCAPED
        state = Descent(
            theta=theta,
            omega=omega,
            loss=total,
            rise=torch.maximum(s.rise, total - s.loss),
            step=s.step + 1,
            escape=torch.where((s.escape < 0) & left, s.step + 1, s.escape),
        )
        settled = balanced | (state.escape >= 0)  # on the way out of the saddle the gradient is small, too
        return state, settled & (temperature * torch.abs(g_theta).amax() < CONVERGED)

    def watch(s: Descent, p: Schedule) -> Watch:
        attention = torch.softmax(s.theta, 0)
        share = reduced.weights @ relation_shares(s.theta, reduced, p.temperature)  # (C,)
        return Watch(
            attention=attention,
            shares=torch.stack([share[0], share[1], share[2:].sum()]),
            loss=relation_loss(s.theta, reduced, p.temperature).reshape(1),
            position=((attention[0] + attention[1]) / 2).reshape(1),
            answer=answer_probability(s.omega, reduced, p.temperature).reshape(1),
        )

    def report(ends: tuple[Descent, ...], p: Schedule) -> End:
        first, last = ends
        seen, v = watch(last, p), torch.softmax(last.theta, 0)
        return End(
            attention=v,
            lesser=torch.minimum(v[0] + v[1], v[2] + v[3]) / 2,
            mismatch=torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()),
            leak=v[4] + v[5],
            loss=seen.loss[0],
            probability=seen.shares[0],
            confusing=seen.shares[1],
            answer=seen.answer[0],
            rise=torch.maximum(first.rise, last.rise),
            escape=torch.where(last.escape < 0, math.inf, last.escape),
            stopped=(last.step < p.steps).to(torch.float64),
        )

    stages = (
        Stage("stage 1", enter_1, lambda s, p: descend(s, p.rate_1, p.temperature), "steps"),
        Stage("stage 2", enter_2, lambda s, p: descend(s, p.rate_2, p.temperature), "steps"),
    )
    return Program(Schedule, DOMAINS, start, stages, watch, report)


def _check_symmetric(reduced: Reduced) -> None:
    classes, subjects, answers = reduced.matches.shape
    if (subjects, answers) != (3, 2):
        raise ValueError(f"examples = {answers}: Algorithm 1's saddle is known for 2 examples only")
    swapped = reduced.matches[:, [1, 0, 2]][:, :, [1, 0]]
    image = [
        next(d for d in range(classes) if torch.equal(swapped[c], reduced.matches[d])) for c in range(classes)
    ]
    rows = {tuple(row.tolist()): w for row, w in zip(reduced.log_counts, reduced.weights, strict=True)}
    for row, weight in rows.items():
        mirrored = rows.get(tuple(row[c] for c in image))
        if mirrored is None or not math.isclose(mirrored, weight):
            raise ValueError("data set: must not change when the two examples of every prompt change places")
