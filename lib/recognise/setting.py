"""The paper's parameters, and the one change of units after which width no longer makes numbers large."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import WIDTHS, Domain
from lib.recognise.orbit import Sizes
from lib.recognise.task import FRACTIONS


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


_SHARE: dict[str, Any] = {"low": 0, "high": 1, "low_open": True, "high_open": True}
_SPREAD: dict[str, Any] = {"high": 1e3, "default": 1.0, "scale": "log", "track": (0.01, 10)}
DOMAINS = (
    Domain(
        "samples", low=6, high=1e8, default=120.0, words="samples", symbol="n", scale="log", track=(6, 1e6)
    ),
    Domain("positive", **_SHARE, default=1 / 2, words="share with both targets", track=(0.02, 0.98, 0.005)),
    Domain(
        "single", **_SHARE, default=2 / 3, words="of the others, with one target", track=(0.02, 0.98, 0.001)
    ),
    Domain("first", **_SHARE, default=1 / 2, words="of these, with μ₁", track=(0.02, 0.98, 0.005)),
    Domain(
        "length",
        low=4,
        high=1000,
        integer=True,
        default=6,
        words="words in a sample,",
        symbol="L",
        scale="whole",
        track=(4, 40),
    ),
    Domain(
        "width", low=16, high=1e30, default=256.0, words="width", symbol="m", scale="choice", track=WIDTHS
    ),
    Domain(
        "neurons", low=1, high=1e8, default=256, words="neurons", symbol="m₁", scale="log", track=(1, 1e4)
    ),
    Domain(
        "layer",
        low=1e-6,
        high=1e3,
        default=1.0,
        words="|a| of the output layer",
        scale="log",
        track=(0.01, 1),
    ),
    Domain("sigma_0", low=0, symbol="σ₀", unit="units of 1/√(Lm)", **_SPREAD),
    Domain("sigma_1", low=1e-3, symbol="σ₁", unit="units of 1/√m₁", **_SPREAD),
)
"""What the fields of :class:`Setting` may be; the paper's shares are the defaults."""


def setting(**values: float) -> Setting:
    """A setting from numbers, the paper's where none is given.

    Raises:
        ValueError: a value outside its domain, or a name that is no parameter.
    """
    if unknown := set(values) - set(Setting._fields):
        raise ValueError(f"parameters = {sorted(unknown)}: must be among {list(Setting._fields)}")
    checked = [float(domain.check(values.get(domain.name, domain.default))) for domain in DOMAINS]
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
    :mod:`lib.recognise.gram` unchanged; scores S/√m, g and the loss are what they were.
    """
    n_0 = pace(s)
    sizes = Sizes(counts(s), s.length, s.width * n_0**2, s.layer**2 * s.neurons / n_0**2, learned)
    return sizes, value_gram(s) * n_0


def near_one(scale: Tensor) -> Tensor:
    """Whether it is 1 to within a factor of 3; boolean."""
    return (scale >= 1 / 3) & (scale <= 3)


def condition_1(s: Setting) -> dict[str, Tensor]:
    """The items of Condition 1, each 1 or 0; traceable. What its tildes hide is set to what was found to be enough.

    With s₀ = σ₀ √(Lm) and s₁ = σ₁ √m₁, each 1 over a logarithm in Condition 1: ``wide``: m ≥ m₁ and m ≥ 16 √m₁/s₁², or
    N grows in Phase 1, by a part of order m₁/(m s₁²)². ``long``: m ≥ L² and m ≥ 32 L/(s₀s₁)², or ‖W_V μ‖² does, by one
    of order L/(m s₀²s₁²). ``many``: n ≥ 3L². ``fit_0``: s₀ ≤ 3 and s₀s₁ ≤ 1, the order of the outputs at the start.
    ``fit_1``: s₁ ≤ 3.
    """
    both = s.sigma_0 * s.sigma_1
    items = {
        "wide": s.width >= torch.maximum(s.neurons, 16 * torch.sqrt(s.neurons) / s.sigma_1**2),
        "long": s.width * both**2 >= torch.maximum(s.length**2 * both**2, 32 * s.length),
        "many": s.samples >= 3 * s.length**2,
        "fit_0": (s.sigma_0 <= 3) & (both <= 1 + 1e-9),
        "fit_1": s.sigma_1 <= 3,
    }
    return {name: item.to(torch.float64) for name, item in items.items()}


def assumption_2_3(s: Setting) -> Tensor:
    """1 where the types have Definition 2.1's shares, each to within a hundredth: Assumption 2.3 (i); traceable."""
    shares = counts(s) / s.samples
    wanted = torch.tensor(FRACTIONS, dtype=torch.float64)
    return ((shares - wanted).abs().amax() < 0.01).to(torch.float64)
