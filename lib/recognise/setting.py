"""The paper's parameters, and the change of units after which width no longer makes numbers large.

n ``samples``, L ``length``, m ``width``, m₁ ``neurons``, |a_j| ``layer``; ``sigma_0`` is σ₀ √(Lm) and ``sigma_1`` is
σ₁ √m₁, both 1 up to logarithms under Condition 1. The shares of the four types follow from three fractions:
``positive`` of all hold both targets (½ in Definition 2.1), ``single`` of the others hold one target (⅔ there), and
``first`` of those hold μ₁ (½ there). On the orbit engine a type may have a fractional number of samples.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from lib.domain import WIDTHS, Domain
from lib.program import record
from lib.recognise.orbit import Sizes

_SHARE: dict[str, Any] = {"low": 0, "high": 1, "low_open": True, "high_open": True}
_SPREAD: dict[str, Any] = {"high": 1e3, "default": 1.0, "scale": "log", "track": (0.01, 10)}
DOMAINS = (
    Domain(
        "samples", low=6, high=1e8, default=120.0, words="samples", symbol="n", scale="log", track=(6, 1e6)
    ),
    Domain("positive", **_SHARE, default=1 / 2, words="share with both words", track=(0.02, 0.98, 0.005)),
    Domain(
        "single",
        **_SHARE,
        default=2 / 3,
        words="of the rest, with one",
        track=(0.02, 0.98, 0.001),
    ),
    Domain("first", **_SHARE, default=1 / 2, words="of these, share with μ₁", track=(0.02, 0.98, 0.005)),
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
        words="output weights |a|",
        scale="log",
        track=(0.01, 1),
    ),
    Domain(
        "sigma_0",
        low=0,
        words="initial size",
        symbol="σ₀√(Lm)",
        **_SPREAD,
    ),
    Domain("sigma_1", low=1e-3, words="initial size", symbol="σ₁√m₁", **_SPREAD),
)
"""What Yang et al. choose before training; the paper's shares are the defaults."""
Setting = record("Setting", [domain.name for domain in DOMAINS])
"""The numbers that :data:`DOMAINS` describes, each 0-d float64.

The functions below read a setting from any record with these fields, so from the parameters of a whole program, too.
"""


def setting(**values: float) -> Any:
    """A :data:`Setting` from numbers; those that are not given have their defaults.

    Raises:
        ValueError: a value outside its domain, or a name that is no parameter.
    """
    if unknown := set(values) - set(Setting._fields):
        raise ValueError(f"parameters = {sorted(unknown)}: must be among {list(Setting._fields)}")
    checked = [float(domain.check(values.get(domain.name, domain.default))) for domain in DOMAINS]
    return Setting(*(torch.tensor(value, dtype=torch.float64) for value in checked))


def counts(p: Any) -> Tensor:
    """The number of samples of each type: both targets, only μ₁, only μ₂, neither; (4,)."""
    rest = 1 - p.positive
    shares = [p.positive, rest * p.single * p.first, rest * p.single * (1 - p.first), rest * (1 - p.single)]
    return p.samples * torch.stack(shares)


def value_gram(p: Any) -> Tensor:
    """κ = σ₀² m, the mean squared length of W_V μ, W_K μ and W_Q μ at the start; 0-d."""
    return p.sigma_0**2 / p.length


def pace(p: Any) -> Tensor:
    """N₀ = ‖a‖² σ₁² m, the mean of ‖Wᵀa‖² at the start; 0-d. Training is followed in τ = N₀ t, which has no unit."""
    return p.layer**2 * p.sigma_1**2 * p.width


def scaled(p: Any, learned: Tensor) -> tuple[Sizes, Tensor]:
    """The sizes of the same training with τ for t, and κ' of its start K = Q = G = κ' I, N = 1.

    Measured in τ, all of S, K, Q and G times N₀, with m N₀² for m and ‖a‖²/N₀² for ‖a‖², obey the equations of
    :mod:`lib.recognise.gram` unchanged; scores S/√m, g and the loss are what they were.

    Args:
        learned: 1 if W_K and W_Q are trained, 0 if they are frozen; 0-d.
    """
    n_0 = pace(p)
    sizes = Sizes(counts(p), p.length, p.width * n_0**2, p.layer**2 * p.neurons / n_0**2, learned)
    return sizes, value_gram(p) * n_0
