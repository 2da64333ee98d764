"""Descent from the saddle at any point of the phase diagram, beside what is optimal there."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.dynamics.landscape import ESCAPE_DIRECTION
from lib.recall.dynamics.phases import (
    PRINTED,
    SUBJECTS,
    TEMPERATURE,
    barrier,
    branch,
    kind,
    lower_of,
    one_pair_from,
    opening,
    pairwise_until,
    reaches,
    saddle_curvature,
    window,
    wrong_odds,
)
from lib.recall.model import LEARNING_RATE, STEPS
from lib.solve import Program, Stage

CONVERGED = 1e-9
"""The run stops once T‖∇L₁‖∞ falls below this, unless it is still on its way out of the saddle."""

LEFT = 1e-3
"""The saddle counts as left once a token of one pair has so much more than ¼."""

CLOSE = 1e-2
"""How close L₁ must come to a minimum, in nats, to count as there."""

SMALL = 0.1
"""The largest perturbation radius that counts as small."""

OWN = torch.eye(2, dtype=torch.float64)
CROSSED = 1 - OWN

SURE = 0.999
"""The probability that Theorem 3 asks for."""

DOMAINS = (
    SUBJECTS,
    TEMPERATURE,
    Domain("radius", low=0),
    Domain("seed", low=0, high=1_000_000, integer=True),
    LEARNING_RATE._replace(name="rate"),
    STEPS._replace(high=20_000),
)
"""What the fields of :class:`Place` may be."""

DEFAULTS: dict[str, float] = {
    "subjects": 997,
    "temperature": 0.01,
    "radius": 1e-3,
    "seed": 0,
    "rate": 100.0,
    "steps": 2000,
}
"""The configuration that the page opens with."""


class Place(NamedTuple):
    """The parameters, each a 0-d tensor."""

    subjects: Tensor  # n
    temperature: Tensor  # T
    radius: Tensor  # of the perturbation
    seed: Tensor  # of the perturbation
    rate: Tensor  # c in the step η
    steps: Tensor  # the most gradient steps


class State(NamedTuple):
    """The state of the descent."""

    theta: Tensor  # (4,) scores of s₁, a₁, s₂, a₂; those of the query and EoS stay −∞
    loss: Tensor  # 0-d, L₁ before the last step
    rise: Tensor  # 0-d, the largest rise of L₁ over a step
    step: Tensor  # 0-d
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
    perturbed: Tensor  # 0 < r ≤ SMALL
    one_valley: Tensor  # the minimum next to the saddle is the optimum
    small_steps: Tensor
    settled: Tensor
    verdict: Tensor  # 0 confirmed, 1 contradicted, 2 outside, 3 beyond, 4 unfinished
    story: Tensor  # 0 symmetric, 1 pairwise, 2 one pair, all optimal; 3 not the optimum; 4 still moving


def shares(theta: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """p₁ of r*, of the confusing relation, of all with one match, of all with none: (4,), traceable.

    Args:
        theta: (4,) scores of s₁, a₁, s₂, a₂; nothing is attended besides.
        subjects: 0-d, n; the six kinds of relation have 1, 1, 4 × (n − 2) and (n − 2)(n − 3) members.
    """
    probability, _ = _probabilities(torch.softmax(theta, 0), subjects, temperature)
    return probability


def loss_and_gradient(theta: Tensor, subjects: Tensor, temperature: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """L₁, ∇L₁ by the four scores, and attention: 0-d, (4,) and (4,), traceable.

    By the products P = x yᵀ of attention on subjects x = (v₁, v₃) and answers y = (v₂, v₄) the derivative of L₁ is
    G = (2/T)(probability of the relations with that match − 1 on the diagonal).
    """
    v = torch.softmax(theta, 0)
    probability, single = _probabilities(v, subjects, temperature)
    slope = (single + (probability[0] - 1) * OWN + probability[1] * CROSSED) * 2 / temperature  # (2, 2)
    by_v = torch.stack([slope @ v[1::2], slope.T @ v[0::2]], 1).flatten()  # (4,) by x₁, y₁, x₂, y₂
    return -torch.log(probability[0]), v * (by_v - v @ by_v), v


def _probabilities(attention: Tensor, subjects: Tensor, temperature: Tensor) -> tuple[Tensor, Tensor]:
    """The four of :func:`shares`, and those of the relations that match (sᵢ, aⱼ) alone: (2, 2)."""
    products = attention[0::2, None] * attention[1::2]  # (2, 2)
    true, confused = (products * OWN).sum(), (products * CROSSED).sum()
    n = subjects - 2
    single = n * torch.exp(2 * (products - true) / temperature)
    confusing = torch.exp(2 * (confused - true) / temperature)
    none = n * (n - 1) * torch.exp(-2 * true / temperature)
    odds = torch.stack([torch.ones_like(none), confusing, single.sum(), none])
    return odds / odds.sum(), single / odds.sum()


def step_size(rate: Tensor, temperature: Tensor) -> Tensor:
    """η = cT²/(1 + (20T)²): the paper's order T² as T falls; where it is warm T² would overshoot."""
    return rate * temperature**2 / (1 + (20 * temperature) ** 2)


def descent() -> Program:
    """Stage 2 of Algorithm 1 of Huang et al. on the complete affine family, for any number of subjects.

    It starts at the limit of stage 1, attention (¼, ¼, ¼, ¼, 0, 0), plus the perturbation ξ, and takes steps of
    η = cT²/(1 + (20T)²) on L₁ until it has converged.
    """

    def start(p: Place) -> State:
        zero = torch.zeros((), dtype=torch.float64)
        theta = noise.ball(p.seed, 13, p.radius)[:4]
        loss, _, _ = loss_and_gradient(theta, p.subjects, p.temperature)
        return State(theta, loss, zero, zero, saddle_curvature(p.subjects, p.temperature))

    def step(s: State, p: Place) -> tuple[State, Tensor]:
        loss, gradient, v = loss_and_gradient(s.theta, p.subjects, p.temperature)
        theta = s.theta - step_size(p.rate, p.temperature) * gradient
        rise = torch.maximum(s.rise, loss - s.loss)
        on_its_way = (p.radius > 0) & ((v[0] + v[1] - 0.5).abs() < 2 * LEFT) & (s.curvature < 0)
        done = (p.temperature * gradient.abs().amax() < CONVERGED) & ~on_its_way
        return s._replace(theta=theta, loss=loss, rise=rise, step=s.step + 1), done

    def watch(s: State, p: Place) -> Seen:
        probability = shares(s.theta, p.subjects, p.temperature)
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
        "half_C": reaches(n, 0.5) * log_n,
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


DEPTHS = torch.linspace(0, 0.25, 101, dtype=torch.float64)
COLDNESS = torch.logspace(-3, math.log10(0.2), 48, dtype=torch.float64)
SLICE = torch.linspace(0, 0.5, 121, dtype=torch.float64)


def best_probability(temperatures: Tensor, subjects: Tensor) -> Tensor:
    """The highest p₁(r*) that any attention has, on a grid of depths: (T,) → (T,), traceable."""
    return 1 / (1 + wrong_odds(DEPTHS, subjects, temperatures[:, None]).amin(1))


def sure_limit(subjects: Tensor) -> Tensor:
    """The T up to which some attention gives r* the probability ``SURE``, from the diagram's table: 0-d, traceable."""
    known, value = torch.log(diagram()["grid_n"]), torch.log(diagram()["sure_T"])
    at = torch.log(subjects)
    left = torch.clamp((known <= at).to(torch.int64).sum() - 1, 0, len(known) - 2).reshape(1)
    low, high = known[left], known[left + 1]
    return torch.exp(value[left] + (value[left + 1] - value[left]) * (at - low) / (high - low))[0]


def _report(ends: tuple[State, ...], p: Place) -> PhaseReport:
    last, n, t = ends[-1], p.subjects, p.temperature
    v, seen = torch.softmax(last.theta, 0), shares(last.theta, n, t)
    end_x, other = (v[0] + v[1]) / 2, (v[2] + v[3]) / 2
    depth, inside = torch.maximum(end_x, other) - 0.25, branch(n, t)
    best = lower_of(inside, n, t)
    end_loss, best_loss = -torch.log(seen[0]), torch.log1p(wrong_odds(best, n, t))
    return PhaseReport(
        **diagram(),
        slice_x=SLICE,
        slice_loss=torch.log1p(wrong_odds((SLICE - 0.25).abs(), n, t)),
        grid_T=COLDNESS,
        best_p=best_probability(COLDNESS, n),
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
        curvature=_curvature(n, t),
        curvature_formula=last.curvature,
        n=n,
        now_T=t,
        constant=t * torch.log(n),
        printed_limit=PRINTED / torch.log(n),
        sure_limit=sure_limit(n),
        **_judged(last, (depth, inside, best), (end_loss, best_loss), p),
    )


def _judged(
    last: State, depths: tuple[Tensor, Tensor, Tensor], losses: tuple[Tensor, Tensor], p: Place
) -> dict[str, Tensor]:
    """Kinds, lights, verdict and story, from the depths and losses of the run's end and of the minima."""
    (depth, inside, best), (end_loss, best_loss), n, t = depths, losses, p.subjects, p.temperature
    only = inside > 0.25 - 1e-9  # one pair alone is the only minimum
    beyond = only | (depth > barrier(inside, n, t))
    basin = torch.where(beyond, torch.full_like(depth, 0.25), inside)
    settled = (end_loss - torch.log1p(wrong_odds(basin, n, t))).abs() < CLOSE
    end_kind, best_kind = kind(basin, n, t), kind(best, n, t)
    end_kind = torch.where(depth < basin / 5, torch.zeros_like(end_kind), end_kind)
    right = (end_loss - best_loss < CLOSE) & (end_kind == best_kind)
    perturbed = (p.radius > 0) & (p.radius <= SMALL)
    valley, small_steps = (inside - best).abs() < 1e-6, last.rise < 1e-9
    assumed, conclusion = perturbed & small_steps & valley, right.to(torch.float64)
    verdict = torch.where(assumed & settled, 1 - conclusion, 2 + conclusion)
    story = torch.where(right, best_kind, torch.full_like(best_kind, 3))
    return {
        "best_kind": best_kind,
        "end_kind": end_kind,
        "perturbed": perturbed.to(torch.float64),
        "one_valley": valley.to(torch.float64),
        "small_steps": small_steps.to(torch.float64),
        "settled": 0.5 + 0.5 * settled.to(torch.float64),
        "verdict": torch.where(assumed & ~settled, torch.full_like(verdict, 4), verdict),
        "story": torch.where(settled | (p.radius == 0), story, torch.full_like(story, 4)),
    }


def _curvature(subjects: Tensor, temperature: Tensor) -> Tensor:
    """The second derivative of the loss along ε̃ at the saddle, by differentiating the gradient."""
    tilt = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)

    def along(x: Tensor) -> Tensor:
        return loss_and_gradient(x * tilt, subjects, temperature)[1] @ tilt

    return torch.func.grad(along)(torch.zeros((), dtype=torch.float64))
