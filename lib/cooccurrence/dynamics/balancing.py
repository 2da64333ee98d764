"""Lemmas 4.4 and 4.5 on one run: the four class gradients and their ratios, against the separator's multipliers."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.cooccurrence.data import FRACTIONS, SIGNS
from lib.cooccurrence.dynamics import orbit, whole
from lib.cooccurrence.dynamics.limit import max_margin
from lib.cooccurrence.dynamics.race import pace_of_loss
from lib.cooccurrence.setting import scaled
from lib.solve import Program

DEFAULTS: dict[str, float] = {**whole.DEFAULTS, "end": 6.0}
MOST = 60.0
"""Ratios beyond this are not drawn."""


class Watch(NamedTuple):
    """τ; the four class gradients Σ g_i over their total (4,); Lemma 4.4's and 4.5's ratios (4,); τ/N of the loss.

    ``rates``: τ times the loss, and times N/N₀ and 1 + ‖a‖²gᵀGg/(N‖g‖²) besides, (2,).
    """

    time: Tensor
    shares: Tensor
    ratios: Tensor
    rates: Tensor


class Report(NamedTuple):
    """What the lemmas say, and what happened.

    Attributes:
        assumed: 1 where the types have Definition 2.1's shares. ``even``: as many with only μ₁ as with only μ₂.
        lasting: 1 where the separator's multipliers keep Lemma 4.5's gaps positive.
        shares, goal: of the class gradients at the end, in the limit, (4,).
        ratios, limits: (Σ₂ − Σ₃)/min, Σ/(Σ₂ + Σ₃ + Σ₄ − Σ₁), Σ/(Σ₁ − Σ₂), Σ/(Σ₁ − Σ₃), (4,); NaN beyond ``MOST``.
        rate: τ times loss, corrected for N and G, at the end. ``square``: its limit ‖g‖².
        margins: y F by type at the end, (4,).
        size: N/N₀ at the end.
    """

    assumed: Tensor
    even: Tensor
    lasting: Tensor
    shares: Tensor
    goal: Tensor
    ratios: Tensor
    limits: Tensor
    rate: Tensor
    square: Tensor
    loss: Tensor
    margins: Tensor
    size: Tensor
    unbalance: Tensor
    first: Tensor
    first_limit: Tensor
    second: Tensor
    second_limit: Tensor
    verdict: Tensor
    story: Tensor


def ratios(sums: Tensor) -> Tensor:
    """The four ratios from the sums Σ (4,); NaN where a denominator is not positive or the ratio too large."""
    total = sums.sum()
    small = torch.minimum(sums[1], sums[2])
    parts = torch.stack([sums[1] - sums[2], total, total, total])
    under = torch.stack([small, sums[1:].sum() - sums[0], sums[0] - sums[1], sums[0] - sums[2]])
    found = parts / torch.where(under > 0, under, torch.nan)
    return torch.where(found.abs() <= MOST, found, torch.nan)


def sums_of(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """Σ g_i over the samples of each type, over n; (4,)."""
    pull = torch.sigmoid(-SIGNS * orbit.outputs(state, sizes))
    return sizes.counts * pull / sizes.counts.sum()


def watch(state: whole.State, p: whole.Parameters) -> Watch:
    """See :class:`Watch`."""
    sizes, _ = scaled(whole.settings(p), p.learned)
    here = orbit.unpack(state.going.state)
    sums = sums_of(here, sizes)
    loss = (sizes.counts * orbit.losses(here, sizes)).sum() / sizes.counts.sum()
    rate = state.going.time * loss
    return Watch(
        state.going.time,
        sums / sums.sum(),
        ratios(sums),
        torch.stack([rate, rate * pace_of_loss(here, sizes)]),
    )


def report(state: whole.State, p: whole.Parameters) -> Report:
    """See :class:`Report`."""
    sizes, _ = scaled(whole.settings(p), p.learned)
    here = orbit.unpack(state.going.state)
    goal = max_margin(sizes.counts, sizes.length)
    number = torch.float64
    seen = watch(state, p)
    loss = (sizes.counts * orbit.losses(here, sizes)).sum() / sizes.counts.sum()
    wanted = sizes.counts * goal.multipliers
    limits = ratios(wanted)
    have = sizes.counts / sizes.counts.sum()
    assumed = (have - torch.tensor(FRACTIONS, dtype=number)).abs().amax() < 0.01
    lasting = torch.isfinite(limits[1:]).all()
    holds = torch.isfinite(seen.ratios[1:]).all() & (seen.ratios[0].abs() < 1)
    verdict = torch.where(lasting, torch.where(holds, 0, 1), torch.where(holds, 3, 2))
    return Report(
        assumed=assumed.to(number),
        even=((have[1] - have[2]).abs() < 0.01).to(number),
        lasting=lasting.to(number),
        shares=seen.shares,
        goal=wanted / wanted.sum(),
        ratios=seen.ratios,
        limits=limits,
        rate=seen.rates[1],
        square=goal.square,
        loss=loss,
        margins=SIGNS * orbit.outputs(here, sizes),
        size=here.blocks.size,
        unbalance=seen.ratios[0],
        first=seen.ratios[1],
        first_limit=limits[1],
        second=seen.ratios[2],
        second_limit=limits[2],
        verdict=verdict.to(number),
        story=torch.where(holds, 0, torch.where(lasting, 1, 2)).to(number),
    )


def balancing() -> Program:
    """Gradient flow until 10^``end``, watched class by class."""
    return whole.program(report)._replace(watch=watch)
