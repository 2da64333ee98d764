"""The first decoding step for any number of subjects: one large gradient step, then small ones (Huang et al., C)."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.dynamics.algorithm import SWAP
from lib.recall.dynamics.landscape import ESCAPE_DIRECTION
from lib.recall.dynamics.reduction import match_classes
from lib.recall.dynamics.sampler import affine_counts, sample_counts
from lib.recall.model import LEARNING_RATE, STEPS, TEMPERATURE
from lib.solve import Program, Stage

COLDEST = 1e-3
"""The lowest temperature offered: exp(½/T) must be a number."""

DRAWN = 64
"""The most prompts that are drawn; a run may use fewer, or all prompts that there are."""

SAFE = 0.999
"""The accuracy of Theorem 3."""

DENSITY = Domain("density", low=0, high=1)
DOMAINS = (
    Domain("subjects", low=3, high=1e6),
    TEMPERATURE._replace(low=COLDEST, high=1, low_open=False, high_open=True),
    DENSITY,
    LEARNING_RATE._replace(name="rate_1"),
    LEARNING_RATE._replace(name="rate_2"),
    Domain("radius", low=0),
    Domain("seed", low=0, high=10_000, integer=True),
    Domain("prompts", low=1, high=DRAWN, integer=True),
    Domain("all_prompts", low=0, high=1, integer=True),
    STEPS._replace(low=1, high=20_000),
)
"""What the fields of :class:`OneLarge` may be."""

DEFAULTS: dict[str, float] = {
    "subjects": 10_007.0,
    "temperature": 0.002,
    "density": 0.5,
    "rate_1": 100.0,
    "rate_2": 400.0,
    "radius": 1e-4,
    "seed": 0,
    "prompts": 64,
    "all_prompts": 1,
    "steps": 3000,
}
"""The configuration that the page opens with."""


class OneLarge(NamedTuple):
    """The parameters, each a 0-d tensor."""

    subjects: Tensor  # n
    temperature: Tensor  # T
    density: Tensor  # ρ = |R| / n(n − 1), of a random subset of the affine family
    rate_1: Tensor  # c₁, where η₁ = c₁T^{3/2} log(1/T)
    rate_2: Tensor  # c₂, where η₂ = c₂T²
    radius: Tensor  # of the perturbation
    seed: Tensor  # of the prompts and of the perturbation
    prompts: Tensor  # |D|, where all_prompts is 0
    all_prompts: Tensor  # 1: train on every prompt of every such subset; 0: on the first |D| that are drawn
    steps: Tensor  # the most small steps


class Progress(NamedTuple):
    """The state."""

    theta: Tensor  # (6,)
    step: Tensor  # 0-d: small steps taken
    after: Tensor  # (6,) attention after the large step
    lead: Tensor  # (2,) θ₁ − θ₃ and θ₂ − θ₄ after the perturbation
    done: Tensor  # 0-d: small steps before the worst prompt was safe, −1 while it is not
    counts: Tensor  # (96, 13) the data's histograms
    weights: Tensor  # (96,) and their weights


class Seen(NamedTuple):
    """What is drawn while it trains."""

    attention: Tensor  # (6,) v
    probability: Tensor  # (3,) mean p₁(r*): confusing prompts, the others; and the worst prompt there can be
    growth: Tensor  # (3,) log₁₀ of the lead g: measured, predicted, the paper's lower bound; NaN where g ≤ 0


class OneLargeReport(NamedTuple):
    """What it comes to."""

    measured_attention: Tensor  # (6,) after the large step
    exact_attention: Tensor  # (6,) by the closed form, with v₁ = v₃ and v₂ = v₄ = v₆
    paper_attention: Tensor  # (6,) Lemma 9: (1/6 + α, 1/6, 1/6 + α, 1/6, 1/6 − 2α, 1/6)
    alpha: Tensor
    asymmetry: Tensor  # |v₁ − v₃| after the large step
    allowed_asymmetry: Tensor  # T²
    confusing_after: Tensor  # mean p₁(r*) on confusing prompts after the large step
    others_after: Tensor  # and on the others
    predicted_others: Tensor  # 1 − exp(−1/√T)
    rate: Tensor  # κ, by which the lead's root grows in a step: predicted
    measured_rate: Tensor  # −η₂ times the curvature along ε̃ after the large step
    printed_rate: Tensor  # η₂p_conf/(10000T)
    safe_after: Tensor  # small steps until the worst prompt is safe, infinite if never
    confusing: Tensor  # mean p₁(r*) at the end
    others: Tensor
    worst: Tensor
    confusing_share: Tensor  # p_conf in the data
    mismatched_share: Tensor  # p_mis in the data
    wanted: Tensor  # T⁻³ log²(1/T), the number of prompts that Lemma 9 asks for, up to constants
    cold: Tensor  # lights: T ≤ 1/(40 log n)
    has_confusing: Tensor
    has_mismatched: Tensor
    enough: Tensor
    large: Tensor
    perturbed: Tensor
    verdict: Tensor  # 0 confirmed, 1 not yet, 2 outside, 3 beyond
    story: Tensor  # 0 safe, 1 never saw a confusing prompt, 2 no perturbation, 3 too warm, 4 too early, 5 c₁ too small


def patterns() -> Tensor:
    """(32, 5): which of the five other classes with two matches a prompt has; 0 is the confusing one."""
    return torch.tensor(list(product((0.0, 1.0), repeat=5)), dtype=torch.float64)


def population(subjects: Tensor, density: Tensor) -> tuple[Tensor, Tensor]:
    """All prompts of a random subset of the affine family: 32 histograms and their probabilities; traceable.

    Each of the five other relations with two matches is there with probability ρ. Classes with fewer matches are
    taken at their mean, ρ times the affine number; they vary by a relative 1/√(ρn) about it.

    Returns:
        counts (32, 13) and weights (32,).
    """
    there = patterns()
    ones = torch.ones(32, 1, dtype=torch.float64)
    few = (density * affine_counts(subjects)[6:]).expand(32, 7)
    weights = torch.where(there > 0.5, density, 1 - density).prod(1)
    return torch.cat([ones, there, few], 1), weights


def gaps(theta: Tensor) -> Tensor:
    """l_c − l_0 for the 13 classes at v = softmax(θ) (Huang et al., eq. 18); (…, 6) → (…, 13)."""
    v = torch.softmax(theta, -1)
    difference = match_classes(2) - match_classes(2)[:1]  # (13, 3, 2)
    left, right = v[..., 0::2], v[..., 1:4:2]  # (…, 3), (…, 2)
    products = (left[..., :, None] * right[..., None, :]).flatten(-2)  # (…, 6)
    return 2 * products @ difference.flatten(1).T


def histogram_loss(theta: Tensor, counts: Tensor, weights: Tensor, temperature: Tensor) -> Tensor:
    """L₁ = Σ_h w_h log Σ_c N_hc exp((l_c − l_0)/T), with counts instead of their logs; 0-d, traceable.

    Cheaper than :func:`relation_loss` where there are many histograms: 13 exponentials and a product. It needs
    T ≥ ``COLDEST``.
    """
    return weights @ torch.log(counts @ torch.exp(gaps(theta) / temperature))


def true_probability(theta: Tensor, counts: Tensor, temperature: Tensor) -> Tensor:
    """p₁(r*) on prompts with these histograms: (H, 13) → (H,), traceable; T ≥ ``COLDEST``."""
    return 1 / (counts @ torch.exp(gaps(theta) / temperature))


def large_rate(rate: Tensor, temperature: Tensor) -> Tensor:
    """η₁ = c₁ T^{3/2} log(1/T)."""
    return rate * temperature**1.5 * torch.log(1 / temperature)


def after_large_step(share: Tensor, eta: Tensor, temperature: Tensor) -> Tensor:
    """Attention after one step from zero, up to terms exponentially small in 1/T: a sharper Lemma 9; traceable.

    All relations with two matches then have one logit. Let m be the mean share of those that use the query. With
    u = η₁m/(36T) the step is θ = (u, 0, u, 0, −2u, 0), so v ∝ (eᵘ, 1, eᵘ, 1, e⁻²ᵘ, 1). To first order this is
    Lemma 9's (1/6 + α, 1/6, 1/6 + α, 1/6, 1/6 − 2α, 1/6) with α = u/6 = η₁m/(216T).

    Args:
        share: m, 0-d: the mean over the data of the mismatched part of the relations with two matches.
    """
    u = eta * share / (36 * temperature)
    zero = torch.zeros_like(u)
    return torch.softmax(torch.stack([u, zero, u, zero, -2 * u, zero]), 0)


def mismatched_part(counts: Tensor) -> Tensor:
    """For each histogram the mismatched part of its relations with two matches: (H, 13) → (H,)."""
    return counts[:, 2:6].sum(1) / counts[:, :6].sum(1)


def training_data(p: OneLarge) -> tuple[Tensor, Tensor]:
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

    def start(p: OneLarge) -> Progress:
        zero = torch.zeros((), dtype=torch.float64)
        nothing = torch.zeros(6, dtype=torch.float64)
        return Progress(nothing, zero, nothing, nothing[:2], zero - 1, *training_data(p))

    def down(s: Progress, p: OneLarge, eta: Tensor) -> Tensor:
        slope = torch.func.grad(histogram_loss)(s.theta, s.counts, s.weights, p.temperature)
        # all prompts together do not tell the examples apart; without this, round-off would
        even = (p.all_prompts > 0.5) & (s.theta == s.theta[swap]).all()
        return s.theta - eta * torch.where(even, (slope + slope[swap]) / 2, slope)

    def large(s: Progress, p: OneLarge) -> tuple[Progress, Tensor]:
        theta = down(s, p, large_rate(p.rate_1, p.temperature))
        return s._replace(theta=theta, after=torch.softmax(theta, 0)), s.step > -1  # one step only

    def perturb(s: Progress, p: OneLarge) -> Progress:
        theta = s.theta + noise.ball(p.seed, 13, p.radius)[:6]
        lead = torch.stack([theta[0] - theta[2], theta[1] - theta[3]])
        return s._replace(theta=theta, lead=lead, step=torch.zeros_like(s.step))

    def small(s: Progress, p: OneLarge) -> tuple[Progress, Tensor]:
        theta = down(s, p, p.rate_2 * p.temperature**2)
        safe = worst_probability(theta, p.subjects, p.temperature) > SAFE
        done = torch.where((s.done < 0) & safe, s.step + 1, s.done)
        return s._replace(theta=theta, step=s.step + 1, done=done), safe

    stages = (
        Stage("one large step", lambda s, p: s, large, "steps"),
        Stage("small steps", perturb, small, "steps"),
    )
    return Program(OneLarge, DOMAINS, start, stages, _watch, _report)


def worst_probability(theta: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """p₁(r*) on a prompt of the whole affine family: the least that Assumption 1 allows at θ; 0-d, traceable."""
    return true_probability(theta, affine_counts(subjects)[None], temperature)[0]


def growth_rate(attention: Tensor, confusing_share: Tensor, eta: Tensor, temperature: Tensor) -> Tensor:
    """κ = 2η₂p_conf v₁v₂/T: by 1 + κ a step both θ₁ − θ₃ = θ₂ − θ₄ grow near the tie, and by 1 − κ they decay
    where they are opposite; at v = 1/6 it is η₂p_conf/(18T). 0-d, traceable."""
    return 2 * eta * confusing_share * attention[0] * attention[1] / temperature


def lead_of(theta: Tensor) -> Tensor:
    """g = (v₁ − v₃)(v₂ − v₄), half the logit by which the true relation is ahead of the confusing one; 0-d."""
    v = torch.softmax(theta, 0)
    return (v[0] - v[2]) * (v[1] - v[3])


def _means(theta: Tensor, p: OneLarge) -> tuple[Tensor, Tensor, Tensor]:
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


def _predicted_lead(s: Progress, p: OneLarge) -> Tensor:
    """g after s.step steps by the linear law: v₁v₂(x²(1 + κ)^2k − y²(1 − κ)^2k), x and y half sum and difference."""
    kappa = growth_rate(s.after, _confusing_share(s), p.rate_2 * p.temperature**2, p.temperature)
    x, y = (s.lead[0] + s.lead[1]) / 2, (s.lead[0] - s.lead[1]) / 2
    grown, decayed = torch.exp(2 * s.step * torch.log1p(kappa)), (1 - kappa).abs() ** (2 * s.step)
    return s.after[0] * s.after[1] * (x**2 * grown - y**2 * decayed)


def _log(g: Tensor) -> Tensor:
    """log₁₀ g, NaN where g is not positive."""
    return torch.where(g > 0, torch.log10(torch.clamp(g, min=1e-300)), torch.full_like(g, math.nan))


def _watch(s: Progress, p: OneLarge) -> Seen:
    predicted = torch.clamp(_predicted_lead(s, p), max=1 / 4)
    slow = torch.log1p(p.rate_2 * p.temperature * _confusing_share(s) / 10_000)
    bound = torch.log10(p.temperature**4) + s.step * slow / math.log(10)
    measured = lead_of(s.theta)
    # before the perturbation there is no lead to speak of, only round-off
    started = (s.lead != 0).any()
    nothing = torch.full_like(measured, math.nan)
    return Seen(
        attention=torch.softmax(s.theta, 0),
        probability=torch.stack(_means(s.theta, p)),
        growth=torch.where(started, torch.stack([_log(measured), _log(predicted), bound]), nothing),
    )


def _report(ends: tuple[Progress, ...], p: OneLarge) -> OneLargeReport:
    first, last = ends
    counts, weights = last.counts, last.weights
    eta_1, eta_2 = large_rate(p.rate_1, p.temperature), p.rate_2 * p.temperature**2
    share = weights @ mismatched_part(counts)
    alpha = eta_1 * share / (216 * p.temperature)
    shift = torch.tensor([1.0, 0, 1, 0, -2, 0], dtype=torch.float64)
    confusing_share = _confusing_share(last)
    mismatched_share = weights @ (counts[:, 2:6].sum(1) > 0.5).to(torch.float64)
    confusing_after, others_after, _ = _means(first.theta, p)
    confusing, others, worst = _means(last.theta, p)
    kappa = growth_rate(first.after, confusing_share, eta_2, p.temperature)
    wanted = torch.log(1 / p.temperature) ** 2 / p.temperature**3
    lights = {
        "cold": p.temperature <= 1 / (40 * torch.log(p.subjects)),
        "has_confusing": confusing_share > 0,
        "has_mismatched": mismatched_share > 0,
        "enough": (p.all_prompts > 0.5) | (p.prompts >= wanted),
        "large": 4 * torch.exp(_gap_by_law(share, eta_1, p.temperature) / p.temperature)
        <= torch.exp(-1 / torch.sqrt(p.temperature)),
        "perturbed": p.radius > 0,
    }
    assumed = torch.stack([light.to(torch.float64) for light in lights.values()]).prod()
    conclusion = (worst > SAFE).to(torch.float64)
    verdict = torch.where(assumed > 0.5, 1 - conclusion, 2 + conclusion)
    story = torch.full_like(worst, 4)
    for number, broken in ((5, ~lights["large"]), (3, ~lights["cold"]), (2, ~lights["perturbed"])):
        story = torch.where(broken, torch.full_like(worst, number), story)
    story = torch.where(confusing_share > 0, story, torch.ones_like(worst))
    story = torch.where(conclusion > 0.5, torch.zeros_like(worst), story)
    return OneLargeReport(
        measured_attention=first.after,
        exact_attention=after_large_step(share, eta_1, p.temperature),
        paper_attention=1 / 6 + alpha * shift,
        alpha=alpha,
        asymmetry=(first.after[0] - first.after[2]).abs(),
        allowed_asymmetry=p.temperature**2,
        confusing_after=confusing_after,
        others_after=others_after,
        predicted_others=1 - torch.exp(-1 / torch.sqrt(p.temperature)),
        rate=kappa,
        measured_rate=_measured_rate(first, p),
        printed_rate=eta_2 * confusing_share / (10_000 * p.temperature),
        safe_after=torch.where(last.done < 0, math.inf, last.done),
        confusing=confusing,
        others=others,
        worst=worst,
        confusing_share=confusing_share,
        mismatched_share=mismatched_share,
        wanted=wanted,
        verdict=verdict,
        story=story,
        **lights,
    )


def _gap_by_law(share: Tensor, eta: Tensor, temperature: Tensor) -> Tensor:
    """The largest l_c − l_0 among the mismatched relations after the large step, by the closed form; 0-d."""
    return gaps(torch.log(after_large_step(share, eta, temperature)))[2:6].amax()


def _measured_rate(first: Progress, p: OneLarge) -> Tensor:
    """−η₂ times the curvature of L₁ along ε̃ after the large step: by this factor and 1 the lead's root grows."""
    tilt = torch.tensor(ESCAPE_DIRECTION, dtype=torch.float64)

    def along(x: Tensor) -> Tensor:
        return histogram_loss(first.theta + x * tilt, first.counts, first.weights, p.temperature)

    curvature = torch.func.grad(torch.func.grad(along))(torch.zeros((), dtype=torch.float64))
    return -p.rate_2 * p.temperature**2 * curvature
