"""Appendix H of Yang et al.: Bernstein's inequality, and lengths and products of Gaussian vectors, by exact laws."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import stats


class BernsteinTails(NamedTuple):
    """The exact tail of a sum against the bounds of Lemma H.1; the first three as logarithms of quotients."""

    first: float  # tail over the first bound
    printed: float  # over the second bound as printed
    ours: float  # over the second bound after correction
    reached: float  # the tail beyond √(2V log 1/δ) + 2M log 1/δ, over δ


def bernstein(
    count: int = 1000, share: float = 0.5, ratio: float = 1.0, delta: float = 0.05, part: float = 1.0
) -> BernsteinTails:
    """Lemma H.1 for a sum Z of ``count`` centred Bernoulli variables, by the exact law.

    With V = Σ E[Z_i²] and max |Z_i| = M the bounds are taken at t = ``ratio`` · V/M.

    Args:
        share: probability of a one. part: M as a part of the right one; below 1 the variables are not bounded by it.
    """
    largest = max(share, 1 - share)
    most = part * largest
    variance = count * share * (1 - share)
    law = stats.binom(count, share)
    mean, log_delta = count * share, math.log(1 / delta)
    level = ratio * variance / largest
    root = math.sqrt(2 * variance * log_delta)
    log_tail = float(law.logsf(math.floor(mean + level)))  # P[Z > t]
    reached = float(law.sf(math.floor(mean + root + 2 * most * log_delta)))
    return BernsteinTails(
        first=log_tail + level**2 / 2 / (variance + most * level / 3),
        printed=log_tail + min(level**2 / 2 / variance, level / 2 / most),
        ours=log_tail + min(level**2 / 4 / variance, 3 * level / 4 / most),
        reached=reached / delta,
    )


class GaussianTails(NamedTuple):
    """Probabilities over δ with which the bounds of Lemma H.2 fail."""

    lengths: float
    products: float


def gaussian(width: int = 64, delta: float = 0.05, variance: float = 1.0) -> GaussianTails:
    """Lemma H.2 for vectors of ``width`` Gaussians of variance ``variance``/m: exact probabilities over δ."""
    part = 4 / width * math.log(2 / delta)
    radius = math.sqrt(part) + part
    square = stats.chi2(width)
    low, high = (width * (1 + sign * radius) / variance for sign in (-1, 1))
    lengths = float(square.cdf(max(low, 0.0)) + square.sf(high))
    shares = (np.arange(4000) + 0.5) / 4000  # ⟨w₁, w₂⟩ given ‖w₁‖² is Gaussian
    spread = variance * np.sqrt(square.ppf(shares)) / width
    return GaussianTails(
        lengths=lengths / delta,
        products=float(np.mean(2 * stats.norm.sf(radius / spread))) / delta,
    )
