"""Lemmas 10 and 11 and Theorems 1 and 3 on drawn data sets, at a learning rate that their proofs allow.

The proofs take η₂ up to 1/ℓ, which is 32T² (Proposition 1): c₂ up to 32. Stage 2 then takes tens of thousands of
steps, so the gradients are written out here, for many data sets and perturbations side by side.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax
from torch import Tensor

from book.ledger.rates import Fit, fit_power
from book.recall.common import scalar, uniform_ball
from book.recall.drawn_samples import large_step, number_of_prompts
from lib.recall.decoding import answer_error, printed_gradient
from lib.recall.general import (
    COOL,
    SAFE,
    UNITS,
    after_large_step,
    growth_rate,
    large_rate,
    mismatched_part,
    population,
)
from lib.recall.reduction import affine_counts, match_classes

Array = NDArray[np.float64]

SCORES = 13
"""θ and ω together: the perturbation is drawn for both."""
FAST = 400.0
"""c₂ at which the number of steps is fitted over a decade of temperatures: at 32 it would take a million."""
TEMPERATURES, MANY, FEW = 5, 64, 4
"""At how many temperatures they are fitted, and at how many data sets: Lemma 10's steps are few, Lemma 11's many."""
CONFUSING = 1
"""The class of the confusing relation."""
SHARES = (0.3, 0.1, 0.03, 0.01, 0.003)
"""The δ at which the (1 − δ)-quantile of the number of steps is taken."""
PERTURBATIONS = 4000
"""How many perturbations that takes."""


class Trained(NamedTuple):
    """What became of several data sets and perturbations; (draws,) each."""

    freed: (
        Array  # small steps until the loss on confusing prompts is below log 2 by (p_conf T)³; inf if never
    )
    safe: Array  # small steps until the worst prompt has p₁(r*) ≥ 0.999; inf if never
    confusing_share: Array  # p_conf of each data set
    relation: Array  # p₁(r*) on the worst prompt at the end
    answer_error: Array  # 1 − p₂(a₃) at the end
    later: Array  # least p₁(r*) on the worst prompt from Lemma 11's steps on; inf where the run stops before
    moved: Array  # how far attention is from where stage 2 began, at the end


class SlowSteps(NamedTuple):
    """The lemmas and theorems at a rate within the proofs."""

    freed: float  # share of the draws with the loss on confusing prompts below log 2 by (p_conf T)³ in time
    safe: float  # of those with p₁(r*) ≥ 0.999 on every prompt in time
    right: float  # of those with the final answer's probability at 0.99 or more on every prompt
    units: float  # the most steps until 0.999, in units of T log(1/T)/(η₂p_conf)
    mismatched_part: Tensor  # m of the family


class MoreSteps(NamedTuple):
    """What becomes of a run that goes on far beyond Lemma 11's steps; the worst of the draws."""

    later: float  # least p₁(r*) on any prompt, from Lemma 11's steps on
    answer: float  # least probability of the final answer, at the end
    moved: float  # how far stage 2 moves attention, over the large step's α
    window: float  # all steps, over the log^1.5(1/T)/T of Theorem 3's proof
    mismatched_part: Tensor


class NumberOfSteps(NamedTuple):
    """How the numbers of steps grow as T falls, over a decade."""

    freed: Fit  # Lemma 10's, over log(1/T), against 1/T
    bare: Fit  # Lemma 10's as they are
    safe: Fit  # Lemma 11's, over log(1/T), against 1/T
    per_factor: float  # how many more steps each factor e of 1/δ takes, times the log of the growth in a step
    mismatched_part: Tensor


def train(
    subjects: float,
    temperature: float,
    density: float,
    rate_1: float,
    rate_2: float,
    prompts: float,
    radius: float,
    draws: int,
    seed: int,
    *,
    until_safe: bool = True,
    times: float = 0.0,
) -> Trained:
    """Algorithm 1 with one large step on ``draws`` data sets, until all are safe, or free, or Lemma 11's steps over.

    Args:
        prompts: |D|, of which the 32 kinds of prompts are drawn.
        radius: of the ball that the perturbation of θ and ω is drawn from.
        times: if positive, take this many times Lemma 11's steps, whatever comes.
    """
    t, eta = temperature, rate_2 * temperature**2
    step = large_step(subjects, t, density, rate_1, prompts, draws, seed)
    xi = uniform_ball(draws, SCORES, radius, seed).numpy()
    theta = step.attention.log().numpy() + xi[:, :6]
    n, large = scalar(subjects), large_rate(scalar(rate_1), scalar(t))
    omega = -(large * printed_gradient(n, scalar(t))).numpy() + xi[:, 6:]
    counts = population(n, scalar(density))[0].numpy()  # (32, 13)
    full, shares = affine_counts(n).numpy(), step.shares.numpy()  # (13,), (draws, 32)
    difference = (match_classes(2) - match_classes(2)[:1]).numpy()  # (13, 3, 2)
    confusing_share = shares @ (counts[:, CONFUSING] > 0)
    by = UNITS * math.log(1 / t) / (rate_2 * confusing_share * t)
    freed, safe, later = (np.full(draws, math.inf) for _ in range(3))
    begin, taken = softmax(theta, 1), 0
    while True:
        v = softmax(theta, 1)
        products = v[:, 0::2, None] * v[:, None, 1:4:2]  # (draws, 3, 2)
        odds = np.exp(2 / t * np.einsum("dij,cij->dc", products, difference))
        worst = 1 / (odds @ full)
        is_free = math.log(2) + np.log(worst) >= (confusing_share * t) ** 3
        freed = np.where(is_free, np.minimum(freed, taken), freed)
        safe = np.where(worst >= SAFE, np.minimum(safe, taken), safe)
        later = np.where(taken >= by, np.minimum(later, worst), later)
        reached = not times and np.isfinite(safe if until_safe else freed).all()
        if reached or taken >= max(times, 1) * by.max():
            break
        chance = ((shares / (odds @ counts.T)) @ counts) * odds  # (draws, 13)
        pull = 2 / t * np.einsum("dc,cij->dij", chance, difference)
        by_v = np.zeros_like(v)
        by_v[:, 0::2] = (pull * v[:, None, 1:4:2]).sum(2)
        by_v[:, 1:4:2] = (pull * v[:, 0::2, None]).sum(1)
        theta = theta - eta * through_softmax(v, by_v)
        omega = omega - eta * answer_gradient(omega, subjects, t)
        taken += 1
    errors = answer_error(torch.tensor(omega), n, scalar(t)).numpy()
    moved = np.abs(v - begin).max(1)
    return Trained(freed, safe, confusing_share, worst, errors, later, moved)


def through_softmax(attention: Array, slope: Array) -> Array:
    """The derivative by the scores, from that by attention; (draws, k)."""
    return attention * (slope - (attention * slope).sum(1, keepdims=True))


def answer_gradient(omega: Array, subjects: float, temperature: float) -> Array:
    """∇_ω ℓ₂ by Claim 2's derivatives; (draws, 7)."""
    q = softmax(omega, 1)
    c = 1 + q[:, 6]
    behind = 2 * c[:, None] * np.stack([q[:, 0], q[:, 2], 0 * c], 1) - 2 * (c * q[:, 4])[:, None]
    odds = np.exp(behind / temperature) * np.array([1.0, 1.0, subjects - 3])
    p = odds / (1 + odds.sum(1, keepdims=True))  # of a₁, of a₂, of all others
    slope = np.zeros_like(q)
    slope[:, 0], slope[:, 2], slope[:, 4] = c * p[:, 0], c * p[:, 1], -c * p.sum(1)
    slope[:, 6] = p[:, 0] * q[:, 0] + p[:, 1] * q[:, 2] - p.sum(1) * q[:, 4]
    return through_softmax(q, 2 / temperature * slope)


def slow_steps(
    rate_2: float = 32.0,
    temperature: float = COOL,
    subjects: float = 10_007.0,
    density: float = 0.5,
    rate_1: float = 120.0,
    power: float = 3.5,
    radius_power: float = 3.0,
    delta: float = 0.3,
    draws: int = 32,
    seed: int = 0,
) -> SlowSteps:
    """Train on ``draws`` data sets at c₂ = ``rate_2``.

    Args:
        power: that of 1/T in |D|, beside log²(1/T) log(1/δ).
        radius_power: the perturbation's radius is T to this power.
    """
    prompts = number_of_prompts(temperature, power, delta)
    radius = temperature**radius_power
    end = train(subjects, temperature, density, rate_1, rate_2, prompts, radius, draws, seed)
    one = 1 / (rate_2 * end.confusing_share * temperature)  # T/(η₂p_conf)
    unit = math.log(1 / temperature) * one
    return SlowSteps(
        freed=float((end.freed <= 18 * math.log(1 / temperature**2) * one).mean()),
        safe=float((end.safe <= UNITS * unit).mean()),
        right=float((end.relation * (1 - end.answer_error) >= 0.99).mean()),
        units=float((end.safe / unit).max()),
        mismatched_part=family_part(density),
    )


def more_steps(
    times: float = 20.0,
    temperature: float = COOL,
    subjects: float = 10_007.0,
    density: float = 0.5,
    rate_1: float = 120.0,
    rate_2: float = 1000.0,
    power: float = 3.5,
    radius_power: float = 3.0,
    delta: float = 0.3,
    draws: int = 8,
    seed: int = 0,
) -> MoreSteps:
    """Train on ``draws`` data sets for ``times`` times as many small steps as Lemma 11 allows."""
    prompts, radius = number_of_prompts(temperature, power, delta), temperature**radius_power
    end = train(subjects, temperature, density, rate_1, rate_2, prompts, radius, draws, seed, times=times)
    log = math.log(1 / temperature)
    part, eta = family_part(density), large_rate(scalar(rate_1), scalar(temperature))
    steps = times * UNITS * log / (rate_2 * end.confusing_share.min() * temperature)
    return MoreSteps(
        later=float(end.later.min()),
        answer=float((end.relation * (1 - end.answer_error)).min()),
        moved=float(end.moved.max() / (eta * part / (216 * temperature))),
        window=float(steps * temperature / log**1.5),
        mismatched_part=part,
    )


def number_of_steps(
    rate_power: float = 2.0,
    subjects: float = 10_007.0,
    density: float = 0.5,
    rate_1: float = 120.0,
    power: float = 3.5,
    radius_power: float = 3.0,
    delta: float = 0.3,
    seed: int = 0,
) -> NumberOfSteps:
    """The numbers of steps from T₀ to T₀/10 at c₂ = 400.

    Args:
        rate_power: 2 for η₂ = c₂T²; otherwise η₂ has this power of T, and is that of c₂ = 400 at the coldest.
    """
    temperatures = np.geomspace(COOL, COOL / 10, TEMPERATURES)

    def steps(draws: int, *, until_safe: bool) -> Array:
        rows = []
        for t in temperatures.tolist():
            prompts, rate = number_of_prompts(t, power, delta), FAST * (10 * t / COOL) ** (rate_power - 2)
            end = train(
                subjects,
                t,
                density,
                rate_1,
                rate,
                prompts,
                t**radius_power,
                draws,
                seed,
                until_safe=until_safe,
            )
            rows.append(end.safe if until_safe else end.freed)
        return np.concatenate(rows)

    freed, safe = steps(MANY, until_safe=False), steps(FEW, until_safe=True)
    many, few = (1 / np.repeat(temperatures, draws) for draws in (MANY, FEW))
    return NumberOfSteps(
        freed=fit_power(many, freed / np.log(many)),
        bare=fit_power(many, freed),
        safe=fit_power(few, safe / np.log(few)),
        per_factor=steps_per_factor(subjects, rate_1, radius_power, seed),
        mismatched_part=family_part(density),
    )


def steps_per_factor(subjects: float, rate_1: float, radius_power: float, seed: int) -> float:
    """How many more small steps each factor e of 1/δ takes at T₀, times the logarithm of the growth in a step.

    On the complete affine family, where every data set trains alike and only the perturbation is left to chance: the
    slope in log(1/δ) of the (1 − δ)-quantile of Lemma 10's steps. It is 1 where a lead grows by one factor a step.
    """
    radius = COOL**radius_power
    end = train(subjects, COOL, 1.0, rate_1, FAST, 1.0, radius, PERTURBATIONS, seed, until_safe=False)
    x, y = -np.log(SHARES), np.quantile(end.freed, 1 - np.array(SHARES))
    v = after_large_step(family_part(1.0), large_rate(scalar(rate_1), scalar(COOL)), scalar(COOL))
    growth = growth_rate(v, scalar(1.0), scalar(FAST * COOL**2), scalar(COOL))
    return float(np.polyfit(x, y, 1)[0] * math.log1p(float(growth)))


def family_part(density: float) -> Tensor:
    """m of a random subset of the affine family; it does not depend on n."""
    counts, weights = population(scalar(3.0), scalar(density))
    return weights @ mismatched_part(counts)
