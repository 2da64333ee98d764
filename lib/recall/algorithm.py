"""Algorithm 1 of Huang et al., two stages of gradient descent with a perturbation between, on the exact reduction.

:func:`two_stage_descent` is the whole algorithm on all six scores θ of the prompt and all seven scores ω of the decoded
relation. Stage 2 alone, from the limit of stage 1, is :func:`at_saddle` and :func:`descend`: many runs side by side on
the four scores of θ that are finite at the saddle, which is exact (see :mod:`lib.recall.escape`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import RADII, Domain
from lib.program import Program, Stage, record
from lib.recall.escape import free_gradient, free_loss
from lib.recall.landscape import ESCAPE_DIRECTION, SADDLE, SWAP, has_left
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
        words="size of the push",
        symbol="r",
        scale="choice",
        track=RADII,
    ),
    Domain("seed", low=0, high=1_000_000, integer=True, default=0, scale="whole", track=(0, 99)),
    LEARNING_RATE._replace(
        name="rate_1",
        default=100.0,
        words="learning rate of stage 1 (c₁ = η₁/T²)",
        scale="log",
        track=(1.0, 1000.0),
    ),
    LEARNING_RATE._replace(
        name="rate_2",
        default=100.0,
        words="learning rate of stage 2 (c₂ = η₂/T²)",
        scale="log",
        track=(1.0, 1000.0),
    ),
    STEPS._replace(
        high=100_000, default=1500, words="steps a stage, at most", scale="whole", track=(0, 4000, 40)
    ),
    Domain(
        "to_limit",
        low=0,
        high=1,
        integer=True,
        default=1,
        words="run stage 1 to its limit (t₁ = ∞)",
        scale="switch",
    ),
)
"""The parameters of Algorithm 1: the perturbation ξ is uniform in the ball of radius r; with ``to_limit`` 1 stage 2
starts from the limit of stage 1, with 0 from where stage 1 stopped."""

Schedule = record("Schedule", [domain.name for domain in DOMAINS])

CONVERGED = 1e-9
"""A run has come to rest once T‖∇L₁‖∞ is below this."""

SCORES = 13
"""θ₁ … θ₆ and ω₁ … ω₇, which the perturbation moves."""


class Descent(NamedTuple):
    """The state of Algorithm 1."""

    theta: Tensor  # (6,) attention scores from EoS
    omega: Tensor  # (7,) attention scores from the decoded relation
    loss: Tensor  # 0-d: L₁ + L₂ before the last step
    rise: Tensor  # 0-d: the largest rise of L₁ + L₂ over one step of this stage
    step: Tensor  # 0-d: steps taken in this stage
    escape: Tensor  # 0-d: steps of this stage before the saddle was left, −1 while it is not


class Exits(NamedTuple):
    """The state of R runs of stage 2 from the saddle; loss, rise and fallen are those of the first run."""

    theta: Tensor  # (R, 4) the scores θ₁ … θ₄; θ₅ = θ₆ = −∞
    loss: Tensor  # 0-d: L₁
    rise: Tensor  # 0-d: the largest rise of L₁ over one step
    step: Tensor  # 0-d: steps taken
    escape: Tensor  # (R,) steps before each run left the saddle, −1 while it has not
    fallen: Tensor  # 0-d: steps before L₁ fell below log 2, −1 while it has not
    moving: Tensor  # (R,) 1 until a run has come to rest away from the saddle, or for ever in balance on it


class Watch(NamedTuple):
    """What is drawn while Algorithm 1 runs."""

    attention: Tensor  # (6,) v = softmax(θ)
    shares: Tensor  # (3,) probability of the true relation, the confusing ones, all others; mean over prompts
    loss: Tensor  # (1,) L₁
    position: Tensor  # (1,) x = (v₁ + v₂)/2
    answer: Tensor  # (1,) probability of the right answer in the second decoding step


class End(NamedTuple):
    """The result of Algorithm 1."""

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
    steps: Tensor  # that stage 2 took


def perturbation(seed: Tensor, radius: Tensor) -> Tensor:
    """ξ, uniform in the ball of this radius: θ's part comes first, then ω's; (13,)."""
    return noise.ball(seed, SCORES, radius)


def at_saddle(theta: Tensor, temperature: Tensor) -> Exits:
    """R runs of stage 2 before their first step.

    Args:
        theta: (R, 4), each run's perturbation: at the saddle itself all four scores are 0.
        temperature: 0-d, or (R, 1) for one of each run.
    """
    loss = free_loss(theta[0], _first(temperature))
    zero = torch.zeros_like(loss)
    each = torch.ones_like(theta[:, 0])
    return Exits(theta, loss, zero, zero, -each, zero - 1, each)


def descend(s: Exits, rate: Tensor, temperature: Tensor) -> Exits:
    """One step θ ← θ − η∇L₁ of all runs, η = cT².

    Args:
        s: R runs.
        rate: c, 0-d.
        temperature: 0-d, or (R, 1) for one of each run.
    """
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    gradient = free_gradient(s.theta, temperature)
    theta = s.theta - rate * temperature**2 * gradient
    loss = free_loss(theta[0], _first(temperature))
    step = s.step + 1
    escape = _since(s.escape, step, has_left(torch.softmax(theta, -1)))
    slow = (temperature * gradient).abs().amax(1) < CONVERGED
    in_balance = s.theta @ direction == 0
    return Exits(
        theta=theta,
        loss=loss,
        rise=torch.maximum(s.rise, loss - s.loss),
        step=step,
        escape=escape,
        fallen=_since(s.fallen, step, loss < math.log(2)),
        moving=1 - (slow & ((escape >= 0) | in_balance)).to(torch.float64),
    )


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

    def loss(theta: Tensor, omega: Tensor, temperature: Tensor) -> Tensor:
        return relation_loss(theta, reduced, temperature) + answer_loss(omega, reduced, temperature)

    def start(p: Any) -> Descent:
        zero = torch.zeros((), dtype=torch.float64)
        theta, omega = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
        return Descent(theta, omega, zero, zero, zero, zero)

    def enter_1(s: Descent, p: Any) -> Descent:
        total = loss(s.theta, s.omega, p.temperature)
        zero = torch.zeros_like(total)
        return Descent(s.theta, s.omega, total, zero, zero, zero - 1)

    def enter_2(s: Descent, p: Any) -> Descent:
        xi = perturbation(p.seed, p.perturbation_radius)
        theta = torch.where(p.to_limit > 0.5, saddle, s.theta) + xi[:6]
        return enter_1(s._replace(theta=theta, omega=s.omega + xi[6:]), p)

    def step(s: Descent, rate: Tensor, temperature: Tensor) -> tuple[Descent, Tensor]:
        (g_theta, g_omega), total = torch.func.grad_and_value(
            lambda theta, omega: loss(theta, omega, temperature), argnums=(0, 1)
        )(s.theta, s.omega)
        balanced = (s.theta == s.theta[swap]).all()
        g_theta = torch.where(balanced, (g_theta + g_theta[swap]) / 2, g_theta)
        eta = rate * temperature**2
        theta, omega = s.theta - eta * g_theta, s.omega - eta * g_omega
        count = s.step + 1
        state = Descent(
            theta=theta,
            omega=omega,
            loss=total,
            rise=torch.maximum(s.rise, total - s.loss),
            step=count,
            escape=_since(s.escape, count, has_left(torch.softmax(theta, 0))),
        )
        off_saddle = balanced | (state.escape >= 0)  # on the way out of the saddle the gradient is small, too
        return state, off_saddle & (temperature * torch.abs(g_theta).amax() < CONVERGED)

    def watch(s: Descent, p: Any) -> Watch:
        attention = torch.softmax(s.theta, 0)
        share = reduced.weights @ relation_shares(s.theta, reduced, p.temperature)  # (C,)
        return Watch(
            attention=attention,
            shares=torch.stack([share[0], share[1], share[2:].sum()]),
            loss=relation_loss(s.theta, reduced, p.temperature).reshape(1),
            position=((attention[0] + attention[1]) / 2).reshape(1),
            answer=answer_probability(s.omega, reduced, p.temperature).reshape(1),
        )

    def report(ends: tuple[Descent, ...], p: Any) -> End:
        return _end(ends, watch(ends[-1], p))

    stages = (
        Stage("stage 1", enter_1, lambda s, p: step(s, p.rate_1, p.temperature), "steps"),
        Stage("stage 2", enter_2, lambda s, p: step(s, p.rate_2, p.temperature), "steps"),
    )
    return Program(Schedule, DOMAINS, start, stages, watch, report)


def _end(ends: tuple[Descent, ...], seen: Watch) -> End:
    """The report from both stages' last states and what is watched of the last one."""
    first, last = ends
    v = torch.softmax(last.theta, 0)
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
        steps=last.step,
    )


def _since(before: Tensor, step: Tensor, happens: Tensor) -> Tensor:
    """The step at which something first happens: ``before`` if that is not −1, else ``step`` if it happens now."""
    return torch.where((before < 0) & happens, step, before)


def _first(temperature: Tensor) -> Tensor:
    """The first run's temperature, of one for all runs or of one for each; 0-d."""
    return temperature.reshape(-1)[0]


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
