"""The paper's parameters, and the one change of units after which width no longer makes numbers large."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from lib.cooccurrence.dynamics.orbit import Sizes
from lib.domain import Domain


class Setting(NamedTuple):
    """What Yang et al. choose before training; every field 0-d float64.

    Attributes:
        samples: n. On the orbit engine classes may be fractional: only their sums enter.
        positive: share of samples with both targets, ½ in Definition 2.1.
        single: share of the others that hold exactly one target, ⅔ there.
        first: share of those whose target is μ₁, ½ there.
        length: L, words in a sample. ``width``: m. ``neurons``: m₁.
        layer: |a_j|, 1 in the paper.
        sigma_0: σ₀ √(Lm), and ``sigma_1``: σ₁ √m₁; Condition 1 makes both 1 up to logarithms.
    """

    samples: Tensor
    positive: Tensor
    single: Tensor
    first: Tensor
    length: Tensor
    width: Tensor
    neurons: Tensor
    layer: Tensor
    sigma_0: Tensor
    sigma_1: Tensor


DOMAINS = (
    Domain("samples", low=6, high=1e8),
    Domain("positive", low=0, high=1, low_open=True, high_open=True),
    Domain("single", low=0, high=1, low_open=True, high_open=True),
    Domain("first", low=0, high=1, low_open=True, high_open=True),
    Domain("length", low=4, high=1000, integer=True),
    Domain("width", low=16, high=1e30),
    Domain("neurons", low=1, high=1e8),
    Domain("layer", low=1e-6, high=1e3),
    Domain("sigma_0", low=0, high=1e3),
    Domain("sigma_1", low=1e-3, high=1e3),
)
DEFAULTS = {
    "samples": 120.0,
    "positive": 1 / 2,
    "single": 2 / 3,
    "first": 1 / 2,
    "length": 6,
    "width": 256.0,
    "neurons": 256,
    "layer": 1.0,
    "sigma_0": 1.0,
    "sigma_1": 1.0,
}


def setting(**values: float) -> Setting:
    """A setting from numbers, the paper's where none is given.

    Raises:
        ValueError: a value outside its domain, or a name that is no parameter.
    """
    if unknown := set(values) - set(DEFAULTS):
        raise ValueError(f"parameters = {sorted(unknown)}: must be among {list(DEFAULTS)}")
    chosen = {**DEFAULTS, **values}
    checked = [float(domain.check(chosen[domain.name])) for domain in DOMAINS]
    return Setting(*(torch.tensor(value, dtype=torch.float64) for value in checked))


def counts(s: Setting) -> Tensor:
    """Samples of each type: both targets, only μ₁, only μ₂, neither; (4,)."""
    rest = 1 - s.positive
    shares = [s.positive, rest * s.single * s.first, rest * s.single * (1 - s.first), rest * (1 - s.single)]
    return s.samples * torch.stack(shares)


def value_gram(s: Setting) -> Tensor:
    """κ = σ₀² m, the squared length of W_V μ, W_K μ and W_Q μ at the start, in the mean."""
    return s.sigma_0**2 / s.length


def pace(s: Setting) -> Tensor:
    """N₀ = ‖a‖² σ₁² m, the mean of ‖Wᵀa‖² at the start. Training is followed in τ = N₀ t, which has no unit."""
    return s.layer**2 * s.sigma_1**2 * s.width


def scaled(s: Setting, learned: Tensor) -> tuple[Sizes, Tensor]:
    """The same training with τ for t: sizes, and the start's K = Q = G = κ' I beside N = 1.

    Measured in τ, all of S, K, Q and G times N₀, with m N₀² for m and ‖a‖²/N₀² for ‖a‖², obey the equations of
    :mod:`lib.cooccurrence.dynamics.gram` unchanged; scores S/√m, g and the loss are what they were.
    """
    n_0 = pace(s)
    sizes = Sizes(counts(s), s.length, s.width * n_0**2, s.layer**2 * s.neurons / n_0**2, learned)
    return sizes, value_gram(s) * n_0


def condition_1(s: Setting) -> dict[str, bool]:
    """The items of Condition 1 with all constants and logarithms set to 1 (scales: to within a factor of 3)."""
    m, m_1, n, length = (float(x) for x in (s.width, s.neurons, s.samples, s.length))
    return {
        "m at least m1": m >= m_1,
        "m at least L^2": m >= length**2,
        "n at least L^2": n >= length**2,
        "sigma_0 of order 1/sqrt(Lm)": abs(math.log(max(float(s.sigma_0), 1e-9))) <= math.log(3),
        "sigma_1 of order 1/sqrt(m1)": abs(math.log(float(s.sigma_1))) <= math.log(3),
    }
