"""Training with two, three or four examples: gradient descent from equal pair masses, beside the law of the masses."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import RADII, Domain
from lib.program import Program, Stage, record
from lib.recall.model import LEARNING_RATE, STEPS
from lib.recall.more_examples import (
    EXAMPLES,
    FIXING,
    MOST,
    PLACES,
    agreeing_probability,
    excess_loss,
    law,
    pair_attention,
    spacing,
)

COLD = 1 / 3
"""The law is claimed where T is at most this part of the law's smallest gap."""

NEAR = 1 / 4
"""Masses count as the law's within this part of the law's spacing."""

TIED = 0.6
"""A run may stop only below this loss: two tied relations alone cost log 2."""

PARTED = 0.1
"""Where it is too warm for that, a loss so far below that of equal masses shows that the pairs have parted."""

STILL = 1e-4
"""The masses have come to rest where T‖∇L₁‖∞ is below this part of the loss."""

GRID = torch.logspace(-1, math.log10(3), 60, dtype=torch.float64)
"""The warmths at which the law is drawn."""

DOMAINS = (
    EXAMPLES,
    FIXING,
    Domain(
        "warmth",
        low=0.01,
        high=10,
        default=0.25,
        words="temperature ÷ smallest lead",
        scale="log",
        track=(0.1, 3.0),
    ),
    Domain(
        "perturbation_radius",
        low=0,
        high=1,
        default=1e-3,
        words="size of the push",
        symbol="r",
        scale="choice",
        track=RADII,
    ),
    Domain(
        "tie",
        low=0,
        high=1,
        default=1.0,
        words="head start of pair 1 (1 = as drawn)",
        scale="choice",
        track=(0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0),
    ),
    Domain("seed", low=0, high=10_000, integer=True, default=0, scale="whole", track=(0, 99)),
    LEARNING_RATE._replace(
        name="rate_2", default=300.0, words="learning rate of stage 2 (c₂)", scale="log", track=(10.0, 3000.0)
    ),
    STEPS._replace(high=10_000, default=2500, words="steps, at most", scale="whole", track=(0, 5000, 50)),
)
"""K, the t pairs that belong to exactly one relation, T in units of the law's smallest gap, the perturbation's radius,
what is left of its difference between the first two pairs, its seed, c₂ with k = min(K, t), and the most steps."""

Lesson = record("Lesson", [domain.name for domain in DOMAINS])


class Learning(NamedTuple):
    """The state of the training."""

    theta: Tensor  # (8,) scores of s₁, a₁, … s₄, a₄; those beyond the K-th pair count for nothing
    loss: Tensor  # 0-d: before the last step, above the least possible
    rise: Tensor  # 0-d: its largest rise
    step: Tensor  # 0-d


class LearningWatch(NamedTuple):
    """What is drawn while it trains."""

    masses: Tensor  # (4,) of the pairs in the prompt's order; NaN beyond the K-th
    probability: Tensor  # (1,) of r*, and of all relations that agree with every example
    loss: Tensor  # (1,) L₁ above its least possible value


class MoreExamples(NamedTuple):
    """The result, beside the law. Ranks go from the largest mass to the smallest."""

    law: Tensor  # (4,) masses as T → 0; NaN beyond the K-th
    warm_law: Tensor  # (4,) with the term linear in T
    masses: Tensor  # (4,) at the end
    gaps: Tensor  # (4,) logits by which r* leads: ranks 1, 2 swapped; 2, 3; 3, 4; the last used missed
    first: Tensor  # (60,) the law with its linear term at the warmths of GRID, by rank
    second: Tensor
    third: Tensor
    fourth: Tensor
    temperature: Tensor  # T
    smallest_gap: Tensor  # ½d², the law's
    least_gap: Tensor  # the least of ``gaps``
    mismatch: Tensor  # largest |xᵢ − yᵢ|
    distance: Tensor  # largest |mass − law|, in units of the spacing d
    start_loss: Tensor  # L₁ with equal masses, above its least possible value
    end_loss: Tensor
    probability: Tensor
    predicted: Tensor  # 0 … 3: the pair that the perturbation favours
    winner: Tensor  # 0 … 3: the pair with the largest mass at the end
    curvature: Tensor  # of L₁ at equal masses, in the direction of the perturbation's pair sums
    saddle_curvature: Tensor  # −1/(2TK²); NaN where K > t
    equal_pairs: Tensor  # the most pairs that have one and the same perturbation
    end_gradient: Tensor  # T‖∇L₁‖∞ at the end
    rise: Tensor  # the largest rise of the loss over a step


def lesson() -> Program:
    """Gradient descent on L₁ from equal masses and a perturbation, attention on the query and EoS being 0.

    ξ is uniform in the ball of radius r; the first two pairs' scores are drawn together until only the part ``tie``
    of their difference is left. Stops when T‖∇L₁‖∞ is below ``STILL`` times the loss, once that is below ``TIED``.
    """

    def start(p: Any) -> Learning:
        theta = perturbation(p)
        loss = excess_loss(theta, p.examples, p.fixing, temperature(p))
        return Learning(theta, loss, torch.zeros_like(loss), torch.zeros_like(loss))

    def step(s: Learning, p: Any) -> tuple[Learning, Tensor]:
        t = temperature(p)
        gradient, loss = torch.func.grad_and_value(excess_loss)(s.theta, p.examples, p.fixing, t)
        rate = p.rate_2 * (torch.minimum(p.examples, p.fixing) / 2) ** 4 * t**2
        theta = s.theta - rate * _balanced(gradient, s.theta, p.examples)
        rise = torch.maximum(s.rise, loss - s.loss)
        return Learning(theta, loss, rise, s.step + 1), (loss < TIED) & (
            t * gradient.abs().amax() < STILL * loss
        )

    stage = Stage("stage 2", lambda s, p: s, step, "steps")
    return Program(Lesson, DOMAINS, start, (stage,), _watch, _report)


def _balanced(gradient: Tensor, theta: Tensor, examples: Tensor) -> Tensor:
    """The gradient averaged over pairs of equal scores: they stay equal, as in exact arithmetic."""
    pairs = theta.reshape(MOST, 2)
    used = (examples > PLACES).to(torch.float64)
    equal = _equal(pairs) * used  # (4, 4)
    return (equal @ gradient.reshape(MOST, 2) / torch.clamp(equal.sum(1), min=1)[:, None]).flatten()


def _equal(pairs: Tensor) -> Tensor:
    """1 where two pairs have the same scores, else 0; (4, 2) → (4, 4)."""
    return (pairs[:, None] == pairs[None]).all(2).to(torch.float64)


def temperature(p: Any) -> Tensor:
    """T = warmth · d²/2."""
    return p.warmth * spacing(p.examples, p.fixing) ** 2 / 2


def perturbation(p: Any) -> Tensor:
    """ξ with the first two pairs drawn together; (8,), 0 beyond the K-th pair."""
    xi = noise.ball(p.seed, 2 * MOST, p.perturbation_radius).reshape(MOST, 2)
    middle = (xi[0] + xi[1]) / 2
    pairs = torch.cat([middle + p.tie * (xi[:2] - middle), xi[2:]])
    return (pairs * (p.examples > PLACES).to(torch.float64)[:, None]).flatten()


def _watch(s: Learning, p: Any) -> LearningWatch:
    t = temperature(p)
    x, y = pair_attention(s.theta, p.examples)
    masses = torch.where(p.examples > PLACES, x + y, math.nan)
    chance = agreeing_probability(s.theta, p.examples, p.fixing, t)
    return LearningWatch(masses, chance[None], excess_loss(s.theta, p.examples, p.fixing, t)[None])


def _ranked(masses: Tensor) -> Tensor:
    """The places of the masses from the largest to the smallest; (4,) int64."""
    i = torch.arange(MOST)
    ahead = (masses[None] > masses[:, None]) | ((masses[None] == masses[:, None]) & (i[None] < i[:, None]))
    rank = ahead.to(torch.float64).sum(1)
    return torch.zeros_like(masses).scatter(0, rank.long(), PLACES).long()


def _gaps(x: Tensor, y: Tensor, k: Tensor) -> Tensor:
    """Logit gaps to the relations that swap neighbours in rank, and to those that miss the last used; (4,)."""
    swapped = 2 * (x[:-1] - x[1:]) * (y[:-1] - y[1:])
    swapped = torch.where(PLACES[:-1] < k - 1, swapped, math.nan)
    last = (k - 1).long()[None]
    return torch.cat([swapped, 2 * x[last] * y[last]])


def _report(ends: tuple[Learning, ...], p: Any) -> MoreExamples:
    end, t, d = ends[0], temperature(p), spacing(p.examples, p.fixing)
    x, y = pair_attention(end.theta, p.examples)
    order = _ranked(x + y)
    x, y = x[order], y[order]
    used = p.examples > PLACES
    wanted = law(p.examples, p.fixing, torch.zeros_like(t))
    lines = law(p.examples, p.fixing, GRID)
    gaps = _gaps(x, y, torch.minimum(p.examples, p.fixing))
    gradient, loss = torch.func.grad_and_value(excess_loss)(end.theta, p.examples, p.fixing, t)
    pairs = perturbation(p).reshape(MOST, 2)
    start_loss, curvature = _at_equal_masses(pairs.sum(1), p)
    return MoreExamples(
        law=wanted,
        warm_law=law(p.examples, p.fixing, p.warmth),
        masses=torch.where(used, x + y, math.nan),
        gaps=gaps,
        first=lines[:, 0],
        second=lines[:, 1],
        third=lines[:, 2],
        fourth=lines[:, 3],
        temperature=t,
        smallest_gap=d**2 / 2,
        least_gap=torch.where(torch.isnan(gaps), math.inf, gaps).amin(),
        mismatch=(x - y).abs().amax(),
        distance=torch.where(used, (x + y - wanted).abs(), 0.0).amax() / d,
        start_loss=start_loss,
        end_loss=loss,
        probability=_watch(end, p).probability[0],
        predicted=_ranked(torch.where(used, pairs.sum(1), -math.inf))[0].to(torch.float64),
        winner=order[0].to(torch.float64),
        curvature=curvature,
        saddle_curvature=torch.where(p.examples > p.fixing, math.nan, -1 / (2 * t * p.examples**2)),
        equal_pairs=(_equal(pairs) * used).sum(1).mul(used).amax(),
        end_gradient=t * gradient.abs().amax(),
        rise=end.rise,
    )


def _at_equal_masses(sums: Tensor, p: Any) -> tuple[Tensor, Tensor]:
    """The loss at equal masses, and its curvature in the direction of the perturbation's pair sums, (4,); 0-d each."""
    t = temperature(p)
    centred = torch.where(p.examples > PLACES, sums - sums.sum() / p.examples, 0.0).repeat_interleave(2)
    direction = centred / torch.clamp(torch.sqrt((centred * centred).sum()), min=1e-300)

    def along(size: Tensor) -> Tensor:
        return excess_loss(size * direction, p.examples, p.fixing, t)

    zero = torch.zeros_like(t)
    return along(zero), torch.func.grad(torch.func.grad(along))(zero)
