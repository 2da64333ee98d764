"""Theorem 3.3 as one event: at one T⋆ both losses are small and attention has its form, from many starts and widths."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch.nn.functional import softplus

from book.ledger.rates import Fit, fit_power
from book.recognise.attention.program import LearnedAndFrozen, State, learned_and_frozen
from book.recognise.new_sentence_losses import losses
from lib.program import run_many

WIDTHS = (1e3, 4e3, 1.6e4, 6.4e4)
"""m, over more than a decade and a half; each at least L² and 32 L/(s₀s₁)² at the default scales."""
STARTS = 10
"""Random starts at each width."""
FEWEST, MOST, IRRELEVANT = 0.1, 15.0, 10.0
"""Constants of ours, for what Θ and Õ hide in item 2, over log² τ."""


class OneTime(NamedTuple):
    """What holds at T⋆ = C m²/N₀, in τ = N₀ t."""

    share: float  # least share of starts, of the widths', at which all of the theorem holds at T⋆
    time: Fit  # T⋆ in m
    training: Fit  # the training loss there
    unseen: Fit  # the worst loss of a type of sentences of unseen words there
    recombined: Fit  # the loss of the worst sentence that recombines words of the training set there
    fewest: float  # least of C₁₂, C₂₁, −C₃₁, −C₃₂ over κ log² τ/(√m L N₀)
    most: float  # largest
    irrelevant: float  # largest with an irrelevant word, over its bound


class _AtTheEnd(NamedTuple):
    """What the two runs report, and the margin that they leave out."""

    runs: LearnedAndFrozen
    recombined: torch.Tensor  # 0-d, the least y F of sentences that recombine words of the training set


def one_time(
    constant: float = 40.0,
    samples: float = 144.0,
    length: int = 6,
    neurons: float = 16.0,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    seed: int = 0,
) -> OneTime:
    """Gradient flow from ``STARTS`` starts at each of ``WIDTHS``, until T⋆ = C m²/N₀.

    Args:
        constant: C. sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁.
    """
    common = {"samples": samples, "length": length, "neurons": neurons, "layer": 1.0, "random": 1}
    scales = {"sigma_0": sigma_0, "sigma_1": sigma_1}
    settings = [
        {**common, **scales, "width": width, "seed": seed + k, "end": math.log10(constant * width**2)}
        for width in WIDTHS
        for k in range(STARTS)
    ]
    program = learned_and_frozen()

    def at_the_end(states: tuple[State, ...], p: Any) -> _AtTheEnd:
        return _AtTheEnd(program.report(states, p), losses(states[1].learned, p).recombined)

    ends, recombined_margin = run_many(program._replace(report=at_the_end), settings)
    widths = torch.tensor([each["width"] for each in settings], dtype=torch.float64)
    unseen, recombined = softplus(-ends.unseen_learned), softplus(-recombined_margin)
    irrelevant = (ends.random / ends.grown[:, 1]).abs() / ends.room
    holds = (
        (ends.loss_learned <= 1 / widths)
        & (torch.maximum(unseen, recombined) < math.log(2))
        & (ends.fewest >= FEWEST)
        & (ends.most <= MOST)
        & (irrelevant <= IRRELEVANT)
    )
    return OneTime(
        share=float(holds.reshape(len(WIDTHS), STARTS).double().mean(1).min()),
        time=fit_power(widths, constant * widths**2 / ends.start),
        training=fit_power(widths, ends.loss_learned),
        unseen=fit_power(widths, unseen),
        recombined=fit_power(widths, recombined),
        fewest=float(ends.fewest.min()),
        most=float(ends.most.max()),
        irrelevant=float(irrelevant.max()),
    )


def is_wide(p: Any) -> bool:
    """Whether the least of :data:`WIDTHS` is as wide as Condition 1 asks, with the constants of this book."""
    product = (p.sigma_0 * p.sigma_1) ** 2
    least = max(p.neurons, 16 * p.neurons**0.5 / p.sigma_1**2, p.length**2, 32 * p.length / product)
    return bool(WIDTHS[0] >= least)
