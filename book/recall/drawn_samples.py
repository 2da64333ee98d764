"""Lemma 9 on data sets that are drawn: one large step on |D| prompts, |D| of the lemma's order or above.

A data set of a hundred billion prompts acts through a few numbers. How many prompts have which of the 32 sets of
relations with two matches is multinomial and drawn as such. How many relations match one pair is a sum of binomial
numbers over all prompts of such a set; it is drawn by its normal limit. Those that match none are taken at their mean.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from book.ledger.rates import Fit, fit_power
from book.recall.common import scalar
from lib.recall.general import (
    COLD,
    COOL,
    gaps,
    large_rate,
    mismatched_part,
    patterns,
    population,
)
from lib.recall.reduction import affine_counts, match_classes

TEMPERATURES = 6
ONE_MATCH = slice(6, 12)
"""The classes of relations that match one pair."""


class DrawnSamples(NamedTuple):
    """One large step on many data sets, over a decade of temperatures from T₀ down, n as large as T allows."""

    subject: Fit  # what |v₁ − v₃| stays below in a share 1 − δ/3 of the draws, against T
    answer: Tensor  # (6,) log of the largest |v₂ − v₄| over e^{−1/40T}, from warm to cold
    distance: Tensor  # (6,) the largest distance from the lemma's attention, over (η₁m/36T)²/4
    plain: Tensor  # (6,) log of the largest 1 − p₁(r*) on the worst non-confusing prompt over e^{−1/√T}
    confusing: Tensor  # (6,) of |½ − p₁(r*)| on the worst confusing one
    mismatched_part: Tensor  # m, the family's mean mismatched part
    mismatched_share: Tensor  # p_mis of the family
    least_prompts: float  # |D| at the warmest temperature
    most_prompts: float  # and at the coldest


class Step(NamedTuple):
    """Attention after one large step on several data sets, and the share of mismatched prompts in each."""

    attention: Tensor  # (draws, 6)
    subject_gap: Tensor  # (draws,) v₁ − v₃
    answer_gap: Tensor  # (draws,) v₂ − v₄, far below the rounding of either
    mismatched_share: Tensor  # (draws,)
    shares: Tensor  # (draws, 32) of the prompts, by which relations with two matches they have


def number_of_prompts(temperature: float, power: float, delta: float) -> float:
    """T^(−power) log²(1/T) log(1/δ): Lemma 9 requires more than the order of power 3."""
    return temperature**-power * math.log(1 / temperature) ** 2 * math.log(1 / delta)


def large_step(
    subjects: float, temperature: float, density: float, rate_1: float, prompts: float, draws: int, seed: int
) -> Step:
    """One step of size η₁ from zero on ``draws`` data sets of ``prompts`` prompts each."""
    t = scalar(temperature)
    counts, weights = population(scalar(subjects), scalar(density))  # (32, 13), (32,)
    generator = np.random.default_rng([seed, round(1 / temperature)])
    drawn = generator.multinomial(round(prompts), (weights / weights.sum()).numpy(), size=draws)
    of_each = torch.tensor(drawn, dtype=torch.float64)  # (draws, 32)
    shares = of_each / of_each.sum(1, keepdim=True)
    few = counts[:, ONE_MATCH]
    spread = torch.sqrt(few * (1 - density) / of_each.clamp(min=1)[..., None])  # (draws, 32, 6)
    excess = spread * torch.tensor(generator.standard_normal(spread.shape))  # over the mean number
    histograms = counts.repeat(draws, 1, 1)
    histograms[..., ONE_MATCH] = (few + excess).clamp(min=0)
    odds = torch.exp(gaps(torch.zeros(6, dtype=torch.float64)) / t)
    total = histograms @ odds  # (draws, 32)
    probability = torch.einsum("dh,dhc->dc", shares / total, histograms) * odds
    # ∂(l_c − l_0)/∂θᵢ at v = 1/6, whose mean over the six is ⅓ (l_c − l_0)
    difference = match_classes(2) - match_classes(2)[:1]  # (13, 3, 2)
    toward = torch.zeros(13, 6, dtype=torch.float64)
    toward[:, 0::2], toward[:, 1:4:2] = difference.sum(2) / 18, difference.sum(1) / 18
    toward = toward - toward.sum(1, keepdim=True) / 6
    eta = large_rate(scalar(rate_1), t)
    theta = -eta / t * probability @ toward
    # no two-match relation tells the answers apart, and the mean numbers of the others do not either
    by_answer = ((difference[:, :, 0] - difference[:, :, 1]).sum(1) / 18 * odds)[ONE_MATCH]
    tilt = -eta / t * torch.einsum("dh,dhc->dc", shares / total, excess) @ by_answer
    v = torch.softmax(theta, 1)
    is_mismatched = (patterns()[:, 1:].sum(1) > 0).to(torch.float64)
    return Step(
        attention=v,
        subject_gap=v[:, 2] * torch.expm1(theta[:, 0] - theta[:, 2]),
        answer_gap=v[:, 3] * torch.expm1(tilt),
        mismatched_share=shares @ is_mismatched,
        shares=shares,
    )


def worst_errors(step: Step, subjects: float, temperature: float) -> tuple[Tensor, Tensor]:
    """1 − p₁(r*) on the worst non-confusing prompt and |½ − p₁(r*)| on the worst confusing one; (draws,) each."""
    t = scalar(temperature)
    odds = torch.exp(gaps(step.attention.log()) / t) * affine_counts(scalar(subjects))
    others = odds[:, 2:].sum(1)
    # that of the confusing relation less 1, which rounding would hide
    excess = torch.expm1(-2 * step.subject_gap * step.answer_gap / t) + others
    return others / (1 + others), excess.abs() / (2 * (2 + excess))


def drawn_samples(
    power: float = 3.5,
    delta: float = 0.3,
    density: float = 0.5,
    rate_1: float = 120.0,
    cold: float = COLD,
    draws: int = 1000,
    seed: int = 0,
) -> DrawnSamples:
    """One large step on data sets of T^(−power) log²(1/T) log(1/δ) prompts, at six temperatures from T₀ to T₀/10.

    Args:
        power: above 3 where |D| grows faster than Lemma 9's order.
        delta: δ, of which the lemma allows a third for its failures.
        density: ρ, the share of the affine relations that are kept; below 1, where all prompts are alike.
        rate_1: c₁.
        cold: T log n: the number of subjects at each temperature is as large as this allows.
        draws: how many data sets at each temperature.
        seed: of the draws.

    Raises:
        ValueError: all prompts are alike, and nothing is left to chance.
    """
    if not (0 < density < 1 and cold / COOL > math.log(4)):
        raise ValueError(
            f"density = {density}, cold = {cold}: must be inside (0, 1), and allow for more than four subjects"
        )
    temperatures = torch.logspace(
        math.log10(COOL), math.log10(COOL / 10), TEMPERATURES, dtype=torch.float64
    ).tolist()
    counts, weights = population(scalar(3.0), scalar(density))
    part = weights @ mismatched_part(counts)
    share = weights @ (patterns()[:, 1:].sum(1) > 0).to(torch.float64)
    rows = []
    for temperature in temperatures:
        subjects = math.exp(cold / temperature)
        prompts = number_of_prompts(temperature, power, delta)
        step = large_step(subjects, temperature, density, rate_1, prompts, draws, seed)
        unit = large_rate(scalar(rate_1), scalar(temperature)) * part / (36 * temperature)
        # α = c p_mis η₁/T: c is one constant of the family, p_mis each data set's own
        alpha = unit / 6 * step.mismatched_share / share
        expected = 1 / 6 + alpha[:, None] * torch.tensor([1.0, 0, 1, 0, -2, 0], dtype=torch.float64)
        plain, confusing = worst_errors(step, subjects, temperature)
        allowed = 1 / math.sqrt(temperature)
        rows.append(
            (
                float(torch.quantile(step.subject_gap.abs(), 1 - delta / 3)),
                float(step.answer_gap.abs().amax().log()) + 1 / (40 * temperature),
                float((step.attention - expected).abs().amax() / (unit**2 / 4)),
                float(plain.amax().log()) + allowed,
                float(confusing.amax().log()) + allowed,
            )
        )
    subject, answer, distance, plain, confusing = torch.tensor(rows, dtype=torch.float64).T
    return DrawnSamples(
        subject=fit_power(temperatures, subject.numpy()),
        answer=answer,
        distance=distance,
        plain=plain,
        confusing=confusing,
        mismatched_part=part,
        mismatched_share=share,
        least_prompts=number_of_prompts(temperatures[0], power, delta),
        most_prompts=number_of_prompts(temperatures[-1], power, delta),
    )
