"""Appendices G and H of Yang et al.: softmax's derivative, Bernstein's inequality, Gaussian lengths."""

from __future__ import annotations

import math

import numpy as np
import torch
from scipy import stats


def softmax(
    seed: int = 0, words: int = 6, scale: float = 1.0, size: float = 0.01, diagonal: bool = False
) -> dict[str, float]:
    """Lemmas G.1 and G.2 at one random score vector: the derivative's error, and the remainder over ‖ε‖².

    Args:
        words: how long the vector is. scale: of its entries. size: of the perturbation's, ε.
        diagonal: whether −ppᵀ is left out of the derivative, which makes it wrong.
    """
    generator = torch.Generator().manual_seed(seed)
    s, along = scale * torch.randn(2, words, generator=generator, dtype=torch.float64)
    p, moved = torch.softmax(s, 0), size * along
    derivative = p.diag() - (0 if diagonal else torch.outer(p, p))
    right = torch.func.jvp(lambda x: torch.softmax(x, 0), (s,), (along,))[1]
    remainder = torch.softmax(s + moved, 0) - p - derivative @ moved
    return {
        "full": not diagonal,
        "error": float((derivative @ along - right).abs().max() / along.abs().max()),
        "remainder": float(remainder.abs().max() / (moved @ moved)),
    }


def bernstein(
    count: int = 1000, share: float = 0.5, ratio: float = 1.0, delta: float = 0.05, part: float = 1.0
) -> dict[str, float]:
    """Lemma H.1 for a sum Z of ``count`` centred Bernoulli variables, by the exact law; logarithms of probabilities.

    With V = Σ E[Z_i²] and max |Z_i| = M it asks at t = ``ratio`` · V/M.

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
    return {
        "bounded": part >= 1,
        "first": log_tail + level**2 / 2 / (variance + most * level / 3),
        "printed": log_tail + min(level**2 / 2 / variance, level / 2 / most),
        "ours": log_tail + min(level**2 / 4 / variance, 3 * level / 4 / most),
        "reached": reached / delta,
    }


def gaussian(width: int = 64, delta: float = 0.05, variance: float = 1.0) -> dict[str, float]:
    """Lemma H.2 for vectors of ``width`` Gaussians of variance ``variance``/m: exact probabilities over δ."""
    part = 4 / width * math.log(2 / delta)
    radius = math.sqrt(part) + part
    square = stats.chi2(width)
    low, high = (width * (1 + sign * radius) / variance for sign in (-1, 1))
    lengths = float(square.cdf(max(low, 0.0)) + square.sf(high))
    shares = (np.arange(4000) + 0.5) / 4000  # ⟨w₁, w₂⟩ given ‖w₁‖² is Gaussian
    spread = variance * np.sqrt(square.ppf(shares)) / width
    return {
        "unit": variance == 1,
        "lengths": lengths / delta,
        "products": float(np.mean(2 * stats.norm.sf(radius / spread))) / delta,
    }


def second_bound_by_sympy() -> bool:
    """The printed exponent exceeds the first one at t = V/M, and a Poisson sum's true one there; ours never does.

    A sum of many rare ones has P[Z > xV] = exp(−V((1 + x) log(1 + x) − x) + o(V)) with M → 1.
    """
    import sympy as sp

    x = sp.Symbol("x", positive=True)  # t M/V; exponents in units of V/M²
    first = x**2 / 2 / (1 + x / 3)
    printed, true = sp.Min(x**2 / 2, x / 2), (1 + x) * sp.log(1 + x) - x
    below_3, above_3 = sp.simplify(first - x**2 / 4), sp.simplify(first - 3 * x / 4)
    return bool(
        printed.subs(x, 1) > first.subs(x, 1)
        and sp.N(printed.subs(x, 1) - true.subs(x, 1)) > 0
        and sp.simplify(below_3 - x**2 * (3 - x) / (4 * (3 + x))) == 0  # ≥ 0 up to 3
        and sp.simplify(above_3 - 3 * x * (x - 3) / (4 * (x + 3))) == 0  # ≥ 0 from 3 on
    )


def second_bound_in_numbers() -> dict[str, float]:
    """10⁶ variables, each one with probability 10⁻³, at t = V/M: logarithms of P[Z > t] and of both bounds."""
    found = bernstein(10**6, 1e-3)
    variance, most = 1e3 * (1 - 1e-3), 1 - 1e-3
    log_printed = -min(variance / most**2 / 2, variance / most**2 / 2)
    return {
        "paper: log P at most": log_printed,
        "ours: log P at most": -variance / most**2 / 4,
        "measured: log P": found["printed"] + log_printed,
    }
