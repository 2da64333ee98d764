"""How many prompts training needs: many data sets of many sizes trained at once (Huang et al., Theorem 3)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.dynamics.general import COLDEST, gaps, large_rate
from lib.recall.dynamics.sampler import bayes_ceiling, sample_counts
from lib.recall.model import LEARNING_RATE, STEPS, TEMPERATURE
from lib.solve import Program, Stage

SIZES = (1, 2, 4, 8, 16, 32)
"""Numbers of prompts |D|; each smaller data set is the beginning of the next."""

SETS = 4
"""Data sets of each size."""

TESTED = 64
"""Prompts on which accuracy is measured; training never sees them."""

AHEAD = 1e-9
"""Logits closer than this tie."""

SAFE = 0.999
"""The accuracy of Theorem 3."""

MISSED = 0.05
"""How seldom a data set may lack a confusing prompt."""

DOMAINS = (
    Domain("subjects", low=3, high=1e6),
    Domain("density", low=0, high=2, low_open=True),
    Domain("bijections", low=0, high=1, integer=True),
    Domain("samples", low=1, high=SIZES[-1], integer=True),
    TEMPERATURE._replace(low=COLDEST, high=1, low_open=False, high_open=True),
    Domain("seed", low=0, high=1000, integer=True),
    LEARNING_RATE._replace(name="rate_1"),
    LEARNING_RATE._replace(name="rate_2"),
    Domain("radius", low=0),
    STEPS._replace(low=1, high=20_000),
)
"""What the fields of :class:`Study` may be."""

DEFAULTS: dict[str, float] = {
    "subjects": 997.0,
    "density": 0.5,
    "bijections": 0,
    "samples": 8,
    "temperature": 0.003,
    "seed": 0,
    "rate_1": 100.0,
    "rate_2": 400.0,
    "radius": 1e-4,
    "steps": 140,
}
"""The configuration that the page opens with."""


class Study(NamedTuple):
    """The parameters, each a 0-d tensor."""

    subjects: Tensor  # n
    density: Tensor  # ρ = |R| / n(n − 1)
    bijections: Tensor  # 0: a random subset of the affine family; 1: random bijections
    samples: Tensor  # |D|, the size that the verdict is about
    temperature: Tensor  # T
    seed: Tensor
    rate_1: Tensor  # c₁, where η₁ = c₁T^{3/2} log(1/T)
    rate_2: Tensor  # c₂, where η₂ = c₂T²
    radius: Tensor  # of the perturbation
    steps: Tensor  # small steps


class Runs(NamedTuple):
    """The state: one θ for each size and each data set."""

    theta: Tensor  # (6, 4, 6)
    counts: Tensor  # (4, 32, 13) histograms of the data sets
    tested: Tensor  # (64, 13) those of the test prompts


class Seen(NamedTuple):
    """What is drawn while they train."""

    accuracy: Tensor  # (6,) on new prompts, mean over the data sets
    probability: Tensor  # (6,) p₁(r*) there


class Needed(NamedTuple):
    """What it comes to."""

    sizes: Tensor  # (6,)
    accuracy: Tensor  # (6,) mean over the data sets, on new prompts
    accuracy_low: Tensor  # the least of the data sets
    accuracy_high: Tensor
    probability: Tensor  # (6,) mean p₁(r*) on new prompts
    probability_low: Tensor
    probability_high: Tensor
    ceiling: Tensor  # (6,) the Bayes ceiling of both, the same at every size
    missed: Tensor  # (6,) share of the data sets without a confusing prompt
    missed_by_law: Tensor  # (6,) (1 − p_conf)^|D|
    untrained: Tensor  # accuracy at θ = 0
    now_size: Tensor  # |D|
    now_accuracy: Tensor  # at the greatest listed size that |D| reaches
    now_probability: Tensor
    best: Tensor  # the ceiling once more, 0-d: on the test prompts r* ties with all relations that fit both examples
    best_by_law: Tensor  # its mean over all prompts
    confusing_share: Tensor  # p_conf of the family
    wanted: Tensor  # |D| at which only 1 in 20 data sets lacks a confusing prompt
    printed: Tensor  # T⁻³ log²(1/T), Lemma 9's number of prompts up to constants
    cold: Tensor  # lights: T ≤ 1/(40 log n)
    identified: Tensor  # Assumption 1
    enough: Tensor  # |D| ≥ wanted
    seen: Tensor  # each data set of this size holds a confusing prompt
    verdict: Tensor  # 0 confirmed, 1 contradicted, 2 outside, 3 beyond
    story: Tensor  # 0 accurate and sure, 1 accurate but not sure, 2 at a ceiling below 1, 3 no confusing prompt, 4 else


def check_confusing(counts: Tensor) -> None:
    """Refuse data on which nothing but chance can set the two examples apart.

    Args:
        counts: (B, 13) histograms of the prompts of a data set.

    Raises:
        ValueError: there is no prompt, or none has a confusing relation.
    """
    if len(counts) == 0:
        raise ValueError("D has 0 prompts: must have at least 1")
    if not bool((counts[:, 1] > 0).any()):
        raise ValueError(
            f"D has {len(counts)} prompts and none with a confusing relation: must have at least 1 of them, "
            "since all others are right without telling the examples apart"
        )


def confusing_chance(subjects: Tensor, density: Tensor, bijections: Tensor) -> Tensor:
    """p_conf: how likely a prompt of the family has a confusing relation; 0-d, traceable.

    ρ for a random subset of the affine family, and 1 − (1 − p)^(|R| − 1) with p = 1/n(n − 1) for random bijections.
    """
    chance = 1 / (subjects * (subjects - 1))
    others = torch.clamp(density / chance - 1, min=0)
    return torch.where(
        bijections > 0.5, -torch.expm1(others * torch.log1p(-chance)), torch.clamp(density, max=1)
    )


def answer_quality(theta: Tensor, tested: Tensor, temperature: Tensor) -> tuple[Tensor, Tensor]:
    """Accuracy, a tie of m counting 1/m, and mean p₁(r*), on the test prompts: (…, 6) → (…) twice; traceable."""
    gap = gaps(theta)  # (…, 13)
    level = (
        tested @ (gap.abs() <= AHEAD).to(torch.float64)[..., None]
    )  # (…, 64, 1): relations at the top with r*
    above = tested @ (gap > AHEAD).to(torch.float64)[..., None]
    named = torch.where(above > 0.5, 0.0, 1 / torch.clamp(level, min=1))
    chance = 1 / (tested @ torch.exp(gap / temperature)[..., None])
    return named.mean((-2, -1)), chance.mean((-2, -1))


def study() -> Program:
    """Algorithm 1 with one large step, on 6 × 4 data sets at once, for the first decoding step of any n."""
    sizes = torch.tensor(SIZES, dtype=torch.float64)
    weights = (torch.arange(SIZES[-1]) < sizes[:, None]).to(torch.float64) / sizes[:, None]  # (6, 32)

    def start(p: Study) -> Runs:
        drawn = sample_counts(p.seed, SETS * SIZES[-1] + TESTED, p.subjects, _kept(p), p.bijections)
        data, tested = drawn[: SETS * SIZES[-1]], drawn[SETS * SIZES[-1] :]
        theta = torch.zeros(len(SIZES), SETS, 6, dtype=torch.float64)
        return Runs(theta, data.reshape(SETS, SIZES[-1], 13), tested)

    def loss(theta: Tensor, counts: Tensor, temperature: Tensor) -> Tensor:
        weight = torch.exp(gaps(theta) / temperature)  # (6, 4, 13)
        inside = torch.einsum("shc,zsc->zsh", counts, weight)  # (6, 4, 32)
        return (weights[:, None] * torch.log(inside)).sum()

    def down(s: Runs, p: Study, eta: Tensor) -> Tensor:
        return s.theta - eta * torch.func.grad(loss)(s.theta, s.counts, p.temperature)

    def large(s: Runs, p: Study) -> tuple[Runs, Tensor]:
        return s._replace(theta=down(s, p, large_rate(p.rate_1, p.temperature))), p.steps > 0  # one step only

    def perturb(s: Runs, p: Study) -> Runs:
        xi = [noise.ball(p.seed * SETS + k, 13, p.radius)[:6] for k in range(SETS)]
        return s._replace(theta=s.theta + torch.stack(xi))

    def small(s: Runs, p: Study) -> tuple[Runs, Tensor]:
        return s._replace(theta=down(s, p, p.rate_2 * p.temperature**2)), p.steps < 0

    def watch(s: Runs, p: Study) -> Seen:
        accuracy, probability = answer_quality(s.theta, s.tested, p.temperature)
        return Seen(accuracy.mean(1), probability.mean(1))

    stages = (
        Stage("one large step", lambda s, p: s, large, "steps"),
        Stage("small steps", perturb, small, "steps"),
    )
    return Program(Study, DOMAINS, start, stages, watch, lambda ends, p: _report(ends[1], p, sizes))


def _kept(p: Study) -> Tensor:
    """ρ, at most 1 for subsets of the affine family."""
    return torch.where(p.bijections > 0.5, p.density, torch.clamp(p.density, max=1))


def _report(s: Runs, p: Study, sizes: Tensor) -> Needed:
    accuracy, probability = answer_quality(s.theta, s.tested, p.temperature)  # (6, 4)
    untrained, _ = answer_quality(torch.zeros(6, dtype=torch.float64), s.tested, p.temperature)
    best = (1 / s.tested[:, 0]).mean()
    share = confusing_chance(p.subjects, p.density, p.bijections)
    lacking = torch.stack([(s.counts[:, :size, 1] < 0.5).all(1).to(torch.float64).mean() for size in SIZES])
    wanted = torch.log(torch.full_like(share, MISSED)) / torch.log1p(-torch.clamp(share, max=1 - 1e-9))
    wanted = torch.clamp(wanted, min=1)
    place = ((sizes <= p.samples).to(torch.float64).sum() - 1).to(torch.int64).reshape(1)
    now_accuracy, now_probability, now_lacking = (
        field.index_select(0, place)[0] for field in (accuracy.mean(1), probability.mean(1), lacking)
    )
    lights = {
        "cold": p.temperature <= 1 / (40 * torch.log(p.subjects)),
        "identified": p.bijections < 0.5,
        "enough": p.samples >= wanted - 1e-9,
        "seen": now_lacking < 1 / (2 * SETS),
    }
    holds = torch.stack([light.to(torch.float64) for light in lights.values()]).prod() > 0.5
    good = now_accuracy > SAFE
    verdict = torch.where(holds, torch.where(good, 0.0, 1.0), torch.where(good, 3.0, 2.0))
    reached, sure = now_accuracy > best - 0.02, now_probability > 0.9 * best
    story = torch.where(reached, torch.where(best < 0.99, 2.0, torch.where(sure, 0.0, 1.0)), 4.0)
    story = torch.where(lights["seen"], story, 3.0)
    return Needed(
        sizes=sizes,
        accuracy=accuracy.mean(1),
        accuracy_low=accuracy.amin(1),
        accuracy_high=accuracy.amax(1),
        probability=probability.mean(1),
        probability_low=probability.amin(1),
        probability_high=probability.amax(1),
        ceiling=best + 0 * sizes,
        missed=lacking,
        missed_by_law=torch.exp(sizes * torch.log1p(-torch.clamp(share, max=1 - 1e-9))),
        untrained=untrained,
        now_size=p.samples,
        now_accuracy=now_accuracy,
        now_probability=now_probability,
        best=best,
        best_by_law=bayes_ceiling(p.subjects, _kept(p), p.bijections),
        confusing_share=share,
        wanted=wanted,
        printed=torch.log(1 / p.temperature) ** 2 / p.temperature**3,
        verdict=verdict.to(torch.float64),
        story=story.to(torch.float64),
        **{name: light.to(torch.float64) for name, light in lights.items()},
    )
