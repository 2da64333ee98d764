"""Descent from the saddle at any point of the phase diagram, beside what is optimal there."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recall.phases.diagram import sure_limit
from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recall.algorithm import CONVERGED, perturbation
from lib.recall.escape import escape_curvature, free_gradient, free_loss, free_shares
from lib.recall.landscape import (
    branch,
    inner_maximum,
    kind,
    lower_of,
    saddle_curvature,
    slice_loss,
    wrong_odds,
)
from lib.recall.model import LEARNING_RATE, STEPS
from lib.recall.phases import PRINTED, SUBJECTS

LEFT = 1e-3
"""The saddle counts as left once a token of one pair has so much more than ¼."""

CLOSE = 1e-2
"""How close L₁ must come to a minimum, in nats, to count as there."""

SMALL = 0.1
"""The largest perturbation radius that counts as small."""

DOMAINS = (
    SUBJECTS,
    Domain(
        "temperature",
        low=1e-3,
        high=1,
        default=0.01,
        words="temperature",
        symbol="T",
        scale="log",
        track=(1e-3, 0.2),
    ),
    Domain(
        "radius",
        low=0,
        default=1e-3,
        words="size of the push",
        symbol="r",
        scale="choice",
        track=(0.0, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 3.0, 10.0),
    ),
    Domain("seed", low=0, high=1_000_000, integer=True, default=0, scale="whole", track=(0, 99)),
    LEARNING_RATE._replace(
        name="rate", default=100.0, words="learning rate (c)", scale="log", track=(10.0, 200.0)
    ),
    STEPS._replace(high=20_000, default=2000, words="steps, at most", scale="whole", track=(0, 4000, 40)),
)

SLICE_X = torch.linspace(0, 0.5, 121, dtype=torch.float64)
"""Along the pairwise slice, the attention on each token of the first pair."""

GRID = torch.logspace(-3, math.log10(0.2), 48, dtype=torch.float64)
"""The temperatures at which the best probability is drawn."""

Place = record("Place", [domain.name for domain in DOMAINS])


class DescentState(NamedTuple):
    """The state of the descent."""

    theta: Tensor  # (4,) scores of s₁, a₁, s₂, a₂; those of the query and EoS stay −∞
    loss: Tensor  # 0-d, L₁ before the last step
    rise: Tensor  # 0-d, the largest rise of L₁ over a step
    curvature: Tensor  # 0-d, λ at the saddle


class DescentWatch(NamedTuple):
    """What is drawn while it runs."""

    attention: Tensor  # (4,)
    probability: Tensor  # (4,) r*, the confusing relation, all with one match, all with none
    loss: Tensor  # (1,)


class PhaseReport(NamedTuple):
    """The result of the descent, beside the optimum."""

    slice_loss: Tensor  # (121,) L₁ at SLICE_X
    best_p: Tensor  # (48,) the highest p₁(r*) at this n and the temperatures of GRID
    end_x: Tensor  # where the run ended: (v₁ + v₂)/2
    end_loss: Tensor
    best_x: Tensor  # the optimum on the run's side of the slice
    best_loss: Tensor
    best_large: Tensor  # the larger of the optimum's two weights
    end_large: Tensor  # the larger of (v₁ + v₂)/2 and (v₃ + v₄)/2
    valley_large: Tensor  # the larger weight at the minimum beside the saddle; ½ if there is none
    basin_loss: Tensor  # L₁ at the minimum in whose basin the run has ended
    best_small: Tensor
    end_small: Tensor
    best_probability: Tensor
    end_probability: Tensor
    confusing: Tensor  # probability of the confusing relation at the end
    mismatch: Tensor  # the larger of |v₁ − v₂| and |v₃ − v₄|
    curvature: Tensor  # of L₁ along ε̃ at the saddle, by differentiation
    curvature_formula: Tensor
    n: Tensor
    constant: Tensor  # T log n
    printed_limit: Tensor  # 1/(40 log n)
    sure_limit: Tensor  # the T up to which 0.999 can be had
    best_kind: Tensor  # see KINDS
    end_kind: Tensor
    rise: Tensor  # the largest rise of L₁ over a step


def step_size(rate: Tensor, temperature: Tensor) -> Tensor:
    """η = cT²/(1 + (20T)²): the paper's order T² as T falls; where it is warm T² would overshoot."""
    return rate * temperature**2 / (1 + (20 * temperature) ** 2)


def descent() -> Program:
    """Stage 2 of Algorithm 1 of Huang et al. on the complete affine family, for any number of subjects.

    It starts at the limit of stage 1, attention (¼, ¼, ¼, ¼, 0, 0), plus the perturbation ξ, and takes steps of
    η = cT²/(1 + (20T)²) on L₁ until T‖∇L₁‖∞ < ``CONVERGED``, unless it is still on its way out of the saddle.
    """

    def start(p: Any) -> DescentState:
        theta = perturbation(p.seed, p.radius)[:4]
        loss = free_loss(theta, p.temperature, p.subjects)
        return DescentState(theta, loss, torch.zeros_like(loss), saddle_curvature(p.subjects, p.temperature))

    def step(s: DescentState, p: Any) -> tuple[DescentState, Tensor]:
        v = torch.softmax(s.theta, 0)
        loss = free_loss(s.theta, p.temperature, p.subjects)
        gradient = free_gradient(s.theta, p.temperature, p.subjects)
        theta = s.theta - step_size(p.rate, p.temperature) * gradient
        on_its_way = (p.radius > 0) & ((v[0] + v[1] - 0.5).abs() < 2 * LEFT) & (s.curvature < 0)
        done = (p.temperature * gradient.abs().amax() < CONVERGED) & ~on_its_way
        return DescentState(theta, loss, torch.maximum(s.rise, loss - s.loss), s.curvature), done

    def watch(s: DescentState, p: Any) -> DescentWatch:
        probability = free_shares(s.theta, p.temperature, p.subjects)
        return DescentWatch(torch.softmax(s.theta, 0), probability, -torch.log(probability[:1]))

    return Program(Place, DOMAINS, start, (Stage("stage 2", lambda s, p: s, step, "steps"),), watch, _report)


def _report(ends: tuple[DescentState, ...], p: Any) -> PhaseReport:
    last, n, t = ends[-1], p.subjects, p.temperature
    v, probabilities = torch.softmax(last.theta, 0), free_shares(last.theta, t, n)
    end_x, other = (v[0] + v[1]) / 2, (v[2] + v[3]) / 2
    depth, valley = torch.maximum(end_x, other) - 0.25, branch(n, t)
    best, basin = lower_of(valley, n, t), _basin(depth, valley, n, t)
    best_loss = torch.log1p(wrong_odds(best, n, t))
    basin_kind = kind(basin, n, t)
    return PhaseReport(
        slice_loss=slice_loss(SLICE_X, n, t),
        best_p=_best_probabilities(n),
        end_x=end_x,
        end_loss=free_loss(last.theta, t, n),
        best_x=0.25 + torch.where(end_x < other, -best, best),
        best_loss=best_loss,
        best_large=0.25 + best,
        end_large=0.25 + depth,
        valley_large=0.25 + valley,
        basin_loss=torch.log1p(wrong_odds(basin, n, t)),
        best_small=0.25 - best,
        end_small=0.25 - depth,
        best_probability=torch.exp(-best_loss),
        end_probability=probabilities[0],
        confusing=probabilities[1],
        mismatch=torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()),
        curvature=escape_curvature(t, n),
        curvature_formula=last.curvature,
        n=n,
        constant=t * torch.log(n),
        printed_limit=PRINTED / torch.log(n),
        sure_limit=sure_limit(n),
        best_kind=kind(best, n, t),
        end_kind=torch.where(depth < basin / 5, torch.zeros_like(basin_kind), basin_kind),
        rise=last.rise,
    )


def _basin(depth: Tensor, valley: Tensor, n: Tensor, t: Tensor) -> Tensor:
    """The depth of the minimum in whose basin ``depth`` is: ``valley``, beside the saddle, or one pair alone, ¼."""
    top = 0.25 - inner_maximum(n, t, torch.clamp(0.25 - valley, min=1e-6))
    one_pair_only = valley > 0.25 - 1e-9
    return torch.where(one_pair_only | (depth > top), torch.full_like(depth, 0.25), valley)


def _best_probabilities(n: Tensor) -> Tensor:
    """The highest p₁(r*) on the slice at each temperature of ``GRID``, (48,)."""
    depths = torch.linspace(0, 0.25, 101, dtype=torch.float64)
    return 1 / (1 + wrong_odds(depths, n, GRID[:, None]).amin(1))
