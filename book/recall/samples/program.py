"""Algorithm 1 with one large step on many data sets of many sizes at once: how many prompts training needs."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recall.algorithm import perturbation
from lib.recall.general import (
    COLD_TEMPERATURE,
    LARGE_STEP,
    RADIUS,
    SMALL_STEPS,
    SUBJECTS,
    gaps,
    large_rate,
    mismatched_part,
    population,
    steps_until_safe,
    worst_probability,
)
from lib.recall.model import STEPS
from lib.recall.sampler import answer_quality, bayes_ceiling, confusing_chance, sample_counts

SIZES = (1, 2, 4, 8, 16, 32)
"""Numbers of prompts |D|; each smaller data set is the beginning of the next."""

SETS = 4
"""Data sets of each size."""

TESTED = 64
"""Prompts on which accuracy is measured; training never sees them."""

MISSED = 0.05
"""How seldom a data set may lack a confusing prompt."""

DOMAINS = (
    Domain(
        "bijections",
        low=0,
        high=1,
        integer=True,
        default=0,
        words="relations drawn from",
        scale="menu",
        track=("a random part of the affine maps", "random bijections"),
    ),
    Domain(
        "density",
        low=0,
        high=2,
        low_open=True,
        default=0.5,
        words="relations ÷ limit, n(n − 1)",
        track=(0.05, 1.5, 0.05),
    ),
    SUBJECTS._replace(default=997),
    Domain(
        "samples",
        low=1,
        high=SIZES[-1],
        integer=True,
        default=8,
        words="number of prompts",
        symbol="|D|",
        scale="choice",
        track=SIZES,
    ),
    COLD_TEMPERATURE,
    Domain("seed", low=0, high=1000, integer=True, default=0, scale="whole", track=(0, 99)),
    LARGE_STEP,
    SMALL_STEPS._replace(default=1000.0, track=(10.0, 1000.0)),
    RADIUS,
    STEPS._replace(
        low=1, high=20_000, default=1400, words="number of small steps", scale="whole", track=(20, 4000, 20)
    ),
)
"""0 for a random subset of the affine family or 1 for random bijections, ρ = |R| / n(n − 1), n, the |D| that the
theorem is judged at, T, the seed, c₁ in η₁ = c₁T^{3/2} log(1/T), c₂ in η₂ = c₂T², the perturbation's radius, and the
number of small steps."""

Study = record("Study", [domain.name for domain in DOMAINS])


class Runs(NamedTuple):
    """The state of the trainings: one θ for each size and each data set."""

    theta: Tensor  # (6, 4, 6)
    counts: Tensor  # (4, 32, 13) histograms of the data sets
    tested: Tensor  # (64, 13) those of the test prompts


class StudyWatch(NamedTuple):
    """What is drawn while they train."""

    accuracy: Tensor  # (6,) on new prompts, mean over the data sets
    probability: Tensor  # (6,) p₁(r*) there


class Needed(NamedTuple):
    """The result; "now" is the greatest listed size that |D| reaches."""

    accuracy: Tensor  # (6,) mean over the data sets, on new prompts
    accuracy_low: Tensor  # the least of the data sets
    accuracy_high: Tensor
    probability: Tensor  # (6,) mean p₁(r*) on new prompts
    probability_low: Tensor
    probability_high: Tensor
    missed: Tensor  # (6,) share of the data sets without a confusing prompt
    missed_by_law: Tensor  # (6,) (1 − p_conf)^|D|
    untrained: Tensor  # accuracy at θ = 0
    now_size: Tensor  # |D|
    now_accuracy: Tensor
    now_probability: Tensor
    now_worst: Tensor  # the least p₁(r*) of the four data sets: on the worst prompt that Assumption 1 allows,
    # or where that is broken on the worst of the test prompts
    best: Tensor  # the Bayes ceiling: on the test prompts r* ties with all relations that fit both examples
    best_by_law: Tensor  # its mean over all prompts
    confusing_share: Tensor  # p_conf of the family
    wanted: Tensor  # |D| at which only 1 in 20 data sets lacks a confusing prompt
    printed: Tensor  # T⁻³ log²(1/T), Lemma 9's number of prompts up to constants
    safe_by: Tensor  # small steps by which Lemma 11 has the data set with the fewest confusing prompts sure
    fewest_confusing: Tensor  # p_conf of that data set of this size which has the fewest confusing prompts
    mismatched_part: Tensor  # m, the family's mean mismatched part


def study() -> Program:
    """Algorithm 1 with one large step, on 6 × 4 data sets at once, for the first decoding step of any n."""
    sizes = torch.tensor(SIZES, dtype=torch.float64)
    weights = (torch.arange(SIZES[-1]) < sizes[:, None]).to(torch.float64) / sizes[:, None]  # (6, 32)

    def start(p: Any) -> Runs:
        drawn = sample_counts(p.seed, SETS * SIZES[-1] + TESTED, p.subjects, _density(p), p.bijections)
        data, tested = drawn[: SETS * SIZES[-1]], drawn[SETS * SIZES[-1] :]
        theta = torch.zeros(len(SIZES), SETS, 6, dtype=torch.float64)
        return Runs(theta, data.reshape(SETS, SIZES[-1], 13), tested)

    def loss(theta: Tensor, counts: Tensor, temperature: Tensor) -> Tensor:
        weight = torch.exp(gaps(theta) / temperature)  # (6, 4, 13)
        inside = torch.einsum("shc,zsc->zsh", counts, weight)  # (6, 4, 32)
        return (weights[:, None] * torch.log(inside)).sum()

    def down(s: Runs, p: Any, eta: Tensor) -> Tensor:
        return s.theta - eta * torch.func.grad(loss)(s.theta, s.counts, p.temperature)

    def large(s: Runs, p: Any) -> tuple[Runs, Tensor]:
        return s._replace(theta=down(s, p, large_rate(p.rate_1, p.temperature))), p.steps > 0  # one step only

    def perturb(s: Runs, p: Any) -> Runs:
        xi = [perturbation(p.seed * SETS + k, p.radius)[:6] for k in range(SETS)]
        return s._replace(theta=s.theta + torch.stack(xi))

    def small(s: Runs, p: Any) -> tuple[Runs, Tensor]:
        return s._replace(theta=down(s, p, p.rate_2 * p.temperature**2)), p.steps < 0

    def watch(s: Runs, p: Any) -> StudyWatch:
        accuracy, probability = answer_quality(s.theta, s.tested, p.temperature)
        return StudyWatch(accuracy.mean(1), probability.mean(1))

    stages = (
        Stage("one large step", lambda s, p: s, large, "steps"),
        Stage("small steps", perturb, small, "steps"),
    )
    return Program(Study, DOMAINS, start, stages, watch, lambda ends, p: _report(ends[1], p, sizes))


def _density(p: Any) -> Tensor:
    """ρ, at most 1 for subsets of the affine family."""
    return torch.where(p.bijections > 0.5, p.density, torch.clamp(p.density, max=1))


def _report(s: Runs, p: Any, sizes: Tensor) -> Needed:
    t = p.temperature
    accuracy, probability = answer_quality(s.theta, s.tested, t)  # (6, 4)
    untrained, _ = answer_quality(torch.zeros(6, dtype=torch.float64), s.tested, t)
    share = confusing_chance(p.subjects, p.density, p.bijections)
    log_without = torch.log1p(-torch.clamp(share, max=1 - 1e-9))
    place = ((sizes <= p.samples).to(torch.float64).sum() - 1).to(torch.int64).reshape(1)

    def now(field: Tensor) -> Tensor:
        return field.index_select(0, place)[0]

    used = (torch.arange(SIZES[-1]) < now(sizes)).to(torch.float64) / now(sizes)  # (32,)
    confusing = (s.counts[:, :, 1] > 0.5).to(torch.float64)  # (4, 32)
    held = confusing @ used  # (4,) p_conf of each data set of this size
    lacking = torch.stack([(confusing[:, :size] < 0.5).all(1).to(torch.float64).mean() for size in SIZES])
    wanted = torch.log(torch.full_like(share, MISSED)) / log_without
    counts, weights = population(p.subjects, torch.clamp(p.density, max=1))
    return Needed(
        accuracy=accuracy.mean(1),
        accuracy_low=accuracy.amin(1),
        accuracy_high=accuracy.amax(1),
        probability=probability.mean(1),
        probability_low=probability.amin(1),
        probability_high=probability.amax(1),
        missed=lacking,
        missed_by_law=torch.exp(sizes * log_without),
        untrained=untrained,
        now_size=p.samples,
        now_accuracy=now(accuracy.mean(1)),
        now_probability=now(probability.mean(1)),
        now_worst=_worst(now(s.theta), s.tested, p),
        best=(1 / s.tested[:, 0]).mean(),
        best_by_law=bayes_ceiling(p.subjects, _density(p), p.bijections),
        confusing_share=share,
        wanted=torch.clamp(wanted, min=1),
        printed=torch.log(1 / t) ** 2 / t**3,
        safe_by=steps_until_safe(torch.where(held > 0, held, torch.ones_like(held)).amin(), p.rate_2, t),
        fewest_confusing=held.amin(),
        mismatched_part=weights @ mismatched_part(counts),
    )


def _worst(theta: Tensor, tested: Tensor, p: Any) -> Tensor:
    """The least p₁(r*) of four trainings, theta (4, 6): on the worst prompt of all, or of the test prompts (64, 13)."""
    on_tested = 1 / (torch.exp(gaps(theta) / p.temperature) @ tested.T)  # (4, 64)
    on_worst = worst_probability(theta, p.subjects, p.temperature)  # (4,)
    return torch.where(p.bijections > 0.5, on_tested.amin(), on_worst.amin())
