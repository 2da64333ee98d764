"""The first decoding step for any number of subjects, by histograms of the prompts (Huang et al., Appendix C)."""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor

from lib.domain import Domain
from lib.recall.model import LEARNING_RATE, TEMPERATURE
from lib.recall.reduction import affine_counts, match_classes
from lib.recall.task import FAMILIES

COLDEST = 1e-3
"""The lowest temperature offered: exp(½/T) must be a number."""

SAFE = 0.999
"""The accuracy of Theorem 3."""

COLD = 1 / 40
"""Appendix C asks for T < 1/(40 log n)."""

COOL = 0.002
"""T₀: up to here 1/(40 log n) is cold enough for every n. So C₁ = T₀ log 3 will do in T ≤ C₁/log n."""

LARGE = (350.0, 1.05)
"""c₁m log(1/T) must be at least the first, and u = η₁m/(36T) at most the second, for one large step to be enough."""

UNITS = 200
"""The constant in Lemma 11's number of steps: 120 to 150 were needed at T up to ``COOL``; its proof gives 40 000."""

SUBJECTS = Domain(
    "subjects", low=3, high=1e6, words="number of subjects", symbol="n", scale="choice", track=FAMILIES
)
COLD_TEMPERATURE = TEMPERATURE._replace(
    low=COLDEST,
    high=1,
    low_open=False,
    high_open=True,
    default=0.002,
    words="temperature",
    symbol="T",
    scale="log",
    track=(COLDEST, 0.2),
)
LARGE_STEP = LEARNING_RATE._replace(
    name="rate_1",
    default=120.0,
    words="size of the large step (c₁)",
    scale="log",
    track=(1.0, 300.0),
)
SMALL_STEPS = LEARNING_RATE._replace(
    name="rate_2",
    default=400.0,
    words="size of small steps (c₂)",
    scale="log",
    track=(10.0, 400.0),
)
RADIUS = Domain(
    "radius",
    low=0,
    default=1e-4,
    words="size of the push",
    symbol="r",
    scale="choice",
    track=(0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2),
)
"""The perturbation radius; like the four domains above it serves all trainings on histograms."""


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


def worst_probability(theta: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """p₁(r*) on a prompt of the whole affine family, the least that Assumption 1 allows; (…, 6) → (…), traceable."""
    return 1 / (torch.exp(gaps(theta) / temperature) @ affine_counts(subjects))


def large_rate(rate: Tensor, temperature: Tensor) -> Tensor:
    """η₁ = c₁ T^{3/2} log(1/T)."""
    return rate * temperature**1.5 * torch.log(1 / temperature)


def is_cold(subjects: Tensor, temperature: Tensor) -> Tensor:
    """Whether T ≤ min(1/(40 log n), T₀); traceable."""
    return (temperature <= COLD / torch.log(subjects)) & (temperature <= COOL)


def is_large(share: Tensor, rate: Tensor, temperature: Tensor) -> Tensor:
    """Whether η₁ = c₁T^{3/2} log(1/T) lies between the two ends of ``LARGE``, m being ``share``; traceable."""
    size = rate * share * torch.log(1 / temperature)
    return (size >= LARGE[0]) & (size * torch.sqrt(temperature) / 36 <= LARGE[1])


def after_large_step(share: Tensor, eta: Tensor, temperature: Tensor) -> Tensor:
    """Attention after one step from zero, up to terms exponentially small in 1/T: a sharper Lemma 9; traceable.

    All relations with two matches then have one logit. Let m be the mean share of those that use the query. With
    u = η₁m/(36T) the step is θ = (u, 0, u, 0, −2u, 0), so v ∝ (eᵘ, 1, eᵘ, 1, e⁻²ᵘ, 1). To first order this is
    Lemma 9's (1/6 + α, 1/6, 1/6 + α, 1/6, 1/6 − 2α, 1/6) with α = u/6 = η₁m/(216T).

    Args:
        share: m, (…,): the mean over the data of the mismatched part of the relations with two matches.

    Returns:
        (…, 6).
    """
    u = eta * share / (36 * temperature)
    zero = torch.zeros_like(u)
    return torch.softmax(torch.stack([u, zero, u, zero, -2 * u, zero], -1), -1)


def mismatched_part(counts: Tensor) -> Tensor:
    """For each histogram the mismatched part of its relations with two matches: (H, 13) → (H,)."""
    return counts[:, 2:6].sum(1) / counts[:, :6].sum(1)


def growth_rate(attention: Tensor, confusing_share: Tensor, eta: Tensor, temperature: Tensor) -> Tensor:
    """κ = 2η₂p_conf v₁v₂/T: by 1 + κ a step both θ₁ − θ₃ = θ₂ − θ₄ grow near the tie, and by 1 − κ they decay
    where they are opposite; at v = 1/6 it is η₂p_conf/(18T). 0-d, traceable."""
    return 2 * eta * confusing_share * attention[0] * attention[1] / temperature


def worst_prompts(subjects: Tensor) -> Tensor:
    """Histograms of the worst prompts that Assumption 1 allows, without and with a confusing relation: (2, 13)."""
    full = affine_counts(subjects)
    return torch.stack([torch.where(torch.arange(13) == 1, 0.0, full), full])


def errors(attention: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """1 − p₁(r*) on the worst non-confusing prompt and |½ − p₁(r*)| on the worst confusing one; (…, 6) → (…, 2).

    Both come from sums of small numbers, so that an error of 1e-30 is not lost beside 1.
    """
    odds = torch.exp(gaps(attention.log()) / temperature)  # (…, 13)
    rivals = worst_prompts(subjects)[:, 1:]
    plain, confusing = (odds[..., 1:] @ rivals.T).unbind(-1)
    return torch.stack([plain / (1 + plain), (confusing - 1).abs() / (2 * (1 + confusing))], -1)


def allowed_error(temperature: Tensor) -> Tensor:
    """e^{−1/√T}, the error that Lemma 9 allows after the large step."""
    return torch.exp(-1 / torch.sqrt(temperature))


def rivals_left(share: Tensor, eta: Tensor, subjects: Tensor, temperature: Tensor) -> tuple[Tensor, Tensor]:
    """Odds after the large step of the mismatched relations, and of all that match one pair or none; traceable.

    By :func:`after_large_step`, on the worst prompt. The first asks for a large enough c₁, the second for a T that is
    low enough beside log n.

    Args:
        share: (…,), m as in :func:`after_large_step`.

    Returns:
        (…,) each.
    """
    odds = torch.exp(gaps(after_large_step(share, eta, temperature).log()) / temperature)  # (…, 13)
    odds = odds * affine_counts(subjects)
    return odds[..., 2:6].sum(-1), odds[..., 6:].sum(-1)


def steps_until_safe(confusing_share: Tensor, rate_2: Tensor, temperature: Tensor) -> Tensor:
    """``UNITS`` times log(1/T)/(c₂ p_conf T), after which Lemma 11 has p₁(r*) ≥ ``SAFE``; infinite for p_conf = 0."""
    return UNITS * torch.log(1 / temperature) / (rate_2 * confusing_share * temperature)
