"""Descent from the saddle at any point of the phase diagram, beside what is optimal there."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recall.algorithm import CONVERGED
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
from lib.recall.phases import (
    PRINTED,
    SUBJECTS,
    SURE,
    one_pair_from,
    opening,
    pairwise_until,
    reaches,
    window,
)

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
        words="perturbation radius",
        symbol="r",
        scale="choice",
        track=(0.0, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 3.0, 10.0),
    ),
    Domain("seed", low=0, high=1_000_000, integer=True, default=0, scale="whole", track=(0, 99)),
    LEARNING_RATE._replace(
        name="rate", default=100.0, words="c in the step cT²/(1 + (20T)²)", scale="log", track=(10.0, 200.0)
    ),
    STEPS._replace(high=20_000, default=2000, words="steps, at most", scale="whole", track=(0, 4000, 40)),
)

Place = record("Place", [domain.name for domain in DOMAINS])


class State(NamedTuple):
    """The state of the descent."""

    theta: Tensor  # (4,) scores of s₁, a₁, s₂, a₂; those of the query and EoS stay −∞
    loss: Tensor  # 0-d, L₁ before the last step
    rise: Tensor  # 0-d, the largest rise of L₁ over a step
    curvature: Tensor  # 0-d, λ at the saddle


class Seen(NamedTuple):
    """What is drawn while it runs."""

    attention: Tensor  # (4,)
    probability: Tensor  # (4,) r*, the confusing relation, all with one match, all with none
    loss: Tensor  # (1,)


class PhaseReport(NamedTuple):
    """What it comes to. The boundaries are constants: (46,) over n, (14,) left of the window, (36,) along it."""

    grid_n: Tensor
    one_pair_T: Tensor  # above it one pair is optimal
    ceiling: Tensor  # infinite: the edge of the chart
    until_T: Tensor  # up to it another minimum exists
    sure_T: Tensor  # up to it some attention gives r* 0.999
    printed_T: Tensor  # 1/(40 log n)
    one_pair_C: Tensor  # these times log n, and the same for probability one half
    sure_C: Tensor
    half_C: Tensor
    low_C: Tensor
    high_C: Tensor
    left_n: Tensor
    left_floor: Tensor
    left_T: Tensor  # one_pair_T there
    window_n: Tensor
    window_floor: Tensor
    window_low: Tensor
    window_high: Tensor
    window_T: Tensor  # one_pair_T there
    slice_x: Tensor  # (121,) attention on each token of the first pair, 0 to ½
    slice_loss: Tensor  # (121,) L₁ there
    grid_T: Tensor  # (48,)
    best_p: Tensor  # (48,) the highest p₁(r*) at this n and these T
    end_x: Tensor  # where the run ended: (v₁ + v₂)/2
    end_loss: Tensor
    best_x: Tensor  # the optimum on the run's side of the slice
    best_loss: Tensor
    best_large: Tensor  # the larger of the optimum's two weights
    end_large: Tensor  # the larger of (v₁ + v₂)/2 and (v₃ + v₄)/2
    best_small: Tensor
    end_small: Tensor
    best_probability: Tensor
    end_probability: Tensor
    confusing: Tensor  # probability of the confusing relation at the end
    mismatch: Tensor  # the larger of |v₁ − v₂| and |v₃ − v₄|
    curvature: Tensor  # of L₁ along ε̃ at the saddle, by differentiation
    curvature_formula: Tensor
    n: Tensor
    now_T: Tensor  # T
    constant: Tensor  # T log n
    printed_limit: Tensor  # 1/(40 log n)
    sure_limit: Tensor  # the T up to which 0.999 can be had
    best_kind: Tensor  # see KINDS
    end_kind: Tensor
    pushed: Tensor  # r > 0
    perturbed: Tensor  # 0 < r ≤ SMALL
    one_valley: Tensor  # the minimum next to the saddle is the optimum
    small_steps: Tensor
    settled: Tensor  # L₁ is within CLOSE of a minimum, or nothing was pushed
    even_is_best: Tensor
    pairwise_is_best: Tensor


def step_size(rate: Tensor, temperature: Tensor) -> Tensor:
    """η = cT²/(1 + (20T)²): the paper's order T² as T falls; where it is warm T² would overshoot."""
    return rate * temperature**2 / (1 + (20 * temperature) ** 2)


def descent() -> Program:
    """Stage 2 of Algorithm 1 of Huang et al. on the complete affine family, for any number of subjects.

    It starts at the limit of stage 1, attention (¼, ¼, ¼, ¼, 0, 0), plus the perturbation ξ, and takes steps of
    η = cT²/(1 + (20T)²) on L₁ until T‖∇L₁‖∞ < ``CONVERGED``, unless it is still on its way out of the saddle.
    """

    def start(p: Any) -> State:
        theta = noise.ball(p.seed, 13, p.radius)[:4]
        loss = free_loss(theta, p.temperature, p.subjects)
        return State(theta, loss, torch.zeros_like(loss), saddle_curvature(p.subjects, p.temperature))

    def step(s: State, p: Any) -> tuple[State, Tensor]:
        v = torch.softmax(s.theta, 0)
        loss = free_loss(s.theta, p.temperature, p.subjects)
        gradient = free_gradient(s.theta, p.temperature, p.subjects)
        theta = s.theta - step_size(p.rate, p.temperature) * gradient
        on_its_way = (p.radius > 0) & ((v[0] + v[1] - 0.5).abs() < 2 * LEFT) & (s.curvature < 0)
        done = (p.temperature * gradient.abs().amax() < CONVERGED) & ~on_its_way
        return State(theta, loss, torch.maximum(s.rise, loss - s.loss), s.curvature), done

    def watch(s: State, p: Any) -> Seen:
        probability = free_shares(s.theta, p.temperature, p.subjects)
        return Seen(torch.softmax(s.theta, 0), probability, -torch.log(probability[:1]))

    return Program(Place, DOMAINS, start, (Stage("stage 2", lambda s, p: s, step, "steps"),), watch, _report)


@lru_cache(maxsize=1)
def diagram() -> dict[str, Tensor]:
    """The boundaries of the phase diagram, as the report has them."""
    n = torch.cat([torch.arange(3, 10, dtype=torch.float64), torch.logspace(1, 6, 39, dtype=torch.float64)])
    first, at = opening()
    tip = torch.tensor([first], dtype=torch.float64)
    dense = torch.linspace(0.01, 1, 35, dtype=torch.float64) ** 2  # near the tip, where the window is round
    wide = torch.exp(math.log(first) + (math.log(1e6) - math.log(first)) * dense)
    low, high = window(wide)
    along = torch.cat([tip, wide])
    left = torch.cat([n[n < first], tip])
    mouth = torch.full_like(tip, at)
    first_order, sure = one_pair_from(n), reaches(n, SURE)
    log_n, log_along = torch.log(n), torch.log(along)
    low, high = torch.cat([mouth, low]), torch.cat([mouth, high])
    return {
        "grid_n": n,
        "one_pair_T": first_order,
        "ceiling": torch.full_like(n, math.inf),
        "until_T": pairwise_until(n),
        "sure_T": sure,
        "printed_T": PRINTED / log_n,
        "one_pair_C": first_order * log_n,
        "sure_C": sure * log_n,
        "half_C": reaches(n, 0.5 + 1e-12) * log_n,
        "low_C": low * log_along,
        "high_C": high * log_along,
        "left_n": left,
        "left_floor": torch.full_like(left, -math.inf),
        "left_T": one_pair_from(left),
        "window_n": along,
        "window_floor": torch.full_like(along, -math.inf),
        "window_low": low,
        "window_high": high,
        "window_T": one_pair_from(along),
    }


def sure_limit(subjects: Tensor) -> Tensor:
    """The T up to which some attention gives r* the probability ``SURE``, from the diagram's table: 0-d, traceable."""
    known, value = torch.log(diagram()["grid_n"]), torch.log(diagram()["sure_T"])
    at = torch.log(subjects)
    left = torch.clamp((known <= at).to(torch.int64).sum() - 1, 0, len(known) - 2).reshape(1)
    low, high = known[left], known[left + 1]
    return torch.exp(value[left] + (value[left + 1] - value[left]) * (at - low) / (high - low))[0]


def _report(ends: tuple[State, ...], p: Any) -> PhaseReport:
    last, n, t = ends[-1], p.subjects, p.temperature
    x = torch.linspace(0, 0.5, 121, dtype=torch.float64)
    grid_t = torch.logspace(-3, math.log10(0.2), 48, dtype=torch.float64)
    depths = torch.linspace(0, 0.25, 101, dtype=torch.float64)
    v, seen = torch.softmax(last.theta, 0), free_shares(last.theta, t, n)
    end_x, other = (v[0] + v[1]) / 2, (v[2] + v[3]) / 2
    depth, inside = torch.maximum(end_x, other) - 0.25, branch(n, t)
    best = lower_of(inside, n, t)
    end_loss, best_loss = free_loss(last.theta, t, n), torch.log1p(wrong_odds(best, n, t))
    top = 0.25 - inner_maximum(n, t, torch.clamp(0.25 - inside, min=1e-6))
    only = inside > 0.25 - 1e-9  # one pair alone is the only minimum
    basin = torch.where(only | (depth > top), torch.full_like(depth, 0.25), inside)
    near = (end_loss - torch.log1p(wrong_odds(basin, n, t))).abs() < CLOSE
    end_kind, best_kind = kind(basin, n, t), kind(best, n, t)
    return PhaseReport(
        **diagram(),
        slice_x=x,
        slice_loss=slice_loss(x, n, t),
        grid_T=grid_t,
        best_p=1 / (1 + wrong_odds(depths, n, grid_t[:, None]).amin(1)),
        end_x=end_x,
        end_loss=end_loss,
        best_x=0.25 + torch.where(end_x < other, -best, best),
        best_loss=best_loss,
        best_large=0.25 + best,
        end_large=0.25 + depth,
        best_small=0.25 - best,
        end_small=0.25 - depth,
        best_probability=torch.exp(-best_loss),
        end_probability=seen[0],
        confusing=seen[1],
        mismatch=torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()),
        curvature=escape_curvature(t, n),
        curvature_formula=last.curvature,
        n=n,
        now_T=t,
        constant=t * torch.log(n),
        printed_limit=PRINTED / torch.log(n),
        sure_limit=sure_limit(n),
        best_kind=best_kind,
        end_kind=torch.where(depth < basin / 5, torch.zeros_like(end_kind), end_kind),
        pushed=p.radius > 0,
        perturbed=(p.radius > 0) & (p.radius <= SMALL),
        one_valley=(inside - best).abs() < 1e-6,
        small_steps=last.rise < 1e-9,
        settled=near | (p.radius == 0),
        even_is_best=best_kind == 0,
        pairwise_is_best=best_kind == 1,
    )
