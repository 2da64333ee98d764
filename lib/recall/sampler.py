"""Prompts of large families by their histograms alone: no relation is listed, so a million subjects cost nothing.

Fix a prompt with two examples about a hidden relation. The n(n − 1) relations of the affine family fall into the 13
classes of :func:`match_classes` in the numbers of :func:`affine_counts`, and a uniformly random bijection falls into
a class with probability that number / n(n − 1) (by counting the images of three subjects). So both families of the
book thin out alike, with density ρ = |R| / n(n − 1):

- *affine subset*: every other affine relation is kept with probability ρ, class by class a binomial number of them;
- *random bijections*: |R| = ρ n(n − 1) of them, so that about Poisson(ρ · number) fall into a class, the true
  relation's own class included: Assumption 1 then fails, and the Bayes ceiling is below 1.

A random subset of fixed size has hypergeometric numbers, and a set of bijections no repetitions; both differences
are of relative order 1/n².
"""

from __future__ import annotations

import torch
from torch import Tensor

from lib import noise
from lib.recall.general import gaps
from lib.recall.reduction import affine_counts

PER_PROMPT = 13
"""Random numbers that one prompt uses: one for each class."""

EXACT_MEAN = 24.0
"""Below this mean a binomial number is exact, above it a rounded normal one."""

TERMS = 64
"""Terms of the distribution function; beyond them lies less than 1e-11 of a binomial law of mean 24."""

AHEAD = 1e-9
"""Logits closer than this tie."""


def binomial(uniform: Tensor, trials: Tensor, chance: Tensor) -> Tensor:
    """Binomial(trials, chance) numbers from uniform ones, by the inverse of the distribution function; traceable.

    Exact (to 1e-11) while the mean of the rarer side is below ``EXACT_MEAN``; above, the rounded normal
    approximation, whose distribution function is off by at most 0.03.

    Args:
        uniform: (…,) in (0, 1).
        trials: broadcastable against ``uniform``, whole numbers, at least 0.
        chance: likewise, in [0, 1].

    Returns:
        (…,) whole numbers from 0 to ``trials``.
    """
    rare = torch.minimum(chance, 1 - chance)
    trials = trials + torch.zeros_like(uniform)
    mean = trials * rare
    few = torch.minimum(trials, EXACT_MEAN / torch.clamp(rare, min=1e-300))  # keeps the unused branch finite
    k = torch.arange(1, TERMS, dtype=torch.float64)
    ratio = torch.clamp(few[..., None] - k + 1, min=0) / k * (rare / (1 - rare))[..., None]
    none = torch.exp(few * torch.log1p(-rare))[..., None]
    distribution = torch.cumsum(none * torch.cumprod(torch.cat([torch.ones_like(none), ratio], -1), -1), -1)
    exact = (uniform[..., None] > distribution).to(torch.float64).sum(-1)
    normal = torch.round(mean + torch.sqrt(mean * (1 - rare)) * normal_quantile(uniform))
    count = torch.where(mean < EXACT_MEAN, exact, normal)
    count = torch.minimum(torch.clamp(count, min=0), trials)
    return torch.where(chance > 0.5, trials - count, count)


def normal_quantile(uniform: Tensor) -> Tensor:
    """The standard normal's inverse distribution function, to 4.5e-4 (Abramowitz and Stegun, 26.2.23); traceable."""
    t = torch.sqrt(-2 * torch.log(torch.minimum(uniform, 1 - uniform)))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    return torch.where(uniform < 0.5, -(t - top / bottom), t - top / bottom)


def sample_counts(
    seed: Tensor, prompts: int, subjects: Tensor, density: Tensor, bijections: Tensor | float = 0.0
) -> Tensor:
    """Histograms of independent prompts: how many relations of each class each one has; traceable.

    Args:
        seed: 0-d, a whole number from 0 to 10⁶ // (prompts // 4): seeds' streams do not overlap.
        prompts: how many; a multiple of 4.
        subjects: 0-d, n ≥ 3.
        density: 0-d, ρ = |R| / n(n − 1), from 0 to 1.
        bijections: 0 for a subset of the affine family, 1 for random bijections.

    Returns:
        (prompts, 13); column 0 counts the true relation itself.

    Raises:
        ValueError: ``prompts`` is not a multiple of 4.
    """
    if prompts % 4:
        raise ValueError(f"prompts = {prompts}: must be a multiple of 4")
    blocks = prompts // 4
    streams = seed * blocks + torch.arange(blocks, dtype=torch.float64)
    uniform = torch.func.vmap(lambda stream: noise.uniform(stream, 4 * PER_PROMPT))(streams)
    uniform = uniform.reshape(prompts, PER_PROMPT)
    counts = affine_counts(subjects)
    true_class = (torch.arange(PER_PROMPT) == 0).to(torch.float64)
    subset = torch.where(true_class > 0, 1.0, binomial(uniform, counts, density))
    most = subjects * (subjects - 1)
    others = torch.clamp(torch.round(density * most) - 1, min=0)
    free = true_class + binomial(uniform, others, counts / most)
    return torch.where(torch.as_tensor(bijections, dtype=torch.float64) > 0.5, free, subset)


def bayes_ceiling(subjects: Tensor, density: Tensor, bijections: Tensor) -> Tensor:
    """The best mean probability of naming r*: E[1/(1 + X)], X the other relations that fit both examples.

    For random bijections X is Binomial(|R| − 1, p) with p = 1/n(n − 1), and E[1/(1 + X)] = (1 − (1 − p)^|R|)/(|R| p);
    where Assumption 1 holds it is 1. 0-d, traceable.
    """
    chance = 1 / (subjects * (subjects - 1))
    relations = torch.clamp(torch.round(density / chance), min=1)
    free = -torch.expm1(relations * torch.log1p(-chance)) / (relations * chance)
    return torch.where(bijections > 0.5, free, torch.ones_like(free))


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
    level = tested @ (gap.abs() <= AHEAD).to(torch.float64)[..., None]  # (…, 64, 1): at the top with r*
    above = tested @ (gap > AHEAD).to(torch.float64)[..., None]
    named = torch.where(above > 0.5, 0.0, 1 / torch.clamp(level, min=1))
    chance = 1 / (tested @ torch.exp(gap / temperature)[..., None])
    return named.mean((-2, -1)), chance.mean((-2, -1))
