"""Lemma 9 measured: how unequal the large step leaves the examples, and how cold and large it must be."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from scipy.optimize import brentq
from torch import Tensor

from book.recall.common import scalar
from book.recall.general.program import one_large_step
from lib.program import run
from lib.recall.general import (
    after_large_step,
    allowed_error,
    errors,
    gaps,
    large_rate,
    mismatched_part,
    population,
    steps_until_safe,
)


class Asymmetry(NamedTuple):
    """How unequal the large step leaves the two examples."""

    subject: float  # |v₁ − v₃|, at three standard deviations
    subject_allowed: float  # T²
    answer: float  # |v₂ − v₄|, at most
    answer_allowed: float  # e^{−1/40T}
    prompts_needed: float  # the number of prompts that Lemma 9 requires


class LeastCold(NamedTuple):
    """The warmest T = 1/(C log n) that meets Lemma 9's bound."""

    constant: float  # C
    rate_1: float  # the best c₁ there


class AtTheConstant(NamedTuple):
    """A run at T = 1/(C log n), and the least C."""

    temperature: float
    worst: float  # p(r*) on the worst prompt
    units: float  # units of Lemma 11's steps until 0.999
    constant: float  # the least C
    rate_1: float  # the best c₁ there


class Behind(NamedTuple):
    """Logit gaps behind r* after the large step, over T."""

    confusing: float
    mismatched: float  # the smallest
    wanted: float  # 1/√T


def asymmetry(
    prompts: float, subjects: float = 10_007.0, temperature: float = 0.002, rate_1: float = 100.0
) -> Asymmetry:
    """How unequal the large step leaves the examples: |v₁ − v₃| at three standard deviations, |v₂ − v₄| at most.

    After a step from zero v₁ − v₃ = v₃(e^{θ₁ − θ₃} − 1) exactly, and θ₁ − θ₃ is −η₁ times a mean over |D| prompts of
    ∂ℓ₁/∂θ₁ − ∂ℓ₁/∂θ₃. For θ₂ − θ₄ no statistics are needed: the most that one prompt can contribute is where r* is
    the only relation with two matches, and where all with one match give a₁.
    """
    n, t = scalar(subjects), scalar(temperature)
    counts, weights = population(n, scalar(0.5))
    only = torch.zeros(1, 13, dtype=torch.float64)
    only[0, 0], only[0, 6:12:2] = 1, subjects - 3

    def losses(theta: Tensor) -> Tensor:
        return torch.log(torch.cat([counts, only]) @ torch.exp(gaps(theta) / t))  # (33,)

    slopes = torch.func.jacrev(losses)(torch.zeros(6, dtype=torch.float64))  # (33, 6)
    subject, answer = slopes[:-1, 0] - slopes[:-1, 2], slopes[-1, 1] - slopes[-1, 3]
    eta = large_rate(scalar(rate_1), t)
    v = after_large_step(weights @ mismatched_part(counts), eta, t)
    spread = torch.sqrt(weights @ subject.square() / prompts)
    return Asymmetry(
        subject=float(v[2] * torch.expm1(3 * eta * spread)),
        subject_allowed=temperature**2,
        answer=float(v[3] * torch.expm1(eta * answer.abs())),
        answer_allowed=math.exp(-1 / (40 * temperature)),
        prompts_needed=math.log(1 / temperature) ** 2 / temperature**3,
    )


def least_cold(subjects: float, density: float = 0.5) -> LeastCold:
    """The least whole C from which on T = 1/(C log n) meets Lemma 9's bound for some c₁, and the best c₁ there.

    By the closed form of the large step, on the worst prompts.
    """
    n = scalar(subjects)
    counts, weights = population(n, scalar(density))
    share = weights @ mismatched_part(counts)
    rates = torch.logspace(1, 3, 101, dtype=torch.float64)
    best = 0.0
    for whole in range(200, 1, -1):
        t = 1 / (whole * torch.log(n))
        error = errors(after_large_step(share, large_rate(rates, t), t), n, t)[:, 0]
        if float(error.min()) > float(allowed_error(t)):
            return LeastCold(whole + 1.0, best)
        best = float(rates[error.argmin()])
    return LeastCold(2.0, best)


def at_the_constant(subjects: float, constant: float = 40.0) -> AtTheConstant:
    """A run at T = 1/(C log n) with c₁ = 150, c₂ = 1000 and the paper's r = T³, for 200 of Lemma 11's units."""
    n, t = scalar(float(subjects)), 1 / (constant * math.log(subjects))
    by = float(steps_until_safe(scalar(0.5), scalar(1000.0), scalar(t)))
    report = run(
        one_large_step(),
        subjects=subjects,
        temperature=t,
        rate_1=150.0,
        rate_2=1000.0,
        radius=t**3,
        steps=math.ceil(by),
    ).report
    return AtTheConstant(t, float(report.worst), 200 * float(report.safe_after) / by, *least_cold(float(n)))


def least_rate(temperature: float, share: float = 0.6) -> float:
    """The least c₁ for which the four mismatched relations leave odds of e^{−1/√T}, by the closed form."""
    most = 36 * temperature / (share * float(large_rate(scalar(1.0), scalar(temperature))))  # there u = 1

    def missing(rate_1: float) -> float:
        return math.log(4) + temperature**-0.5 - behind(rate_1, temperature, share).mismatched

    return float(brentq(missing, 0.0, most))


def behind(rate_1: float, temperature: float = 0.002, share: float = 0.6) -> Behind:
    """How far its rivals are behind r* after the large step, over T, by the closed form."""
    t = scalar(temperature)
    v = after_large_step(scalar(share), large_rate(scalar(rate_1), t), t)
    gap = -gaps(v.log()) / t
    return Behind(float(gap[1]), float(gap[2:6].min()), temperature**-0.5)
