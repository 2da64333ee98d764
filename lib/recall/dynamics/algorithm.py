"""Algorithm 1 of Huang et al., two stages of gradient descent with a perturbation between, on the exact reduction."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.dynamics.landscape import (
    ESCAPE_DIRECTION,
    SADDLE,
    escape_curvature,
    imbalance,
    slice_loss,
    slice_minimum,
)
from lib.recall.dynamics.reduction import (
    Reduced,
    affine_reduced,
    answer_loss,
    answer_probability,
    relation_loss,
    relation_shares,
)
from lib.recall.model import LEARNING_RATE, STEPS, TEMPERATURE
from lib.solve import Program, Stage

DOMAINS = (
    TEMPERATURE,
    Domain("perturbation_radius", low=0),
    Domain("seed", low=0, high=1_000_000, integer=True),
    LEARNING_RATE._replace(name="rate_1"),
    LEARNING_RATE._replace(name="rate_2"),
    STEPS._replace(high=100_000),
    Domain("to_limit", low=0, high=1, integer=True),
)
"""What the fields of :class:`Schedule` may be."""

ESCAPED = 0.05
"""The saddle counts as left once |v₁ + v₂ − v₃ − v₄| exceeds this."""

CONVERGED = 1e-9
"""A stage stops once T‖∇L₁‖∞ falls below this."""

SWAP = (2, 3, 0, 1, 4, 5)
"""The positions of a prompt after its two examples change places."""

TOLERANCE = 1e-3
"""How close attention must come to Theorem 2's pattern to count as that pattern."""


VERDICTS = (
    "confirmed",
    "contradicted",
    "outside: a hypothesis is broken and the conclusion fails",
    "beyond: a hypothesis is broken, yet the conclusion holds",
    "unfinished: stage 2 has not converged within the steps allowed",
)
"""What the number ``TwoStage.verdict`` stands for."""


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


class TwoStage(NamedTuple):
    """What Algorithm 1 comes to, beside what Theorem 2 and its lemmas predict."""

    slice_x: Tensor  # (101,) x from 0 to ½
    slice_loss: Tensor  # (101,) L₁ at attention (x, x, ½ − x, ½ − x, 0, 0)
    predicted_a: Tensor  # the first minimum of the slice below the saddle; NaN if there is none inside
    predicted_rest: Tensor  # ½ − a, the attention on each token of the other pair
    measured_a: Tensor  # the smaller of (v₁ + v₂)/2 and (v₃ + v₄)/2
    predicted_loss: Tensor
    measured_loss: Tensor
    predicted_escape: Tensor  # steps until the saddle is left, from the curvature along ε̃
    measured_escape: Tensor
    mismatch: Tensor  # largest of |v₁ − v₂|, |v₃ − v₄|
    leak: Tensor  # v₅ + v₆
    curvature: Tensor  # second derivative of L₁ along ε̃ at the saddle
    overlap: Tensor  # ⟨ξ, ε̃⟩
    probability: Tensor  # of the true relation
    confusing: Tensor  # of the confusing relation
    answer: Tensor  # probability of the right answer
    attention: Tensor  # (6,) v at the end
    end_loss: Tensor  # L₁ at the end of the slice, x = 0
    cold: Tensor  # hypothesis, 1 or 0: the slice's inner minimum is its lowest point
    perturbed: Tensor  # hypothesis, 1 or 0: ⟨ξ, ε̃⟩ ≠ 0
    small_steps: Tensor  # hypothesis, 1 or 0: the loss never rose
    converged: Tensor  # hypothesis t₁ = t₂ = ∞: 1, 0 if stage 1 is cut short, ½ while stage 2 is still moving
    verdict: Tensor  # see VERDICTS
    story: (
        Tensor  # 0 settled on a pair, 1 never left the saddle, 2 too hot for an inner minimum, 3 still moving
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

    def report(ends: tuple[Descent, ...], p: Schedule) -> TwoStage:
        return _report(reduced, ends[0], ends[1], p, watch(ends[1], p))

    stages = (
        Stage("stage 1", enter_1, lambda s, p: descend(s, p.rate_1, p.temperature), "steps"),
        Stage("stage 2", enter_2, lambda s, p: descend(s, p.rate_2, p.temperature), "steps"),
    )
    return Program(Schedule, DOMAINS, start, stages, watch, report)


def warm_up() -> Program:
    """Algorithm 1 in the setting of Theorem 2: three subjects and all six bijections."""
    return two_stage_descent(affine_reduced(3))


def _report(reduced: Reduced, first: Descent, last: Descent, p: Schedule, end: Watch) -> TwoStage:
    x = torch.linspace(0, 0.5, 101, dtype=torch.float64)
    at = slice_loss(x, reduced, p.temperature)
    minimum = slice_minimum(reduced, p.temperature)
    inside = minimum > 1e-6
    lowest = slice_loss(minimum.reshape(1), reduced, p.temperature)[0]
    v = end.attention
    measured_a = torch.minimum(v[0] + v[1], v[2] + v[3]) / 2
    mismatch = torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs())
    leak = v[4] + v[5]
    curvature = escape_curvature(reduced, p.temperature)
    overlap = noise.ball(p.seed, 13, p.perturbation_radius)[:6] @ torch.tensor(
        ESCAPE_DIRECTION, dtype=torch.float64
    )
    growth = torch.log1p(-p.rate_2 * p.temperature**2 * curvature)
    stretch = torch.log(2 * ESCAPED / overlap.abs())  # at θ̃ + x ε̃ the imbalance is x/2
    predicted_escape = torch.clamp(stretch / growth, min=0)
    cold = inside & (lowest < at[0])
    perturbed = overlap != 0
    small_steps = torch.maximum(first.rise, last.rise) < 1e-9
    stopped = last.step < p.steps
    pattern = (mismatch < TOLERANCE) & (leak < TOLERANCE) & ((measured_a - 0.25).abs() > TOLERANCE)
    optimal = (end.loss[0] < at.amin() + 1e-6) & ((measured_a - minimum).abs() < TOLERANCE)
    conclusion = (pattern & optimal).to(torch.float64)
    assumed = cold & perturbed & small_steps & (p.to_limit > 0.5)
    verdict = torch.where(assumed, 1 - conclusion, 2 + conclusion)
    verdict = torch.where(assumed & ~stopped, torch.full_like(verdict, 4), verdict)
    story = torch.where(small_steps & stopped, torch.zeros_like(leak), torch.full_like(leak, 3))
    story = torch.where(inside, story, torch.full_like(leak, 2))
    story = torch.where(last.escape < 0, torch.ones_like(leak), story)
    nothing = torch.full(
        (), math.nan, dtype=torch.float64
    )  # the theorem predicts nothing without an inner minimum
    predicted_a = torch.where(inside, minimum, nothing)
    return TwoStage(
        slice_x=x,
        slice_loss=at,
        predicted_a=predicted_a,
        predicted_rest=0.5 - predicted_a,
        measured_a=measured_a,
        predicted_loss=torch.where(inside, lowest, nothing),
        measured_loss=end.loss[0],
        predicted_escape=predicted_escape,
        measured_escape=torch.where(last.escape < 0, math.inf, last.escape),
        mismatch=mismatch,
        leak=leak,
        curvature=curvature,
        overlap=overlap,
        probability=end.shares[0],
        confusing=end.shares[1],
        answer=end.answer[0],
        attention=v,
        end_loss=at[0],
        cold=cold,
        perturbed=perturbed,
        small_steps=small_steps,
        converged=torch.where(
            p.to_limit > 0.5, 0.5 + 0.5 * stopped.to(torch.float64), torch.zeros_like(leak)
        ),
        verdict=verdict,
        story=story,
    )


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
