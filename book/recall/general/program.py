"""Algorithm 1 with one large step, then small ones, for the first decoding step of any number of subjects."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.func import grad

from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recall.algorithm import perturbation
from lib.recall.general import (
    COLD,
    COLD_TEMPERATURE,
    LARGE_STEP,
    RADIUS,
    SAFE,
    SMALL_STEPS,
    SUBJECTS,
    after_large_step,
    allowed_error,
    errors,
    growth_rate,
    histogram_loss,
    large_rate,
    mismatched_part,
    patterns,
    population,
    rivals_left,
    steps_until_safe,
    true_probability,
    worst_probability,
)
from lib.recall.landscape import ESCAPE_DIRECTION, SWAP
from lib.recall.model import STEPS
from lib.recall.sampler import sample_counts

DRAWN = 64
"""The most prompts that are drawn; a run may use fewer, or all prompts that there are."""

DOMAINS = (
    SUBJECTS._replace(default=10_007),
    COLD_TEMPERATURE,
    Domain(
        "density",
        low=0,
        high=1,
        default=0.5,
        words="share of the affine maps kept",
        track=(0.05, 1.0, 0.05),
    ),
    LARGE_STEP,
    SMALL_STEPS,
    RADIUS._replace(track=(*RADIUS.track, 0.1)),
    Domain("seed", low=0, high=10_000, integer=True, default=0, scale="whole", track=(0, 99)),
    Domain("prompts", low=1, high=DRAWN, integer=True, default=8),
    Domain(
        "all_prompts",
        low=0,
        high=1,
        integer=True,
        default=1,
        words="train on all prompts (off: on eight)",
        scale="switch",
    ),
    STEPS._replace(
        low=1, high=20_000, default=3000, words="small steps, at most", scale="whole", track=(40, 4000, 40)
    ),
)
"""n, T, ρ = |R| / n(n − 1) of a random subset of the affine family, c₁, c₂, the perturbation's radius, the seed of
prompts and perturbation, |D|, whether it trains on every prompt of every such subset or on the first |D| that are
drawn, and the most small steps."""

OneLarge = record("OneLarge", [domain.name for domain in DOMAINS])


class Progress(NamedTuple):
    """The state of the training."""

    theta: Tensor  # (6,)
    step: Tensor  # 0-d: small steps taken
    after: Tensor  # (6,) attention after the large step
    lead: Tensor  # (2,) θ₁ − θ₃ and θ₂ − θ₄ after the perturbation
    freed: Tensor  # 0-d: small steps until the worst loss is below log 2 by (p_conf T)³, −1 while it is not
    safe: Tensor  # 0-d: small steps before it was safe, −1 while it is not
    counts: Tensor  # (96, 13) the data's histograms
    weights: Tensor  # (96,) and their weights


class TrainingWatch(NamedTuple):
    """What is drawn while it trains."""

    attention: Tensor  # (6,) v
    probability: Tensor  # (3,) mean p₁(r*): confusing prompts, the others; and the worst prompt there can be
    growth: Tensor  # (3,) log₁₀ of the lead g: measured, predicted, the paper's lower bound; NaN where g ≤ 0


class OneLargeReport(NamedTuple):
    """The result, beside what Lemmas 9 to 11 predict."""

    measured_attention: Tensor  # (6,) after the large step
    exact_attention: Tensor  # (6,) by the closed form, with v₁ = v₃ and v₂ = v₄ = v₆
    paper_attention: Tensor  # (6,) Lemma 9: (1/6 + α, 1/6, 1/6 + α, 1/6, 1/6 − 2α, 1/6)
    distance: Tensor  # largest difference of the first from the third
    second_order: Tensor  # u²/4, u = η₁m/(36T): the second order of softmax(u, 0, u, 0, −2u, 0)
    asymmetry: Tensor  # |v₁ − v₃| after the large step
    answer_asymmetry: Tensor  # |v₂ − v₄|
    error_plain: Tensor  # after the large step: 1 − p₁(r*) on the worst non-confusing prompt
    error_confusing: Tensor  # |½ − p₁(r*)| on the worst confusing one
    error_allowed: Tensor  # e^{−1/√T}
    ratios: Tensor  # (3,) log of error over e^{−1/√T} at T, T/3 and T/10, with all the subjects that T allows
    mismatched_part: Tensor  # m, the mean mismatched part
    share_of_mismatched: Tensor  # m/p_mis
    confusing_after: Tensor  # mean p₁(r*) on confusing prompts after the large step
    others_after: Tensor  # and on the others; NaN where all prompts are confusing
    rate: Tensor  # κ, by which the lead's root grows in a step: predicted
    measured_rate: Tensor  # −η₂ times the curvature along ε̃ after the large step
    printed_rate: Tensor  # η₂p_conf/(10000T)
    freed_after: Tensor  # small steps until the worst prompt is freed; inf if never
    freed_by: Tensor  # those after which Lemma 10 has it so: 18 log(1/T²)/(c₂p_conf T), 0 for p_conf = 0
    safe_after: Tensor  # small steps until the worst prompt is safe; inf if never
    safe_by: Tensor  # those after which Lemma 11 has it so
    confusing: Tensor  # mean p₁(r*) at the end
    others: Tensor
    worst: Tensor
    confusing_share: Tensor  # p_conf in the data
    wanted: Tensor  # T⁻³ log²(1/T), the number of prompts that Lemma 9 requires, up to constants
    example_gap: Tensor  # largest difference of the two examples' scores at the end


def training_data(p: Any) -> tuple[Tensor, Tensor]:
    """Histograms and weights of the data: (64 + 32, 13) and (96,), the unused ones with weight 0."""
    everything, weights = population(p.subjects, p.density)
    drawn = sample_counts(p.seed, DRAWN, p.subjects, p.density)
    used = (torch.arange(DRAWN, dtype=torch.float64) < p.prompts).to(torch.float64) / p.prompts
    return (
        torch.cat([drawn, everything]),
        torch.cat([(1 - p.all_prompts) * used, p.all_prompts * weights]),
    )


def one_large_step() -> Program:
    """Algorithm 1 with t₁ = 1 for the first decoding step of any number of subjects, on histograms.

    Stage 1 is one step with η₁ = c₁T^{3/2}log(1/T) from zero. Then ξ, uniform in a ball as in Algorithm 1 (of θ and
    ω together; the paper's radius is of order T³), and steps with η₂ = c₂T² until the worst prompt has p₁(r*) above
    ``SAFE``, or ``steps`` of them. The worst prompt that Assumption 1 allows is one of the whole affine family.
    """

    swap = torch.tensor(SWAP)

    def start(p: Any) -> Progress:
        nothing = torch.zeros(6, dtype=torch.float64)
        zero = nothing[0]
        return Progress(nothing, zero, nothing, nothing[:2], zero - 1, zero - 1, *training_data(p))

    def down(s: Progress, p: Any, eta: Tensor) -> Tensor:
        slope = grad(histogram_loss)(s.theta, s.counts, s.weights, p.temperature)
        # all prompts together do not tell the examples apart; without this, round-off would
        even = (p.all_prompts > 0.5) & (s.theta == s.theta[swap]).all()
        return s.theta - eta * torch.where(even, (slope + slope[swap]) / 2, slope)

    def large(s: Progress, p: Any) -> tuple[Progress, Tensor]:
        theta = down(s, p, large_rate(p.rate_1, p.temperature))
        return s._replace(theta=theta, after=torch.softmax(theta, 0)), s.step > -1  # one step only

    def perturb(s: Progress, p: Any) -> Progress:
        theta = s.theta + perturbation(p.seed, p.radius)[:6]
        lead = torch.stack([theta[0] - theta[2], theta[1] - theta[3]])
        return s._replace(theta=theta, lead=lead, step=torch.zeros_like(s.step))

    def small(s: Progress, p: Any) -> tuple[Progress, Tensor]:
        theta = down(s, p, p.rate_2 * p.temperature**2)
        worst = worst_probability(theta, p.subjects, p.temperature)
        step, is_safe = s.step + 1, worst > SAFE
        free = math.log(2) + torch.log(worst) >= (_confusing_share(s) * p.temperature) ** 3
        freed = torch.where((s.freed < 0) & free, step, s.freed)
        safe = torch.where((s.safe < 0) & is_safe, step, s.safe)
        return s._replace(theta=theta, step=step, freed=freed, safe=safe), is_safe

    stages = (
        Stage("one large step", lambda s, p: s, large, "steps"),
        Stage("small steps", perturb, small, "steps"),
    )
    return Program(OneLarge, DOMAINS, start, stages, _watch, _report)


def lead_of(v: Tensor) -> Tensor:
    """g = (v₁ − v₃)(v₂ − v₄), half the logit by which r* is ahead of the confusing relation; (…, 6) → (…)."""
    return (v[..., 0] - v[..., 2]) * (v[..., 1] - v[..., 3])


def _means(theta: Tensor, p: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Mean p₁(r*) over all confusing prompts and over all others, and its least value; NaN where there are none."""
    counts, weights = population(p.subjects, p.density)
    chance = true_probability(theta, counts, p.temperature)
    is_confusing = patterns()[:, 0]
    means = [
        (weights * mask * chance).sum() / (weights * mask).sum() for mask in (is_confusing, 1 - is_confusing)
    ]
    return means[0], means[1], worst_probability(theta, p.subjects, p.temperature)


def _confusing_share(s: Progress) -> Tensor:
    """p_conf in the data."""
    return s.weights @ (s.counts[:, 1] > 0.5).to(torch.float64)


def _predicted_lead(s: Progress, p: Any) -> Tensor:
    """g after s.step steps by the linear law: v₁v₂(x²(1 + κ)^2k − y²(1 − κ)^2k), x and y half sum and difference."""
    kappa = growth_rate(s.after, _confusing_share(s), p.rate_2 * p.temperature**2, p.temperature)
    x, y = (s.lead[0] + s.lead[1]) / 2, (s.lead[0] - s.lead[1]) / 2
    grown, decayed = torch.exp(2 * s.step * torch.log1p(kappa)), (1 - kappa).abs() ** (2 * s.step)
    return s.after[0] * s.after[1] * (x**2 * grown - y**2 * decayed)


def _log(g: Tensor) -> Tensor:
    """log₁₀ g, NaN where g is not positive."""
    return torch.where(g > 0, torch.log10(torch.clamp(g, min=1e-300)), torch.full_like(g, math.nan))


def _watch(s: Progress, p: Any) -> TrainingWatch:
    predicted = torch.clamp(_predicted_lead(s, p), max=1 / 4)
    slow = torch.log1p(p.rate_2 * p.temperature * _confusing_share(s) / 10_000)
    bound = torch.log10(p.temperature**4) + s.step * slow / math.log(10)
    attention = torch.softmax(s.theta, 0)
    measured = lead_of(attention)
    # before the perturbation there is no lead to speak of, only round-off
    started = (s.lead != 0).any()
    nothing = torch.full_like(measured, math.nan)
    return TrainingWatch(
        attention=attention,
        probability=torch.stack(_means(s.theta, p)),
        growth=torch.where(started, torch.stack([_log(measured), _log(predicted), bound]), nothing),
    )


def _report(ends: tuple[Progress, ...], p: Any) -> OneLargeReport:
    first, last = ends
    return OneLargeReport(**_after_large_step(first, p), **_after_small_steps(first, last, p))


def _after_large_step(first: Progress, p: Any) -> dict[str, Tensor]:
    """What Lemma 9 predicts, and what is measured of it."""
    t, counts, weights = p.temperature, first.counts, first.weights
    eta = large_rate(p.rate_1, t)
    mismatched = weights @ mismatched_part(counts)  # m
    share_with_mismatched = weights @ (counts[:, 2:6].sum(1) > 0.5).to(torch.float64)  # p_mis
    alpha = eta * mismatched / (216 * t)
    paper = 1 / 6 + alpha * torch.tensor([1.0, 0, 1, 0, -2, 0], dtype=torch.float64)
    confusing, others, _ = _means(first.theta, p)
    error = errors(first.after, p.subjects, t)
    return {
        "measured_attention": first.after,
        "exact_attention": after_large_step(mismatched, eta, t),
        "paper_attention": paper,
        "distance": (first.after - paper).abs().amax(),
        "second_order": (6 * alpha) ** 2 / 4,
        "asymmetry": (first.after[0] - first.after[2]).abs(),
        "answer_asymmetry": (first.after[1] - first.after[3]).abs(),
        "error_plain": error[0],
        "error_confusing": error[1],
        "error_allowed": allowed_error(t),
        "ratios": _ever_colder(mismatched, p.rate_1, t),
        "mismatched_part": mismatched,
        "share_of_mismatched": mismatched / torch.clamp(share_with_mismatched, min=1e-300),
        "confusing_after": confusing,
        "others_after": others,
        "wanted": torch.log(1 / t) ** 2 / t**3,
    }


def _after_small_steps(first: Progress, last: Progress, p: Any) -> dict[str, Tensor]:
    """What Lemmas 10 and 11 predict, and what is measured of it."""
    t = p.temperature
    eta = p.rate_2 * t**2
    confusing_share = _confusing_share(last)
    freed_by = 18 * torch.log(1 / t**2) / (p.rate_2 * confusing_share * t)
    confusing, others, worst = _means(last.theta, p)
    return {
        "rate": growth_rate(first.after, confusing_share, eta, t),
        "measured_rate": _measured_rate(first, p),
        "printed_rate": eta * confusing_share / (10_000 * t),
        "freed_after": torch.where(last.freed < 0, math.inf, last.freed),
        "freed_by": torch.where(confusing_share > 0, freed_by, torch.zeros_like(freed_by)),
        "safe_after": torch.where(last.safe < 0, math.inf, last.safe),
        "safe_by": steps_until_safe(confusing_share, p.rate_2, t),
        "confusing": confusing,
        "others": others,
        "worst": worst,
        "confusing_share": confusing_share,
        "example_gap": (last.theta - last.theta[torch.tensor(SWAP)]).abs().amax(),
    }


def _ever_colder(share: Tensor, rate: Tensor, t: Tensor) -> Tensor:
    """Log of the large step's error over e^{−1/√T} at T, T/3, T/10 with log n = 1/(40T), by the closed form; (3,)."""
    t = t / torch.tensor([1.0, 3.0, 10.0], dtype=torch.float64)
    left = [
        rivals_left(share, large_rate(rate, x), torch.clamp(torch.exp(COLD / x), min=5), x)
        for x in t.unbind()
    ]
    return torch.stack([torch.log(mismatched + fewer) for mismatched, fewer in left]) + t**-0.5


def _measured_rate(first: Progress, p: Any) -> Tensor:
    """−η₂ times the curvature of L₁ along ε̃ after the large step: by this factor and 1 the lead's root grows."""
    bent = curvature(lambda shift: histogram_loss(first.theta + shift, *first[-2:], p.temperature))
    return -p.rate_2 * p.temperature**2 * bent


def curvature(value: Callable[[Tensor], Tensor]) -> Tensor:
    """The second derivative of ``value``, a function of six scores, along ε̃ at zero; 0-d."""
    tilt = torch.tensor(ESCAPE_DIRECTION, dtype=torch.float64)
    return grad(grad(lambda x: value(x * tilt)))(torch.zeros((), dtype=torch.float64))
